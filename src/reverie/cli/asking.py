"""What `connect` and `sync` ask a person: each once, and kept as a setting of our own."""

import os
import sys
from typing import TYPE_CHECKING

import click

from reverie.cli.printing import say
from reverie.cli.speaker import agent_here

if TYPE_CHECKING:
    from reverie.config import Config
    from reverie.connect.questions import Question
    from reverie.files.change import Change

_DIGEST = (
    "May a short digest of what you taught (up to {} characters) be shown to the agent when a"
    " session starts?"
)
_KEEPING = ("claude-code", "codex")  # memory of their own
_FOLLOW = (
    "May what Claude Code and Codex save as their own memory be taken over, as an agent's word, so"
    " that all your agents have it?"
)
# About what one session takes, in and out (`docs/design/fork.md`).
SESSION_TOKENS = 6_000
_ENGINE = (
    "May Reverie let {} distil lessons when a session ends (about {:,} tokens a session, counted"
    " against your plan or bill, at most {:,} sessions, {:,} tokens or ${:g} a day)?"
)
_SYNC = (
    "May hooks sync by themselves, in the background after a session, with every remote you chose?"
)
_NAMES = {"claude-code": "Claude Code", "codex": "Codex"}


def ask_for_digest(config: "Config", flag: bool | None, *, yes: bool) -> None:
    """Ask whether sessions are told a digest."""
    from reverie.connect.questions import DIGEST

    question = _DIGEST.format(f"{config.settings.digest.budget:,}")
    answer = _answer(config, DIGEST, flag, question, "--digest or --no-digest", yes=yes)
    if answer is not None:
        say("a digest is " + ("shown when a session starts" if answer else "not shown"))


def ask_to_follow(config: "Config", flag: bool | None, agent: str, *, yes: bool) -> None:
    """Ask whether agents' own memory is taken over."""
    from reverie.connect.questions import AGENT_MEMORY

    if agent not in _KEEPING and flag is None:
        return
    answer = _answer(config, AGENT_MEMORY, flag, _FOLLOW, "--follow or --no-follow", yes=yes)
    if answer is not None:
        way = "with every `learn`" if answer else "not by itself"
        say(f"what your agents save as their own memory is taken over {way}")


def ask_for_engine(config: "Config", agent: str, *, hooked: bool) -> None:
    """Ask whether an agent may think about its sessions, which costs money.

    Only a person at a terminal can say so, and neither answer is the easier one.

    Args:
        hooked: Whether its hooks are there, without which nobody knows that a session ended.
    """
    from reverie.connect.questions import ENGINE, RULES, answered, answering, with_client

    current = answered(config.file, ENGINE)
    if not hooked or agent not in _NAMES or current not in {None, *_NAMES} - {agent}:
        return
    if not sys.stdin.isatty() or agent_here(os.environ):
        say(f"`reverie engines use {agent}` lets it distil lessons when a session ends")
        return
    caps = config.settings.engines
    day = (caps.max_sessions_per_day, caps.max_tokens_per_day, caps.max_usd_per_day)
    try:
        agreed = click.confirm(
            _ENGINE.format(_NAMES[agent], SESSION_TOKENS, *day), default=None, err=True
        )
    except click.Abort:
        click.echo(err=True)
        say("nothing was set: lessons are distilled by the rules alone")
        return
    before = str(current or RULES)
    engine = with_client(before, agent) if agreed else before
    keep(answering(config.file, engine, ENGINE))
    if agreed:
        say("distilled when a session ends; `reverie engines use rules` ends that")
        say("`engines.ignore_projects` keeps projects out, `reverie costs` shows what it took")
    else:
        say(f"lessons are distilled by the rules alone; `reverie engines use {agent}` changes it")


def ask_to_sync(config: "Config") -> None:
    """Ask whether remotes are synced without being asked for; only a person at a terminal says so.

    Neither answer is the easier one.
    """
    from reverie.connect.questions import SYNC, answered, answering

    if answered(config.file, SYNC) is not None:
        return
    if not sys.stdin.isatty() or agent_here(os.environ):
        return
    try:
        agreed = click.confirm(_SYNC, default=None, err=True)
    except click.Abort:
        click.echo(err=True)
        say("nothing was set: `reverie sync` syncs")
        return
    keep(answering(config.file, agreed, SYNC))
    way = "after a session, and with `reverie sync`" if agreed else "with `reverie sync` alone"
    say(f"synced {way}; `auto` under `[sync]` in {config.file} changes it")


def take_back_engine(config: "Config", agent: str) -> None:
    """An agent that is disconnected thinks about its sessions no more."""
    from reverie.connect.questions import (
        ENGINE,
        RULES,
        answered,
        answering,
        unanswering,
        without_client,
    )

    current = answered(config.file, ENGINE)
    if agent not in _NAMES or not isinstance(current, str):
        return
    engine = without_client(current, agent)
    if engine == RULES:
        keep(unanswering(config.file, ENGINE))
    elif engine != current:
        keep(answering(config.file, engine, ENGINE))


def keep(planned: "Change") -> None:
    """Write a change of our own settings."""
    from reverie.files import replace_file

    if planned.needed and planned.after is None:
        planned.path.unlink()
    elif planned.needed and planned.after is not None:
        replace_file(planned.path, planned.after)


def _answer(
    config: "Config",
    asked: "Question",
    flag: bool | None,
    question: str,
    options: str,
    *,
    yes: bool,
) -> bool | None:
    """Write an answer into our own settings; what was answered before is not asked again.

    Returns:
        The answer; None when it is as it was, or nobody gave one.
    """
    from reverie.connect.questions import answered, answering

    answer = flag
    if answer is None and answered(config.file, asked) is None:
        if agent_here(os.environ):  # its `--yes` is not a person's
            say(f"not answered for you: {options}, in a terminal of your own")
            return None
        answer = yes or _confirmed(question, options)
    if answer is None:
        return None
    planned = answering(config.file, answer, asked)
    if not planned.needed:
        return None
    keep(planned)
    return answer


def _confirmed(question: str, options: str) -> bool | None:
    try:
        return click.confirm(question, default=True, err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        click.echo(err=True)
        say(f"nobody is here to answer: {options} says it beforehand")
        return None
