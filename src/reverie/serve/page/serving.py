"""Serving the page on this machine until somebody ends it."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from reverie.asker import Asker
from reverie.errors import ReverieError
from reverie.home import Home
from reverie.operations.serving import browsing
from reverie.serve.page.app import application
from reverie.serve.page.login import Visitors
from reverie.serve.page.rendering import Pages

HOSTS = ("127.0.0.1", "localhost")


def get_ready(home: Home) -> None:
    """Do once what the first look at a page would wait for."""
    Pages(home.clock).warm()
    # Whoever looks is told of what is wrong with the databases.
    with suppress(ReverieError):
        browsing.get_ready(home)


def serve(home: Home, listener: socket.socket, ready: Callable[[str], None]) -> None:
    """Answer on an open socket; `ready` is told the link that lets one browser in."""
    port = listener.getsockname()[1]
    visitors = Visitors(home.clock)
    # Whoever started it is who decides on it: a script that opens its own link stays a script.
    with home.at(asker=Asker("page", trust=home.asker.trust)) as seen:
        app = application(seen, visitors, [f"{host}:{port}" for host in HOSTS])
        settings = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, timeout_keep_alive=30
        )
        server = uvicorn.Server(settings)
        listener.listen()  # whoever is told the link may follow it at once
        # While the browser opens.
        threading.Thread(target=get_ready, args=(seen,), daemon=True).start()
        ready(f"http://127.0.0.1:{port}/login?word={visitors.invite()}")
        # Ctrl-C is how it ends.
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listener])
