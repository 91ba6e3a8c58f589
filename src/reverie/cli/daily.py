"""`reverie daily`: what one day came to, over all projects."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.app import App
from reverie.cli.options import day_of, json_option
from reverie.cli.printing import out, out_json, say
from reverie.errors import NotFound

if TYPE_CHECKING:
    from reverie.learn.daily.daily import Daily
    from reverie.store.model import Memory


@click.command()
@click.argument("day", required=False, metavar="[DATE]")
@click.option("--list", "as_list", is_flag=True, help="List the days that have a daily.")
@json_option
def daily(day: str | None, as_list: bool, as_json: bool) -> None:
    """Show the daily of DATE (2026-11-15, yesterday, 3d); without one, the newest.

    It is written by `reverie learn`. Your own notes in it, outside of Reverie's marks, are kept
    whenever it is written again: `reverie edit global:/daily/2026-11-15.md`.
    """
    app = App.load()
    found = _dailies(app)
    if as_list:
        if as_json:
            out_json([_listed(path, size) for path, size in found])
        else:
            for path, size in found:
                out(f"{_day(path)}  {size:,} bytes")
        return
    memory = _chosen(app, [path for path, _ in found], day)
    if as_json:
        out_json(_as_data(app, memory))
        return
    from reverie.learn.daily.dailies import readable

    out(readable(memory).rstrip())


def _dailies(app: App) -> list[tuple[str, int]]:
    from reverie.learn.daily.dailies import STORE

    if STORE not in {info.name for info in app.store.stores()}:
        return []
    manifest = app.store.manifest(STORE)
    return sorted((e.path, e.size_bytes) for e in manifest if e.path.startswith("/daily/"))


def _chosen(app: App, paths: list[str], day: str | None) -> "Memory":
    from reverie.learn.daily.dailies import STORE

    hint = "`reverie learn` writes one for each day with sessions"
    if day is None:
        if not paths:
            raise NotFound("there is no daily yet", hint=hint)
        return app.store.get(STORE, paths[-1])
    wanted = f"/daily/{day_of(day, app.clock()).isoformat()}.md"
    if wanted not in paths:
        earlier = [path for path in paths if path < wanted]
        near = f"the last one before is of {_day(earlier[-1])}" if earlier else hint
        raise NotFound(f"there is no daily of {_day(wanted)}", hint=near)
    return app.store.get(STORE, wanted)


def _day(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".md")


def _listed(path: str, size: int) -> dict[str, Any]:
    return {"day": _day(path), "path": path, "bytes": size}


def _as_data(app: App, memory: "Memory") -> dict[str, Any]:
    from reverie.learn.daily.dailies import Chronicler, notes_in
    from reverie.learn.memories.queue import Queue

    day = _day(memory.path)
    chronicler = Chronicler(app.store, Queue(app.store.database, app.clock))
    composed = chronicler.compose(app.index.database, day)
    return {
        "day": day,
        "path": memory.path,
        "bytes": memory.size_bytes,
        "version": memory.version,
        "updated_at": memory.updated_at,
        "notes": notes_in(memory),
        "text": memory.content,
        "data": None if composed is None else _daily_data(composed),
    }


def _daily_data(one: "Daily") -> dict[str, Any]:
    from reverie.documents.long_term import entry

    return {
        "projects": list(one.projects),
        "sessions": [asdict(stretch) for stretch in one.stretches],
        "topics": list(one.topics),
        "points": [{"project": point.project, "text": point.text} for point in one.points],
        "learnings": [
            {
                "text": entry(learned.document, learned.document.scope),
                "name": learned.document.name,
                "occasion": learned.occasion,
                "waiting": learned.waiting,
            }
            for learned in one.learned
        ],
        "commits": [{"project": project, "commit": text} for project, text in one.commits],
        "links": list(one.links),
        "files": list(one.files),
        "new_files": [{"project": project, "file": name} for project, name in one.made],
    }


def tell_sizes(warnings: list[str]) -> None:
    """What the rules for sizes had to say, after a run."""
    for warning in warnings[:3]:
        say(warning)
    if len(warnings) > 3:
        say(f"… and {len(warnings) - 3} more dailies were compacted")
