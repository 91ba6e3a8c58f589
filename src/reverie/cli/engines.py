"""`reverie engines`, `reverie costs`, and the part of `reverie learn` that asks an engine."""

import os
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.opening import opened, tell, waiting
from reverie.cli.options import json_option, start_of
from reverie.cli.printing import agree, out, out_json, progress_bar, say, several, table
from reverie.cli.speaker import only_a_person
from reverie.errors import InvalidInput, Refused, ReverieError
from reverie.forms import engines as forms
from reverie.forms import plain
from reverie.operations.engines import catalog

if TYPE_CHECKING:
    from reverie.memory import Memory
    from reverie.operations.dreaming import Thinker
    from reverie.operations.engines.batching import Sent
    from reverie.operations.engines.thinking import Estimate, Thought
    from reverie.operations.engines.working import Kind


_SERVERS = ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL")
NAMED = 3  # files that may have set a variable
_CHOOSE = "choose an engine that costs money"


def _opened() -> "Memory":
    """The memory, with an environment of which no file of the project has a say.

    Raises:
        Refused: an engine runs this command: it would ask an engine in turn. Or a variable is left
            out: without it the words might go to another server than the one that was chosen.
    """
    from reverie.connect.switches import speaking, trusted

    if os.environ.get("REVERIE_INSIDE"):
        raise Refused("no engine is asked inside a run of an engine")
    kept = trusted(os.environ, "", os.getcwd())
    doubted = sorted(name for name, value in os.environ.items() if kept.get(name) != value)
    if doubted := [name for name in doubted if name.startswith("REVERIE_") or name in _SERVERS]:
        files = ", ".join(speaking(os.getcwd())[:NAMED]) or "a file of this folder"
        raise Refused(
            f"{files} may have set {', '.join(doubted)}",
            hint="ask from another folder, or write the setting into config.toml and unset it here",
        )
    return opened(environ=kept)


# --- engines ------------------------------------------------------------------------------------


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def engines(ctx: click.Context, as_json: bool) -> None:
    """List who can do the thinking, whether it is ready, and what it costs."""
    if ctx.invoked_subcommand is not None:
        return
    ready = catalog.engines(opened())
    if as_json:
        out_json([plain(engine) for engine in ready])
        return
    table(
        [
            [
                engine.engine + (" (default)" if engine.default else ""),
                "yes" if engine.available else "no",
                engine.model,
                engine.costs,
                engine.how,
            ]
            for engine in ready
        ],
        ["engine", "ready", "model", "costs", ""],
    )


@engines.command("test")
@click.argument("engine", required=False)
@click.option("--project", help="A piece of this project (name, slug or path); else the one here.")
@click.option("--all", "everything", is_flag=True, help="A piece of any project.")
@click.option("--send", is_flag=True, help="Do send it and show the answer; nothing is learned.")
@json_option
def test_(
    engine: str | None, project: str | None, everything: bool, send: bool, as_json: bool
) -> None:
    """Show exactly what ENGINE would be sent for the next piece of work.

    Without --send nothing leaves this machine. With it the caps hold and a receipt is kept.
    """
    from reverie.engines.prices import estimated_tokens, most_tokens
    from reverie.engines.protocol import Limits
    from reverie.operations.engines import thinking

    memory = _opened()
    named = _named(memory, engine)
    if send:
        _was_chosen(memory, named, f"engines test {named} --send")
    made = catalog.chosen(memory, named)
    asked = thinking.wanted(memory, project=project, everything=everything)
    task = thinking.first_task(memory, asked)
    prompt = task.prompt
    caps = memory.settings.engines
    limits = Limits(caps.max_usd_per_run, caps.max_output_tokens, caps.timeout_seconds)
    request = made.request(prompt, limits)
    answer = thinking.ask_once(memory, made, task) if send else None
    if as_json:
        receipt = plain(answer.receipt) if answer else None
        text = answer.text if answer else None
        out_json({"request": request, "answer": text, "receipt": receipt})
        return
    out(_pretty(request))
    say(f"about {estimated_tokens(prompt):,} tokens, at most {most_tokens(prompt):,}")
    if answer is None:
        say("nothing was sent; --send sends it")
    else:
        out(answer.text)
        say(f"{answer.receipt.cost_usd:.4f} USD, {answer.receipt.tokens:,} tokens")


@engines.command()
@click.argument("engine", metavar="rules|claude-code|codex|own|anthropic|openai")
def use(engine: str) -> None:
    """Choose who thinks about new sessions when they end, besides the rules.

    A client thinks about its own sessions; with `own` Claude Code and Codex do, each about its own.
    `anthropic` and `openai` think about all. The caps of `[engines]` hold.
    """
    from dataclasses import fields

    from reverie.cli.asking import keep
    from reverie.connect.questions import ENGINE, answering
    from reverie.settings import Engines

    (spec,) = (field for field in fields(Engines) if field.name == ENGINE.name)
    choices: tuple[str, ...] = spec.metadata["choices"]
    if engine not in choices:
        raise InvalidInput(f"there is no engine {engine!r}", hint=f"one of {', '.join(choices)}")
    only_a_person(_CHOOSE, f"engines use {engine}")
    memory = opened()
    memory.make_home()
    keep(answering(memory.config.file, engine, ENGINE))
    if engine == "rules":
        say("new sessions are thought about by the rules alone")
        return
    caps = memory.settings.engines
    say(f"new sessions: {engine}, at most {caps.max_sessions_per_day} a day,")
    say(f"{caps.max_tokens_per_day:,} tokens and {caps.max_usd_per_day:.2f} USD")


def _was_chosen(memory: "Memory", engine: str, command: str) -> None:
    """Leave it to the person to have another engine than theirs think, and be paid for it.

    Raises:
        Refused: an agent's shell names an engine that the settings do not.
    """
    from reverie.connect.questions import CLIENTS

    default = memory.settings.engines.default
    if engine != default and not (default == "own" and engine in CLIENTS):
        only_a_person(_CHOOSE, command)


def _named(memory: "Memory", engine: str | None) -> str:
    default = memory.settings.engines.default
    if engine is None and default in {"rules", "own"}:
        raise Refused("which engine?", hint="name one; `reverie engines` lists them")
    return engine or default


def _pretty(request: dict[str, Any]) -> str:
    import json

    return json.dumps(request, ensure_ascii=False, indent=2)


# --- costs --------------------------------------------------------------------------------------


@click.command()
@click.option("--since", help="From this day on (2026-11-01, 7d = for a week); else all.")
@json_option
def costs(since: str | None, as_json: bool) -> None:
    """Show what calls of models cost, by day, engine and model, and what is left for today."""
    memory = opened()
    bill = catalog.costs(memory, start_of(since, memory.clock()) or "")
    if as_json:
        out_json(forms.costs(bill))
        return
    if bill.receipts:
        table(
            [
                [
                    *(day.day, day.engine, day.model, str(day.calls)),
                    *(f"{day.input_tokens:,}", f"{day.cached_tokens:,}", f"{day.output_tokens:,}"),
                    _money(day),
                ]
                for day in bill.days
            ],
            ["day", "engine", "model", "calls", "tokens in", "from cache", "out", "USD"],
        )
    spent = f"{several(len(bill.receipts), 'call')}, {bill.total_usd:.2f} USD"
    say(f"{spent}; today {bill.today.usd:.2f} of {bill.cap_usd_per_day:.2f}")


def _money(day: "catalog.Day") -> str:
    # A call whose cost nobody told is charged with the most it may have cost.
    at_most = "" if day.known else " (at most)"
    return f"{day.usd:.4f}{at_most}" if day.priced else "unknown"


# --- learn --engine -----------------------------------------------------------------------------


def work_with(
    engine: str,
    *,
    kind: "Kind" = "session",
    project: str | None,
    everything: bool,
    since: str | None,
    pieces: int | None,
    batch: bool = False,
    yes: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Have an engine do what `work next` hands out, after saying what it would take."""
    from reverie.operations.engines import batching, thinking

    memory = _opened()
    if not dry_run:
        _was_chosen(memory, engine, f"learn --engine {engine}")
    made = catalog.chosen(memory, engine)
    if batch and (waits := batching.out(memory)):
        return _fetch(memory, made, waits[0], as_json=as_json)
    asked = thinking.wanted(
        memory,
        project=project,
        everything=everything,
        since=start_of(since, memory.clock()),
        pieces=pieces,
        kind=kind,
    )
    before = thinking.estimate(memory, made, asked)
    if dry_run and as_json:
        out_json(plain(before))
        return 0
    _say_estimate(before)
    if dry_run or not before.pieces:
        return 0
    agree("Go on?", yes=yes, otherwise="nothing was sent")
    if batch:
        sent = batching.send(memory, made, asked)
        say(
            f"sent {several(sent.pieces, 'piece')} as {sent.id}; the same again fetches the answers"
        )
        return 0
    done: list[Thought] = []
    stopped: ReverieError | None = None
    with memory.in_step(tell), progress_bar("thinking") as progress:
        try:
            for thought in thinking.run(memory, made, asked, waiting=waiting):
                done.append(thought)
                progress(len(done), max(len(done), before.pieces))
        except ReverieError as error:
            stopped = error
    return _say_done(done, stopped, as_json=as_json)


def thinker(engine: str | None, *, yes: bool) -> "Thinker | None":
    """Who reads along in a dream: the engine that is named, else a model that is the default."""
    from reverie.operations.dreaming import Thinker

    if engine == "rules" or (engine is None and os.environ.get("REVERIE_INSIDE")):
        return None
    memory = _opened()
    default = memory.settings.engines.default
    if engine is not None:
        _was_chosen(memory, engine, f"dream --engine {engine}")
    if engine is None and default not in catalog.APIS:
        return None

    def before(expected: "Estimate") -> None:
        _say_estimate(expected)
        if engine is not None:
            agree("Go on?", yes=yes, otherwise="nothing was sent")

    try:
        return Thinker(catalog.chosen(memory, engine or default), engine is not None, before, say)
    except ReverieError as error:
        if engine is not None:
            raise
        say(f"without a model: {error.message}")
        return None


def _fetch(memory: "Memory", made: catalog.Chosen, waits: "Sent", *, as_json: bool) -> int:
    from reverie.operations.engines import batching

    with memory.in_step(tell), progress_bar("fetching") as progress:
        answered = batching.fetch(memory, made)
        if answered is None:
            say(f"{waits.id} is not answered yet: {several(waits.pieces, 'piece')} are out")
            return 0
        done: list[Thought] = []
        for thought in answered:
            done.append(thought)
            progress(len(done), waits.pieces)
    return _say_done(done, None, as_json=as_json)


def _say_estimate(estimate: "Estimate") -> None:
    if not estimate.pieces:
        say("nothing waits to be thought about; `reverie learn` reads what is new in the logs")
        return
    model = f" ({estimate.model})" if estimate.model not in {"", "default"} else ""
    say(
        f"{estimate.engine}{model}: {several(estimate.sessions, 'session')} in"
        f" {several(estimate.pieces, 'piece')}, about {estimate.input_tokens:,} tokens in and"
        f" {estimate.output_tokens:,} out"
    )
    if estimate.usd is None:
        say("what that costs is unknown: there is no list price")
    else:
        say(f"about {estimate.usd:.2f} USD at the list prices of {estimate.prices_of}")
    # How many sessions a dream looks at counts against no cap.
    sessions = "" if estimate.of_dreams else f"{several(estimate.left_sessions, 'session')}, "
    say(
        f"the caps leave {sessions}{estimate.left_tokens:,} tokens"
        f" and {estimate.left_usd:.2f} USD for today; what does not fit waits"
    )


def _say_done(done: "list[Thought]", stopped: ReverieError | None, *, as_json: bool) -> int:
    if as_json:
        out_json([forms.thought(thought) for thought in done])
    for thought in done:
        for entry in thought.taken.lessons if thought.taken else ():
            say(f"{entry.outcome.action}: {entry.lesson.text} ({entry.outcome.why})")
        if thought.taken and thought.taken.revised:
            say(f"read together: {several(thought.taken.revised, 'memory')} changed")
        if thought.error:
            which = ", ".join(thought.sessions) or thought.piece
            say(f"not {'all ' if thought.taken else ''}done: {which}: {thought.error.message}")
    # What was taken of a piece is kept, and the rest of it was told above.
    failed = [thought.error for thought in done if thought.error and not thought.taken]
    say(f"{several(len(done) - len(failed), 'piece')} done")
    lessons = [entry for thought in done if thought.taken for entry in thought.taken.lessons]
    if waiting := sum(entry.outcome.action in ("queued", "joined") for entry in lessons):
        say(f"{several(waiting, 'lesson')} not written, for a person to decide: `reverie review`")
    if stopped is not None:
        raise stopped
    return failed[0].exit_code if failed else 0
