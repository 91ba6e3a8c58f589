"""Regressions: a call of the project's own program that failed in several sessions, as a test.

The test runs the call that works now, or the one that should, and holds that it succeeds without
the message it failed with. It is offered only where a test may run the call (a script of the
project, without effects beyond it) and the project's framework is known from its sessions.
"""

import json
import re
import shlex
from collections.abc import Iterable

from reverie.data import pairs, patterns
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

_PYTEST = '''"""{why}"""

import subprocess
from pathlib import Path

COMMAND = {command}
MESSAGE = {message}


def test_{function}() -> None:
    root = Path(__file__).parent.parent
    done = subprocess.run(
        COMMAND, cwd=root, capture_output=True, text=True, timeout={seconds}, check=False
    )
    said = done.stdout + done.stderr
    assert MESSAGE not in said
    assert done.returncode == 0, said
'''
_GO = """// {why}
package regressions

import (
\t"os/exec"
\t"strings"
\t"testing"
)

func Test{camel}(t *testing.T) {{
\tcommand := exec.Command({words})
\tcommand.Dir = "../.."
\tsaid, err := command.CombinedOutput()
\tif strings.Contains(string(said), {message}) {{
\t\tt.Fatalf("it fails again: %s", said)
\t}}
\tif err != nil {{
\t\tt.Fatalf("%v: %s", err, said)
\t}}
}}
"""
_SCRIPT = """// {why}
{imports}
test({title}, () => {{
  const done = spawnSync({program}, {rest}, {{ encoding: "utf8", timeout: {seconds}000 }});
  expect(done.stdout + done.stderr).not.toContain({message});
  expect(done.status).toBe(0);
}}, {seconds}000);
"""
_SPAWN = 'import { spawnSync } from "node:child_process";\n'
_IMPORTS = {
    "jest": 'const { spawnSync } = require("node:child_process");\n',
    "vitest": _SPAWN + 'import { expect, test } from "vitest";\n',
    "bun": _SPAWN + 'import { expect, test } from "bun:test";\n',
}
_CARGO = """// {why}
use std::process::Command;

#[test]
fn {function}() {{
    let done = Command::new({program})
        .args({rest} as [&str; {count}])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let said = [done.stdout, done.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(!said.contains({message}), "it fails again: {{said}}");
    assert!(done.status.success(), "{{said}}");
}}
"""
_PLACES = {
    "pytest": "tests/test_{function}.py",
    "go": "tests/regressions/{function}_test.go",
    "jest": "tests/{name}.test.js",
    "vitest": "tests/{name}.test.mjs",
    "bun": "tests/{name}.test.ts",
    "cargo": "tests/{function}.rs",
}


def regression_form(pattern: Pattern, frameworks: Iterable[str]) -> Artefact | None:
    """The test that a pattern is worth; None where there is nothing that a test could run."""
    framework, words = next(iter(frameworks), None), tested(pattern)
    if framework is None or not words:
        return None
    message = _message(pattern)
    name = name_from(f"{words[-1] if len(words) == 1 else words[1]} {message}")
    function = re.sub(r"\W+", "_", name).strip("_").lower()
    path = _PLACES[framework].format(name=name, function=function)
    why = " ".join(f"{' '.join(words)}: {pattern.sentence()}".split())
    return Artefact("test", path, _written(framework, words, message, name, function, why))


def tested(pattern: Pattern) -> list[str]:
    """The words of the call that a test of it would run; [] where there is none."""
    member, message = pattern.group.members[0], _message(pattern)
    # Without a fix, a program that is not there fails for ever.
    lost = not member.fix and _RE.lost.search(message)
    if lost or len(message) < SHORTEST_MESSAGE:
        return []
    return _runnable(member.fix or member.failed)


def _message(pattern: Pattern) -> str:
    return pattern.group.members[0].message.partition("…")[0].strip()


def _written(
    framework: str, words: list[str], message: str, name: str, function: str, why: str
) -> str:
    # JSON writes a text as all these languages do, as long as it is plain ASCII.
    listed = json.dumps(words)
    fields = {
        "why": re.sub(r"[^ -!#-\[\]-~]+", "_", why),
        "message": json.dumps(message),
        "program": json.dumps(words[0]),
        "rest": json.dumps(words[1:]),
        "count": len(words) - 1,
        "function": function,
        "seconds": SECONDS,
    }
    match framework:
        case "pytest":
            return _PYTEST.format(**fields, command=listed)
        case "go":
            camel = "".join(part.capitalize() for part in function.split("_"))
            return _GO.format(**fields, camel=camel, words=listed[1:-1])
        case "cargo":
            return _CARGO.format(**fields)
        case _:
            title = json.dumps(name.replace("-", " "))
            return _SCRIPT.format(**fields, imports=_IMPORTS[framework], title=title)


def _runnable(call: str) -> list[str]:
    """The words of a call of the project's own program; [] where a test must not run it."""
    if not call.isascii() or VARYING in call or _RE.shell.search(call) or _RE.effects.search(call):
        return []
    try:
        words = shlex.split(call)
    except ValueError:
        return []
    scripts = words[1:2] if words and words[0] in _INTERPRETERS else words[:1]
    own = any(_RE.script.fullmatch(word) for word in scripts)
    return words if own and ".." not in call else []


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
