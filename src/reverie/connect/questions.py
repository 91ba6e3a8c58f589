"""What `connect` asks, and the answers: settings of our own `config.toml`."""

from pathlib import Path
from typing import Any, NamedTuple, cast

from reverie.connect.toml_text import parsed, with_value, without_value
from reverie.files.change import Change, decoded, read

RULES = "rules"
OWN = "own"
CLIENTS = ("claude-code", "codex")  # that can think about their own sessions


class Question(NamedTuple):
    """Where an answer is kept."""

    section: str
    name: str


DIGEST = Question("hooks", "digest")
AGENT_MEMORY = Question("learn", "agent_memory")
ENGINE = Question("engines", "default")
SYNC = Question("sync", "auto")


def answered(config: Path, question: Question = DIGEST) -> bool | str | None:
    """What our own `config.toml` says to a question; None when nobody was asked yet.

    Raises:
        InvalidInput: the file is not TOML.
    """
    section: Any = parsed(_text(config)).get(question.section)
    if not isinstance(section, dict):
        return None
    answer: Any = cast("dict[str, Any]", section).get(question.name)
    return answer if isinstance(answer, bool | str) else None


def answering(config: Path, answer: bool | str, question: Question = DIGEST) -> Change:
    """The change of our own `config.toml` that answers a question.

    Raises:
        InvalidInput: the file is not TOML, or the setting is written in an unusual way.
    """
    text = with_value(_text(config), list(question), answer)
    if question == DIGEST:
        # What an earlier version asked for means nothing any more.
        text = without_value(text, ["hooks", "standing_rules"])
    return Change(config, read(config), text.encode())


def unanswering(config: Path, *questions: Question) -> Change:
    """The change of our own `config.toml` that takes answers out; without any, no file stays.

    Raises:
        InvalidInput: the file is not TOML.
    """
    rest = _text(config)
    for question in questions:
        rest = without_value(rest, list(question))
        if not parsed(rest).get(question.section, True):
            rest = without_value(rest, [question.section])
    return Change(config, read(config), rest.encode() if rest.strip() else None)


def with_client(engine: str, client: str) -> str:
    """The engine for new sessions when a client may think about its own, besides who may now."""
    return OWN if engine in {OWN, *CLIENTS} - {client} else client


def without_client(engine: str, client: str) -> str:
    """The engine for new sessions when a client may no longer think about its own."""
    if engine == OWN:
        return next(other for other in CLIENTS if other != client)
    return RULES if engine == client else engine


def _text(config: Path) -> str:
    before = read(config)
    return "" if before is None else decoded(config, before)
