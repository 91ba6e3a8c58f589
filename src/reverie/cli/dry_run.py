"""`reverie learn --dry-run`: what would be found, with nothing written and no home made."""

from pathlib import Path
from typing import Any

from reverie.cli.app import App
from reverie.cli.options import start_of
from reverie.cli.printing import hanging, one_line, out, out_jsonl, say, several
from reverie.cli.refresh import no_logs
from reverie.learn.detect.judge import Judge
from reverie.learn.detect.records import judged_logs
from reverie.sessions.discover import Skipped
from reverie.sessions.model import Head

SHOWN = 20
WIDTH = 160


def show(
    app: App, folder: Path | None, *, project: str | None, since: str | None, as_json: bool
) -> None:
    """Print one record per human turn (JSON), or the surest corrections for a person."""
    first = start_of(since, app.clock()) or ""
    slug = app.projects.find(project).slug if project else None

    def wanted(head: Head) -> bool:
        recent = not first or head.ended >= first
        return recent and (
            slug is None or app.projects.identify(head.cwd, head.remote).slug == slug
        )

    def tell(item: Skipped) -> None:
        say(f"not read: {item.path}: {item.reason}")

    found = app.logs(folder)
    for item in found.skipped:
        tell(item)
    if not found.logs:
        no_logs()
        return
    records = judged_logs(found.logs, Judge.load(app.settings.learn), tell, wanted)
    if as_json:
        out_jsonl(records)
        return
    turns = list(records)
    corrections = [r for r in turns if r["correction"]["label"] != "none"]
    durable = [r for r in turns if r["durable"]["label"] != "none"]
    surest = sorted(corrections, key=lambda r: (-r["correction"]["score"], r["at"], r["line"]))
    for record in surest[:SHOWN]:
        _show_correction(record)
    found_ones = f"{several(len(turns), 'human turn')}, {several(len(corrections), 'correction')}"
    say(f"{found_ones}, {len(durable)} worth keeping,")
    sure = sum(1 for r in durable if r["durable"]["write"])
    say(f"{sure} of them sure enough to be written unasked. Nothing was written.")


def _show_correction(record: dict[str, Any]) -> None:
    correction = record["correction"]
    place = f"{record['transcript']}#{record['line']}"
    out(f"{record['at'][:10]}  {correction['score']:.2f} {correction['label']}  {place}")
    if correction["premise"]:
        out(hanging("    the agent:  ", one_line(correction["premise"], WIDTH)))
    out(hanging("    the person: ", one_line(correction["span"] or record["text"], WIDTH)))
    if record["durable"]["write"]:
        out(hanging("    would write: ", one_line(record["durable"]["lesson"], WIDTH)))
