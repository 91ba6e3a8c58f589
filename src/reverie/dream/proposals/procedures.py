"""Procedures: work that comes back, as a slash command or a skill that can be run as it is.

Numbered steps, each an order, what the user adds (`$ARGUMENTS`), and the tools the steps need. What
was observed is told in a comment; the text itself only says what to do.
"""

import json
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Literal

from reverie.data import lines, pairs, patterns, sections, word_sets
from reverie.dream.model import Artefact, Pattern
from reverie.dream.proposals.rules import begins_with_verb
from reverie.inert import inert, unframed
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


def procedure_form(pattern: Pattern) -> Artefact | None:
    """A skill for commands that go together; None where there are none."""
    first = pattern.group.members[0]
    steps = first.steps
    if pattern.group.source != "sequence" or len(steps) < FEWEST_STEPS or first.order:
        return None
    name = _name(" ".join(_last_word(step) for step in steps))
    shown = ", then ".join(f"`{step}`" for step in steps)
    described = f"Run {shown}, as this project's sessions do"
    return _written("skill", name, described, *_told(steps), pattern)


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
    return _written(kind, name, pattern.text, *_told([_plain(step) for step in steps]), pattern)


def _told(steps: Sequence[str]) -> tuple[list[str], list[str]]:
    """Steps as orders, and the tools they need; each is a command or told in words."""
    orders = [_order(step) if _is_order(step) else _run(_inert_body(step)) for step in steps]
    tools = _tools_of_words([step for step in steps if _is_order(step)])
    return orders, tools + _tools_of_commands([step for step in steps if not _is_order(step)])


def _plain(step: str) -> str:
    """A step as a command alone, or as an order in words."""
    step = step.strip(" .")
    if command := _RE.command.fullmatch(step):
        return command[1]
    if step.startswith("`"):
        return f"Run {step}"
    in_words = "`" in step or (begins_with_verb(step) and step.split()[0] not in _PROGRAMS)
    return step[0].upper() + step[1:] if in_words and step else step


def _is_order(step: str) -> bool:
    """Whether a step is told in words; programs are written small."""
    return step[:1].isupper() and ("`" in step or begins_with_verb(step))


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
        words = step.split()
        varies_within = any(VARYING in word and word != VARYING for word in words)
        if _RE.shell.search(step) or varies_within or not _WORDS.asked.isdisjoint(words):
            continue
        fixed = [*takewhile(lambda word: word != VARYING and not word.startswith("-"), words)]
        if len(fixed) > 1:
            allowed.append(f"Bash({' '.join(fixed)}:*)")
        elif len(words) == 1:
            allowed.append(f"Bash({step})")
    return allowed


def _tools_of_words(parts: Sequence[str]) -> list[str]:
    allowed: list[str] = []
    for part in parts:
        allowed += _tools_of_commands(list(filter(_is_run, _RE.command.findall(part))))
        clauses = (clause.split() for clause in _RE.clause.split(_RE.command.sub(" ", part)))
        verbs = [words[0].lower() for words in clauses if words]
        tools = [_TOOLS[verb] for verb in verbs if verb in _TOOLS] or ["Read"]
        allowed += [tool for several in tools for tool in several.split(", ")]
    return allowed


def _is_run(code: str) -> bool:
    """Whether what stands in backquotes is run: `main` is not, `make` is."""
    return bool(_RE.runs.match(code)) and (" " in code or code in _PROGRAMS)


def _name(text: str) -> str:
    words = [word for word in _RE.slug.split(text.lower()) if word and word not in _WORDS.unnamed]
    name = "-".join(dict.fromkeys(words[:NAME_WORDS]))[:LONGEST_NAME].strip("-")
    return f"do-{name}" if name in _WORDS.taken or not name[:1].isalpha() else name


def _last_word(step: str) -> str:
    """What a step does, in a word: `mise run fmt` → `fmt`, `git push origin …` → `push`."""
    fixed = takewhile(lambda word: VARYING not in word and word[0] != "-", step.split())
    last = [*fixed][-1:] or [step]
    return Path(last[0]).stem if "/" in last[0] else last[0]


def _inert_body(text: str) -> str:
    """The text as part of a command, where a client would run !`…` and read @/a/file."""
    return _RE.acts.sub(r"\g<0> ", unframed(" ".join(text.split())))
