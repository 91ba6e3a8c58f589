"""What dreams offer to act by, tried: hooks over every past command, commands in the real client.

    python bench/forms.py DIR [--json]      with Claude Code (REVERIE_TEST_CLAUDE) commands are run

DIR holds a folder of agent logs per project. Each project is dreamt over in a home of its own. A
hook is put in its place, and the program that lies there is asked about every command line of all
projects: one that it would have stopped though it worked, and nobody objected, is a false denial.
Beside it, how many command lines its reader cuts into the same commands as the shell grammar of the
guard does. A command or skill is checked by `claude plugin validate`, then called in the client
with a scripted model that runs its steps; programs are stand-ins that do nothing. Nothing of the
logs is printed but counts and the forms themselves.
"""

import argparse
import json
import re
import runpy
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))
from examples.claude_offline import Api, Client, find_client

from reverie import OWNER, Memory
from reverie.dream.model import Artefact, Change
from reverie.dream.proposals.hook_program import SHELLS, WRAPPERS, commands
from reverie.dream.proposals.hooks import guard_of
from reverie.dream.proposals.placing import Placing
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import traces

# Part of the grammar itself to the one reader, commands to the other.
SETTING = frozenset({"export", "[", "[[", "declare", "local", "unset", "readonly", "typeset"})
STARTING = frozenset({*WRAPPERS, *SHELLS, "eval", "time"})
STOPPED = frozenset({"failed", "refused"})
STEP = re.compile(r"^\d+\. Run `([^`]+)`", re.MULTILINE)


class Ran(NamedTuple):
    """One command line of the past."""

    project: str
    session: str
    line: int
    result: str
    text: str


class Offered(NamedTuple):
    """One form that a dream offers, and the change it belongs to."""

    project: str
    change: Change
    artefact: Artefact


class Dreamt(NamedTuple):
    """What the dreams over all projects gave."""

    forms: list[Offered]
    ran: list[Ran]
    patterns: int
    guards: int  # patterns that name a command to be checked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        figures = measure(arguments.folder, Path(scratch))
    if arguments.json:
        print(json.dumps(figures, indent=2, ensure_ascii=False))
        return
    for name, value in figures.items():
        print(f"{name:44} {value}")


def measure(folder: Path, scratch: Path) -> dict[str, Any]:
    dreamt = dreams(folder, scratch)
    forms = dreamt.forms
    hooks = [one for one in forms if one.artefact.form == "hook"]
    procedures = [one for one in forms if one.artefact.form in ("command", "skill")]
    fired, false = replay(hooks, dreamt.ran, scratch)
    same, read = agreement(dreamt.ran)
    figures: dict[str, Any] = {
        "patterns offered": dreamt.patterns,
        "forms": ", ".join(f"{kinds(forms, form)} {form}" for form in sorted(set(names(forms)))),
        "command lines of the past": len(dreamt.ran),
        "hooks asked for, held over the past": f"{dreamt.guards}, {len(hooks)}",
        "calls that hooks would have stopped": fired,
        "false denials": false,
        "lines read as the grammar reads them": f"{same} of {read}",
    }
    program = find_client()
    if program is None:
        return figures | {"commands in the real client": "no client here"}
    return figures | {
        "commands and skills the client finds valid": valid(program, procedures, scratch),
        "commands and skills the client carried out": carried_out(program, procedures, scratch),
    }


def dreams(folder: Path, scratch: Path) -> Dreamt:
    """Dream over each project alone, with every pattern offered."""
    found = Dreamt([], [], 0, 0)
    for place in sorted(path for path in folder.iterdir() if path.is_dir()):
        home = scratch / "homes" / place.name
        with Memory.open(home, asker=OWNER, folder=scratch) as memory:
            run = memory.dream(place, most=0)
            for row in traces(Chosen(memory.index.database), "ran"):
                found.ran.extend(Ran(place.name, row.session, *one) for one in row.trace.data)
        for change in run.night.changes:
            found.forms.extend(Offered(place.name, change, one) for one in change.forms)
        patterns = [one for one in run.night.patterns if one.status == "pattern"]
        found = found._replace(
            patterns=found.patterns + len(patterns),
            guards=found.guards + sum(guard_of(one) is not None for one in patterns),
        )
    return found


def names(forms: Sequence[Offered]) -> list[str]:
    return [one.artefact.form for one in forms]


def kinds(forms: Sequence[Offered], form: str) -> int:
    return names(forms).count(form)


def replay(hooks: Sequence[Offered], ran: Sequence[Ran], scratch: Path) -> tuple[int, int]:
    """How many past calls the placed programs stop, and how many of these were good."""
    fired = false = 0
    for number, hook in enumerate(hooks):
        root = scratch / f"hook{number}"
        root.mkdir()
        Placing(scratch / "placed").put(root, hook.change, hook.artefact)
        (script,) = (root / ".claude" / "hooks").glob("*.py")
        placed = runpy.run_path(str(script))
        guard: dict[str, Any] = json.loads(hook.artefact.content)
        told = {
            quote.session: int(quote.evidence.rpartition("#")[2]) for quote in hook.change.evidence
        }
        for one, before in _with_before(ran, bool(guard.get("first"))):
            if guard["decision"] != "remind" and placed["fires"](one.text, guard, before):
                fired += 1
                objected = hook.change.trust == "user" and one.line < told.get(one.session, -1)
                false += one.result not in STOPPED and not objected
    return fired, false


def _with_before(ran: Sequence[Ran], wanted: bool) -> Iterator[tuple[Ran, list[str]]]:
    """Each line with the lines of its session before it."""
    session, before = "", list[str]()
    for one in ran:
        if one.session != session:
            session, before = one.session, []
        yield one, list(before) if wanted else []
        before.append(one.text)


def agreement(ran: Sequence[Ran]) -> tuple[int, int]:
    """Lines in which both readers find the same programs, of those that the grammar can read."""
    import tree_sitter
    import tree_sitter_bash

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    same = read = 0
    for one in ran:
        root = parser.parse(one.text.encode("utf-8", "replace")).root_node
        if root.has_error:
            continue
        read += 1
        wanted: list[str] = []
        nodes = [root]
        while nodes:
            node = nodes.pop()
            if node.type == "command" and (name := node.child_by_field_name("name")):
                start = (name.text or b"").decode("utf-8", "replace")
                wanted.append(start.strip("\"'").rpartition("/")[2])
            nodes += node.children
        found = Counter(words[0] for words in commands(one.text) if words[0] not in SETTING)
        needed = Counter(name.replace("\\", "") for name in wanted if name not in SETTING)
        if STARTING.isdisjoint(needed):
            same += found == needed
        else:
            # What is wrapped (`timeout 5 make`) is named by one reader, the wrapper by the other.
            same += not Counter({n: c for n, c in needed.items() if n not in STARTING}) - found
    return same, read


def valid(program: str, procedures: Sequence[Offered], scratch: Path) -> str:
    """How many the client's own check passes."""
    passed = 0
    for number, one in enumerate(procedures):
        plugin = scratch / f"plugin{number}"
        manifest = plugin / ".claude-plugin" / "plugin.json"
        manifest.parent.mkdir(parents=True)
        about = {"name": "forms", "version": "1.0.0", "description": "x", "author": {"name": "x"}}
        manifest.write_text(json.dumps(about), encoding="utf-8")
        place = plugin / one.artefact.path.removeprefix(".claude/")
        place.parent.mkdir(parents=True)
        place.write_text(one.artefact.content, encoding="utf-8")
        command = [program, "plugin", "validate", "--strict", str(plugin)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        passed += done.returncode == 0
    return f"{passed} of {len(procedures)}"


def carried_out(program: str, procedures: Sequence[Offered], scratch: Path) -> str:
    """How many ran in the client: their text came, their steps ran, nothing was asked about."""
    passed = 0
    for number, one in enumerate(procedures):
        text, path = one.artefact.content, Path(one.artefact.path)
        steps = [step.replace("…", "x") for step in STEP.findall(text)]
        folder = scratch / f"client{number}"
        api = Api(("Carry out these steps", [("Bash", {"command": step}) for step in steps]))
        client = Client(program, folder, api, stand_ins(folder, steps))
        place = client.project / path
        place.parent.mkdir(parents=True)
        place.write_text(text, encoding="utf-8")
        name = path.parent.name if path.name == "SKILL.md" else path.stem
        answer = client.ask(f"/{name} with care")
        came = client.api.with_text("(may be empty): with care")
        calls = (folder / "called.txt").read_text(encoding="utf-8").splitlines() if steps else []
        passed += bool(came) and len(calls) >= len(steps) and not answer["permission_denials"]
        api.shutdown()
        api.server_close()
    return f"{passed} of {len(procedures)}"


def stand_ins(folder: Path, steps: Sequence[str]) -> str:
    """A path on which the programs of the steps only note that they were called."""
    programs = folder / "bin"
    programs.mkdir(parents=True)
    for step in steps:
        file = programs / step.split()[0]
        called = folder / "called.txt"
        file.write_text(f'#!/bin/sh\necho "$0 $*" >> "{called}"\n', encoding="utf-8")
        file.chmod(0o755)
    return f"{programs}:/usr/local/bin:/usr/bin:/bin"


if __name__ == "__main__":
    main()
