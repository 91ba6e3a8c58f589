"""Procedures: work that comes back, as a slash command or a skill that can be run as it is.

Numbered steps, each an order, what the user adds (`$ARGUMENTS`), and the tools the steps need. What
was observed is told in a comment; the text itself only says what to do.
"""

import json
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Literal, NamedTuple

from reverie.data import lines, pairs, patterns, sections, word_sets
from reverie.dream.model import Artefact, Pattern
from reverie.inert import inert, unframed
from reverie.language.words import content, words
from reverie.learn.memories.naming import name_from
from reverie.learn.traffic.commands import VARYING

NAME_WORDS = 4
LONGEST_NAME = 48
FEWEST_STEPS = 2

Kind = Literal["command", "skill"]

_RE = patterns("dreams.txt", "procedures")
_WORDS = word_sets("dreams.txt", "procedures")
_PROGRAMS = word_sets("dreams.txt", "hooks").programs
_TOOLS = dict(pairs("dreams.txt", "procedures.tools"))
_DELIVERED, _DELIVERING, _FILLED = (
    dict(line.split("|", 1) for line in lines("dreams.txt", f"procedures.{part}"))
    for part in ("delivered", "delivering", "filled")
)
_PATHS: dict[Kind, str] = {
    "command": ".claude/commands/{}.md",
    "skill": ".claude/skills/{}/SKILL.md",
}


class _Step(NamedTuple):
    text: str
    is_command: bool  # else an order in words


def procedure_form(pattern: Pattern) -> Artefact | None:
    """A skill for commands that go together; None where there are none."""
    first = pattern.group.members[0]
    steps = first.steps
    if pattern.group.source != "sequence" or len(steps) < FEWEST_STEPS or first.order:
        return None
    name = _name(" ".join(_last_word(step) for step in steps))
    shown = ", then ".join(f"`{step}`" for step in steps)
    described = f"Run {shown}, as this project's sessions do"
    return _written(
        "skill", name, described, *_told([_Step(step, True) for step in steps]), pattern
    )


def delivery_form(pattern: Pattern) -> Artefact | None:
    """A command for deliveries that people ask for; it shows what there is before the first step.

    What a client runs for it is written here, and nothing of what was observed.
    """
    acts = pattern.group.members[0].steps
    if pattern.group.source != "ask" or not acts:
        return None
    every = ("git add", *acts) if "git commit" in acts else acts
    orders = [_DELIVERED[act] for act in every]
    # What leaves the machine is asked about each time.
    allowed = [_DELIVERING[act] for act in ("", *every) if act in _DELIVERING]
    tools = [tool for several in allowed for tool in several.split(", ")]
    described = f"{', '.join(map(_last_word, acts))} what belongs to this task".capitalize()
    shown = sections("dreams.txt")["procedures.shown"]
    return _written("command", _last_word(acts[-1]), described, orders, tools, pattern, shown)


def procedure(kind: Kind, named: str, steps: Sequence[str], pattern: Pattern) -> Artefact:
    """A procedure of given steps, each a command or an order in words."""
    name = _name(named if len(named.split()) <= NAME_WORDS else name_from(named))
    return _written(kind, name, pattern.text, *_told([_step(step) for step in steps]), pattern)


def _told(steps: Sequence[_Step]) -> tuple[list[str], list[str]]:
    """Steps as orders, and the tools they need."""
    orders = [_run(_inert_body(text)) if run else _order(text) for text, run in steps]
    tools = _tools_of_words([text for text, run in steps if not run])
    return orders, tools + _tools_of_commands([text for text, run in steps if run])


def _step(text: str) -> _Step:
    """What stands alone in backquotes is a command, or what begins with a program and is no
    sentence; all else is told in words."""
    text = text.strip().removesuffix(".")
    if alone := _RE.command.fullmatch(text):
        text = alone[1].strip()
        if not text.split()[0].istitle():  # programs are written small
            return _Step(text, True)
    elif text.startswith("`"):
        return _Step(f"Run {text}", False)
    first, *others = text.split() or [""]
    slight = any(len(word) > 1 and not content([word]) for word in words(" ".join(others)))
    is_run = first in _PROGRAMS or first.startswith("./")
    return _Step(text, is_run and "`" not in text and not slight)


def _written(
    kind: Kind,
    name: str,
    described: str,
    orders: Sequence[str],
    tools: Sequence[str],
    pattern: Pattern,
    before: str = "",
) -> Artefact:
    """The file; `before` stands before the first order."""
    # A client shows it among its own words.
    shown = json.dumps(inert(" ".join(described.split())), ensure_ascii=False)
    head = [f"name: {name}"] if kind == "skill" else []
    head.append(f"description: {shown}")
    head.append(f"allowed-tools: {', '.join(dict.fromkeys(tools)) or 'Read'}")
    if kind == "command":
        head.append("argument-hint: [what to attend to]")
    listed = "\n".join(f"{number}. {order}" for number, order in enumerate(orders, 1))
    text = (
        "---\n"
        + "\n".join(head)
        + "\n---\n\n"
        + (f"{before.strip()}\n\n" if before else "")
        + "Carry out these steps in order. Where one fails, fix what it reports and run it again"
        " before you go on.\n\n"
        f"{listed}\n\n"
        "What the user adds, to be heeded in every step (may be empty): $ARGUMENTS\n\n"
        f"<!-- {inert(pattern.sentence())} -->\n"
    )
    return Artefact(kind, _PATHS[kind].format(name), text)


def _run(step: str) -> str:
    for form, order in _FILLED.items():
        if step == form or step.endswith(f" {form}"):
            wrapper = step.removesuffix(form)
            return order.replace("`git", f"`{wrapper}git", 1)
    if VARYING not in step:
        return f"Run `{step}`."
    return f"Run `{step}`, with what this work needs in the place of `{VARYING}`."


def _order(part: str) -> str:
    said = _inert_body(part)
    return f"{said[0].upper()}{said[1:]}{'' if said[-1] in '.!?' else '.'}"


def _tools_of_commands(steps: Sequence[str]) -> list[str]:
    """What each step may run without a question: its program and subcommands, nothing wider.

    What fetches, removes, hands out or runs anything is always asked about.
    """
    allowed: list[str] = []
    for step in steps:
        parts = step.split()
        varies_within = any(VARYING in part and part != VARYING for part in parts)
        if _RE.shell.search(step) or varies_within or not _WORDS.asked.isdisjoint(parts):
            continue
        fixed = [*takewhile(lambda part: part != VARYING and not part.startswith("-"), parts)]
        if len(fixed) > 1:
            allowed.append(f"Bash({' '.join(fixed)}:*)")
        elif len(parts) == 1:
            allowed.append(f"Bash({step})")
    return allowed


def _tools_of_words(parts: Sequence[str]) -> list[str]:
    allowed: list[str] = []
    for part in parts:
        allowed += _tools_of_commands(list(filter(_is_run, _RE.command.findall(part))))
        clauses = (clause.split() for clause in _RE.clause.split(_RE.command.sub(" ", part)))
        verbs = [clause[0].lower() for clause in clauses if clause]
        tools = [_TOOLS[verb] for verb in verbs if verb in _TOOLS] or ["Read"]
        allowed += [tool for several in tools for tool in several.split(", ")]
    return allowed


def _is_run(code: str) -> bool:
    """Whether what stands in backquotes is run: `main` is not, `make` is."""
    return bool(_RE.runs.match(code)) and (" " in code or code in _PROGRAMS)


def _name(text: str) -> str:
    named = [word for word in _RE.slug.split(text.lower()) if word and word not in _WORDS.unnamed]
    name = "-".join(dict.fromkeys(named[:NAME_WORDS]))[:LONGEST_NAME].strip("-")
    return f"do-{name}" if name in _WORDS.taken or not name[:1].isalpha() else name


def _last_word(step: str) -> str:
    """What a step does, in a word: `mise run fmt` → `fmt`, `git push origin …` → `push`."""
    fixed = takewhile(lambda word: VARYING not in word and word[0] != "-", step.split())
    last = [*fixed][-1:] or [step]
    return Path(last[0]).stem if "/" in last[0] else last[0]


def _inert_body(text: str) -> str:
    """The text as part of a command, where a client would run !`…` and read @/a/file."""
    return _RE.acts.sub(r"\g<0> ", unframed(" ".join(text.split())))
