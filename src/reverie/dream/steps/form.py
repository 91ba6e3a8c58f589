"""Form: what could be done about each pattern, and how much it would be worth.

Hooks are tried on the past before they are offered. The order is worth: how often a pattern would
have helped, times what each time cost, in minutes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from reverie.data import patterns
from reverie.dream.model import Drop, Night, Pattern, Source
from reverie.dream.proposals.hooks import forbidden, guard_of, holds_forbidden, replays
from reverie.dream.proposals.pattern_forms import forms_of, names, unmade
from reverie.dream.proposals.regressions import frameworks, tested
from reverie.dream.proposals.rules import rule_of
from reverie.dream.steps.instructions import Instructions
from reverie.language.meaning import stems

# What one time costs beside what the log tells: a person's words are the dearest.
TURN = 2.0
EACH: Mapping[Source, float] = {
    "said": TURN,
    "diary": TURN,
    "ask": TURN,
    "question": TURN,
    "refusal": TURN,
}
OTHER = 0.5
OF_TURNS: tuple[set[Source], ...] = (
    {"ask"},
    {"said"},
    {"said", "ask"},
)  # what a person's turns show
FAILED_CALL = 0.5
SHARED = 0.3  # of the words of a vague rule that one on the same thing has, too
TOKENS = 10_000  # that are as dear as a minute

_RE = patterns("dreams.txt", "form")


def form(night: Night) -> Night:
    """The patterns with their forms and their worth, those of most worth first."""
    standing = [pattern for pattern in night.patterns if pattern.status == "pattern"]
    guards = {
        pattern.group.id: guard for pattern in standing if (guard := guard_of(pattern)) is not None
    }
    past = replays(night, guards, standing)
    used_in = frameworks(night) if any(map(tested, standing)) else {}
    banned = [*guards.values(), *(ban for known in night.known if (ban := forbidden(known.text)))]
    said = Instructions(night)
    made: list[Pattern] = []
    drops: list[Drop] = []
    for pattern in night.patterns:
        identity = pattern.group.id
        used = [used for project in pattern.group.projects for used in used_in.get(project, ())]
        if holds_forbidden(pattern, banned):
            drops.append(Drop("form", pattern.text, "holds a step that a person forbade"))
            continue
        if pattern.status == "pattern":
            forms = forms_of(pattern, guards.get(identity), past.get(identity), used)
            pattern = replace(pattern, forms=forms, worth=worth_of(pattern))
            if why := unmade(pattern, guards.get(identity), past.get(identity)):
                drops.append(Drop("form", pattern.text, why))
            if "rule" in names(forms) and not (rule := rule_of(pattern)).is_reminder:
                pattern = replace(pattern, rule=rule)
            if line := said.tell(pattern, pattern.title):
                if not (again := said.unheeded(pattern, line)):
                    drops.append(Drop("form", pattern.text, f"the instructions say so: {line}"))
                    continue
                pattern = replace(
                    pattern, rule=(pattern.rule or rule_of(pattern))._replace(counted=again)
                )
        made.append(pattern)
    # A model's own order comes first; the rules give none.
    made.sort(key=_order)
    for pattern, better in clashes([pattern for pattern in made if pattern.status == "pattern"]):
        made.remove(pattern)
        if pattern.group.source == better.group.source:  # it was said in those words, too
            place = next(n for n, each in enumerate(made) if each.group.id == better.group.id)
            made[place] = joined(made[place], pattern)
        drops.append(Drop("form", pattern.text, f"clashes with or repeats: {better.text}"))
    made.sort(key=_order)
    offered = sum(any(form.form == "hook" for form in pattern.forms) for pattern in made)
    note = f"{len(standing)} patterns in order of worth; {offered} of {len(guards)} hooks held"
    return night.after("form", note, drops, patterns=tuple(made))


def _order(pattern: Pattern) -> tuple[bool, int, float]:
    return pattern.status != "pattern", -pattern.rank, -pattern.worth


def clashes(offered: Sequence[Pattern]) -> Iterator[tuple[Pattern, Pattern]]:
    """Of patterns in order of worth those that another one makes needless, each with that one."""
    gone: set[str] = set()
    for place, pattern in enumerate(offered):
        better = next((old for old in offered[:place] if _rests_on(old, pattern)), None)
        better = better or next((old for old in offered if _prepares(old, pattern)), None)
        if better is not None and better.group.id not in gone:
            gone.add(pattern.group.id)
            yield pattern, better


def _prepares(pattern: Pattern, other: Pattern) -> bool:
    """Whether it tells what has to come before a step of a sequence, which is no more than that."""
    fixes = pattern.group.source == "fix" and other.group.source == "sequence"
    return fixes and pattern.scope == other.scope and _call(pattern) in other.group.members[0].steps


def _call(pattern: Pattern) -> str:
    return pattern.group.members[0].call


def joined(pattern: Pattern, other: Pattern) -> Pattern:
    """One wording of a rule with what shows the other."""
    both = dict.fromkeys((*pattern.group.members, *other.group.members))
    members = sorted(both, key=lambda member: member.at)
    whole = replace(pattern, group=replace(pattern.group, members=tuple(members)))
    return replace(whole, worth=worth_of(whole))


def _rests_on(pattern: Pattern, other: Pattern) -> bool:
    """Whether both are, for the most part, the same steps or the same turns of the person."""
    steps = [set(each.group.members[0].steps) for each in (pattern, other)]
    if all(steps) and 2 * len(steps[0] & steps[1]) > max(map(len, steps)):
        return pattern.scope == other.scope
    sources = {pattern.group.source, other.group.source}
    if sources not in OF_TURNS or pattern.scope != other.scope:
        return False
    if pattern.reader and other.reader and not _alike(pattern, other):
        return False  # the same turns may ask for two things
    seen = [
        {(m.evidence, m.quote or m.text) for m in each.group.members} for each in (pattern, other)
    ]
    if len(sources) > 1:  # what was asked for is worded otherwise
        seen = [{place for place, _ in each} for each in seen]
    return 2 * len(seen[0] & seen[1]) >= max(map(len, seen))


def _alike(pattern: Pattern, other: Pattern) -> bool:
    """Whether they are told in the same words, for the most part."""
    wordings = [stems(each.text) for each in (pattern, other)]
    return 2 * len(wordings[0] & wordings[1]) >= max(map(len, wordings))


def worth_of(pattern: Pattern) -> float:
    """Minutes that it would have saved, as far as it is a pattern at all."""
    cost = pattern.group.cost
    times = len({member.evidence for member in pattern.group.members})
    spent = FAILED_CALL * cost.failed_calls + cost.minutes + cost.tokens / TOKENS
    each = EACH.get(pattern.group.source, 0.0 if cost.failed_calls else OTHER)
    return round((times * each + spent) * pattern.confidence, 2)
