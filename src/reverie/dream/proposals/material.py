"""Material: what a dream shows to a model, in few portions, each line under a short id.

    diaries   what agents handed in about their tasks
    words     what persons said, with what may belong together side by side
    plans     what agents proposed and persons let stand
    traffic   what the dream found in tool calls, calls that failed, and calls a person refused
    ends      what agents said last in their sessions
    memories  what is remembered, and what waits for a decision

An id stands for one or several observations: `12.345` for line 345 of session 12, `G3` for
sentences that the rules hold for the same, `T4` for all places of a finding. What a program printed
stands in “…”: it can show that something happened, and is nobody's word.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reverie.dream.model import Group, Known, Night, Observation
from reverie.dream.proposals.digests import CHOSE, Digest, digest
from reverie.inert import inert
from reverie.language.words import content, words
from reverie.learn.memories.queue import Review
from reverie.learn.traffic.commands import shortened
from reverie.sessions.query import SessionRow, TurnRow

PORTION = 44_000  # characters of one portion: about 11,000 tokens
MOST_PORTIONS = 4
SAID = 300  # characters of one turn
OTHERS = 2  # calls that failed in the same way and are named
PARTS = 900  # of a diary
MEMORY = 240
ALIKE = 24  # characters of an output by which two findings are the same
PLACES = 6  # of a finding that are named
FEWEST_STEMS = 2  # telling words, below which a turn only goes on with something
UNJUDGED = 0.3  # worth of a turn of which the rules made nothing

Turns = Callable[[str], Sequence[TurnRow]]
Ids = Mapping[str, tuple[Observation, ...]]


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that is shown: one line, or several that stay together."""

    section: str
    text: str
    ids: Ids
    worth: float = 1.0
    known: Known | None = None
    review: Review | None = None

    @property
    def size(self) -> int:
        return len(self.text) + 1


@dataclass(frozen=True, slots=True)
class Portion:
    """What one piece shows of one or several projects."""

    projects: tuple[str, ...]
    entries: tuple[Entry, ...]
    sessions: tuple[str, ...]  # a line each: number, day, what it was about
    left_out: int  # entries of the project for which there was no room
    groups: frozenset[str] = frozenset()  # of the rules, shown here

    @property
    def ids(self) -> dict[str, tuple[Observation, ...]]:
        return {name: seen for entry in self.entries for name, seen in entry.ids.items()}

    @property
    def seed(self) -> str:
        shown = "\n".join((*self.sessions, *(entry.text for entry in self.entries)))
        return hashlib.sha256(shown.encode("utf-8", "replace")).hexdigest()

    @property
    def text(self) -> str:
        lines: list[str] = ["SESSIONS", *self.sessions]
        if self.left_out:
            lines.append(f"({self.left_out} lines of less worth are left out)")
        for section in dict.fromkeys(entry.section for entry in self.entries):
            lines += ["", section]
            lines += [entry.text for entry in self.entries if entry.section == section]
        return "\n".join(lines)


@dataclass
class Material:
    """All there is to show of some projects."""

    night: Night
    projects: tuple[str, ...]
    turns: Turns
    diaries: Sequence[tuple[str, int, str]] = ()  # handed in: session, line, text
    waiting: Sequence[Review] = ()
    _numbers: dict[str, int] = field(init=False)
    _rows: dict[str, SessionRow] = field(init=False)
    _groups: list[tuple[str, Group]] = field(init=False)
    _digests: dict[str, Digest] = field(init=False)

    def __post_init__(self) -> None:
        reach, asked = self.night.reach, set(self.night.sessions)
        rows = [row for row in (reach.rows if reach else ()) if row.key in asked]
        rows = sorted(
            (row for row in rows if row.project in self.projects),
            key=lambda row: (row.started, row.key),
        )
        self._rows = {row.key: row for row in rows}
        self._numbers = {row.key: place for place, row in enumerate(rows, 1)}
        self._groups = list(self._named_groups())
        self._digests = {row.key: digest(row, self.turns(row.key), reach) for row in rows}

    def portions(self) -> list[Portion]:
        """In the order in which they are handed out; nothing to think about is no portion."""
        remembered = list(self._remembered())
        few = len(self._rows) < self.night.ask.min_sessions
        if few and not any(entry.known for entry in remembered):
            return []
        entries, left_out = self._fitting(
            [
                *self._diaries(),
                *self._words(),
                *self._plans(),
                *self._traffic(),
                *self._ends(),
                *remembered,
            ]
        )
        total = sum(entry.size for entry in entries)
        count = -(-total // PORTION) or 1
        parts: list[list[Entry]] = [[]]
        size = 0
        for entry in entries:
            if size >= total / count and len(parts) < count:
                parts.append([])
                size = 0
            parts[-1].append(entry)
            size += entry.size
        return [self._portion(part, left_out) for part in parts if part]

    def _fitting(self, entries: list[Entry]) -> tuple[list[Entry], int]:
        """What there is room for, what is worth most before the rest, in its order."""
        left = PORTION * MOST_PORTIONS
        kept: set[int] = set()
        for place in sorted(range(len(entries)), key=lambda at: (-entries[at].worth, at)):
            left -= entries[place].size
            if left < 0:
                break
            kept.add(place)
        found = [entry for place, entry in enumerate(entries) if place in kept]
        return found, len(entries) - len(found)

    def _portion(self, entries: Sequence[Entry], left_out: int) -> Portion:
        seen = {one.session for e in entries for found in e.ids.values() for one in found}
        told: list[str] = []
        for key, number in self._numbers.items():
            row = self._rows[key]
            where = f" [{row.project}]" if len(self.projects) > 1 else ""
            if key in seen:
                told.append(f"{number} {row.started[:10]}{where} {inert(row.about)}")
        names = {name for entry in entries for name in entry.ids}
        groups = frozenset(one.id for name, one in self._groups if name in names)
        return Portion(self.projects, tuple(entries), tuple(told), left_out, groups)

    def _named_groups(self) -> Iterator[tuple[str, Group]]:
        """Groups of several sessions, by the names they are shown under."""
        counts: Counter[str] = Counter()
        for one in self.night.groups:
            own = replace(one, members=tuple(m for m in one.members if m.session in self._numbers))
            if len(own.sessions) > 1:
                letter = "G" if one.source == "said" else "T"
                counts[letter] += 1
                yield f"{letter}{counts[letter]}", own

    # --- words ----------------------------------------------------------------------------------

    def _words(self) -> list[Entry]:
        section = "WORDS of persons (session.line)"
        lines = {one.evidence: one for read in self._digests.values() for one in read.said}
        worth: defaultdict[str, float] = defaultdict(float)
        for one in self.night.observations:
            if one.source == "said":
                worth[one.evidence] = max(worth[one.evidence], one.lasting)
        found: list[Entry] = []
        told: set[str] = set()
        for name, group in self._groups:
            if group.source == "said":
                shown = {self._id(one): lines.pop(one.evidence, one) for one in group.members}
                alike = {(one.session, one.text.lower()): key for key, one in shown.items()}
                fresh = [
                    f"  {key} {_shown(shown[key])}" for key in alike.values() if key not in told
                ]
                again = " ".join(key for key in shown if key in told)
                head = f"{name}, perhaps the same ({_often(group)}): {again}".rstrip()
                ids = {name: group.members} | {key: (one,) for key, one in shown.items()}
                found.append(Entry(section, "\n".join([head, *fresh]), ids, 2.0))
                told |= set(shown)
        for one in lines.values():
            if len(content(words(one.text))) >= FEWEST_STEMS:
                name = self._id(one)
                value = worth.get(one.evidence, UNJUDGED)
                found.append(Entry(section, f"{name} {_shown(one)}", {name: (one,)}, value))
        return side_by_side(found)

    def _id(self, one: Observation) -> str:
        return f"{self._numbers[one.session]}.{one.evidence.rpartition('#')[2]}"

    # --- traffic --------------------------------------------------------------------------------

    def _traffic(self) -> list[Entry]:
        section = "TRAFFIC: what the tool calls show; “…” is what a program printed"
        found: list[Entry] = []
        known: set[str] = set()
        standing = {one.group.id for one in self.night.patterns}
        for name, group in self._groups:
            if group.source != "said":
                known |= {f"{m.session}\0{_printed(m.text)}" for m in group.members}
                # What is over, or no more than chance, is not shown as a finding.
                if group.id in standing:
                    found.append(self._finding(section, name, group.text, group.members))
        number = len(found)
        for text, seen in self._calls():
            fresh = [one for one in seen if f"{one.session}\0{_printed(one.text)}" not in known]
            worth = 0.8 if len({one.session for one in fresh}) > 1 else 0.2
            if fresh:
                number += 1
                entry = self._finding(section, f"T{number}", text, tuple(fresh))
                found.append(replace(entry, worth=worth))
        return found

    def _finding(self, section: str, name: str, text: str, seen: tuple[Observation, ...]) -> Entry:
        sessions = list(dict.fromkeys(one.session for one in seen))
        places = ", ".join(f"{self._numbers[key]}" for key in sessions[:PLACES])
        more = "" if len(sessions) <= PLACES else f" and {len(sessions) - PLACES} more"
        label = f"session{'s' * (len(sessions) != 1)} {places}{more}"
        return Entry(section, f"{name} ({label}) {inert(text)}", {name: seen}, 2.0)

    def _calls(self) -> Iterator[tuple[str, list[Observation]]]:
        """Calls that failed, or that a person refused, the same ones together, most often first."""
        by_key: defaultdict[str, list[Observation]] = defaultdict(list)
        alone: dict[str, bool] = {}  # whether it tells something if it was seen in one session
        for read in self._digests.values():
            for kind, one, telling in read.troubles:
                by_key[kind].append(one)
                alone[kind] = telling
        often = {kind: len({one.session for one in seen}) for kind, seen in by_key.items()}
        for kind in sorted(by_key, key=lambda name: (-often[name], name)):
            if often[kind] > 1 or alone[kind]:
                yield _in_all(by_key[kind]), by_key[kind]

    def _plans(self) -> list[Entry]:
        section = "PLANS that persons let stand"
        found: list[Entry] = []
        for one in (one for read in self._digests.values() for one in read.plans):
            name = self._id(one)
            found.append(Entry(section, f"{name} {inert(one.text)}", {name: (one,)}, 0.3))
        return side_by_side(found)

    def _ends(self) -> Iterator[Entry]:
        section = "ENDS: what agents said last"
        for key, number in self._numbers.items():
            if (one := self._digests[key].end) is not None:
                yield Entry(section, f"E{number} {inert(one.text)}", {f"E{number}": (one,)}, 0.1)

    # --- diaries, memories, the queue -----------------------------------------------------------

    def _diaries(self) -> Iterator[Entry]:
        section = "DIARIES that agents handed in"
        for number, (session, line, text) in enumerate(self.diaries, 1):
            row = self._rows.get(session)
            if row is not None:
                shown = shortened(text, PARTS)
                one = Observation(
                    "said", shown, session, row.project, row.started, f"{session}#{line}",
                    trust="agent", kind="best-practice",
                )  # fmt: skip
                where = f"session {self._numbers[session]}"
                yield Entry(
                    section, f"D{number} ({where}) {inert(shown)}", {f"D{number}": (one,)}, 3.0
                )

    def _remembered(self) -> Iterator[Entry]:
        for one in self.night.known:
            if one.store in self.projects and not one.memory.path.startswith("/archive/"):
                text = inert(shortened(one.text, MEMORY))
                yield Entry("MEMORIES", f"{one.document.name}: {text}", {}, 2.5, known=one)
        for number, review in enumerate(self.waiting, 1):
            said = review.candidate
            one = Observation(
                "said", said.quote[:SAID], said.session, said.project, said.at, said.evidence,
                trust="user" if said.trust == "user" else "agent",
            )  # fmt: skip
            name = f"Q{number}"
            text = inert(shortened(said.lesson, MEMORY))
            yield Entry("WAITING", f"{name} {text}", {name: (one,)}, 0.5, review=review)


def _shown(one: Observation) -> str:
    known = one.trust == "user" or one.text.startswith(CHOSE)
    whose = "" if known else "(perhaps not a person) "
    return whose + inert(shortened(one.text, SAID))


def _often(group: Group) -> str:
    return f"{len(group.sessions)} sessions, {len(group.days)} days"


def _printed(text: str) -> str:
    """What a program printed, of the text of a finding."""
    return text.partition("“")[2].partition("”")[0][:ALIKE].lower()


def _in_all(seen: Sequence[Observation]) -> str:
    """One text for calls that ended alike; others that did are named before the last."""
    last = seen[-1].text
    calls = dict.fromkeys(one.text.partition("` fails with")[0].strip("`") for one in seen)
    others = [f"`{call}`" for call in calls if call and f"`{call}`" not in last]
    return ", ".join([*others[-OTHERS:], last]) if last.startswith("`") else last


def side_by_side(entries: Sequence[Entry]) -> list[Entry]:
    """An order in which each stands near what shares its rarest words."""
    bags = [content(words(entry.text)) for entry in entries]
    counts = Counter(stem for bag in bags for stem in bag)
    listed: defaultdict[str, list[int]] = defaultdict(list)
    for place, bag in enumerate(bags):
        for stem in bag:
            listed[stem].append(place)
    left = dict.fromkeys(range(len(entries)))
    order: list[int] = []
    while left:
        near: Counter[int] = Counter()
        for place in order[-3:]:
            for stem in bags[place]:
                for other in listed[stem]:
                    if other in left and 1 < counts[stem] <= len(entries) / 4:
                        near[other] += 1 / counts[stem] / (1 + len(bags[other])) ** 0.5
        best = min(near, key=lambda at: (-near[at], at)) if near else next(iter(left))
        order.append(best)
        del left[best]
    return [entries[place] for place in order]
