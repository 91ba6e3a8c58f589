"""Trying: what a form would be in its place, without putting it there.

rule             the file with and without it, as a diff
command, skill   the text as the agent would see it, with what the user adds
hook             whether it would fire on a command line, and what it would say
test             the file as it would be written
"""

import difflib
import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reverie.dream.model import Artefact, Change, Form, Replay
from reverie.dream.proposals.hook_program import fires
from reverie.dream.proposals.placing import instructions_file
from reverie.files import change as files
from reverie.files.managed_block import with_line


@dataclass(frozen=True, slots=True)
class Trial:
    """One form of a change, tried."""

    change: str
    form: Form
    path: str
    shown: str  # the diff, the text or the file; of a hook what it says when it fires
    fires: bool | None = None  # of a hook that was given a command line
    decision: str = ""  # of a hook: deny, ask or remind
    replay: Replay | None = None  # of a hook: what it would have done so far
    note: str = ""  # and why it does less than was asked for


def tried(root: Path, change: Change, artefact: Artefact, given: Sequence[str]) -> Trial:
    """Try one form below `root`; `given` is a command line, or what a user adds to a command.

    Raises:
        InvalidInput: the file that a rule would go into is not text, or its block is damaged.
    """
    line = given[0] if len(given) == 1 else shlex.join(given)
    match artefact.form:
        case "rule":
            path = instructions_file(root, artefact.path)
            return Trial(change.id, "rule", path, _diff(root / path, path, change, artefact))
        case "hook":
            guard: dict[str, Any] = json.loads(artefact.content)
            fired = fires(line, guard, []) if given else None
            decision, said = guard["decision"], guard["reason"]
            past = artefact.replay, artefact.note
            return Trial(change.id, "hook", artefact.path, said, fired, decision, *past)
        case "command" | "skill":
            text = artefact.content.partition("\n---\n")[2].strip("\n")
            seen = text.replace("$ARGUMENTS", " ".join(given))
            return Trial(change.id, artefact.form, artefact.path, seen)
        case _:
            return Trial(change.id, artefact.form, artefact.path, artefact.content)


def _diff(file: Path, name: str, change: Change, artefact: Artefact) -> str:
    before = files.read(file)
    text = "" if before is None else files.decoded(file, before)
    after = with_line(text, change.id, artefact.content)
    lines = difflib.unified_diff(
        text.splitlines(), after.splitlines(), name if text else "/dev/null", name, lineterm="", n=2
    )
    return "\n".join(lines)
