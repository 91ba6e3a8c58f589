"""What listens: `serve` answers over HTTP, `keys` says whom, `ui` shows the page in a browser."""

import os
import re
import socket
import sys
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.opening import opened
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, plain, say
from reverie.cli.speaker import only_a_person, only_the_person
from reverie.clock import iso, parse_iso
from reverie.errors import InvalidInput, Unavailable
from reverie.plural import several

if TYPE_CHECKING:
    from reverie.operations.serving.keys import Reach
    from reverie.store.keys import Key

_SPAN = re.compile(r"(\d{1,5})([hdwmy])")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}

# --- serve --------------------------------------------------------------------------------------


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", default=8317, show_default=True, help="On which port.")
@click.option("--database", metavar="URL", default="", help="As REVERIE_DATABASE_URL.")
@click.option("--workers", default=1, show_default=True, help="Processes that answer.")
@click.option("--dreamers", default=1, show_default=True, help="Processes that run dreams.")
def serve(host: str, port: int, database: str, workers: int, dreamers: int) -> None:
    """Serve memory stores over HTTP, as the Anthropic SDKs speak it.

    Every request needs a key (`reverie keys create`), also on this machine. TLS is for a proxy in
    front of it, whose names for the server stand in `server.hosts`.
    """
    from reverie.asker import Asker

    environ = dict(os.environ)
    if database:
        environ["REVERIE_DATABASE_URL"] = database
    try:
        from reverie.serve.http.run import check_binding
        from reverie.serve.http.run import serve as run
    except ImportError as error:
        raise Unavailable(
            f"the server needs the package {error.name}", hint="pip install 'reverie[server]'"
        ) from None
    from reverie.operations.serving import keys

    memory = opened(environ=environ)
    memory.asker = Asker("http")
    check_binding(memory, host)
    if not keys.any_key(memory):
        say("there is no key yet: `reverie keys create` makes one; until then nobody is answered")
    say(f"listening on http://{host}:{port} (Ctrl-C stops)")
    from reverie.hosting.worker import workers as dreaming

    with dreaming(memory.config, dreamers):
        run(memory, host, port, workers=workers, environ=environ)


@click.command()
@click.option("--database", metavar="URL", default="", help="As REVERIE_DATABASE_URL.")
@click.option("--once", is_flag=True, help="Stop when no dream waits.")
def worker(database: str, once: bool) -> None:
    """Run the dreams that clients of the server ask for.

    `reverie serve` starts workers of its own. Further ones may run anywhere that reaches the same
    databases; with `--dreamers 0` only those do.
    """
    import threading

    from reverie.hosting import worker as working

    memory = opened(environ={**os.environ, "REVERIE_DATABASE_URL": database} if database else None)
    if once:
        done = working.work(memory.config, threading.Event(), once=True)
        say(f"{several(done, 'dream')} came to an end")
        return
    say("waiting for dreams (Ctrl-C stops)")
    working.work_until_told(memory.config)


# --- keys ---------------------------------------------------------------------------------------


@click.group()
def keys() -> None:
    """Keys for the server: who may come in, to which stores."""


@keys.command()
@click.option("--name", required=True, help="What it is for.")
@click.option(
    "--scopes",
    default="memory:read,memory:write",
    show_default=True,
    help="What it may do: memory:read, memory:write, dream:run, admin (archive, delete stores).",
)
@click.option("--stores", "stores_", default="", metavar="A,B:ro", help="Stores; `:ro` to read.")
@click.option("--all-stores", is_flag=True, help="Every store, also those to come.")
@click.option("--expires", metavar="WHEN", help="2027-01-31, or after 12h, 30d, 6m, 1y.")
@click.option("--human", is_flag=True, help="A person holds it: opens the page, may redact.")
@json_option
def create(
    name: str,
    scopes: str,
    stores_: str,
    all_stores: bool,
    expires: str | None,
    human: bool,
    as_json: bool,
) -> None:
    """Make a key, and print it, once.

    Without stores it sees those alone that it makes itself. What is written with a key has the
    trust of an agent, whoever holds it.
    """
    from reverie.operations.serving import keys as deeds

    only_a_person("make keys", f"keys create --name {name}")
    memory = opened(speaking=human)
    if human:
        only_the_person(memory, "make a person's key", f"keys create --name {name} --human")
    made = deeds.create_key(
        memory,
        name,
        _parts(scopes),
        stores=_parts(stores_),
        all_stores=all_stores,
        human=human,
        expires=_end(expires, memory.clock()) if expires else None,
    )
    if as_json:
        out_json(_form(made.key) | {"key": made.text, "stores": _parts(stores_)})
        return
    say(f"the key {made.key.id} ({plain(name)}), shown this once:")
    out(made.text)


@keys.command("list")
@json_option
def list_(as_json: bool) -> None:
    """Show all keys, with their stores and when they were last used."""
    from reverie.operations.serving import keys as deeds

    memory = opened()
    reaches = deeds.keys_of(memory) if memory.exists else []
    if as_json:
        out_json([_listed(reach) for reach in reaches])
        return
    if not reaches:
        say("no keys: `reverie keys create` makes one")
    for reach in reaches:
        out(_line(reach, memory.now))


@keys.command()
@click.argument("key", metavar="ID")
@json_option
def revoke(key: str, as_json: bool) -> None:
    """End the key ID (or the only one of that name), at once and for good."""
    from reverie.operations.serving import keys as deeds

    only_a_person("revoke keys", f"keys revoke {key}")
    gone = deeds.revoke_key(opened(), key)
    if as_json:
        out_json(_form(gone))
    else:
        say(f"revoked {gone.id} ({plain(gone.name)})")


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _end(text: str, now: datetime) -> str:
    if match := _SPAN.fullmatch(text.strip().lower()):
        try:
            return iso(now + timedelta(hours=int(match[1]) * _HOURS[match[2]]))
        except OverflowError:
            raise InvalidInput(f"{text!r} is beyond all dates") from None
    return iso(parse_iso(text.strip()))


def _form(key: "Key") -> dict[str, Any]:
    return key._asdict() | {"scopes": list(key.scopes)}


def _listed(reach: "Reach") -> dict[str, Any]:
    stores = [{"name": name, "access": access} for name, access in reach.stores]
    return _form(reach.key) | {"stores": stores}


def _line(reach: "Reach", now: str) -> str:
    key = reach.key
    state = "revoked" if key.revoked_at else ""
    if not state and key.expires_at:
        state = "expired" if key.expires_at <= now else f"until {key.expires_at[:10]}"
    names = [name + (":ro" if access == "read_only" else "") for name, access in reach.stores]
    parts = (
        key.id,
        plain(key.name),
        ",".join(key.scopes),
        "all stores" if key.all_stores else ",".join(map(plain, names)) or "no stores",
        "human" if key.human else "",
        state,
        f"used {key.last_used_at[:10]}" if key.last_used_at else "never used",
    )
    return "  ".join(filter(None, parts))


# --- the page -----------------------------------------------------------------------------------


@click.command()
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="0 takes any free one.")
@click.option("--no-open", is_flag=True, help="Print the link and open no browser.")
def ui(port: int, no_open: bool) -> None:
    """Open the page: what your agents remember, to see and to steer.

    It listens on this machine alone, and ends with Ctrl-C. The link lets one browser in, once.
    """
    only_a_person("open the page", "ui")
    try:
        from reverie.serve.page.serving import serve
    except ImportError as error:
        raise Unavailable(
            f"the page needs the package {error.name}", hint="pip install 'reverie[server]'"
        ) from None

    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    with opened(speaking=True) as memory, listener:

        def ready(link: str) -> None:
            say(f"Reverie is at {link}")
            say("The link works once and for ten minutes; Ctrl-C ends the page.")
            if not no_open and sys.stdout.isatty():
                import webbrowser

                webbrowser.open(link)

        serve(memory, listener, ready)
