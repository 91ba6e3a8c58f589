"""Settings: one dataclass per section of `config.toml`, every field with its documentation.

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

HOME_VARIABLE = "REVERIE_HOME"
DATABASE_VARIABLE = "REVERIE_DATABASE_URL"
INDEX_VARIABLE = "REVERIE_INDEX_URL"

# Variables that are not settings of a section; the reference page lists them with this text.
VARIABLES: dict[str, str] = {
    HOME_VARIABLE: "Where Reverie keeps everything; default `~/.reverie`.",
    DATABASE_VARIABLE: "`postgresql://…` moves stores to PostgreSQL; default is `memory.db`.",
    INDEX_VARIABLE: "`postgresql://…` moves the index there; the variable above does not.",
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


def setting(
    default: Any,
    doc: str,
    *,
    choices: tuple[str, ...] = (),
    in_file: tuple[str, ...] = (),
    positive: bool = False,
) -> Any:
    """A documented field of a section; lists and tables are given as immutable values.

    What is `in_file` counts there alone: a variable with such a value changes nothing. No number
    is negative, and one that is `positive` is not 0 either.
    """
    metadata = {"doc": doc, "choices": choices, "in_file": in_file, "positive": positive}
    if isinstance(default, dict):
        table = cast("dict[str, Any]", default)
        return field(default_factory=lambda: dict(table), metadata=metadata)
    return field(default=default, metadata=metadata)


# Sections are neither compared nor printed whole, and every cold start pays for each method made.
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sessions:
    """Where logs are found and how long they are kept."""

    roots: tuple[str, ...] = setting((), "Further folders with agent logs, besides the defaults.")
    ignore: tuple[str, ...] = setting((), "Glob patterns of log paths that are never read.")
    keep_before_days: int = setting(
        25, "`sessions keep` copies logs older than this, before the agent deletes them (30 days)."
    )
    index_url: str = setting("", "As `REVERIE_INDEX_URL`, which comes before it.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Privacy:
    """What is never stored."""

    redact: bool = setting(True, "Replace secrets by keyed placeholders before anything is stored.")
    ignore_projects: tuple[str, ...] = setting((), "Projects (slug or path) never learned from.")
    ignore_paths: tuple[str, ...] = setting((), "Globs: sessions whose cwd matches are skipped.")
    ignore_turns: tuple[str, ...] = setting((), "RE2: human turns that match are not stored.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Store:
    """Limits of the memory store."""

    max_content_bytes: int = setting(102_400, "Largest memory, in UTF-8 bytes.")
    max_path_bytes: int = setting(1_024, "Longest memory path, in UTF-8 bytes.")
    max_path_segments: int = setting(20, "Deepest memory path, in segments.")
    max_memories: int = setting(100_000, "Most memories in one store; 0 sets no limit.")
    max_bytes: int = setting(0, "Most bytes of all memories of one store; 0 sets no limit.")
    max_versions: int = setting(0, "Most versions in the history of one store; 0 sets no limit.")
    max_stores: int = setting(0, "Most stores in the database; 0 sets no limit.")
    max_name_chars: int = setting(255, "Longest name of a store.")
    max_description_chars: int = setting(1_024, "Longest description of a store.")
    max_metadata_pairs: int = setting(16, "Most metadata pairs of a store.")
    busy_timeout_ms: int = setting(10_000, "How long a write waits for another writer.")
    backups: int = setting(3, "Copies kept in `backups/`, one for each day with news; 0: none.")
    database_url: str = setting("", "As `REVERIE_DATABASE_URL`, which comes before it.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Learn:
    """How corrections and lasting statements are recognised."""

    cues: tuple[str, ...] = setting(
        (), "Phrases that mark a correction, besides the built-in ones."
    )
    not_cues: tuple[str, ...] = setting((), "Phrases that never count as a cue.")
    write: str = setting(
        "rules",
        "What is written unasked: nothing, plain rules and facts, or also what is nearly certain.",
        choices=("never", "rules", "sure"),
    )
    jobs: int = setting(1, "Processes used by `reverie learn`.")
    agent_memory: bool = setting(
        False, "Take over by itself what agents save as their own memory; `connect` asks."
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Projects:
    """What is told of a project."""

    worked_days: int = setting(
        7, "Dailies that come with a project's memory: of its last so many worked days."
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Signals:
    """How much each signal counts for a correction's worth when nothing is asked; 0: not at all."""

    recency: float = setting(0.20, "How few corrections of its project were said since.")
    position: float = setting(0.05, "How late in its topic: the last word on a topic stands.")
    density: float = setting(0.05, "How many corrections stand near it.")
    tier: float = setting(0.20, "What it names: critical, high, medium, low.")
    misstep: float = setting(0.40, "How sure it is a correction; fitted to you from 50 labels on.")
    neighbourhood: float = setting(0.10, "How much other corrections say the same.")
    label: float = setting(0.50, "That you said so: `corrections label`, `review`.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Decay:
    """How fast a correction fades when it is read; the stored score never changes."""

    half_life_days: float = setting(
        7.0, "After this many days a correction's score is half.", positive=True
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Forget:
    """When memories leave, and which ones stay."""

    archive_after_days: int = setting(
        30, "A memory goes to the archive this long after its last sign of use."
    )
    clock: str = setting(
        "worked",
        "Which days count: those on which its project was worked on, or all of the calendar.",
        choices=("worked", "calendar"),
    )
    purge_after_days: int = setting(365, "The archive is emptied of what has lain there this long.")
    protected_sections: tuple[str, ...] = setting(
        (), "Further sections of long-term memory that never decay, such as Key Decisions."
    )
    pin_by_rule: bool = setting(
        True, "Pin what is fundamental, hard won, safety-critical and so on."
    )
    fresh_days: int = setting(7, "Nothing younger than this is pinned by rule.")
    long_term_tokens: int = setting(10_000, "Longest long-term memory of one scope, in tokens.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Due:
    """When a dream is due; only if something new was learned."""

    sessions: int = setting(10, "After this many new sessions.")
    hours: float = setting(24.0, "Or after this many hours.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Recall:
    """How much is handed over, and when to ask first."""

    budget_chars: int = setting(4_096, "Characters of one recall, if the asker names no budget.")
    rules_chars: int = setting(1_024, "What standing rules may take of these; never over half.")
    read_chars: int = setting(
        12_000, "Characters of one look into sessions or files, if the asker names no budget."
    )
    ask_above_chars: int = setting(20_000, "A larger hand-over has to be confirmed by you.")
    warn_share: float = setting(
        0.7, "Warn when a session was handed more than this of its window in all."
    )
    window_tokens: int = setting(200_000, "Tokens of a session, if the asker names no window.")
    decay_floor: float = setting(0.4, "Age never takes more than down to this share of a score.")
    half_life_days: float = setting(
        60.0, "After this many days a memory's age counts half.", positive=True
    )
    good_enough: float = setting(
        0.105,
        "How well an entry has to meet a question to be told; 0 tells whatever shares a word.",
    )
    most_found: int = setting(10, "Most entries that a question finds, besides what was said.")
    verify_ms: int = setting(150, "Longest look into the working tree, in milliseconds.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Digest:
    """What a session is told when it begins."""

    budget: int = setting(2_000, "Most characters of it.")
    unconfirmed: bool = setting(True, "Also what you said and nobody reviewed yet, marked so.")
    last_time: bool = setting(True, "Also what the last session was about, if there is room.")
    ignore_projects: tuple[str, ...] = setting((), "Projects (slug or path) that are told nothing.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dream:
    """How much it takes to be a pattern."""

    min_sessions: int = setting(3, "Distinct sessions that make a pattern.")
    min_days: int = setting(2, "Distinct days that make a pattern.")
    most_false: float = setting(0.05, "Share of proposed patterns that chance may have made.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hooks:
    """What happens by itself while an agent works."""

    enabled: bool = setting(True, "Installed hooks may do anything at all.")
    every_turns: int = setting(8, "A session is read again after this many turns, and at its end.")
    digest: bool = setting(False, "Tell the digest when a session starts; `connect` asks.")
    recall_on_prompt: bool = setting(
        False, "Tell up to three lines for every prompt; adds a recall's time to it."
    )
    remembered: bool = setting(True, "Say in one line what was learned, at the next occasion.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Engines:
    """Who thinks about sessions, and what that may cost; the rules cost nothing."""

    default: str = setting(
        "rules",
        "Who thinks about new sessions: the rules alone, also a client about its own (`own`: each"
        " about its own), or also a model; `connect` asks.",
        choices=("rules", "claude-code", "codex", "own", "anthropic", "openai"),
    )
    ignore_projects: tuple[str, ...] = setting(
        (), "Projects (slug or path) of which no engine is sent anything."
    )
    max_sessions_per_day: int = setting(20, "Most sessions a day that engines are asked about.")
    max_tokens_per_day: int = setting(200_000, "No call is made that could take a day above this.")
    max_usd_per_day: float = setting(1.00, "No call is made that could take a day above this.")
    max_tokens_per_run: int = setting(200_000, "As above, for one run of `learn --engine`.")
    max_usd_per_run: float = setting(1.00, "As above, for one run of `learn --engine`.")
    max_usd_per_call: float = setting(0.25, "What a client is told that one answer may cost.")
    max_output_tokens: int = setting(6_000, "Most tokens of one answer.")
    max_turns: int = setting(8, "Most turns a run of an agent may take.")
    timeout_seconds: int = setting(180, "A call that takes longer is ended; at most 600.")
    anthropic_model: str = setting("claude-sonnet-5-5", "The model of engine `anthropic`.")
    anthropic_base_url: str = setting("", "Where it is; else `ANTHROPIC_BASE_URL`, or Anthropic.")
    openai_model: str = setting("", "The model of engine `openai`; it has to be named.")
    openai_base_url: str = setting("", "Where it is; else `OPENAI_BASE_URL`, or OpenAI.")
    openai_key_variable: str = setting(
        "OPENAI_API_KEY", "The variable that holds its key; a server on this machine needs none."
    )
    claude_code_model: str = setting("default", "The model of engine `claude-code`.")
    codex_model: str = setting("default", "The model of engine `codex`.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sync:
    """Several machines with one memory."""

    auto: bool = setting(False, "Remembered remotes are synced by the hooks, after a session.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trust:
    """Whose word it is that comes from no terminal; an agent's shell is always the agent's."""

    scripts: str = setting(
        "agent",
        "What scripts, cron and pipes without a terminal say counts as an agent's word, or yours"
        " (`user`, from the file alone: whoever starts a program sets its variables).",
        choices=("agent", "user"),
        in_file=("user",),
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Server:
    """What `reverie serve` answers, and whom."""

    hosts: tuple[str, ...] = setting(
        (), "Names under which a proxy reaches the server; loopback's own always count."
    )
    threads: int = setting(8, "Requests that one process works on at a time.", positive=True)
    max_body_bytes: int = setting(4_194_304, "Largest body of a request.")
    max_upload_bytes: int = setting(268_435_456, "Largest transcript that can be handed in.")
    read_seconds: float = setting(
        20.0, "How long a client may take to send its headers, or the next part of a body."
    )
    stop_seconds: int = setting(20, "How long requests may take to end when the server stops.")
    requests_per_second: float = setting(
        200.0, "Requests of one key, in the long run, for each process; 0 sets no limit."
    )
    burst: int = setting(400, "Requests of one key at once, before that limit counts.")
    models: dict[str, str] = setting(  # noqa: RUF009 - it makes a new table each time
        {}, "Which engine dreams for a model that a client names; `rules` always does."
    )
    dream_minutes: int = setting(60, "A dream that takes longer has failed.", positive=True)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Settings:
    """All sections; what every composition root passes down."""

    sessions: Sessions = field(default_factory=Sessions)
    privacy: Privacy = field(default_factory=Privacy)
    store: Store = field(default_factory=Store)
    learn: Learn = field(default_factory=Learn)
    projects: Projects = field(default_factory=Projects)
    signals: Signals = field(default_factory=Signals)
    decay: Decay = field(default_factory=Decay)
    forget: Forget = field(default_factory=Forget)
    due: Due = field(default_factory=Due)
    recall: Recall = field(default_factory=Recall)
    digest: Digest = field(default_factory=Digest)
    dream: Dream = field(default_factory=Dream)
    hooks: Hooks = field(default_factory=Hooks)
    engines: Engines = field(default_factory=Engines)
    sync: Sync = field(default_factory=Sync)
    trust: Trust = field(default_factory=Trust)
    server: Server = field(default_factory=Server)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Config:
    """Settings plus the places they apply to."""

    home: Path
    settings: Settings
    database_url: str | None = None
    index_database: str | None = None
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
        return replace(self, home=home, database_url=None, index_database=None)

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
    settings = _apply_environment(settings, env)
    return Config(
        home=home,
        settings=settings,
        database_url=env.get(DATABASE_VARIABLE) or settings.store.database_url or None,
        index_database=env.get(INDEX_VARIABLE) or settings.sessions.index_url or None,
        environ=dict(env),
    )


def home_from(env: Mapping[str, str]) -> Path:
    """`REVERIE_HOME`, else `~/.reverie` of the `HOME` in `env`."""
    given = env.get(HOME_VARIABLE)
    path = expanded(given, env) if given else user_home(env) / ".reverie"
    name = HOME_VARIABLE if given else "HOME"
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
