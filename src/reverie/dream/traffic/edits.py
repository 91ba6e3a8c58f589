"""Edits: what many sessions show about the files that they change.

overlaps    sessions that edit the same files of one working tree at the same time: each finds
            changes that it did not make, in files it has read and in what a commit would take along
companions  a file that is changed whenever something is added to a folder of entries (notes,
            tickets, migrations) or moved there: the list, the state or the index that speaks of
            them. Who forgets it leaves it wrong.
"""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from reverie.clock import parse_iso
from reverie.dream.model import NOTHING, Observation
from reverie.dream.traffic.tally import LEAST_CHANCE, grouped, observations, observed
from reverie.learn.traffic.attempts import inside
from reverie.learn.traffic.commands import base, command_of
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, traces

LEAST = 4  # sessions that changed both …
MOSTLY = 0.66  # … of those that changed the folder, …
OWN = 0.6  # … and of those that changed the file
ONCE = 0.5  # share of a folder's sessions that may have changed one and the same file of it

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


def companions(chosen: Chosen) -> Iterator[Observation]:
    """Folders of entries with the file that goes along, project by project."""
    projects: dict[str, dict[str, TraceRow]] = {}
    changed: dict[str, set[str]] = {}
    for row in traces(chosen, "edited"):
        projects.setdefault(row.project, {}).setdefault(row.session, row)
        changed.setdefault(row.session, set()).update(row.trace.data)
    roots = {session: row.trace.key for rows in projects.values() for session, row in rows.items()}
    for row in traces(chosen, "ran"):
        if row.session in changed:
            changed[row.session].update(_moved(row, roots[row.session]))
    for _, rows in sorted(projects.items()):
        yield from _of_project(rows, {session: changed[session] for session in rows})


def _moved(row: TraceRow, root: str) -> Iterator[str]:
    """The files that a session moved, as they lie in the project."""
    for _, result, text in row.trace.data:
        if result != "worked" or "mv " not in text:
            continue
        for part in command_of(text).parts:
            words = part[1:] if base(part[0]) == "git" else part
            if words and base(words[0]) == "mv":
                # A folder that things are moved to is none of them.
                names = (word for word in words[1:] if os.path.splitext(word)[1])
                yield from (inside(name, root) for name in names)


def _of_project(
    rows: Mapping[str, TraceRow], changed: Mapping[str, set[str]]
) -> Iterator[Observation]:
    files: defaultdict[str, set[str]] = defaultdict(set)  # with the sessions that changed them
    folders: defaultdict[str, set[str]] = defaultdict(set)
    for session, names in changed.items():
        for name in names:
            files[name].add(session)
            for folder in _folders(name):
                folders[folder].add(session)
    spoken: set[str] = set()
    # The widest folder first: what lies in its parts goes along with the same file.
    for folder in sorted(folders, key=lambda folder: (-len(folders[folder]), len(folder), folder)):
        where = folders[folder]
        if len(where) < LEAST or not _is_of_entries(folder, where, files):
            continue
        for file in sorted(files):
            both = files[file] & where
            along = len(both) >= max(LEAST, MOSTLY * len(where), OWN * len(files[file]))
            if along and not file.startswith(f"{folder}/") and file not in spoken:
                spoken.add(file)
                others = len(changed) - len(where)
                rate = len(files[file] - where) / others if others else 1.0
                chance = max(LEAST_CHANCE, rate * len(where))
                along_with = [row for session, row in rows.items() if session in both]
                yield from _together(folder, file, along_with, len(where), chance)


def _folders(name: str) -> list[str]:
    """The folder of a file, and the one above it; none at the root, where anything lies."""
    own = os.path.dirname(name)
    above = os.path.dirname(own)
    return [folder for folder in (own, above) if folder and not folder.startswith(("/", "~", ".."))]


def _is_of_entries(folder: str, where: set[str], files: Mapping[str, set[str]]) -> bool:
    """Whether sessions change other files in it each time."""
    inner = [sessions for name, sessions in files.items() if name.startswith(f"{folder}/")]
    return max(map(len, inner)) <= ONCE * len(where)


def _together(
    folder: str, file: str, rows: Sequence[TraceRow], sessions: int, chance: float
) -> Iterator[Observation]:
    often = f"{len(rows)} of the {sessions} sessions that changed the folder"
    text = f"Files are added to `{folder}/` or moved there together with a change of"
    text += f" `{file}` ({often}): update both at once"
    order = f"When you add or move a file in `{folder}/`, update `{file}` as well"
    quote = f"changed `{file}` and files of `{folder}/`"
    more = {"key": f"{rows[0].project}\0{folder}\0{file}", "order": order, "cost": NOTHING}
    more["why"] = f"{often} did"
    yield from observations("overlap", text, rows, lambda _: quote, chance=chance, **more)
