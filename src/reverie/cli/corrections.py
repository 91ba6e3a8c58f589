"""`reverie corrections`: what people said against what agents held, and labels for it."""

import sys
from typing import Any

import click

from reverie.cli import asking
from reverie.cli.app import App
from reverie.cli.options import start_of
from reverie.cli.printing import hanging, one_line, out, out_json, say
from reverie.recall.pack import pack
from reverie.recall.rank import STRATEGIES, Ranking, ranked
from reverie.recall.sources import correction_entry
from reverie.sessions.corrections import CorrectionRow
from reverie.sessions.corrections import corrections as rows_of
from reverie.sessions.labels import Labels

WIDTH = 200  # of a quoted line
KEYS = (
    "n none · e explicit · i implicit · q quit; then what lasts: n nothing · p project · g global"
)
_CORRECTION = {"n": "none", "e": "explicit", "i": "implicit"}
_DURABLE = {"n": "none", "p": "project", "g": "global"}


@click.group(invoke_without_command=True)
@click.option("--project", help="Only this project (name, slug or path).")
@click.option("--since", help="Only since this day (2026-11-01, 7d).")
@click.option("--strategy", type=click.Choice(STRATEGIES), default="mixture", help="The order.")
@click.option("--budget", type=click.IntRange(1), default=4096, help="Characters shown at most.")
@click.option("--all", "everything", is_flag=True, help="All of them, whatever the budget.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def corrections(
    ctx: click.Context, project: str | None, since: str | None, strategy: str, budget: int,
    everything: bool, as_json: bool,
) -> None:  # fmt: skip
    """List the corrections found in your sessions, most telling first.

    Each shows the premise (what the agent held) and what you said. `corrections label` lets you
    judge them one by one; from 50 labels on the detector is fitted to you.
    """
    if ctx.invoked_subcommand is not None:
        return
    app = App.load()
    rows = _rows(app, project, since)
    by_id = {row.id: row for row in rows if row.label != "none"}
    ranking = Ranking(
        now=app.clock(),
        settings=app.settings.recall,
        signals=app.settings.signals,
        half_life_days=app.settings.decay.half_life_days,
    )
    order = ranked([correction_entry(row) for row in by_id.values()], strategy, ranking)
    if not everything:
        order = [p.ranked for p in pack(order, budget, lambda r: shown(by_id[r.entry.id]))]
    if as_json:
        out_json([{**as_data(by_id[r.entry.id]), "rank": round(r.score, 4)} for r in order])
        return
    for one in order:
        for before, text in _lines(by_id[one.entry.id]):
            out(hanging(before, text))
    if not by_id:
        say("no corrections yet")
        say("hint: `reverie learn` finds them in your agents' logs")
        return
    rest = "; --all shows every one" if len(order) < len(by_id) else ""
    say(f"{len(order)} of {len(by_id)} corrections, most telling first{rest}")


@corrections.command()
@click.option("--project", help="Only this project (name, slug or path).")
@click.option("--since", help="Only since this day (2026-11-01, 7d).")
@click.option(
    "--set",
    "given",
    nargs=3,
    metavar="EVIDENCE CORRECTION DURABLE",
    help="Label one turn without asking: none|explicit|implicit, none|project|global.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the labels given so far as JSON.")
def label(
    project: str | None, since: str | None, given: tuple[str, str, str] | None, as_json: bool
) -> None:
    """Judge turns one by one: is it a correction, is it worth remembering?

    One key each; stop at any time and go on later. Your labels outrank the detector, and from 50
    on it is fitted to them at the next `reverie learn`.
    """
    app = App.load()
    labels = Labels(app.store.database, app.clock)
    if given is not None:
        evidence, correction, durable = given
        labels.put(evidence, evidence.rpartition("#")[0], correction, durable)
        say(f"labelled {evidence}")
        return
    done = labels.all()
    if as_json:
        out_json([{"evidence": one.evidence, "correction": one.correction, "durable": one.durable,
                   "at": one.labelled_at} for one in done.values()])  # fmt: skip
        return
    waiting = [row for row in _rows(app, project, since) if row.id not in done]
    # The least certain teach the detector most.
    waiting.sort(key=lambda row: (abs(row.score - 0.5), row.id))
    if not waiting:
        say("everything found so far is labelled")
    elif sys.stdin.isatty():
        _ask(labels, waiting, len(done))
    else:
        say(f"{len(waiting)} turns wait for a label; run this in a terminal, or use --set")


def _ask(labels: Labels, waiting: list[CorrectionRow], done: int) -> None:
    say(KEYS)
    for row in waiting:
        say(f"\n{done} labelled, {len(waiting)} found   score {row.score:.2f} ({row.label})")
        for before, text in _lines(row):
            say(hanging(before, text, err=True))
        correction = _key("correction? ", _CORRECTION)
        if correction is None:
            return
        durable = _key("lasting? ", _DURABLE)
        if durable is None:
            return
        labels.put(row.id, row.session, correction, durable)
        done += 1


def _key(question: str, meanings: dict[str, str]) -> str | None:
    while True:
        click.echo(question, nl=False, err=True)
        key = asking.key()
        say(meanings.get(key, "" if key == "q" else KEYS))
        if key == "q":
            return None
        if key in meanings:
            return meanings[key]


def _rows(app: App, project: str | None, since: str | None) -> list[CorrectionRow]:
    slugs = [app.projects.find(project).slug] if project else None
    since_moment = start_of(since, app.clock())
    return rows_of(app.index.database, projects=slugs, since=since_moment)


def shown(row: CorrectionRow) -> str:
    """A correction in two or three lines."""
    return "\n".join(before + text for before, text in _lines(row))


def _lines(row: CorrectionRow) -> list[tuple[str, str]]:
    head = f"{row.at[:10]} [{row.project}] {row.label} {row.score:.2f} {row.tier}  {row.id}"
    held = [("  the agent:  ", one_line(row.premise, WIDTH))] if row.premise else []
    return [("", head), *held, ("  the person: ", one_line(row.span or row.text, WIDTH))]


def as_data(row: CorrectionRow) -> dict[str, Any]:
    return {
        "id": row.id, "at": row.at, "project": row.project, "agent": row.agent,
        "label": row.label, "score": row.score, "premise": row.premise, "text": row.text,
        "span": row.span, "lesson": row.lesson, "durable": row.durable, "tier": row.tier,
        "signals": dict(row.signals),
    }  # fmt: skip
