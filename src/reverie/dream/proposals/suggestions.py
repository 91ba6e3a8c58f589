"""Suggestions: the forms that a model would give a pattern, checked against what was said and run.

What a step or a hook names must have been said by a person or run by an agent, be it anywhere in
what was shown: it is a program or a thing of the project. What a program printed is neither.
"""

import re
from collections.abc import Iterable, Sequence, Set
from typing import Annotated, Literal

import msgspec

from reverie.data import lines, patterns
from reverie.dream.model import Form, Observation, Suggested
from reverie.language.words import content, words
from reverie.learn.traffic.commands import VARYING, command_of, forms_of
from reverie.learn.work.answers import Note
from reverie.learn.work.values import values_in

MOST_STEPS = 8
SUGGESTED: tuple[Form, ...] = ("rule", "command", "skill", "hook", "observation")
PRINTED = 0.5  # share of a pattern's telling words that a program may have printed alone

# What the output of a program alone says is nothing to do.
OBSERVED: tuple[tuple[Suggested, ...], tuple[str, ...]] = (
    (Suggested("observation"),),
    ("only the output of a program says it: no rule of it",),
)

_RE = patterns("dreams.txt", "procedures")
_DEEDS = [
    (re.compile(deed, re.IGNORECASE), program)
    for line in lines("dreams.txt", "suggestions.deeds")
    for deed, _, program in [line.rpartition(" = ")]
]
_PRINTED = re.compile("“([^”]*)”")
_ASIDE = re.compile(r"“[^”]*”|\([^)]*\)")  # where a pattern tells what a program prints


class FormOf(msgspec.Struct, frozen=True):
    """One form of a pattern, as a model would have it."""

    form: Form
    name: Annotated[str, msgspec.Meta(max_length=60)] | None = None
    steps: Annotated[tuple[Note, ...], msgspec.Meta(max_length=MOST_STEPS)] = ()
    match: Note | None = None
    decision: Literal["deny", "remind"] | None = None


def suggestions(
    forms: Iterable[FormOf], said_or_run: tuple[str, ...], ran: Set[str] = frozenset()
) -> tuple[tuple[Suggested, ...], tuple[str, ...]]:
    """The forms that may be offered, and what is wrong with others.

    Args:
        forms: As a model would have them.
        said_or_run: What persons said, and calls.
        ran: The forms of all calls that worked.
    """
    kept: dict[Form, Suggested] = {"rule": Suggested("rule")}
    wrong: list[str] = []
    for form in forms:
        named = "\n".join([*form.steps, f"`{form.match}`" if form.match else ""])
        named = named.replace(VARYING, " ")
        if strange := values_in(named, said_or_run) if named.strip() else []:
            named = ", ".join(map(repr, strange))
            wrong.append(f"its {form.form} names {named}, which no person said and no agent ran")
        elif form.form in {"command", "skill"} and not form.steps:
            wrong.append(f"its {form.form} has no steps")
        elif form.form == "hook" and not form.match:
            wrong.append("its hook names no command")
        elif form.form in SUGGESTED:
            kept[form.form] = Suggested(
                form.form,
                form.name or "",
                tuple(_with_commands(" ".join(step.split()), ran) for step in form.steps),
                form.match or "",
                form.decision or "remind",
            )
    return tuple(kept[name] for name in SUGGESTED if name in kept), tuple(wrong)


def _with_commands(step: str, ran: Set[str]) -> str:
    """A step with what does it, as far as the sessions ran that."""
    if "`" in step:
        return step
    made = set(forms_of(command_of(step)))
    if made and made <= ran:
        return f"`{step}`"
    clauses = _RE.clause.split(step)
    known = [
        program
        for clause in clauses
        for deed, program in _DEEDS
        if deed.match(clause) and any(f"{form} ".startswith(f"{program} ") for form in ran)
    ]
    named = ", ".join(f"`{program}`" for program in dict.fromkeys(known))
    return f"{step.rstrip(' .')} ({named})" if named else step


def said_or_run(seen: Iterable[Observation]) -> tuple[str, ...]:
    """What persons said themselves, and the calls that were made."""
    theirs = (
        observation
        for observation in seen
        if observation.trust == "user" or observation.source not in {"said", "end"}
    )
    return tuple(dict.fromkeys(_PRINTED.sub(" ", observation.text) for observation in theirs))


def without_printed(seen: Iterable[Observation]) -> tuple[str, ...]:
    """What persons said and agents did, without what programs printed."""
    return tuple(
        _PRINTED.sub(" ", f"{observation.text}\n{observation.quote}") for observation in seen
    )


def acts(text: str, seen: Sequence[Observation], known: tuple[str, ...]) -> bool:
    """Whether it says something to do that more than the output of a program speaks for.

    Args:
        text: What the pattern says.
        seen: Its evidence.
        known: What was said or run.
    """
    printed = content(
        words(" ".join(p for observation in seen for p in _PRINTED.findall(observation.text)))
    )
    did = content(words(" ".join(without_printed(seen))))
    said = _ASIDE.sub(" ", text)
    telling = content(words(said))
    alone = telling & printed - did
    return not values_in(said, known) and len(alone) <= PRINTED * len(telling)
