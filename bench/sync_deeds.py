"""What people do to their memories between two exchanges, and what they were told of it.

Every text has words that occur nowhere else, its marks, so that it can be searched for as bytes.
A deed is written down before it is tried and again with what was acknowledged; one that was killed
in between may have happened or not.
"""

import json
import os
import random
import re
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.sync_machines import PROJECTS, Machine

from reverie.asker import OWNER, Asker
from reverie.documents.vocabulary import GLOBAL
from reverie.errors import Busy, ReverieError
from reverie.memory import Memory
from reverie.operations import editing, forgotten, history, memories, projects
from reverie.store.library import Item
from reverie.store.model import Version

# Each line one lesson, in one or two wordings that mean the same; no two lines are related.
CLAIMS = (
    ("Releases are cut from the release branch", "Releases get cut from the release branch"),
    ("Never deploy on a Friday", "Don't deploy on Fridays"),
    ("Run the linter before every commit", "Before each commit, run the linter"),
    ("Use pnpm, not npm", "Always use pnpm instead of npm"),
    ("Staging listens on port 8443",),
    ("The crane stands at berth seven",),
    ("Migrations run in CI only",),
    ("Write commit messages in English",),
    ("Invoices are rounded to whole cents",),
    ("The nightly export takes forty minutes",),
    ("Ask Mara before changing the pricing table",),
    ("Feature flags live in the settings service",),
    ("Customers are called members in the interface",),
    ("The payment sandbox resets at midnight",),
    ("Keep public functions documented",),
    ("Logs of the gateway are kept for a week",),
    ("The mobile client caches images",),
    ("Integration tests need a running database",),
    ("Prefer small pull requests",),
    ("Vendors upload their lists by ftp",),
    ("The search index is rebuilt on Sundays",),
    ("Passwords are never logged",),
)
NAMES = ("anchor", "buoy", "capstan", "davit", "ensign", "fender", "galley", "hawser")
POINTS = ("before_write=0.05", "after_write=0.05", "after_commit=0.05", "mid_redact=0.5")
_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
_MARK = re.compile(r"\bqu(?:[bdfgklmnprstvz][aeiou]){6}x\b")


@dataclass(slots=True)
class Deed:
    """One thing that somebody did, or tried."""

    id: str
    machine: str
    kind: str
    store: str  # key: `global` or a project
    at: float  # real time: clocks of machines say nothing
    claims: list[int] = field(default_factory=list[int])  # rows of CLAIMS that it says, or ends
    private: bool = False
    done: bool = False
    versions: list[str] = field(default_factory=list[str])  # acknowledged
    memories: list[str] = field(default_factory=list[str])  # of those versions
    before: list[str] = field(default_factory=list[str])  # marks that were there
    after: list[str] = field(default_factory=list[str])
    targets: list[str] = field(default_factory=list[str])  # memories it was about
    redacted: str = ""  # id of a version
    words: str = ""  # the claim that was said or forgotten, as it was worded
    known: list[str] = field(default_factory=list[str])  # versions the home had before
    trust: str = ""  # of whoever did it


def new_mark(chance: random.Random) -> str:
    """A word that nobody says."""
    return "qu" + "".join(chance.choice(_SYLLABLES) for _ in range(6)) + "x"


def marks(text: str | None) -> list[str]:
    return sorted(set(_MARK.findall(text or "")))


def claims_in(text: str | None) -> list[int]:
    """The rows of CLAIMS that a text says."""
    said = (text or "").lower()
    return [n for n, forms in enumerate(CLAIMS) if any(form.lower() in said for form in forms)]


def read_log(file: Path) -> list[Deed]:
    """Every deed once, acknowledged or not."""
    found: dict[str, Deed] = {}
    for line in file.read_bytes().splitlines() if file.exists() else ():
        # Whoever is killed while writing leaves the beginning of a line: nothing was acknowledged.
        if line.endswith(b"}"):
            deed = Deed(**json.loads(line))
            found[deed.id] = deed
    return sorted(found.values(), key=lambda deed: deed.at)


class Person:
    """Somebody at one machine, who does one thing after the other."""

    def __init__(self, machine: Machine, log: Path, seed: int) -> None:
        self.machine, self.seed = machine, seed
        self.chance = random.Random(seed)
        self.log = log

    def work(self, deeds: int, kinds: Iterable[str] = ()) -> int:
        """Do so many things; what is refused is no deed, and the next one is tried."""
        chosen = list(kinds) or self.chance.choices(*zip(*WEIGHTS.items(), strict=True), k=deeds)
        for kind in chosen:
            try:
                self.act(kind)
            except Busy:
                continue
        return 0

    def act(self, kind: str) -> None:
        key = self.chance.choices((GLOBAL, *PROJECTS), (3, 4, 1))[0]
        asker = Asker() if self.chance.random() < 0.2 else OWNER
        with self.machine.opened(key if key != GLOBAL else "", asker) as memory:
            deed = Deed(uuid.uuid4().hex, self.machine.name, kind, key, time.time())
            deed.trust = asker.trust
            try:
                self.agree(memory, key)
                DEEDS[kind](self, memory, deed)
            except Busy:
                raise
            except ReverieError as refusal:
                print(f"{kind}: {type(refusal).__name__}: {refusal}")

    def agree(self, memory: Memory, key: str) -> None:
        """A checkout of a project that came from another machine is that project."""
        if memory.claim:
            with self.machine.opened(key) as person:
                projects.agree_to_project(person, str(self.machine.folders[key]))
            memory.projects.refresh()
            memory.entered()

    # What is tried, and what was told

    def intend(self, deed: Deed) -> None:
        self.write(deed)

    def done(self, deed: Deed, *made: Version | Item) -> None:
        deed.done = True
        for one in made:
            deed.versions.append(one.id if isinstance(one, Version) else one.memory.version_id)
            deed.memories.append(one.memory_id if isinstance(one, Version) else one.memory.id)
        self.write(deed)

    def write(self, deed: Deed) -> None:
        file = os.open(self.log, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        # A line of its own, also behind one that was cut off.
        os.write(file, b"\n" + json.dumps(asdict(deed)).encode() + b"\n")
        os.close(file)

    # Choices

    def item(self, memory: Memory, key: str, *, archived: bool = False) -> Item | None:
        found = memory.library.documents(self.store(memory, key), archived=archived)
        return self.chance.choice(found) if found else None

    def store(self, memory: Memory, key: str) -> str:
        name = GLOBAL if key == GLOBAL else memory.project or key
        memory.store.ensure_store(name)
        return name

    def versions(self, memory: Memory) -> list[str]:
        """All that this home has heard of."""
        return sorted(str(one) for (one,) in memory.database.query("SELECT id FROM versions"))

    def line(self) -> str:
        return f"See also {new_mark(self.chance)} in the log book."

    # Deeds

    def remember(self, memory: Memory, deed: Deed) -> None:
        row = self.chance.randrange(len(CLAIMS))
        deed.private = self.chance.random() < 0.15
        deed.claims = [row]
        if deed.private:
            deed.store = GLOBAL
        why, how = new_mark(self.chance), new_mark(self.chance)
        deed.after = sorted((why, how))
        deed.words, deed.known = self.chance.choice(CLAIMS[row]), self.versions(memory)
        self.intend(deed)
        made = memory.remember(
            deed.words + ".",
            type="user" if deed.private else "project",
            scope=GLOBAL if deed.store == GLOBAL else None,
            why=f"the {why} said so",
            how=f"ask the {how} first",
            name=self.chance.choice((*NAMES, None)),
        )
        deed.after = marks(made.item.memory.content)
        # What was known already is somebody's, perhaps another person's.
        deed.targets = [made.item.memory.id]
        written = (made.item,) if made.created or made.confirmed else ()
        self.done(deed, *written, *made.ended)

    def put(self, memory: Memory, deed: Deed) -> None:
        """A file without frontmatter, at a path that other machines use, too."""
        mark = new_mark(self.chance)
        deed.after = [mark]
        self.intend(deed)
        path = f"/notes/{self.chance.choice(NAMES)}.md"
        text = f"# {mark}\n\n{self.line()}\n"
        by = memory.asker.author("noted")
        head = memory.store.create(self.store(memory, deed.store), path, text, by)
        deed.after = marks(text)
        self.done(deed, memory.store.version(head.version_id))

    def edit(self, memory: Memory, deed: Deed) -> None:
        """Lines at the end, in the middle, the same line as others would, or another claim."""
        item = self.item(memory, deed.store)
        if item is None:
            return
        lines = item.memory.content.rstrip("\n").split("\n")
        way = self.chance.choice(("append", "append", "insert", "change", "change"))
        body = lines.index("---", 1) + 1 if lines[0] == "---" and "---" in lines[1:] else 0
        if way == "append":
            lines += ["", self.line()]
        elif way == "insert":
            lines[body + 1 : body + 1] = ["", self.line()]
        else:
            places = [n for n in range(body, len(lines)) if _MARK.search(lines[n])]
            if not places:
                return
            place = places[-1]
            lines[place] = _MARK.sub(lambda _: new_mark(self.chance), lines[place])
        self.change(memory, deed, item, "\n".join(lines) + "\n")

    def change(self, memory: Memory, deed: Deed, item: Item, text: str) -> None:
        deed.before, deed.after = marks(item.memory.content), marks(text)
        deed.targets = [item.memory.id]
        self.intend(deed)
        self.done(deed, editing.edit(memory, item, text))

    def rename(self, memory: Memory, deed: Deed) -> None:
        if item := self.item(memory, deed.store):
            deed.before = deed.after = marks(item.memory.content)
            self.intend(deed)
            name = f"{item.store}:{item.memory.path}"
            self.done(deed, memories.rename(memory, name, self.chance.choice(NAMES)).item)

    def delete(self, memory: Memory, deed: Deed) -> None:
        if item := self.item(memory, deed.store):
            deed.before = marks(item.memory.content)
            deed.claims = claims_in(item.memory.content)
            self.intend(deed)
            by = memory.asker.author("deleted by hand")
            head = item.memory
            memory.store.delete(head.store_id, head.id, if_version=head.version, by=by)
            self.done(deed, memory.store.versions(head.store_id, head.id, limit=1).items[0])

    def pin(self, memory: Memory, deed: Deed) -> None:
        if item := self.item(memory, deed.store):
            self.intend(deed)
            name = f"{item.store}:{item.memory.path}"
            act = memories.unpin if item.document.pinned else memories.pin
            self.done(deed, act(memory, name, "asked for"))

    def forget(self, memory: Memory, deed: Deed) -> None:
        item = self.item(memory, deed.store)
        if item is None or memory.asker.trust != "user":
            return
        deed.before = marks(item.memory.content)
        deed.claims = claims_in(item.document.description)
        deed.targets, deed.words = [item.memory.id], item.document.description
        deed.known = self.versions(memory)
        self.intend(deed)
        gone = forgotten.forget(memory, f"{item.store}:{item.memory.path}")
        self.done(deed, *gone.items)

    def restore(self, memory: Memory, deed: Deed) -> None:
        if item := self.item(memory, deed.store, archived=True):
            deed.claims = claims_in(item.memory.content)
            deed.before = deed.after = marks(item.memory.content)
            self.intend(deed)
            back = forgotten.restore(memory, f"{item.store}:{item.memory.path}")
            self.done(deed, *back.items)

    def revert(self, memory: Memory, deed: Deed) -> None:
        """Bring an old version back."""
        item = self.item(memory, deed.store)
        past = self.past(memory, item) if item else []
        if not item or not past:
            return
        old = self.chance.choice(past)
        deed.claims = claims_in(old.content)
        deed.before, deed.after = marks(item.memory.content), marks(old.content)
        self.intend(deed)
        name = f"{item.store}:{item.memory.path}"
        made = history.restore(memory, name, str(old.number))
        # Somebody else may have edited it meanwhile: that is what was taken back.
        for one in memory.store.versions(made.memory.store_id, made.memory.id, limit=100).items:
            if one.number == made.memory.version - 1:
                deed.before = sorted({*deed.before, *marks(one.content)})
        self.done(deed, made)

    def redact(self, memory: Memory, deed: Deed) -> None:
        """Take the words of an old version away; of a memory that was deleted, too."""
        if memory.asker.trust != "user":
            return
        store = self.store(memory, deed.store)
        heads = memory.store.heads()
        past = [
            one
            for one in memory.store.versions(store, limit=100).items
            if one.content is not None and one.id not in heads
        ]
        if not past:
            return
        old = self.chance.choice(past)
        deed.before, deed.redacted = marks(old.content), old.id
        # What a memory says now is not redacted by taking an old version of it away.
        said = {mark for head in memory.store.walk(store) for mark in marks(head.content)}
        deed.after = sorted(said.intersection(deed.before))
        self.intend(deed)
        history.redact_version(memory, old.id)
        self.done(deed)

    def describe(self, memory: Memory, deed: Deed) -> None:
        """Say what a store is for."""
        if memory.asker.trust == "user":
            deed.words = new_mark(self.chance)
            self.intend(deed)
            said = f"What the {deed.words} is for."
            memory.store.update_store(self.store(memory, deed.store), description=said)
            self.done(deed)

    def past(self, memory: Memory, item: Item) -> list[Version]:
        head = item.memory
        found = memory.store.versions(head.store_id, head.id, limit=100).items
        return [one for one in found[1:] if one.content is not None]


DEEDS: dict[str, Callable[[Person, Memory, Deed], None]] = {
    "remember": Person.remember,
    "put": Person.put,
    "edit": Person.edit,
    "rename": Person.rename,
    "delete": Person.delete,
    "pin": Person.pin,
    "forget": Person.forget,
    "restore": Person.restore,
    "revert": Person.revert,
    "redact": Person.redact,
    "describe": Person.describe,
}
WEIGHTS = {
    "remember": 30, "put": 8, "edit": 34, "rename": 5, "delete": 6, "pin": 4,
    "forget": 5, "restore": 2, "revert": 3, "redact": 5, "describe": 2,
}  # fmt: skip
