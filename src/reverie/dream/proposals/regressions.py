"""Regressions: a call of the project's own program that failed in several sessions, as a test.

The test runs the call that works now, or the one that should, and holds that it succeeds without
the message it failed with. It is offered only where a test may run the call (a script of the
project, without effects beyond it) and the project's framework is known from its sessions. What a
test looks like, and where it lies, is a form for each framework (`data/regressions.txt`).
"""

import json
import re
import shlex
from collections.abc import Iterable
from functools import cache

from reverie.data import FOLDER, pairs, patterns
from reverie.dream.model import Artefact, Night, Pattern
from reverie.learn.memories.naming import name_from
from reverie.learn.traffic.commands import VARYING
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import traces

SECONDS = 120  # a test may take
SHORTEST_MESSAGE = 8  # characters

_RE = patterns("dreams.txt", "regressions")
_FRAMEWORKS = [
    (name, re.compile(shape)) for name, shape in pairs("dreams.txt", "regressions.frameworks")
]
_INTERPRETERS = frozenset({"python", "python3", "node", "bash", "sh", "ruby", "bun", "deno", "tsx"})


def regression_form(pattern: Pattern, frameworks: Iterable[str]) -> Artefact | None:
    """The test that a pattern is worth; None where there is nothing that a test could run."""
    framework, words = next(iter(frameworks), None), tested(pattern)
    if framework is None or not words:
        return None
    message = _message(pattern)
    name = name_from(f"{words[-1] if len(words) == 1 else words[1]} {message}")
    function = re.sub(r"\W+", "_", name).strip("_").lower()
    path, _, test = _forms()[framework].partition("\n")
    why = " ".join(f"{' '.join(words)}: {pattern.sentence()}".split())
    # JSON writes a text as all these languages do, as long as it is plain ASCII.
    listed = json.dumps(words)
    fields = {
        "why": re.sub(r"[^ -!#-\[\]-~]+", "_", why),
        "message": json.dumps(message),
        "words": listed,
        "listed": listed[1:-1],
        "program": json.dumps(words[0]),
        "rest": json.dumps(words[1:]),
        "count": len(words) - 1,
        "name": name,
        "title": json.dumps(name.replace("-", " ")),
        "function": function,
        "camel": "".join(part.capitalize() for part in function.split("_")),
        "seconds": SECONDS,
    }
    return Artefact("test", path.format(**fields), test.format(**fields))


def tested(pattern: Pattern) -> list[str]:
    """The words of the call that a test of it would run; [] where there is none."""
    member, message = pattern.group.members[0], _message(pattern)
    # Without a fix, a program that is not there fails for ever.
    lost = not member.fix and _RE.lost.search(message)
    if lost or len(message) < SHORTEST_MESSAGE:
        return []
    return _runnable(member.fix or member.failed)


@cache
def _forms() -> dict[str, str]:
    """Framework → where a test lies, and below that the test."""
    whole = (FOLDER / "regressions.txt").read_text("utf-8")
    parts = (part.partition("\n") for part in whole.split("=== ")[1:])
    return {name: form for name, _, form in parts}


def _message(pattern: Pattern) -> str:
    return pattern.group.members[0].message.partition("…")[0].strip()


def _runnable(call: str) -> list[str]:
    """The words of a call of the project's own program; [] where a test must not run it."""
    if not call.isascii() or VARYING in call or _RE.shell.search(call) or _RE.effects.search(call):
        return []
    try:
        words = shlex.split(call)
    except ValueError:
        return []
    scripts = words[1:2] if words and words[0] in _INTERPRETERS else words[:1]
    scripted = any(_RE.script.fullmatch(word) for word in scripts)
    return words if scripted and ".." not in call else []


def frameworks(night: Night) -> dict[str, list[str]]:
    """Project → what its sessions ran tests with, that most used first."""
    counts: dict[str, dict[str, int]] = {}
    if night.reach is None:
        return {}
    for row in traces(Chosen(night.reach.database, night.sessions), "ran"):
        used = counts.setdefault(row.project, {})
        for _, _, text in row.trace.data:
            for name, shape in _FRAMEWORKS:
                if name in text and shape.search(text):
                    used[name] = used.get(name, 0) + 1
    return {
        project: sorted(used, key=lambda name: (-used[name], name))
        for project, used in counts.items()
    }
