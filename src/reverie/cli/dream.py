"""`reverie dream`: what many sessions teach together, as a proposal."""

import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.alone import learning
from reverie.cli.app import App
from reverie.cli.due import remind
from reverie.cli.learn import processes
from reverie.cli.options import json_option, logs_option, start_of
from reverie.cli.printing import hanging, one_line, out, out_json, out_jsonl, say, several
from reverie.cli.refresh import progress_bar
from reverie.errors import InvalidInput
from reverie.store.library import GLOBAL

if TYPE_CHECKING:
    from reverie.dream.model import Ask, Pattern
    from reverie.dream.night import Night
    from reverie.dream.proposals.proposals import Proposal

SHOWN = 20
LONGEST = 200  # characters of a candidate
FEW = 5  # candidates without enough evidence, unless asked for


@click.command()
@logs_option
@click.option("--since", help="Only sessions since this day (2026-11-01, 7d).")
@click.option("--project", help="Only sessions of this project (name, slug or path).")
@click.option("--sessions", multiple=True, metavar="KEY", help="Only this session (repeatable).")
@click.option("--store", help="Only changes to this store.")
@click.option("--instructions", default="", help="What to attend to, or `ignore …`, in words.")
@click.option("--min-sessions", type=click.IntRange(1), help="Sessions that make a pattern.")
@click.option("--min-days", type=click.IntRange(1), help="Days that make a pattern.")
@click.option("--jobs", type=click.IntRange(1), default=None, help="Processes to read logs with.")
@click.option("--dry-run", is_flag=True, help="Say what would be proposed; write nothing.")
@click.option("--apply", "unattended", is_flag=True, help="Apply what needs no person at once.")
@click.option("--into", metavar="NEW_STORE", help="Leave the stores alone; write a new one.")
@click.option("--if-due", "if_due", is_flag=True, help="Only if one is due (`reverie due`).")
@click.option("--explain", is_flag=True, help="What each step kept and dropped, and why.")
@json_option
def dream(**options: Any) -> None:
    """Find what recurs over many sessions and propose better memory.

    Nothing is changed until you accept it: `reverie review` shows each change with its evidence.
    With --dry-run --logs DIR nothing is written anywhere.
    """
    app = App.load()
    if options["unattended"] and options["dry_run"]:
        raise InvalidInput("--apply and --dry-run exclude each other")
    if options["if_due"] and not remind(app).due:
        say("no dream is due")
        return
    ask = _ask(app, options)
    if options["dry_run"]:
        with _scratch(app, options["folder"]) as seen:
            night = _dreamt(seen, ask, options, read=options["folder"] is not None)
        _show(night, options)
        return
    from reverie.dream.run import Dreamer

    _read(app, options)
    dreamer = Dreamer(app.store, app.index, app.clock, _vanished(app))
    with progress_bar("dreaming") as progress:
        run = dreamer.run(ask, progress=progress)
    remind(app)
    proposal = run.proposal
    if proposal is None:
        _finished(run.night, options, None, [])
        return
    applied: list[str] = []
    if options["into"]:
        applied = dreamer.into(proposal, options["into"])
    elif options["unattended"]:
        applied = dreamer.apply_unattended(proposal)
    _finished(run.night, options, proposal, applied)


def _ask(app: App, options: dict[str, Any]) -> "Ask":
    from reverie.dream.model import Ask

    settings = app.settings.dream
    project = options["project"]
    return Ask(
        project=app.projects.find(project).slug if project and not options["folder"] else project,
        since=start_of(options["since"], app.clock()) or "",
        sessions=_sessions(app, options),
        store=_store(app, options["store"]) if not options["folder"] else options["store"],
        instructions=options["instructions"],
        min_sessions=options["min_sessions"] or settings.min_sessions,
        min_days=options["min_days"] or settings.min_days,
        most_false=settings.most_false,
    )


def _sessions(app: App, options: dict[str, Any]) -> tuple[str, ...]:
    """The keys of the sessions named; with --logs they are not known beforehand."""
    if options["folder"]:
        return tuple(options["sessions"])
    return tuple(app.index.session(name).key for name in options["sessions"])


def _store(app: App, name: str | None) -> str | None:
    """The store named; that of a known project need not be there yet."""
    if name is None or name in {GLOBAL, *(project.slug for project in app.projects.all())}:
        return name
    from reverie.cli.stores import resolve

    return resolve(app.store, name).name


def _read(app: App, options: dict[str, Any]) -> None:
    """Learn what is new first: a dream works on what sessions have shown."""
    jobs = options["jobs"] or app.settings.learn.jobs
    with learning(app) as keep, processes(jobs) as pool, progress_bar("reading logs") as progress:
        app.learner(keep, pool).learn(app.log_files(options["folder"]), progress)


@contextmanager
def _scratch(app: App, folder: Path | None) -> Generator[App]:
    """An app whose home is thrown away, when logs are to be read and nothing written."""
    if folder is None:
        yield app
        return
    with tempfile.TemporaryDirectory(prefix="reverie-dream-") as home:
        config = app.config.elsewhere(Path(home))
        scratch = App(config, app.clock)
        try:
            yield scratch
        finally:
            scratch.index.close()
            scratch.store.close()


def _dreamt(app: App, ask: "Ask", options: dict[str, Any], *, read: bool) -> "Night":
    from reverie.dream.run import Dreamer

    if read:
        jobs = options["jobs"] or app.settings.learn.jobs
        with (
            learning(app) as keep,
            processes(jobs) as pool,
            progress_bar("reading logs") as progress,
        ):
            app.learner(keep, pool).read(app.log_files(options["folder"]), progress)
    return Dreamer(app.store, app.index, app.clock, _vanished(app)).dry(ask)


def _vanished(app: App) -> dict[str, str]:
    """Memories all of whose names were found gone when they were last looked up (`stale`)."""
    from reverie.forget.stale import flags

    return {
        version: ", ".join(change.reference for change in changes)
        for (_, version), changes in flags(app.index.database).items()
        if all(change.state == "gone" for change in changes)
    }


def _show(night: "Night", options: dict[str, Any]) -> None:
    if options["as_json"]:
        out_jsonl(as_records(night))
    else:
        _tell(night, everything=options["explain"])
        say("Nothing was written.")
    if options["explain"]:
        _explain(night)


def as_records(night: "Night") -> Iterator[dict[str, Any]]:
    """The machine contract: one object per pattern, then one per candidate."""
    from reverie.dream.proposals.pattern_forms import forms_of, names

    offered = {change.pattern for change in night.changes}
    for one in night.patterns:
        if one.status == "pattern" and one.group.id in offered:
            artefacts = forms_of(one)
            yield _record(one) | {
                "forms": names(artefacts),
                "supersedes": list(one.supersedes),
                "artefacts": [
                    {"form": a.form, "path": a.path, "content": a.content} for a in artefacts
                ],
            }
    for one in night.patterns:
        if one.status == "candidate":
            yield _record(one) | {
                "forms": [], "supersedes": [], "candidate": True, "reason": one.reason
            }  # fmt: skip


def _record(one: "Pattern") -> dict[str, Any]:
    group = one.group
    cost = group.cost
    record: dict[str, Any] = {
        "text": one.text,
        "scope": one.scope,
        "type": one.type,
        "kind": one.kind,
        "trust": group.trust,
        "sessions": list(group.sessions),
        "days": len(group.days),
        "chance": one.chance,
        "confidence": one.confidence,
        "source": group.source,
        "support": one.sentence(),
        "evidence": [member.evidence for member in group.members],
    }
    if cost.failed_calls or cost.minutes or cost.tokens:
        record["cost"] = {
            "failed_calls": cost.failed_calls, "minutes": cost.minutes, "tokens": cost.tokens
        }  # fmt: skip
    lag = next((m.detail["lag_seconds"] for m in group.members if "lag_seconds" in m.detail), None)
    return record | ({"lag_seconds": lag} if lag is not None else {})


def _tell(night: "Night", *, everything: bool) -> None:
    if not night.changes:
        say("nothing to do: no new pattern in what sessions showed")
    for change in night.changes[:SHOWN]:
        out(hanging(f"{change.verb:12} ", f"[{change.store}] {change.title}"))
        out(hanging(f"{'':13}", change.support))
    if len(night.changes) > SHOWN:
        say(f"… and {len(night.changes) - SHOWN} more")
    waiting = [one for one in night.patterns if one.status == "candidate" and one.support > 1]
    few = len(waiting) if everything else FEW
    for one in waiting[:few]:
        why = f"({one.sentence()}; {one.reason})"
        say(hanging("not yet: ", f"{one_line(one.text, LONGEST)} {why}", err=True))
    if len(waiting) > few:
        say(f"… and {len(waiting) - few} more that lack evidence: --explain lists them")


def _explain(night: "Night") -> None:
    for step, what in night.notes:
        say(f"{step}: {what}")
        for drop in night.drops:
            if drop.step == step:
                say(f"  dropped: {drop.text} ({drop.why})")


def _finished(
    night: "Night", options: dict[str, Any], proposal: "Proposal | None", applied: list[str]
) -> None:
    if options["as_json"]:
        out_json(
            {
                "proposal": proposal.id if proposal else None,
                "changes": [change.id for change in proposal.changes] if proposal else [],
                "applied": applied,
                "notes": dict(night.notes),
            }
        )
    else:
        _tell(night, everything=options["explain"])
        if proposal:
            changes = several(len(proposal.changes), "change")
            say(f"proposal {proposal.id}: {changes}, {len(applied)} applied")
            if len(applied) < len(proposal.changes):
                say("hint: `reverie review` shows each with its evidence")
    if options["explain"]:
        _explain(night)
