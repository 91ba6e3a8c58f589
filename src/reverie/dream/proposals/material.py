"""Material: what a dream shows to a model, in few portions, each line under a short id.

    diaries       what agents handed in about their tasks
    words         what persons said, each with its day and beside what may belong to it; with what
                  the agent answered if they asked for a fact
    plans         what agents proposed and persons let stand
    traffic       what the dream found in tool calls, calls that failed, calls a person refused, and
                  calls that the same sessions ran
    ends          what agents said last in their sessions
    instructions  what the files for agents say already of what persons speak of
    memories      what is remembered, and what waits for a decision

An id stands for one or several observations: `12.345` for line 345 of session 12, `G3` for
sentences that the rules hold for the same, `T4` for all places of a finding. What a program printed
stands in “…”: it can show that something happened, and is nobody's word. Findings are shown in each
portion, as whatever portion shows words may need them; the rest is shown once.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reverie.dream.model import Group, Known, Night, Observation, named_once
from reverie.dream.proposals.digests import CHOSE, Digest, digest, tells_something
from reverie.dream.proposals.habits import habits, told
from reverie.dream.proposals.instructed import Instructed
from reverie.dream.steps.remarks import asks, is_question
from reverie.inert import inert
from reverie.language.keys import is_slight
from reverie.language.meaning import is_common
from reverie.language.words import content, words
from reverie.learn.memories.queue import Review
from reverie.learn.traffic.commands import VARYING, shortened
from reverie.plural import several
from reverie.sessions.derived import Chosen
from reverie.sessions.query import SessionRow, TurnRow

PORTION = 44_000  # characters of one portion: about 11,000 tokens
MOST_PORTIONS = 4
SAID = 480  # characters of one turn, of which the beginning and the end are told,
DOUBTED = 280  # and of one that perhaps no person typed
OTHERS = 2  # calls that failed in the same way and are named
PARTS = 900  # of a diary
MEMORY = 240
ALIKE = 24  # characters of an output by which two findings are the same
PLACES = 20  # of a finding that are named
TOLD = 120  # characters of what was answered to a question
EXCHANGES = 4  # of a question that has no one answer
AGAIN = 80  # characters of a line that an earlier group shows whole
FEWEST_WORDS = 2  # of a call before an argument that may differ
SEVERAL = 2  # sessions of what is told together
UNJUDGED = 0.3  # worth of a turn of which the rules made nothing
REFUSED_ONCE = 10  # calls that a person refused in one session alone

# The sections, in their order.
DIARIES = "DIARIES that agents handed in"
WORDS = "WORDS of persons (session.line day)"
PLANS = "PLANS that persons let stand"
TRAFFIC = "TRAFFIC: what the tool calls show; “…” is what a program printed"
ENDS = "ENDS: what agents said last"
INSTRUCTIONS = "INSTRUCTIONS that the sessions were shown"
MEMORIES = "MEMORIES"
WAITING = "WAITING"
SECTIONS = (DIARIES, WORDS, PLANS, TRAFFIC, ENDS, INSTRUCTIONS, MEMORIES, WAITING)

_FAILS = re.compile(r"`([^`]+)` fails with")
_PLAIN = re.compile(r"\w[\w.-]*")  # no option, path or value in quotes

Turns = Callable[[str], Sequence[TurnRow]]
Ids = Mapping[str, tuple[Observation, ...]]


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that is shown: one line, or several that stay together."""

    section: str
    text: str
    ids: Ids
    worth: float = 1.0
    group: str = ""  # of the rules, by its id
    everywhere: bool = False  # shown in each portion
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
    place: int = 1  # of so many portions
    of: int = 1

    @property
    def groups(self) -> frozenset[str]:
        """The groups of the rules that are shown."""
        return frozenset(entry.group for entry in self.entries if entry.group)

    @property
    def ids(self) -> dict[str, tuple[Observation, ...]]:
        return {name: seen for entry in self.entries for name, seen in entry.ids.items()}

    @property
    def seed(self) -> str:
        shown = "\n".join((*self.sessions, *(entry.text for entry in self.entries)))
        return hashlib.sha256(shown.encode("utf-8", "replace")).hexdigest()

    @property
    def text(self) -> str:
        left_out = [f"({self.left_out} lines of less worth are left out)"] if self.left_out else []
        return "\n".join(["SESSIONS", *self.sessions, *left_out, *_listed(self.entries)])

    def about(self, names: Collection[str]) -> str:
        """What of it the ids stand for, with the memories of these names."""
        wanted = [
            entry
            for entry in self.entries
            if not entry.ids.keys().isdisjoint(names)
            or (entry.known is not None and entry.known.document.name in names)
        ]
        return "\n".join(_listed(wanted))


def _listed(entries: Sequence[Entry]) -> Iterator[str]:
    for section in SECTIONS:
        texts = [entry.text for entry in entries if entry.section == section]
        if texts:
            yield from ("", section, *texts)


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
    _digests: dict[str, Digest] = field(init=False)
    _chosen: Chosen | None = field(init=False)
    _told: dict[str, Observation] = field(init=False)  # what the agent answered to a question

    def __post_init__(self) -> None:
        reach, asked = self.night.reach, set(self.night.sessions)
        rows = [row for row in (reach.rows if reach else ()) if row.key in asked]
        rows = sorted(
            (row for row in rows if row.project in self.projects),
            key=lambda row: (row.started, row.key),
        )
        self._rows = {row.key: row for row in rows}
        self._numbers = {row.key: place for place, row in enumerate(rows, 1)}
        self._digests = {row.key: digest(row, self.turns(row.key), reach) for row in rows}
        self._chosen = Chosen(reach.database, tuple(self._rows)) if reach else None
        self._told = told(self._chosen) if self._chosen else {}

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
                *self._instructed(),
            ]
        )
        everywhere = [entry for entry in entries if entry.everywhere]
        others = [entry for entry in entries if not entry.everywhere]
        room = max(1, PORTION - sum(entry.size for entry in everywhere))
        count = -(-sum(entry.size for entry in others) // room) or 1
        parts = [part for part in _parts(others, count) if part] or [[]]
        return [
            self._portion([*everywhere, *part], left_out, place, len(parts))
            for place, part in enumerate(parts, 1)
            if part or everywhere
        ]

    def _fitting(self, entries: list[Entry]) -> tuple[list[Entry], int]:
        """What there is room for, what is worth most before the rest, in its order."""
        left = PORTION * MOST_PORTIONS
        kept: set[int] = set()
        for place in sorted(range(len(entries)), key=lambda at: (-entries[at].worth, at)):
            entry = entries[place]
            left -= entry.size * (MOST_PORTIONS if entry.everywhere else 1)
            if left < 0:
                break
            kept.add(place)
        fitting = [entry for place, entry in enumerate(entries) if place in kept]
        return fitting, len(entries) - len(fitting)

    def _portion(self, entries: Sequence[Entry], left_out: int, place: int, of: int) -> Portion:
        seen = {
            observation.session
            for e in entries
            for observations in e.ids.values()
            for observation in observations
        }
        lines: list[str] = []
        for key, number in self._numbers.items():
            row = self._rows[key]
            where = f" [{named_once(row.project)}]" if self._several else ""
            if key in seen:
                lines.append(f"{number} {row.started[:10]}{where} {inert(row.about)}")
        return Portion(self.projects, tuple(entries), tuple(lines), left_out, place, of)

    @property
    def _several(self) -> bool:
        return len(set(map(named_once, self.projects))) > 1

    def _own(self, group: Group) -> Group:
        """A group, with what these sessions show of it."""
        shown = tuple(member for member in group.members if member.session in self._numbers)
        return replace(group, members=shown)

    # --- words ----------------------------------------------------------------------------------

    def _words(self) -> list[Entry]:
        lines = {
            observation.evidence: observation
            for read in self._digests.values()
            for observation in read.said
        }
        worth: defaultdict[str, float] = defaultdict(float)
        for observation in self.night.observations:
            if observation.source == "said":
                worth[observation.evidence] = max(worth[observation.evidence], observation.lasting)
        entries: list[Entry] = []
        written: set[str] = set()
        grouped: set[str] = set()
        for name, group in self._groups():
            shown = {
                self._id(observation): lines.get(observation.evidence, observation)
                for observation in group.members
            }
            alike = {
                (observation.session, observation.text.lower()): key
                for key, observation in shown.items()
            }
            parts = {
                self._id(observation): inert(shortened(observation.text, AGAIN))
                for observation in group.members
            }
            listed = [
                f"  {key} {parts[key]}" if key in written else f"  {self._line(key, shown[key])}"
                for key in alike.values()
            ]
            head = f"{name}, perhaps the same ({_often(group)}):"
            ids = {name: group.members} | {
                key: self._answered(observation) for key, observation in shown.items()
            }
            entries.append(Entry(WORDS, "\n".join([head, *listed]), ids, 2.0, group.id))
            written |= set(alike.values())
            grouped |= {observation.evidence for observation in group.members}
        sent = self._sent_by_programs()
        for observation in lines.values():
            fresh = observation.evidence not in grouped and observation.text not in sent
            if fresh and tells_something(observation.text):
                name = self._id(observation)
                value = worth.get(observation.evidence, UNJUDGED)
                entries.append(
                    Entry(
                        WORDS,
                        self._line(name, observation),
                        {name: self._answered(observation)},
                        value,
                    )
                )
        return side_by_side(entries)

    def _sent_by_programs(self) -> set[str]:
        """What nobody is known to have typed, and came in several sessions word for word."""
        doubted = [observation for read in self._digests.values() for observation in read.said]
        places = {
            (observation.text, observation.session)
            for observation in doubted
            if observation.trust != "user"
        }
        counts = Counter(text for text, _ in places)
        return {text for text in counts if counts[text] >= SEVERAL and not text.startswith(CHOSE)}

    def _groups(self) -> Iterator[tuple[str, Group]]:
        """What persons said in several sessions, as the rules see it, by the names it has."""
        least = max(SEVERAL, self.night.ask.min_sessions)
        said = (self._own(group) for group in self.night.groups if group.source == "said")
        often = (g for g in said if len(g.sessions) >= least and not _is_courtesy(g))
        for number, group in enumerate(often, 1):
            yield f"G{number}", group

    def _id(self, observation: Observation) -> str:
        return f"{self._numbers[observation.session]}.{observation.evidence.rpartition('#')[2]}"

    def _line(self, name: str, observation: Observation) -> str:
        answer = self._told.get(observation.evidence)
        after = f" (told: {inert(shortened(answer.text, TOLD))})" if answer else ""
        return f"{name} {observation.day[5:]} {_shown(observation)}{after}"

    def _answered(self, observation: Observation) -> tuple[Observation, ...]:
        """A turn, with what the agent answered if it asked for a fact."""
        answer = self._told.get(observation.evidence)
        return (observation, answer) if answer else (observation,)

    # --- traffic --------------------------------------------------------------------------------

    def _traffic(self) -> list[Entry]:
        """Findings of the rules, then calls; each has a number of its own."""
        known: set[tuple[str, str]] = set()
        rows: list[tuple[str, Sequence[Observation], float, str]] = []
        # What is over, or no more than chance, is not shown as a finding.
        standing = {pattern.group.id for pattern in self.night.patterns}
        calls = list(self._calls())
        failed = {_failure(seen[-1].text): seen for _, seen in calls if _argument(seen[-1].text)}
        for text, groups in self._over_arguments():
            seen = tuple(observation for group in groups for observation in group.members)
            if groups[0].source == "question" and seen[0].kind != "decision":
                text += _exchanges(seen)
            sessions = {observation.session for observation in seen}
            if more := [o for o in failed.get(_failure(text), ()) if o.session not in sessions]:
                text, seen = _without(_argument(text), text), (*seen, *more)
            if len({observation.session for observation in seen}) >= SEVERAL:
                known |= {(m.session, said) for m in seen if (said := _printed(m.text))}
                finding = next((g.id for g in groups if g.id in standing), "")
                if finding or more or len(groups) > 1:
                    rows.append((text, seen, 2.0, finding or groups[0].id))
        for text, seen in calls:
            fresh = [
                observation
                for observation in seen
                if (observation.session, _printed(observation.text)) not in known
            ]
            if fresh:
                worth = 0.8 if len({observation.session for observation in fresh}) > 1 else 0.2
                rows.append((text, fresh, worth, ""))
        for calls, seen in (
            habits(self._chosen, self.night.ask.min_sessions) if self._chosen else ()
        ):
            if not any(all(f"`{call}`" in text for call in calls) for text, *_ in rows):
                rows.append((seen[0].text, seen, 0.8, ""))
        entries: list[Entry] = []
        for number, (text, seen, worth, group_id) in enumerate(rows, 1):
            line = f"T{number} ({self._where(seen)}) {inert(text)}"
            ids = {f"T{number}": tuple(seen)}
            entries.append(Entry(TRAFFIC, line, ids, worth, group_id, everywhere=bool(group_id)))
        return entries

    def _over_arguments(self) -> Iterator[tuple[str, list[Group]]]:
        """What is not said, as one finding where only the argument of a failing call differs."""
        alike: defaultdict[str, list[Group]] = defaultdict(list)
        for group in map(self._own, self.night.groups):
            if group.source != "said" and group.members:
                alike[_without(_argument(group.text), group.text)].append(group)
        for text, groups in alike.items():
            yield (text if len(groups) > 1 else groups[0].text), groups

    def _where(self, seen: Sequence[Observation]) -> str:
        """In which sessions, when last, and how many came after without it."""
        sessions = list(dict.fromkeys(observation.session for observation in seen))
        numbers = [self._numbers[key] for key in sessions]
        places = ", ".join(map(str, numbers[:PLACES])) + ", …" * (len(numbers) > PLACES)
        label = f"{several(len(numbers), 'session')}: {places}"
        last = max(seen, key=lambda observation: observation.at)
        homes = {named_once(observation.project) for observation in seen}
        after = sum(
            number > max(numbers) and named_once(self._rows[key].project) in homes
            for key, number in self._numbers.items()
        )
        ended = f", not in the {after} after" if after >= self.night.ask.min_sessions else ""
        return f"{label}; last {last.day[5:]}{ended}"

    def _calls(self) -> Iterator[tuple[str, list[Observation]]]:
        """Calls that failed, or that a person refused, the same ones together, most often first."""
        by_key: defaultdict[str, list[Observation]] = defaultdict(list)
        alone: dict[str, bool] = {}  # whether it tells something if it was seen in one session
        for read in self._digests.values():
            for kind, observation, telling in read.troubles:
                kind = _without(_argument(observation.text), kind)
                by_key[kind].append(observation)
                alone[kind] = telling
        often = {
            kind: len({observation.session for observation in seen})
            for kind, seen in by_key.items()
        }
        order = sorted(by_key, key=lambda name: (-often[name], name))
        once = [kind for kind in order if often[kind] == 1 and alone[kind]][:REFUSED_ONCE]
        for kind in (*(kind for kind in order if often[kind] >= SEVERAL), *once):
            yield _in_all(by_key[kind]), by_key[kind]

    def _plans(self) -> list[Entry]:
        entries: list[Entry] = []
        for plan in (plan for read in self._digests.values() for plan in read.plans):
            name = self._id(plan)
            text = f"{name} {plan.day[5:]} {inert(plan.text)}"
            entries.append(Entry(PLANS, text, {name: (plan,)}, 0.3))
        return side_by_side(entries)

    def _ends(self) -> Iterator[Entry]:
        for key, number in self._numbers.items():
            if (end := self._digests[key].end) is not None:
                yield Entry(ENDS, f"E{number} {inert(end.text)}", {f"E{number}": (end,)}, 0.1)

    # --- diaries, memories, the queue -----------------------------------------------------------

    def _instructed(self) -> Iterator[Entry]:
        for text in Instructed(self.night, self.projects).shown() if self._rows else ():
            yield Entry(INSTRUCTIONS, text, {}, 2.5, everywhere=True)

    def _diaries(self) -> Iterator[Entry]:
        for number, (session, line, text) in enumerate(self.diaries, 1):
            row = self._rows.get(session)
            if row is not None:
                shown = shortened(text, PARTS)
                observation = Observation(
                    "said", shown, session, row.project, row.started, f"{session}#{line}",
                    trust="agent", kind="best-practice",
                )  # fmt: skip
                where = f"session {self._numbers[session]}"
                yield Entry(
                    DIARIES,
                    f"D{number} ({where}) {inert(shown)}",
                    {f"D{number}": (observation,)},
                    3.0,
                )

    def _remembered(self) -> Iterator[Entry]:
        for known in self.night.known:
            if known.store in self.projects and not known.memory.path.startswith("/archive/"):
                text = inert(shortened(known.text, MEMORY))
                yield Entry(MEMORIES, f"{known.document.name}: {text}", {}, 2.5, known=known)
        for number, review in enumerate(self.waiting, 1):
            said = review.candidate
            observation = Observation(
                "said", said.quote[:SAID], said.session, said.project, said.at, said.evidence,
                trust="user" if said.trust == "user" else "agent",
            )  # fmt: skip
            name = f"Q{number}"
            text = inert(shortened(said.lesson, MEMORY))
            yield Entry(WAITING, f"{name} {text}", {name: (observation,)}, 0.5, review=review)


def _parts(entries: Sequence[Entry], count: int) -> list[list[Entry]]:
    """The entries in so many parts, of each section as much in each; but what was handed in comes
    first, and what is remembered last."""
    parts: list[list[Entry]] = [[] for _ in range(count)]
    for section in SECTIONS:
        section_entries = [entry for entry in entries if entry.section == section]
        total, size = sum(entry.size for entry in section_entries), 0
        for entry in section_entries:
            at = size * count // total
            at = {DIARIES: 0, MEMORIES: count - 1, WAITING: count - 1}.get(section, at)
            parts[at].append(entry)
            size += entry.size
    return parts


def _shown(observation: Observation) -> str:
    if observation.trust == "user" or observation.text.startswith(CHOSE):
        return inert(both_ends(observation.text, SAID))
    return f"(?) {inert(both_ends(observation.text, DOUBTED))}"


def both_ends(text: str, limit: int) -> str:
    """One line: of a long text how it begins and how it ends, where it says what is wanted."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    head, tail = line[: limit // 2], line[-(limit // 2) :]
    return f"{head.rpartition(' ')[0] or head} … {tail.partition(' ')[2] or tail}"


def _often(group: Group) -> str:
    return f"{len(group.sessions)} sessions, {len(group.days)} days"


def _exchanges(seen: Sequence[Observation]) -> str:
    """What was asked each time, and answered."""
    told = dict.fromkeys(shortened(observation.quote, TOLD) for observation in seen)
    return f" ({'; '.join([*told][:EXCHANGES])})"


def _is_courtesy(group: Group) -> bool:
    """Whether it is the same few everyday words each time, said beside other things."""
    (text, *others) = {
        observation.text.lower().strip(" .!"): observation.text for observation in group.members
    }.values()
    rare = [word for word in content(words(text)) if not (is_common(word) or is_slight(word))]
    return not others and len(rare) < (1 if asks(text) else SEVERAL) and not is_question(text)


def _printed(text: str) -> str:
    """What a program printed, of the text of a finding."""
    return text.partition("“")[2].partition("”")[0][:ALIKE].lower()


def _argument(text: str) -> str:
    """The plain word that the failing call of a finding ends with; "" for none."""
    match = _FAILS.match(text)
    last = match[1].split()[FEWEST_WORDS:][-1:] if match else []
    return "".join(last) if last and _PLAIN.fullmatch(last[0]) else ""


def _without(argument: str, text: str) -> str:
    if not argument:
        return text
    return re.sub(rf"(?<![\w./-]){re.escape(argument)}(?![\w/-])", VARYING, text)


def _failure(text: str) -> str:
    """What failed and how, whatever its argument was."""
    return _without(_argument(text), text).partition("”")[0]


def _in_all(seen: Sequence[Observation]) -> str:
    """One text for calls that ended alike; others that did are named before the last."""
    last = seen[-1].text
    calls = dict.fromkeys(
        observation.text.partition("` fails with")[0].strip("`") for observation in seen
    )
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
