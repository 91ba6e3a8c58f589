"""`ui`: the page in a browser."""

import socket
import sys

import click

from reverie.cli.opening import opened
from reverie.cli.printing import say
from reverie.cli.speaker import only_a_person
from reverie.errors import Unavailable


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
