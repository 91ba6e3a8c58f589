"""Overlaps: sessions that edit the same files of one working tree at the same time.

Each of them finds changes that it did not make: in files that it has read, in what a commit would
take along, and in what the checks of the whole tree complain about.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from reverie.clock import parse_iso
from reverie.dream.model import Observation
from reverie.dream.traffic.tally import LEAST_CHANCE, observed
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, traces

ORDER = (
    "Stage and commit only the files of your own task, by name, and read a file again before you"
    " edit it, since other sessions work in the same tree"
)


def overlaps(chosen: Chosen) -> Iterator[Observation]:
    """Sessions that met another one in the files they edited, tree by tree."""
    trees: dict[tuple[str, str], list[TraceRow]] = {}
    for row in traces(chosen, "edited"):
        if row.trace.key and row.trace.at:
            trees.setdefault((row.project, row.trace.key), []).append(row)
    for (project, tree), rows in sorted(trees.items()):
        beside = _beside(rows)
        met = {session: files for session, files in beside.items() if files}
        often = f"{len(beside)} of {len(rows)} sessions edit it while another one does"
        often += f", {len(met)} the same files"
        text = f"Several sessions work in one tree at the same time ({often}): stage only the files"
        text += " of your own task, and read a file again before you edit it"
        key = "\0".join((project, "overlap", tree))
        for row in rows:
            if files := met.get(row.session):
                first, other = min(files.items())
                quote = f"{first} was edited by {other}, too, at the same time"
                if more := len(files) - 1:
                    quote += f", and {more} more of its files by others"
                yield observed(
                    "overlap", text, row.session, project, at=row.trace.at, evidence=row.evidence,
                    key=key, quote=quote, chance=LEAST_CHANCE, order=ORDER,
                )  # fmt: skip


def _beside(rows: list[TraceRow]) -> dict[str, dict[str, str]]:
    """The sessions that edited while another one did: the files that both edited, and by whom."""
    found: dict[str, dict[str, str]] = {}
    going_on: list[tuple[datetime, TraceRow]] = []
    for row in rows:  # in order of time
        began = parse_iso(row.trace.at)
        going_on = [(until, other) for until, other in going_on if until >= began]
        for _, other in going_on:
            both = set(row.trace.data) & set(other.trace.data)
            found.setdefault(row.session, {}).update(dict.fromkeys(both, other.session))
            found.setdefault(other.session, {}).update(dict.fromkeys(both, row.session))
        going_on.append((began + timedelta(seconds=row.trace.seconds), row))
    return found
