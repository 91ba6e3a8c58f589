"""Whether hooks may do anything at all, and how they are set.

The chain, first answer wins: environment off > bare mode > no persistent storage > paused >
settings > on.

On the hot path of every hook: no dataclasses, no typing, no pathlib, and `config.toml` is parsed
only when it has changed since the last hook (tomllib alone would cost one and a half interpreters).
"""

import os
import time

from reverie import handover
from reverie.connect import quick_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# The same defaults as `reverie.settings.Hooks`, which cannot be imported in time; a test compares.
DEFAULTS: "dict[str, bool | int]" = {
    "enabled": True,
    "every_turns": 8,
    "digest": False,
    "recall_on_prompt": False,
    "remembered": True,
}
_YES = ("1", "true", "yes", "on")
_OURS = "REVERIE_"
# These can only turn Reverie off, which a repository may.
_OFF = ("REVERIE_DISABLE", "REVERIE_INSIDE")
_ANYTHING = "RHLE"
# Files whose variables clients hand to what they start, also from above a repository.
PROJECT_FILES = (
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".gemini/.env",
    ".mcp.json",
    ".env",
)
# What else clients, editors and shells take variables from in a repository: hidden files and
# folders, these folders, and files of these kinds (`opencode.json`, `mise.toml`).
_FOLDERS = ("mise",)
_KINDS = (
    ".cfg", ".code-workspace", ".conf", ".env", ".fish", ".iml", ".ini", ".json", ".json5",
    ".jsonc", ".nix", ".plist", ".properties", ".ps1", ".sh", ".toml", ".xml", ".yaml", ".yml",
)  # fmt: skip
_PASSED = (
    ".git", ".hg", ".jj", ".svn", ".venv", ".tox", ".nox", ".hypothesis", ".terraform", ".gradle",
    ".next", ".yarn", "node_modules",
)  # fmt: skip
DEEPEST = 4
# More than this is searched nowhere: then the files may speak of anything.
MOST_ENTRIES = 20_000
MOST_FILES = 500
MAX_FILE = 8_000_000
# What the readers of `reverie.sessions.readers` find logs by; a test compares.
LOG_FOLDERS = (
    "AIDER_CHAT_HISTORY_FILE",
    "APPDATA",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "GEMINI_CLI_HOME",
    "PI_CODING_AGENT_DIR",
    "USERPROFILE",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
)
# Where an engine sends words and keys to, and by which way.
ENDPOINTS = (
    "ALL_PROXY",
    "ANTHROPIC_BASE_URL",
    "HTTPS_PROXY",
    "OPENAI_BASE_URL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "all_proxy",
    "https_proxy",
)


def trusted(env: "Mapping[str, str]", home: str = "", folder: str = "") -> "dict[str, str]":
    """`env` without what a repository may have put there through a client's settings.

    With a `home`, which `connect` wrote into the entry, none of our variables counts but those that
    turn us off. Without one (the plugin, or started by hand) all do, unless settings of the project
    speak of them. Where agents keep their logs, or a model is, no file of a project says either.
    """
    kept = dict(env)
    if home:
        _drop_ours(kept)
        kept["REVERIE_HOME"] = home
    ours = not home and any(name.startswith(_OURS) and name not in _OFF for name in env)
    moved_logs = [name for name in LOG_FOLDERS if name in env]
    endpoints = [name for name in ENDPOINTS if name in env]
    account = account_home()
    moved = bool(account) and env.get("HOME", account) != account
    if not ours and not moved and not moved_logs and not endpoints:
        return kept
    spoken = _spoken(folder, account) + _spoken(env.get("CLAUDE_PROJECT_DIR", ""), account)
    if "R" in spoken and not home:
        _drop_ours(kept)
    if moved and "H" in spoken:
        kept["HOME"] = account
    if "L" in spoken:
        for name in moved_logs:
            del kept[name]
    if "E" in spoken:
        for name in endpoints:
            del kept[name]
    return kept


def for_an_agent(env: "Mapping[str, str]", folder: str) -> "dict[str, str]":
    """`env` for what an agent runs: it chooses no settings, no database, and only the home that was
    chosen outside of the project."""
    kept = trusted(env, "", folder)
    home = home_of(kept)
    _drop_ours(kept)
    if home:
        kept["REVERIE_HOME"] = home
    return kept


def _drop_ours(env: "dict[str, str]") -> None:
    for name in [name for name in env if name.startswith(_OURS) and name not in _OFF]:
        del env[name]


def account_home() -> str:
    """The user's folder as the system has it; `HOME` is a variable like any other."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, KeyError):
        return ""


def speaking(folder: str) -> "list[str]":
    """The files and folders for which `trusted` doubts variables of ours, or where models are."""
    account = account_home()
    return [place for place, marks in _speaking(folder, account) if "R" in marks or "E" in marks]


def _spoken(folder: str, account: str) -> str:
    """Marks for what the settings of a project and of the folders above it speak of.

    "R" for our variables, "H" for `HOME`, "L" for folders of logs, "E" for where models are; the
    user's own folder is no project.
    """
    return "".join(marks for _, marks in _speaking(folder, account))


def _speaking(folder: str, account: str) -> "Iterator[tuple[str, str]]":
    """Those files with the marks of each; a folder that has too many may speak of anything."""
    places = list(_upwards(os.path.realpath(folder))) if folder else []
    tops = (at for at, place in enumerate(places) if os.path.exists(os.path.join(place, ".git")))
    top = next(tops, 0)
    for at, place in enumerate(places):
        if place == account:
            continue
        files = [os.path.join(place, name) for name in PROJECT_FILES]
        inside = _settings_files(place) if at <= top else files
        if inside is None:
            yield place, _ANYTHING
        else:
            yield from ((file, _marks(file)) for file in inside)


def _upwards(place: str) -> "Iterator[str]":
    yield place
    while (above := os.path.dirname(place)) != place:
        place = above
        yield place


def _settings_files(place: str) -> "list[str] | None":
    """The files of a folder that programs may take variables from; None when it has too many."""
    files: list[str] = []
    folders = [(place, 0)]
    seen = 0
    while folders:
        folder, depth = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    seen += 1
                    if seen > MOST_ENTRIES or len(files) > MOST_FILES:
                        return None
                    hidden = depth > 0 or entry.name.startswith(".")
                    if entry.is_dir():
                        wanted = hidden or entry.name in _FOLDERS
                        passed = entry.name in _PASSED or "cache" in entry.name
                        if wanted and depth < DEEPEST and not passed:
                            folders.append((entry.path, depth + 1))
                    elif _may_set(entry.name):
                        files.append(entry.path)
        except OSError:
            continue
    return files


def _may_set(name: str) -> bool:
    hidden = name.startswith(".")
    stem, _, kind = name.strip(".").lower().rpartition(".")
    # `.envrc` and `.env.local` are such; what locks versions is none, and may be huge.
    return "lock" not in stem and (
        (hidden and not stem) or "env" in stem or "env" in kind or f".{kind}" in _KINDS
    )


def _marks(path: str) -> str:
    try:
        if not os.path.isfile(path):
            return ""
        with open(path, "rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError:
        return ""
    if len(data) > MAX_FILE:
        return _ANYTHING
    data = _unescaped(data)
    return (
        "R" * (b"REVERIE_" in data.upper())
        + "H" * _names(data, "HOME")
        + "L" * any(_names(data, name) for name in LOG_FOLDERS)
        + "E" * any(_names(data, name) for name in ENDPOINTS)
    )


def _names(data: bytes, name: str) -> bool:
    """Whether a variable is named and not only used: `$HOME` and `MY_HOME` say nothing of it."""
    at = data.find(name.encode())
    while at >= 0:
        before, after = data[at - 1 : at], data[at + len(name) : at + len(name) + 1]
        inside = before.isalnum() or before in (b"_", b"$", b"{")
        if not inside and not after.isalnum() and after != b"_":
            return True
        at = data.find(name.encode(), at + 1)
    return False


def _unescaped(data: bytes) -> bytes:
    """Letters that are spelled by their number (`\\u0052`, `\\x52`, `&#82;`) as themselves."""
    for mark, size in ((b"\\u", 4), (b"\\U", 8), (b"\\x", 2)):
        first, *rest = data.split(mark)
        data = first + b"".join(_letter(part[:size], 16) + part[size:] for part in rest)
    first, *rest = data.split(b"&#")
    for part in rest:
        number, _, after = part.partition(b";")
        base = 16 if number[:1] in b"xX" else 10
        first += _letter(number.lstrip(b"xX"), base) + after
    return first


def _letter(digits: bytes, base: int) -> bytes:
    try:
        return chr(int(digits, base)).encode()
    except (ValueError, OverflowError):
        return digits


def home_of(env: "Mapping[str, str]") -> str:
    """The home as `reverie.config` finds it; empty when it is not usable."""
    named = env.get("REVERIE_HOME")
    if not named:
        return os.path.join(env.get("HOME") or os.path.expanduser("~"), ".reverie")
    path = os.path.expanduser(named)
    return path if os.path.isabs(path) and "\0" not in path else ""


def why_off(env: "Mapping[str, str]", home: str) -> str:
    """Why nothing may be done, in a few words; empty when hooks are on."""
    if env.get("REVERIE_INSIDE"):
        return "inside a run of our own"
    if _yes(env.get("REVERIE_DISABLE")):
        return "REVERIE_DISABLE is set"
    if _yes(env.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY")):
        return "CLAUDE_CODE_DISABLE_AUTO_MEMORY is set"
    if _yes(env.get("CLAUDE_CODE_SIMPLE")):
        return "bare mode"
    if _yes(env.get("CLAUDE_CODE_REMOTE")) and not env.get("REVERIE_HOME"):
        return "no persistent storage: a remote machine, and REVERIE_HOME is not set"
    if not home or not _writable(home):
        return "no persistent storage: the home cannot be written"
    if until := handover.paused_until(home, time.time_ns() / 1e9):
        return "paused" if until == float("inf") else f"paused until {_moment(until)}"
    if not settings(env, home)["enabled"]:
        return "hooks.enabled is false"
    return ""


def settings(env: "Mapping[str, str]", home: str) -> "dict[str, bool | int]":
    """The `[hooks]` section with `REVERIE_HOOKS_*` over it.

    A value of the wrong kind counts as not given; every other command reports it.
    """
    values = dict(DEFAULTS)
    values.update(_from_file(home))
    for key, default in DEFAULTS.items():
        text = env.get(f"REVERIE_HOOKS_{key.upper()}")
        if text is not None:
            if isinstance(default, bool):
                values[key] = _yes(text)
            elif text.isdecimal():
                values[key] = int(text)
    return values


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _yes(text: str | None) -> bool:
    return text is not None and text.strip().lower() in _YES


def _writable(home: str) -> bool:
    place = home
    while place and not os.path.exists(place):
        above = os.path.dirname(place)
        if above == place:
            return False
        place = above
    return os.access(place, os.W_OK)


def _from_file(home: str) -> "dict[str, bool | int]":
    try:
        status = os.stat(os.path.join(home, "config.toml"))
    except OSError:
        return {}
    stamp = [status.st_mtime_ns, status.st_size, status.st_ino]
    seen = os.path.join(home, "hooks.json")
    try:
        with open(seen, encoding="utf-8") as file:
            cached = quick_json.loads(file.read())
        if cached["stamp"] == stamp:
            return cached["settings"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # no cache yet, or not one of ours: it is made again
    return _read_again(home, seen, stamp)


def _read_again(home: str, seen: str, stamp: list[int]) -> "dict[str, bool | int]":
    import tomllib

    try:
        with open(os.path.join(home, "config.toml"), "rb") as file:
            section = dict(tomllib.load(file).get("hooks", {}))
    except (OSError, ValueError, TypeError):
        return {}
    known = {
        key: value
        for key, value in section.items()
        if key in DEFAULTS and type(value) is type(DEFAULTS[key])
    }
    part = f"{seen}.{os.getpid()}"
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(quick_json.dumps({"stamp": stamp, "settings": known}))
    os.replace(part, seen)
    return known
