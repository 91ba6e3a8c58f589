"""What must hold once all homes have met: looked at from outside, by SQL, files and commands.

Each check takes what was found in the homes and what people were told, and answers with one
sentence for each promise that was broken.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from bench.sync_deeds import CLAIMS, Deed, claims_in, marks
from bench.sync_machines import PROJECTS, Machine

from reverie.documents.document import load
from reverie.documents.vocabulary import GLOBAL
from reverie.language.compare import relation
from reverie.sessions.forgotten import same_words
from reverie.sessions.projects import normalise_remote
from reverie.trust import TRUSTS

ARCHIVE = "/archive/"
_SAYS = frozenset({"remember", "restore", "revert"})  # deeds by which words are said again
_FIELDS = (
    "memory_id, operation, path, content, content_sha256, actor_kind, actor_id, reason, trust,"
    " valid_from, valid_to, created_at"
)
_ZSTD = b"\x28\xb5\x2f\xfd"
_HEADER = 1024  # bytes, in which what is packed begins
_GONE_WHEN_REDACTED = ("path", "content", "content_sha256")


class Head(NamedTuple):
    """A memory as it stands in one home."""

    memory: str
    version: str
    path: str
    content: str
    trust: str

    @property
    def live(self) -> bool:
        return not self.path.startswith(ARCHIVE)


@dataclass(slots=True)
class Snapshot:
    """What one home holds; stores by their key, which is the same in every home."""

    machine: str
    person: str
    versions: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    heads: dict[str, dict[str, Head]] = field(default_factory=dict[str, dict[str, Head]])
    apart: list[str] = field(default_factory=list[str])
    described: dict[str, str] = field(default_factory=dict[str, str])  # by key of the store

    def every_head(self) -> Iterator[Head]:
        for heads in self.heads.values():
            yield from heads.values()

    def versions_of(self, memory: str) -> set[str]:
        return {id for id, fields in self.versions.items() if fields["memory_id"] == memory}


def keys_of(home: Path) -> dict[str, str]:
    """Name of a store here → its key everywhere."""
    known = {GLOBAL: GLOBAL}
    remotes = {normalise_remote(remote): key for key, remote in PROJECTS.items()}
    with suppress(FileNotFoundError):
        listed = json.loads((home / "projects.json").read_text(encoding="utf-8"))
        for project in listed["projects"]:
            for remote in project["remotes"]:
                if remote in remotes:
                    known[project["slug"]] = remotes[remote]
    return known


def snapshot(machine: Machine) -> Snapshot:
    """Read a home's database as it lies on the disk."""
    found = Snapshot(machine.name, machine.person)
    file = machine.home / "memory.db"
    if not file.exists():
        return found
    keys = keys_of(machine.home)
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        database.row_factory = sqlite3.Row
        stores: dict[str, str] = {
            row["id"]: keys.get(str(row["name"]), str(row["name"]))
            for row in database.execute("SELECT id, name FROM stores")
        }
        found.described = {
            stores[row["id"]]: row["description"]
            for row in database.execute("SELECT id, description FROM stores")
        }
        for row in database.execute(
            f"SELECT id, store_id, redacted_at, {_FIELDS}, origin FROM versions"
        ):
            fields = dict(row)
            # A merge is each home's own: homes pass through other states on their way.
            fields["merge"] = fields.pop("origin") == "merged"
            fields["store"] = stores[fields.pop("store_id")]
            fields["redacted"] = fields.pop("redacted_at") is not None
            found.versions[fields.pop("id")] = fields
        for row in database.execute(
            "SELECT m.id, m.store_id, m.version_id, m.path, v.content, m.trust FROM memories m"
            " LEFT JOIN versions v ON v.id = m.version_id"
        ):
            heads = found.heads.setdefault(stores[row["store_id"]], {})
            if row["path"] in heads:
                found.apart.append(f"{row['path']} twice in {stores[row['store_id']]}")
            heads[row["path"]] = Head(
                row["id"], row["version_id"], row["path"], row["content"] or "", row["trust"]
            )
    return found


def heads_differ(snapshots: Sequence[Snapshot]) -> list[str]:
    """Every home of a person shows the same texts under the same paths, trusted alike."""
    wrong = [f"{one.machine}: {words}" for one in snapshots for words in one.apart]
    for one, other in combinations(snapshots, 2):
        for key in sorted(one.heads.keys() | other.heads.keys()):
            ours, theirs = one.heads.get(key, {}), other.heads.get(key, {})
            where = f"{key} of {one.machine} and {other.machine}"
            for path in sorted(ours.keys() | theirs.keys()):
                here, there = ours.get(path), theirs.get(path)
                if here is None or there is None:
                    wrong.append(f"{where}: {path} is only in {(one if here else other).machine}")
                elif here.content != there.content:
                    wrong.append(f"{where}: {path} has other text ({here.memory}, {there.memory})")
                elif here.trust != there.trust:
                    wrong.append(f"{where}: {path} has trust {here.trust} and {there.trust}")
                elif here.memory != there.memory:
                    wrong.append(f"{where}: {path} is {here.memory} and {there.memory}")
    return wrong


def descriptions_differ(snapshots: Sequence[Snapshot], deeds: Iterable[Deed]) -> list[str]:
    """Every home of a person says the same about a store, if they ever said anything of it."""
    said = {deed.store for deed in deeds if deed.kind == "describe" and deed.done}
    return [
        f"{key} is {one.described.get(key)!r} in {one.machine}, {other.described.get(key)!r} in"
        f" {other.machine}"
        for one, other in combinations(snapshots, 2)
        for key in sorted(said)
        if not one.described.get(key) or one.described.get(key) != other.described.get(key)
    ]


def versions_differ(snapshots: Sequence[Snapshot]) -> list[str]:
    """Every home of a person has the same versions, and each says the same in every home."""
    wrong: list[str] = []
    for one, other in combinations(snapshots, 2):
        for version in sorted(one.versions.keys() | other.versions.keys()):
            here, there = one.versions.get(version), other.versions.get(version)
            if (here or there or {})["merge"]:
                continue
            if here is None or there is None:
                lacking = one if here is None else other
                fields = here or there or {}
                wrong.append(
                    f"{lacking.machine} lacks {version} ({fields['operation']} {fields['path']},"
                    f" {fields['reason']!r}) of {fields['store']}"
                )
            elif here != there:
                unlike = {name for name in here if here[name] != there[name]}
                wrong.append(
                    f"{version} differs in {one.machine} and {other.machine}: {sorted(unlike)}"
                )
    return wrong


def acknowledged_lost(
    snapshots: Sequence[Snapshot], deeds: Iterable[Deed], only: Set[str] | None = None
) -> list[str]:
    """What one was told is written is in every home of the person; `only` these, if given."""
    return [
        f"{deed.kind} at {deed.machine} was acknowledged, and {one.machine} lacks {version}"
        for deed in deeds
        if deed.done
        for version in deed.versions
        if only is None or version in only
        for one in snapshots
        if version not in one.versions
    ]


def duplicates(snapshots: Sequence[Snapshot], deeds: Sequence[Deed]) -> list[str]:
    """No two live memories of a store say the same; what is kept as both is named so.

    What a person brought back, or said in other words where both were known, is theirs to join.
    """
    back = {row for deed in deeds if deed.kind in ("restore", "revert") for row in deed.claims}
    made = {deed.memories[0]: deed for deed in deeds if deed.kind == "remember" and deed.memories}
    wrong: list[str] = []
    for one in snapshots:
        # The other text of a conflict, in the name of whoever wrote it.
        beside = {
            fields["memory_id"]
            for fields in one.versions.values()
            if fields["operation"] == "created" and fields["reason"].startswith("kept beside")
        }
        for key, heads in one.heads.items():
            told = [
                (head, words)
                for head in heads.values()
                if head.live and head.memory not in beside
                if (words := load(head.content, path=head.path).description)
                if back.isdisjoint(claims_in(words))
            ]
            wrong += [
                f"{one.machine}: {key}{head.path} and {other.path} say the same"
                for (head, words), (other, others) in combinations(told, 2)
                if relation(words, others) == "same"
                and not _was_known(made.get(head.memory), one.versions_of(other.memory))
                and not _was_known(made.get(other.memory), one.versions_of(head.memory))
            ]
    return wrong


def _was_known(deed: Deed | None, versions: Set[str]) -> bool:
    """Whether who said something had these versions before, also of a deed that was killed."""
    return deed is not None and not versions.isdisjoint(deed.known)


def words_lost(
    snapshots: Sequence[Snapshot], deeds: Sequence[Deed], everybody: Sequence[Deed] = ()
) -> list[str]:
    """Words that were acknowledged and that nobody took out stand in some memory everywhere."""
    taken = {mark for deed in everybody or deeds for mark in {*deed.before} - {*deed.after}}
    let_go = {memory for deed in deeds if deed.kind == "forget" for memory in deed.targets}
    let_go |= {memory for deed in deeds if deed.kind == "forget" for memory in deed.memories}
    said: dict[tuple[str, int], set[str]] = {}
    for deed in everybody or deeds:
        for row in deed.claims if deed.kind == "remember" else ():
            said.setdefault((deed.store, row), set()).update(deed.targets or [deed.id])
    # Of two that say the same both are kept, one of them in the archive, unless one is trusted
    # more and speaks for both: what the other said besides is in its history then.
    for several in said.values():
        told = (one for one in everybody or deeds if several & {*one.memories, *one.targets})
        if len(several) > 1 and len({deed.trust for deed in told}) > 1:
            let_go |= several
    wrong: list[str] = []
    for one in snapshots:
        there = {mark for head in one.every_head() for mark in marks(head.content)}
        wrong += [
            f"{one.machine}: {mark} of {deed.kind} at {deed.machine} ({deed.memories}) is lost"
            for deed in deeds
            if deed.done and let_go.isdisjoint((*deed.memories, *deed.targets))
            for mark in sorted({*deed.after} - {*deed.before} - taken - there)
        ]
    return wrong


def came_back(
    snapshots: Sequence[Snapshot], deeds: Sequence[Deed], everybody: Sequence[Deed] = ()
) -> list[str]:
    """What was forgotten, and not said anew by somebody who could know or not know, is gone."""
    return [
        f"{one.machine}: {head.path} says what was forgotten at {deed.machine}: {CLAIMS[row][0]}"
        for deed, row in forgotten_claims(deeds, everybody)
        for one in snapshots
        for head in one.heads.get(deed.store, {}).values()
        if head.live and row in claims_in(load(head.content, path=head.path).description)
        if same_words(load(head.content, path=head.path).description, deed.words)
    ]


def forgotten_claims(
    deeds: Sequence[Deed], everybody: Sequence[Deed] = ()
) -> Iterator[tuple[Deed, int]]:
    """Deeds of forgetting that nothing speaks against, with the row of the claim."""
    for deed in deeds:
        if deed.kind != "forget" or not deed.done:
            continue
        known = {*deed.known}
        for row in deed.claims:
            again = (
                other
                for other in everybody or deeds
                if other.kind in _SAYS and row in other.claims
                # What was forgotten together is brought back together, in whichever stores.
                if other.store == deed.store or not {*other.memories}.isdisjoint(deed.memories)
            )
            if all(other.done and known.issuperset(other.versions) for other in again):
                yield deed, row


def still_told(machine: Machine, one: Snapshot, deeds: Sequence[Deed]) -> list[str]:
    """What was forgotten is neither in the digest nor recalled."""
    wrong: list[str] = []
    for deed, row in forgotten_claims(deeds):
        live = (head for head in one.every_head() if head.live)
        if any(row in claims_in(head.content) for head in live):
            continue
        with machine.opened(deed.store if deed.store != GLOBAL else "") as memory:
            told = memory.digest().text + memory.recall(CLAIMS[row][0]).text
        if deed.words.lower() in told.lower():
            wrong.append(f"{machine.name}: {CLAIMS[row][0]!r} was forgotten and is told")
    return wrong


def redacted_marks(snapshots: Sequence[Snapshot], deeds: Sequence[Deed]) -> set[str]:
    """Words that no acknowledged version holds any more that was not redacted."""
    redacted = {deed.redacted for deed in deeds if deed.redacted}
    gone = {
        mark
        for deed in deeds
        if deed.redacted and deed.done
        for mark in {*deed.before} - {*deed.after}
    }
    mine = {version for deed in deeds for version in deed.versions}
    # A version whose writer was killed before the answer is somebody's word as well.
    written = [
        (version, fields)
        for one in snapshots
        for version, fields in one.versions.items()
        if version in mine or fields["actor_kind"] != "filesystem"
    ]
    kept = {mark for v, fields in written if v not in redacted for mark in marks(fields["content"])}
    return gone - kept


def without_strange_redactions(
    deeds: Sequence[Deed], people: Mapping[str, str], person: str
) -> list[Deed]:
    """What was done, but for redactions by somebody else of what they did not write."""
    wrote = {(people[deed.machine], version) for deed in deeds for version in deed.versions}
    return [
        deed
        for deed in deeds
        if not deed.redacted
        or people[deed.machine] == person
        or (people[deed.machine], deed.redacted) in wrote
    ]


def redaction_undone(snapshots: Sequence[Snapshot], deeds: Sequence[Deed]) -> list[str]:
    """A version that was redacted in one home is empty in every home."""
    return [
        f"{one.machine}: {deed.redacted}, redacted at {deed.machine}, has its text"
        for deed in deeds
        if deed.redacted and deed.done
        for one in snapshots
        if (fields := one.versions.get(deed.redacted)) is not None
        and any(fields[name] is not None for name in _GONE_WHEN_REDACTED)
    ]


def bytes_left(where: str, files: Mapping[str, bytes], gone: Iterable[str]) -> list[str]:
    """None of these words in any of these files, packed or not."""
    words = [(mark, mark.encode()) for mark in sorted(gone)]
    wrong: list[str] = []
    for name, data in files.items() if words else ():
        forms = unpacked(data)
        wrong += [
            f"{where}: {mark} in {name}"
            for mark, word in words
            if any(word in plain for plain in forms)
        ]
    return wrong


def unpacked(data: bytes) -> list[bytes]:
    """The bytes as they are, and as they were before they were packed, whatever stands in front."""
    found = [data]
    begin = data.find(_ZSTD, 0, _HEADER)
    if begin >= 0:
        import zstandard

        # A cut file gives as much as is there.
        with suppress(zstandard.ZstdError):
            found.append(zstandard.ZstdDecompressor().decompressobj().decompress(data[begin:]))
    return found


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, but the history of a git repository."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and "objects" not in file.relative_to(folder).parts
    }


def words_indexed(home: Path, gone: Iterable[str]) -> list[str]:
    """None of these words in the full text, whose pages do not hold them as they are written."""
    with closing(sqlite3.connect(f"file:{home / 'memory.db'}?mode=ro", uri=True)) as database:
        database.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, memory_words, row)")
        terms = {str(term) for (term,) in database.execute("SELECT term FROM temp.terms")}
    # Endings are cut off in the index.
    stems = {term[:12] for term in terms}
    return [f"{home}: {mark} in the full text" for mark in sorted(gone) if mark[:12] in stems]


def foreign_trusted(one: Snapshot, deeds: Iterable[Deed], people: Mapping[str, str]) -> list[str]:
    """What another person said has at most the trust of an agent, and is not pinned.

    A version of theirs that repeats words of mine, as a move does, is my word still.
    """
    mine = {
        marks_and_claims(one.versions[version]["content"])
        for deed in deeds
        if deed.done and people[deed.machine] == one.person
        for version in deed.versions
        if version in one.versions
    }
    theirs = {
        version
        for deed in deeds
        if deed.done and people[deed.machine] != one.person
        for version in deed.versions
        if version in one.versions
        and marks_and_claims(one.versions[version]["content"]) not in mine
    }
    wrong = [
        f"{one.machine}: {version} of somebody else has trust {one.versions[version]['trust']}"
        for version in sorted(theirs)
        if TRUSTS.index(one.versions[version]["trust"]) < TRUSTS.index("agent")
    ]
    wrong += [
        f"{one.machine}: {head.path} of somebody else is pinned or trusted ({head.trust})"
        for head in one.every_head()
        if head.version in theirs
        and (load(head.content, path=head.path).pinned or head.trust == "user")
    ]
    return wrong


def marks_and_claims(text: str | None) -> tuple[str | int, ...]:
    """What a text says, whatever it says of its trust."""
    return (*marks(text), *claims_in(text))


def unhealthy(machine: Machine) -> list[str]:
    """What `doctor` and the chain find."""
    with machine.opened() as memory:
        findings = [
            f"{machine.name}: doctor: {one.check}: {one.message}"
            for one in memory.check()
            if one.level not in ("ok", "note") and one.check != "sqlite"
        ]
        findings += [
            f"{machine.name}: chain: {p.subject} {p.message}" for p in memory.store.verify()
        ]
        findings += [f"{machine.name}: damage: {found}" for found in memory.store.database.damage()]
    return findings


def not_portable(machine: Machine, one: Snapshot, scratch: Path) -> list[str]:
    """An export of this home, imported into an empty one, shows the same memories."""
    archive, other = scratch / "export.tar.gz", Machine("empty", machine.person, scratch / "empty")
    other.home.mkdir(parents=True, mode=0o700)
    exported = machine.run("export", str(archive))
    if exported.code:
        return [f"{machine.name}: export: {exported.err.strip()[-300:]}"]
    imported = other.run("import", str(archive))
    if imported.code:
        return [f"{machine.name}: import of its export: {imported.err.strip()[-300:]}"]
    with suppress(FileNotFoundError):
        (other.home / "projects.json").write_bytes((machine.home / "projects.json").read_bytes())
    found = snapshot(other)
    # What another home exported arrives with less trust, which a text says of itself.
    texts = [
        {
            (key, head.path, *marks(head.content))
            for key, heads in each.heads.items()
            for head in heads.values()
        }
        for each in (one, found)
    ]
    wrong = [
        f"{machine.name}: not in its export: {key}{path}" for key, path, *_ in texts[0] - texts[1]
    ]
    lacking = one.versions.keys() - found.versions.keys()
    return wrong + [f"{machine.name}: {version} is not in its export" for version in lacking]
