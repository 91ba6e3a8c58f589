"""Overlaps: sessions that edit the same files of one working tree at the same time.

Each finds changes that it did not make, in files it has read and in what a commit would take along.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from reverie.clock import parse_iso
from reverie.dream.model import Observation
from reverie.dream.traffic.tally import LEAST_CHANCE, grouped, observed
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, traces

ORDER = (
    "Stage and commit only the files of your own task, by name, and read a file again before you"
    " edit it, since other sessions work in the same tree"
)


def overlaps(chosen: Chosen) -> Iterator[Observation]:
    """Sessions that met another one in the files they edited, tree by tree."""
    edits = (row for row in traces(chosen, "edited") if row.trace.key and row.trace.at)
    trees = grouped(((row.project, row.trace.key), row) for row in edits)
    for (project, tree), rows in sorted(trees.items()):
        beside = _beside(rows)
        met = {session: files for session, files in beside.items() if files}
        often = f"{len(beside)} of {len(rows)} sessions edit it while another one does"
        often += f", {len(met)} the same files"
        text = f"Several sessions work in one tree at the same time ({often}): stage only the files"
        text += " of your own task, and read a file again before you edit it"
        more = {"key": "\0".join((project, "overlap", tree)), "order": ORDER, "why": often}
        for row in rows:
            if files := met.get(row.session):
                quote = _meeting(files)
                yield observed("overlap", text, row, quote=quote, chance=LEAST_CHANCE, **more)


def _beside(rows: list[TraceRow]) -> dict[str, dict[str, str]]:
    """The sessions that edited while another one did: the files that both edited, and by whom."""
    met: dict[str, dict[str, str]] = {}
    going_on: list[tuple[datetime, TraceRow]] = []
    for row in rows:  # in order of time
        began = parse_iso(row.trace.at)
        going_on = [(until, other) for until, other in going_on if until >= began]
        for _, other in going_on:
            both = set(row.trace.data) & set(other.trace.data)
            met.setdefault(row.session, {}).update(dict.fromkeys(both, other.session))
            met.setdefault(other.session, {}).update(dict.fromkeys(both, row.session))
        going_on.append((began + timedelta(seconds=row.trace.seconds), row))
    return met


def _meeting(files: Mapping[str, str]) -> str:
    file, other = min(files.items())
    more = f", and {len(files) - 1} more of its files by others" if len(files) > 1 else ""
    return f"{file} was edited by {other}, too, at the same time{more}"
