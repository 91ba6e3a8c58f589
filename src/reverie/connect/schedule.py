"""Regular runs by what the machine already has: cron, a systemd user timer, or launchd.

Nothing of ours keeps running: each run is a process that learns what is new, applies decay, dreams
if a dream is due, and ends. A `Plan` is the exact text and the exact commands, so that it can be
shown before anything is written; carrying it out twice changes nothing.
"""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from reverie.errors import InvalidInput, Unavailable
from reverie.files import replace_file
from reverie.files.managed_block import Block

Kind = Literal["cron", "systemd", "launchd"]
KINDS: tuple[Kind, ...] = ("cron", "systemd", "launchd")

LABEL = "reverie.schedule"
BEGIN = "# begin reverie schedule"
END = "# end reverie schedule"
_BLOCK = Block(
    BEGIN, END, f"the crontab has `{BEGIN}` without `{END}`", "mend it: crontab -e", apart=False
)
# An odd minute: full hours are when everybody else's jobs start.
MINUTE = 17


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be written, deleted and run. `files` with no content are deleted."""

    kind: Kind
    files: tuple[tuple[Path, str | None], ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    crontab: str | None = None

    @property
    def needed(self) -> bool:
        """False when everything is already as it should be."""
        return bool(self.files or self.commands or self.crontab is not None)

    def text(self) -> str:
        """All of it, for a person to read."""
        parts: list[str] = []
        if self.crontab is not None:
            parts.append(f"crontab:\n{self.crontab.rstrip()}")
        for path, content in self.files:
            parts.append(f"delete {path}" if content is None else f"{path}:\n{content.rstrip()}")
        parts.extend(f"run: {shlex.join(command)}" for command in self.commands)
        return "\n\n".join(parts)


def default_kind(platform: str, env: Mapping[str, str]) -> Kind:
    """What fits this machine: launchd on macOS, a systemd user session where there is one."""
    if platform == "darwin":
        return "launchd"
    runtime = env.get("XDG_RUNTIME_DIR")
    return "systemd" if runtime and Path(runtime, "systemd").is_dir() else "cron"


def command_of(interpreter: str = sys.executable) -> tuple[str, ...]:
    """What a run starts: this interpreter by its path, the current folder not importable."""
    return (interpreter, "-P", "-m", "reverie", "schedule", "run")


def installing(kind: Kind, hours: int, env: Mapping[str, str]) -> Plan:
    """The plan that installs a run every so many hours; empty when it is already so.

    Raises:
        InvalidInput: the hours do not divide a day.
        Unavailable: cron is asked for and not there.
    """
    if hours < 1 or 24 % hours:
        raise InvalidInput("the hours must divide a day", hint="1, 2, 3, 4, 6, 8, 12 or 24")
    if kind == "cron":
        before = read_crontab()
        after = _BLOCK.added(_BLOCK.removed(before), _cron_line(hours, env))
        return Plan(kind, crontab=after if after != before else None)
    wanted = _systemd_files(hours, env) if kind == "systemd" else _launchd_files(hours, env)
    changed = tuple((path, text) for path, text in wanted if _content(path) != text)
    if not changed:
        return Plan(kind)
    return Plan(kind, changed, _activation(kind, wanted[-1][0]))


def removing(kind: Kind, env: Mapping[str, str]) -> Plan:
    """The plan that takes it away again; empty when there is nothing."""
    if kind == "cron":
        before = read_crontab()
        after = _BLOCK.removed(before)
        return Plan(kind, crontab=after if after != before else None)
    wanted = _systemd_files(24, env) if kind == "systemd" else _launchd_files(24, env)
    there = tuple((path, None) for path, _ in wanted if path.exists())
    if not there:
        return Plan(kind)
    return Plan(kind, there, _deactivation(kind, wanted[-1][0]))


def is_installed(env: Mapping[str, str]) -> bool:
    """Whether any of them has runs of ours."""
    for kind in KINDS:
        try:
            if removing(kind, env).needed:
                return True
        except Unavailable:
            continue  # this machine has no such thing
    return False


def carry_out(plan: Plan) -> None:
    """Do what the plan says: a timer is stopped before its file goes, started after it is there.

    Raises:
        Unavailable: a command of the plan is missing or fails.
    """
    if plan.crontab is not None:
        _run(("crontab", "-"), plan.crontab)
    deleting = any(content is None for _, content in plan.files)
    if deleting:
        for command in plan.commands:
            _run(command)
    for path, content in plan.files:
        if content is None:
            path.unlink(missing_ok=True)
        else:
            replace_file(path, content, mode=0o644)
    if not deleting:
        for command in plan.commands:
            _run(command)


def read_crontab() -> str:
    """The user's crontab; empty when there is none.

    Raises:
        Unavailable: cron is not installed, or refuses.
    """
    try:
        done = subprocess.run(["crontab", "-l"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Unavailable(
            "cron is not installed", hint="try --with systemd (or launchd on macOS)"
        ) from None
    if done.returncode and "no crontab" not in done.stderr.lower():
        raise Unavailable(f"crontab -l failed: {done.stderr.strip()}")
    return done.stdout if not done.returncode else ""


def _run(command: tuple[str, ...], text: str | None = None) -> None:
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Unavailable(f"{command[0]} is not installed") from None
    if done.returncode:
        raise Unavailable(f"{shlex.join(command)} failed: {done.stderr.strip()}")


def _content(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def _home(env: Mapping[str, str]) -> str:
    # Only this one: a database URL may hold a password and does not belong into a unit file.
    return env.get("REVERIE_HOME", "")


def _cron_line(hours: int, env: Mapping[str, str]) -> str:
    every = "*" if hours == 1 else "3" if hours == 24 else f"*/{hours}"
    home = _home(env)
    command = shlex.join(command_of())
    if home:
        command = f"REVERIE_HOME={shlex.quote(home)} {command}"
    # A bare percent sign is a line break to cron.
    command = command.replace("%", r"\%")
    return f"{MINUTE} {every} * * * {command} >/dev/null 2>&1\n"


def _systemd_files(hours: int, env: Mapping[str, str]) -> tuple[tuple[Path, str], ...]:
    base = env.get("XDG_CONFIG_HOME") or os.path.join(
        env.get("HOME") or str(Path.home()), ".config"
    )
    folder = Path(base) / "systemd" / "user"
    home = _home(env)
    variable = f"Environment={_systemd_quoted('REVERIE_HOME=' + home)}\n" if home else ""
    start = " ".join(_systemd_quoted(word) for word in command_of())
    service = (
        "[Unit]\nDescription=Reverie: learn what is new, apply decay, dream if due\n\n"
        f"[Service]\nType=oneshot\nNice=10\n{variable}ExecStart={start}\n"
    )
    when = f"*-*-* 03:{MINUTE}:00" if hours == 24 else f"*-*-* 0/{hours}:{MINUTE}:00"
    timer = (
        "[Unit]\nDescription=Reverie's regular run\n\n"
        f"[Timer]\nOnCalendar={when}\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
    )
    return (folder / f"{LABEL}.service", service), (folder / f"{LABEL}.timer", timer)


def _systemd_quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def _launchd_files(hours: int, env: Mapping[str, str]) -> tuple[tuple[Path, str], ...]:
    import plistlib  # brings an XML parser along, which learning does not need

    folder = Path(env.get("HOME") or Path.home()) / "Library" / "LaunchAgents"
    job: dict[str, object] = {
        "Label": LABEL,
        "ProgramArguments": list(command_of()),
        "StartInterval": hours * 3600,
        "ProcessType": "Background",
    }
    if home := _home(env):
        job["EnvironmentVariables"] = {"REVERIE_HOME": home}
    text = plistlib.dumps(job, sort_keys=True).decode("utf-8")
    return ((folder / f"{LABEL}.plist", text),)


def _activation(kind: Kind, path: Path) -> tuple[tuple[str, ...], ...]:
    if kind == "systemd":
        return (
            ("systemctl", "--user", "daemon-reload"),
            ("systemctl", "--user", "enable", path.name),
            # Not `--now`: a timer that already runs would keep its old hours.
            ("systemctl", "--user", "restart", path.name),
        )
    load = ("launchctl", "bootstrap", f"gui/{os.getuid()}", str(path))
    return (*_deactivation(kind, path), load) if path.exists() else (load,)


def _deactivation(kind: Kind, path: Path) -> tuple[tuple[str, ...], ...]:
    if kind == "systemd":
        return (("systemctl", "--user", "disable", "--now", path.name),)
    return (("launchctl", "bootout", f"gui/{os.getuid()}/{LABEL}"),)
