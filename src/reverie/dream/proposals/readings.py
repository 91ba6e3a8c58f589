"""Readings: the patterns a model found, checked against what it was shown.

A pattern must rest on as many sessions and days as one of the rules, counted from the evidence it
names; what it names must stand there; and it is trusted no more than that. What only a program
printed may say that something happens: no rule, command or hook comes of it.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import msgspec

from reverie.data import patterns as regexes
from reverie.documents.vocabulary import KINDS, TYPES, Kind, Type
from reverie.dream.model import Group, Night, Observation, Pattern, Suggested, named_once
from reverie.dream.proposals.bearings import (
    SHOWN,
    Bearing,
    against,
    bearing,
    is_trouble,
    only_reports,
    rests_on_typed,
    seldom,
    taken_back,
)
from reverie.dream.proposals.suggestions import (
    OBSERVED,
    SUGGESTED,
    FormOf,
    acts,
    said_or_run,
    suggestions,
    without_printed,
)
from reverie.language.keys import is_slight
from reverie.language.meaning import is_common, stems
from reverie.learn.statements.utterance import hear
from reverie.learn.traffic.commands import VARYING
from reverie.learn.work.answers import (
    MAX_LESSON,
    PERHAPS,
    SCOPES,
    TEXT,
    Note,
    converted,
    evidence_reasons,
    one_of,
    rows,
    several,
    unkeepable,
)
from reverie.learn.work.ground import Ground
from reverie.learn.work.grounding import grounding
from reverie.learn.work.values import values_of
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import traces
from reverie.trust import Trust, lowest

MOST_PATTERNS = 20
WORTH = (1, 5)
REPORTED = "its evidence reports a fault of the product, and nobody says what to do about it"
ONLY_AGENTS = "only what agents said last shows it: nobody asked for it, and no call needs it"
NOBODY_FORBADE = "only reminds: what it denies is forbidden in no person's own words"
GIVEN = 0.4  # of the telling words of a reason that its evidence holds
USUAL = 3  # sessions in which persons use a name that goes without saying

_RE = regexes("dreams.txt", "check")
_OWN = regexes("dreams.txt", "readings")
_PRINTED = re.compile("“([^”]*)”")
_VARIES = re.compile(r"\s*…")

Ids = Mapping[str, tuple[Observation, ...]]


class Found(msgspec.Struct, frozen=True):
    """One pattern of an answer."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_LESSON)]
    kind: Kind
    evidence: tuple[str, ...]
    why: Note | None = None
    type: Type = "feedback"
    scope: str = "project"
    worth: Annotated[int, msgspec.Meta(ge=WORTH[0], le=WORTH[1])] = 3
    instead_of: tuple[str, ...] = ()
    forms: tuple[FormOf, ...] = ()


_FORM = {
    "form": one_of(SUGGESTED),
    "name": PERHAPS,
    "steps": several(TEXT),
    "match": PERHAPS,
    "decision": PERHAPS | {"enum": ["deny", "remind", None]},
}
PATTERNS = rows(
    {
        "text": TEXT,
        "why": PERHAPS,
        "type": one_of(TYPES),
        "kind": one_of(KINDS),
        "scope": one_of(SCOPES),
        "worth": {"type": "integer", "minimum": WORTH[0], "maximum": WORTH[1]},
        "evidence": several(TEXT),
        "instead_of": several(TEXT),
        "forms": rows(_FORM),
    }
)


class Read(NamedTuple):
    """A pattern of an answer, and what is wrong with it; with a pattern only its forms can be."""

    pattern: Pattern | None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reader:
    """Checks patterns against the observations that were shown."""

    night: Night
    ids: Ids
    redact: Callable[[str], str]
    version: str

    def read(self, item: Any) -> Read:
        """One pattern of an answer."""
        finding, why = converted(item, Found)
        if finding is None:
            return Read(None, (why,))
        reasons = evidence_reasons(list(finding.evidence), self.ids)
        if finding.instead_of:
            reasons += evidence_reasons(list(finding.instead_of), self.ids)
        reasons += self._unfit(finding)
        # Where an id is wrong, what the others show is looked at all the same.
        whole, earlier = self._members(finding.evidence), self._members(finding.instead_of)
        if not whole:
            return Read(None, tuple(reasons))
        wording = f"{finding.text} {finding.why or ''}"
        before = bearing(wording, self._known(finding.instead_of), self.ids).surely.seen
        shown = bearing(wording, self._known(finding.evidence), self.ids).without(earlier)
        # What may have been pasted counts beside two who typed it and say all of it.
        sure = shown.surely
        few = self._is_typed and seldom(sure, before, self.night.ask)
        if few and not (rests_on_typed(wording, shown) and self._said_by(finding, sure, before)):
            shown = sure
        reasons += seldom(shown, before, self.night.ask)
        seen = shown.seen or whole  # all that is wrong is told at once
        later = [observation for observation in earlier if observation.at > seen[-1].at]
        reasons += [f"{o.text[:SHOWN]!r} was said later, and stands" for o in later[:1]]
        if only_reports(seen) and all(observation.source == "said" for observation in seen):
            reasons.append(REPORTED)
        if all(observation.source == "end" for observation in seen):
            reasons.append(ONLY_AGENTS)
        reasons += self._kept_out(finding.text)
        ground = self._ground(finding, seen, complained=_complained(seen))
        check = grounding(_told(finding), ground)
        reasons += (
            check.reasons or against(finding.text, seen) or taken_back(finding.text, seen, self.ids)
        )
        if not reasons:
            return self._made(finding, self._trusted(finding, seen, check.whose), seen)
        return Read(None, tuple(reasons))

    @cached_property
    def _all(self) -> tuple[Observation, ...]:
        """All that was shown."""
        return tuple(observation for seen in self.ids.values() for observation in seen)

    @cached_property
    def _is_typed(self) -> bool:
        """Whether anything shown was surely typed; of a guest's sessions nothing is."""
        return any(each.source == "said" and each.trust == "user" for each in self._all)

    def _known(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name in self.ids]

    def _members(self, names: Iterable[str]) -> tuple[Observation, ...]:
        """What ids stand for, in order of time; a turn counts once."""
        turns = {(o.evidence, o.source): o for name in self._known(names) for o in self.ids[name]}
        return tuple(sorted(turns.values(), key=lambda each: (each.at, each.evidence)))

    def _said_by(self, finding: Found, sure: Bearing, before: Sequence[Observation]) -> bool:
        """Whether these lines alone say it, in nearly as many sessions as it takes."""
        ask = self.night.ask
        fewer = replace(ask, min_sessions=ask.min_sessions - 1, min_days=1)
        if not sure.seen or seldom(sure, before, fewer):
            return False
        return not grounding(
            _told(finding), self._ground(finding, sure.seen, complained=True)
        ).reasons

    def _ground(
        self, finding: Found, seen: Sequence[Observation], *, complained: bool = False
    ) -> Ground:
        """What a pattern may rest on: its evidence, and the names that people here always use."""
        said, beside = (
            tuple(
                dict.fromkeys(
                    part
                    for observation in seen
                    if (observation.trust == "user") == by_person
                    for part in (observation.text, observation.quote)
                    if part
                )
            )
            for by_person in (True, False)
        )
        names = {value for value in values_of(finding.text) if value.isalpha()}
        usual = (name for name in names if self._is_usual(name))
        known = (*{observation.project for observation in seen}, *usual)
        named = set(finding.evidence)
        elsewhere = tuple(
            (name, shown[0].text)
            for name, shown in self.ids.items()
            if len(shown) == 1 and name not in named
        )
        before = self._members(finding.instead_of)
        restated = tuple(observation.text for observation in before if observation.trust == "user")
        return Ground(
            said,
            beside,
            known,
            many=True,
            complained=complained,
            elsewhere=elsewhere,
            restated=restated,
        )

    def _is_usual(self, name: str) -> bool:
        """Whether people or agents speak of something by that name in several sessions."""
        sessions = {
            each.session
            for each in self._all
            if each.trust in {"user", "agent"} and name.lower() in each.text.lower()
        }
        return len(sessions) >= USUAL

    def _trusted(
        self, finding: Found, seen: tuple[Observation, ...], whose: str
    ) -> tuple[Observation, ...]:
        """The persons' words alone, where they say it themselves; else as trusted as the least."""
        spoken = tuple(observation for observation in seen if observation.trust == "user")
        if spoken and not seldom(Bearing(spoken), (), self.night.ask):
            alone = grounding(_told(finding), self._ground(finding, spoken))
            if not alone.reasons and alone.whose == "person":
                return spoken
        if len(spoken) < len(seen) or whose == "person":
            return seen
        return tuple(
            replace(observation, trust=lowest("agent", observation.trust)) for observation in seen
        )

    def _unfit(self, finding: Found) -> list[str]:
        steps = [step for form in finding.forms for step in (*form.steps, form.match or "")]
        whole = "\n".join([finding.text, finding.why or "", *steps])
        return unkeepable(whole, self.redact)

    def _made(
        self, finding: Found, members: tuple[Observation, ...], seen: Sequence[Observation]
    ) -> Read:
        text = " ".join(finding.text.split())
        trusts: list[Trust] = [observation.trust for observation in members]
        trust = lowest(*trusts)
        if trust != "user" and _RE.speaks_to_agents.search(f"{text} {finding.why or ''}"):
            return Read(None, ("text of a tool that speaks to agents",))
        spoken = any(observation.trust == "user" for observation in members)
        source = "said" if spoken else members[0].source
        group = Group(self._identity(text, members), source, text, members)
        known = (*self._done_anywhere, *without_printed(seen))
        acting = trust == "user" or acts(_told(finding)[0], seen, known)
        suggested, wrong = suggestions(finding.forms, known, self._ran) if acting else OBSERVED
        if trust != "user":
            suggested = tuple(map(_softened, suggested))
        support = len(group.sessions)
        made = Pattern(
            group=group,
            status="pattern",
            reason="a model finds it in the sessions",
            total=len(self.night.sessions),
            chance=0.0,
            probability=0.0,
            confidence=round(support / (support + 1.0), 2),
            scope=self._scope(finding, group),
            type=finding.type,
            kind=finding.kind,
            supersedes=tuple(observation.text for observation in self._members(finding.instead_of)),
            valid_from=members[0].at,
            reader=self.version,
            why=_shown_reason(finding.why or "", seen),
            rank=finding.worth,
            suggested=suggested,
        )
        return Read(made, tuple(wrong))

    @cached_property
    def _done_anywhere(self) -> tuple[str, ...]:
        """What persons said and what was run, in all that was shown."""
        return said_or_run(self._all)

    @cached_property
    def _ran(self) -> frozenset[str]:
        """The forms of what worked in the sessions that were shown."""
        if self.night.reach is None:
            return frozenset()
        shown = Chosen(self.night.reach.database, tuple({each.session for each in self._all}))
        return frozenset(form for row in traces(shown, "runs") for form, _ in row.trace.data)

    def _kept_out(self, text: str) -> list[str]:
        """Whether a text names what a person wants to stand in no file that others read."""
        named = _names(text)
        return [
            f"{sentence[:SHOWN]!r} keeps {', '.join(shared)} out of such files: say it without"
            for sentence, names in self._unmentioned
            if (shared := sorted(named & names))
        ][:1]

    @cached_property
    def _unmentioned(self) -> list[tuple[str, frozenset[str]]]:
        """What persons want to be mentioned nowhere: their sentences, and the names in these."""
        said = {o.text for o in self._all if o.source == "said" and o.trust == "user"}
        return [
            (sentence.text, _names(banned[0]) - _names(f"{banned['deed']} {banned['where']}"))
            for text in sorted(said)
            if _OWN.unmentioned.search(text)
            for sentence in hear(text).sentences
            if (banned := _OWN.unmentioned.search(sentence.text))
        ]

    def _scope(self, finding: Found, group: Group) -> str:
        """Shared only what was seen in two projects; else that of most of its evidence.

        Clones of one repository are one project, of which the one with most sessions is told.
        """
        seen = Counter(named_once(observation.project) for observation in group.members)
        if finding.scope == "global" and len(seen) > 1:
            return "global"
        most = min(seen, key=lambda name: (-seen[name], name))
        counts = Counter(
            {observation.project: 0 for observation in group.members}
            | Counter(row.project for row in (self.night.reach.rows if self.night.reach else ()))
        )
        clones = [name for name in counts if named_once(name) == most]
        return min(clones, key=lambda name: (-counts[name], name)) or "global"

    def _identity(self, text: str, members: Sequence[Observation]) -> str:
        """The id of the rules' group that it takes up; else one of its own."""
        places = {observation.evidence for observation in members}
        for group in self.night.groups:
            group_places = {observation.evidence for observation in group.members}
            if len(group.sessions) > 1 and 2 * len(group_places & places) > max(
                len(group_places), len(places)
            ):
                return group.id
        seed = "\0".join((members[0].evidence, text))
        return "pat_" + hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()[:16]


def _softened(wanted: Suggested) -> Suggested:
    """A form of what is nobody's own word: only a person forbids."""
    if wanted.decision != "deny":
        return wanted
    return replace(wanted, decision="remind", note=NOBODY_FORBADE)


def _told(finding: Found) -> tuple[str, str]:
    """What a pattern says; the sign for what varies stands for anything."""
    text, why = (_PRINTED.sub(_parts_quoted, part) for part in (finding.text, finding.why or ""))
    return _VARIES.sub("", text), _VARIES.sub("", why)


def _parts_quoted(quoted: re.Match[str]) -> str:
    """A quotation that leaves something out as what it does quote."""
    return " ".join(f"“{part.strip()}”" for part in quoted[1].split(VARYING) if part.strip())


def _names(text: str) -> frozenset[str]:
    """The telling words of a text, which are no everyday ones."""
    return frozenset(s for s in stems(text) if len(s) > 2 and not (is_common(s) or is_slight(s)))


def _shown_reason(why: str, seen: Sequence[Observation]) -> str:
    """A reason as far as the evidence gives it; "" for one that is only claimed."""
    shown = " ".join(f"{observation.text}\n{observation.quote}" for observation in seen)
    if _claims(why) - _claims(shown):
        why = _OWN.often.sub("", why)
    told = {stem for stem in stems(why) if not is_slight(stem)}
    given = len(told & stems(shown)) >= GIVEN * len(told) > 0
    return " ".join(why.split()) if given and not _claims(why) - _claims(shown) else ""


def _claims(text: str) -> set[str]:
    return set(map(str.lower, _OWN.claim.findall(text)))


def _complained(seen: Sequence[Observation]) -> bool:
    """Whether somebody wanted the contrary of what they tell: that rules it out."""
    return any(observation.trust == "user" and is_trouble(observation.text) for observation in seen)
