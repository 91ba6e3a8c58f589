"""`reverie-hook EVENT`: what an agent's client calls while a person works.

Nothing here may be noticed. The hot path imports `os`, `sys`, `time` and `zlib`; work is
left in the spool and a detached worker does it. A hook that fails writes a line to `hooks.log` and
ends with 0: it never blocks, delays or talks. The same script serves Claude Code and Codex.
"""

import os
import sys

from reverie import handover
from reverie.connect import quick_json, spool, switches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

INPUT_BYTES = 10_000_000
REMIND_SECONDS = 24 * 3600
PROMPT_SECONDS = 5
LONGEST_LINE = 600
# On these the digest is not in the context yet (or no longer).
FRESH = ("startup", "clear", "compact")
TOLD = "told"  # the folder of the spool with what sessions were told


class Call:
    """One firing of a hook: what the client said, and where we are."""

    __slots__ = ("cwd", "env", "given", "home", "session", "settings", "transcript")

    def __init__(self, fields: "Mapping[str, Any]", env: "Mapping[str, str]", home: str) -> None:
        self.given = fields
        self.env = env
        self.home = home
        self.settings = switches.settings(env, home)
        self.session = _text(fields, "session_id")
        self.transcript = _text(fields, "transcript_path")
        self.cwd = _text(fields, "cwd") or os.getcwd()

    @property
    def project(self) -> str:
        return handover.project_key(self.cwd)


def main() -> int:
    """The console script. Always 0 once an event is named: another code could stop the agent."""
    if len(sys.argv) < 2 or sys.argv[1] not in EVENTS:
        print(USAGE, file=sys.stderr)
        return 1
    os.umask(0o077)  # what is left in the home is for the user alone, by the worker too
    # Without a working directory there is no project whose settings could speak of us.
    folder = os.getcwd() if os.path.isdir(".") else ""
    env = switches.trusted(os.environ, sys.argv[2] if len(sys.argv) > 2 else "", folder)
    home = switches.home_of(env)
    try:
        if not switches.why_off(env, home):
            answer = EVENTS[sys.argv[1]](Call(_input(), env, home))
            if answer:
                sys.stdout.write(answer)
                sys.stdout.flush()
    except Exception as error:  # noqa: BLE001 - outermost: a broken hook must not break a session
        _note(home, sys.argv[1], error)
    return 0


def session_start(call: Call) -> str:
    """The digest if the user said yes, one line to the person, and what a worker left."""
    if spool.waiting(call.home, call.project):
        start_worker(call)
    output: dict[str, object] = {}
    if call.given.get("source", "startup") in FRESH and (digest := _digest(call, "SessionStart")):
        output["hookSpecificOutput"] = _context("SessionStart", digest)
    if line := _remembered(call):
        output["systemMessage"] = line
    elif (due := _due(call.home)) and _may_remind(call.home):
        output["systemMessage"] = due
    return quick_json.dumps(output) if output else ""


def subagent_start(call: Call) -> str:
    """A subagent begins with an empty context, and is told what its session was."""
    digest = _digest(call, "SubagentStart")
    if not digest:
        return ""
    return quick_json.dumps({"hookSpecificOutput": _context("SubagentStart", digest)})


def user_prompt_submit(call: Call) -> str:
    """The few lines memory has for this prompt; off unless the user turned it on."""
    prompt = _text(call.given, "prompt").strip()
    if not call.settings["recall_on_prompt"] or not prompt or prompt.startswith(("/", "!", "#")):
        return ""
    import subprocess

    done = subprocess.run(
        [sys.executable, "-P", "-m", "reverie.connect.prompting", call.session],
        cwd=call.cwd,
        env={**call.env, "REVERIE_INSIDE": "1", "PYTHONIOENCODING": "utf-8"},
        # Not as a word of the command line, which every user of the machine can read.
        input=prompt[:2_000].encode("utf-8", "replace"),
        capture_output=True,
        timeout=PROMPT_SECONDS,
        check=False,
    )
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip()
        spool.log(call.home, "UserPromptSubmit", f"recall ended with {done.returncode}: {message}")
        return ""
    lines = done.stdout.decode("utf-8", "replace").strip()
    if not lines:
        return ""
    return quick_json.dumps({"hookSpecificOutput": _context("UserPromptSubmit", lines)})


def stop(call: Call) -> str:
    """Count the turn; every Nth one is staged. What was learned of this session is told."""
    if not call.given.get("stop_hook_active"):
        every = max(1, int(call.settings["every_turns"]))
        if spool.count_turn(call.home, call.session) % every == 0:
            _stage(call, "Stop")
    line = _remembered(call, call.session)
    return quick_json.dumps({"systemMessage": line}) if line else ""


def pre_compact(call: Call) -> str:
    """What was said so far is about to leave the context: stage it now, whatever the count."""
    _stage(call, "PreCompact")
    return ""


def session_end(call: Call) -> str:
    """The rest of the session."""
    _stage(call, "SessionEnd")
    spool.forget_turns(call.home, call.session)
    return ""


EVENTS: "dict[str, Callable[[Call], str]]" = {
    "SessionStart": session_start,
    "SubagentStart": subagent_start,
    "UserPromptSubmit": user_prompt_submit,
    "Stop": stop,
    "PreCompact": pre_compact,
    "SessionEnd": session_end,
}
USAGE = f"usage: reverie-hook {'|'.join(EVENTS)} [HOME] < JSON"


def _digest(call: Call, event: str) -> str:
    """What was prepared for this place; that it was told is left for the worker to enter."""
    if not call.settings["digest"]:
        return ""
    content = _prepared(call.home, call.project) or _prepared(call.home, handover.ELSEWHERE)
    text = str(content.get("text", ""))[: handover.LONGEST]
    if text:
        note = {"session": call.session, "event": event, "note": str(content.get("note", ""))}
        spool.stage(call.home, TOLD, note)
    return text


def _prepared(home: str, key: str) -> "dict[str, Any]":
    try:
        with open(handover.prepared(home, key), encoding="utf-8") as file:
            content = quick_json.loads(file.read())
    except FileNotFoundError:
        return {}
    if not handover.is_ours(home, key, content):
        spool.log(home, "SessionStart", f"digests/{key}.json was not written by Reverie: not told")
        return {}
    return content


def _remembered(call: Call, session: str = "") -> str:
    """What was learned here and nobody was told yet, also only of one session; told once."""
    path = handover.remembered(call.home, call.project)
    if not call.settings["remembered"]:
        return ""
    try:
        with open(path, encoding="utf-8") as file:
            content = quick_json.loads(file.read())
        if session and content["session"] != session:
            return ""
        os.unlink(path)  # of several who have read it, one can
    except FileNotFoundError:
        return ""
    return str(content["line"])[:LONGEST_LINE]


def _due(home: str) -> str:
    try:
        with open(os.path.join(home, "due"), encoding="utf-8") as file:
            return file.read(300).strip()
    except FileNotFoundError:
        return ""


def _stage(call: Call, event: str) -> None:
    # Without a log on disk the session was not meant to be kept.
    if not call.transcript or not os.path.isfile(call.transcript):
        return
    spool.stage(
        call.home,
        call.project,
        {
            "session": call.session,
            "transcript": call.transcript,
            "cwd": call.cwd,
            "event": event,
        },
    )
    start_worker(call)


def start_worker(call: Call) -> None:
    """Start the project's worker, detached. A second one sees the lock and goes away."""
    command = [sys.executable, "-P", "-m", "reverie.connect.worker", call.project]
    env = {**call.env, "REVERIE_INSIDE": "1", "REVERIE_HOME": call.home}
    if os.name == "nt":
        import subprocess

        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        subprocess.Popen(command, env=env, creationflags=flags, close_fds=True)
        return
    # Forked twice by hand: importing subprocess would cost more than the rest of the hook.
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        os.chdir(call.home)
        os.nice(10)
        os.execve(command[0], command, env)  # noqa: S606 - there is nothing a shell could add
    finally:
        os._exit(127)


def _input() -> "dict[str, Any]":
    if os.isatty(0):
        return {}
    parts: list[bytes] = []
    size = 0
    while size < INPUT_BYTES and (part := os.read(0, 1 << 20)):
        parts.append(part)
        size += len(part)
    fields: Any = quick_json.loads((b"".join(parts) or b"{}").decode())
    if not isinstance(fields, dict):
        raise ValueError("the input is not a JSON object")
    return fields  # pyright: ignore[reportUnknownVariableType]  (casting needs typing, 3 ms)


def _text(fields: "Mapping[str, Any]", key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def _context(event: str, text: str) -> dict[str, str]:
    return {"hookEventName": event, "additionalContext": text}


def _may_remind(home: str) -> bool:
    import time

    mark = os.path.join(home, "reminded")
    try:
        # Compared with the file's own time, which the system's clock set.
        if time.time_ns() // 10**9 - os.stat(mark).st_mtime < REMIND_SECONDS:
            return False
    except FileNotFoundError:
        pass
    with open(mark, "w", encoding="utf-8"):
        pass
    return True


def _note(home: str, event: str, error: Exception) -> None:
    try:
        spool.log(home, event, f"{type(error).__name__}: {error}")
    except OSError:
        return  # nowhere to say it; `doctor` finds that the home cannot be written
