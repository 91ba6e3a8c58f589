"""Configuration: the settings of `settings.py`, from where they come, and the places they apply to.

Sources, later wins: defaults, the user's `$REVERIE_HOME/config.toml`, `REVERIE_SECTION_KEY`
variables, flags. Nothing inside a repository is ever read: a checked-out project cannot set a
path, key, endpoint, store or engine (requirement D6).
"""

import math
import os
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, cast, get_type_hints

from reverie.errors import ConfigError
from reverie.settings import Settings

HOME_VARIABLE = "REVERIE_HOME"
DATABASE_VARIABLE = "REVERIE_DATABASE_URL"
INDEX_VARIABLE = "REVERIE_INDEX_URL"

# Variables that are not settings of a section; the reference page lists them with this text.
VARIABLES: dict[str, str] = {
    HOME_VARIABLE: "Where Reverie keeps everything; default `~/.reverie`.",
    DATABASE_VARIABLE: "`postgresql://…` moves stores to PostgreSQL; default is `memory.db`.",
    INDEX_VARIABLE: "`postgresql://…` moves the index there; the variable above does not.",
    "REVERIE_REMOTE_KEY": "The key for `reverie stores attach https://…`, unless another is named.",
    "REVERIE_NOW": "Freezes the clock at an ISO time, for demos, tests and replays.",
    "REVERIE_DISABLE": "Set to 1: hooks do nothing.",
    "REVERIE_INSIDE": "Set by Reverie for its own runs, so that hooks in them do nothing.",
    "REVERIE_TRACEBACK": "Set to 1: an unforeseen error shows its traceback, for reports.",
    "NO_COLOR": "Set to anything: no colours.",
}

# Settings of earlier versions: they are passed over, and mean nothing any more.
RETIRED = frozenset({"hooks.standing_rules"})
# Settings that have another name now; the old one counts where the new one is not given.
RENAMED = {"engines.extraction": "engines.default"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Config:
    """Settings plus the places they apply to."""

    home: Path
    settings: Settings
    database_url: str | None = None
    index_database: str | None = None
    # Whether only a variable names the database, and it is a file: anybody's, until it is adopted.
    is_borrowed: bool = False
    # What the program was started with: where agents keep their logs, and which agent asks.
    environ: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def memory_db(self) -> Path:
        return self.home / "memory.db"

    @property
    def index_db(self) -> Path:
        return self.home / "index.db"

    @property
    def index_url(self) -> str:
        """The URL of the index. Whoever shares memories has not agreed to share transcripts."""
        return self.index_database or f"sqlite:///{self.index_db}"

    @property
    def has_memories(self) -> bool:
        """Whether anything was ever stored; looking makes nothing."""
        return self.database_url is not None or self.memory_db.exists()

    @property
    def has_index(self) -> bool:
        """Whether there is an index; looking makes none."""
        return self.index_database is not None or self.index_db.exists()

    def elsewhere(self, home: Path) -> "Config":
        """The same settings for a home with databases of its own."""
        return replace(self, home=home, database_url=None, index_database=None, is_borrowed=False)

    @property
    def mirrored(self) -> Path:
        """Where the transcripts of Agent SDK agents are written."""
        return self.home / "mirrored"

    @property
    def kept(self) -> Path:
        return self.home / "kept"

    @property
    def file(self) -> Path:
        return self.home / "config.toml"

    @property
    def truth(self) -> str:
        """The URL of the database that holds the truth."""
        return self.database_url or f"sqlite:///{self.memory_db}"


def sections() -> dict[str, type[Any]]:
    """Section name → dataclass, in file order."""
    hints = get_type_hints(Settings)
    return {f.name: hints[f.name] for f in fields(Settings)}


def load(environ: Mapping[str, str] | None = None) -> Config:
    """Read the user's configuration.

    Raises:
        ConfigError: an unknown key (names the nearest known one), a value of the wrong type, a
            number that is negative, infinite or none, a relative home, or a file that is not TOML.
    """
    env = os.environ if environ is None else environ
    home = home_from(env)
    settings = Settings()
    file = home / "config.toml"
    if file.is_file():
        settings = _apply_table(settings, _read_toml(file), str(file))
    chosen = settings.store.database_url
    settings = _apply_environment(settings, env)
    database = env.get(DATABASE_VARIABLE) or settings.store.database_url or None
    return Config(
        home=home,
        settings=settings,
        database_url=database,
        is_borrowed=database not in (None, chosen) and str(database).startswith("sqlite"),
        index_database=env.get(INDEX_VARIABLE) or settings.sessions.index_url or None,
        environ=dict(env),
    )


def home_from(env: Mapping[str, str]) -> Path:
    """`REVERIE_HOME`, else `~/.reverie` of the `HOME` in `env`."""
    named = env.get(HOME_VARIABLE)
    path = expanded(named, env) if named else user_home(env) / ".reverie"
    name = HOME_VARIABLE if named else "HOME"
    if "\0" in str(path):
        raise ConfigError(f"{name} holds a NUL byte")
    if not path.is_absolute():
        raise ConfigError(
            f"{name} must be an absolute path, not {env[name]!r}",
            hint="a relative home would move with the working directory",
        )
    if path.exists() and not path.is_dir():
        raise ConfigError(f"the home {path} is not a folder")
    return path


def user_home(env: Mapping[str, str]) -> Path:
    """The user's own folder in this environment."""
    return Path(env.get("HOME") or Path.home())


def account(env: Mapping[str, str]) -> dict[str, str]:
    """The variables that follow from the user's account alone: where their home is.

    Without an entry of theirs (a container, Windows) the environment has to be believed.
    """
    try:
        import pwd

        return {"HOME": pwd.getpwuid(os.getuid()).pw_dir}
    except (ImportError, KeyError):
        return {"HOME": str(user_home(env))}


def expanded(path: str, env: Mapping[str, str]) -> Path:
    """`path` with `~` replaced, as a shell of this environment would."""
    if path == "~" or path.startswith("~/"):
        return user_home(env) / path[2:]
    return Path(path).expanduser()


def _read_toml(file: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} is not valid TOML: {error}") from None


def _apply_table(settings: Settings, table: dict[str, Any], where: str) -> Settings:
    known = sections()
    for name, values in table.items():
        if name not in known:
            raise ConfigError(f"{where}: unknown section [{name}]", hint=_nearest(name, known))
        if not isinstance(values, dict):
            raise ConfigError(f"{where}: {name} is a section: write [{name}]")
        section = getattr(settings, name)
        by_name = {f.name: f for f in fields(section)}
        for key, value in cast("dict[str, Any]", values).items():
            if f"{name}.{key}" in RETIRED:
                continue
            current = RENAMED.get(f"{name}.{key}", f"{name}.{key}").partition(".")[2]
            if current != key and current in values:
                continue
            if current not in by_name:
                raise ConfigError(
                    f"{where}: unknown setting {name}.{key}", hint=_nearest(key, by_name)
                )
            section = replace(
                section, **{current: _checked(f"{name}.{key}", by_name[current], value, where)}
            )
        settings = replace(settings, **{name: section})
    return settings


def _apply_environment(settings: Settings, env: Mapping[str, str]) -> Settings:
    names = {
        variable(section, f.name): (section, f)
        for section, kind in sections().items()
        for f in fields(kind)
    }
    retired = {variable(*place.split(".")) for place in RETIRED}
    for old, new in RENAMED.items():
        if variable(*new.split(".")) in env:
            retired.add(variable(*old.split(".")))
        names[variable(*old.split("."))] = names[variable(*new.split("."))]
    for name in sorted(env):
        if not name.startswith("REVERIE_") or name in VARIABLES or name.startswith("REVERIE_TEST"):
            continue
        if name in retired:
            continue
        if name not in names:
            raise ConfigError(
                f"unknown variable {name}", hint=_nearest(name, {**names, **VARIABLES})
            )
        section_name, spec = names[name]
        value = _from_text(spec, env[name], name)
        section = getattr(settings, section_name)
        checked = _checked(f"{section_name}.{spec.name}", spec, value, name)
        if checked in spec.metadata.get("in_file", ()):
            continue
        settings = replace(settings, **{section_name: replace(section, **{spec.name: checked})})
    return settings


def variable(section: str, key: str) -> str:
    """The environment variable of a setting: `learn.jobs` → `REVERIE_LEARN_JOBS`."""
    return f"REVERIE_{section}_{key}".upper()


def default_of(spec: Field[Any]) -> Any:
    """The default of a field, whether a value or a table."""
    if callable(spec.default_factory):
        return spec.default_factory()
    return spec.default


def _from_text(spec: Field[Any], text: str, name: str) -> Any:
    default = default_of(spec)
    if isinstance(default, bool):
        lowered = text.strip().lower()
        if lowered in {"1", "true", "yes", "on"}:
            return True
        if lowered in {"0", "false", "no", "off"}:
            return False
        raise ConfigError(f"{name}: {text!r} is neither yes nor no")
    try:
        if isinstance(default, int):
            return int(text)
        if isinstance(default, float):
            return float(text)
    except ValueError:
        raise ConfigError(f"{name}: {text!r} is not a number") from None
    if isinstance(default, tuple):
        return [part.strip() for part in text.split(",") if part.strip()]
    if isinstance(default, dict):
        import tomllib

        return tomllib.loads(f"v = {text}")["v"]
    return text


def _checked(name: str, spec: Field[Any], value: Any, where: str) -> Any:
    default: Any = default_of(spec)
    if isinstance(default, tuple) and isinstance(value, list):
        parts = tuple(cast("list[Any]", value))
        if all(isinstance(part, str) for part in parts):
            return parts
        raise ConfigError(f"{where}: {name} must be a list of strings, not {list(parts)!r}")
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if isinstance(default, dict) and isinstance(value, dict):
        return cast("dict[str, Any]", default) | cast("dict[str, Any]", value)
    kind: type[object] = cast("Any", default).__class__
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        wanted = "list of strings" if kind is tuple else kind.__name__
        raise ConfigError(f"{where}: {name} must be a {wanted}, not {value!r}")
    if isinstance(value, int | float):
        _check_number(name, value, where, positive=bool(spec.metadata.get("positive")))
    choices: tuple[str, ...] = spec.metadata.get("choices", ())
    if choices and value not in choices:
        raise ConfigError(f"{where}: {name} must be one of {', '.join(choices)}, not {value!r}")
    return value


def _check_number(name: str, value: float, where: str, *, positive: bool) -> None:
    """No number that cannot be meant: an order by a weight that is NaN would be none at all."""
    if not math.isfinite(value):
        raise ConfigError(f"{where}: {name} must be a number, not {value}")
    if value < 0 or (positive and value == 0):
        least = "above 0" if positive else "0 or more"
        raise ConfigError(f"{where}: {name} must be {least}, not {value:g}")


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    import difflib

    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.0)
    return f"the nearest known name is {close[0]}" if close else "there is no such name"
