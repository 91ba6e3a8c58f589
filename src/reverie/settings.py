"""The settings: one dataclass for each section of `config.toml`, every field documented."""

from dataclasses import dataclass, field
from typing import Any, cast


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
    server_seconds: int = setting(
        30, "How old the copy of a server's store may be before it is looked at; 0: any age."
    )


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
