"""Take docs/pictures/page-*.png: the page over the bundled sample, in the system's Chromium.

    python -m scripts.page_pictures

Part of `make pictures`; without Chromium it says so and takes none.
"""

import shutil
import socket
import sys
import tempfile
import threading
from pathlib import Path

from reverie.asker import Asker
from reverie.clock import fixed
from reverie.memory import Memory
from reverie.sample import NOW, place

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
SIZE = {"width": 1180, "height": 780}
QUESTION = "which port does the dev server use?"


def places(memory: Memory) -> dict[str, str]:
    """Name of a picture → the page it shows."""
    from reverie.serve.page.memories import place_of
    from reverie.serve.page.sessions import place_of as session_place

    item = memory.library.find("shop-api:prices-integer-cents")
    session = next(row for row in memory.index.sessions() if row.title.startswith("Clean-up"))
    return {
        "today": "/",
        "review": "/review",
        "memory": place_of(item),
        "session": session_place(session.key),
        "insight": "/insight",
    }


def main() -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        print("no chromium: the pictures of the page stay as they are", file=sys.stderr)
        return
    import uvicorn
    from playwright.sync_api import sync_playwright

    from reverie.serve.page.app import application
    from reverie.serve.page.login import COOKIE, Visitors

    with tempfile.TemporaryDirectory(prefix="reverie-pictures-") as scratch, socket.socket() as on:
        code = place(Path(scratch))
        environ = {"HOME": scratch, "REVERIE_HOME": f"{scratch}/.reverie"}
        person = Asker("page", trust="user")
        with Memory.open(
            folder=code / "shop-api", asker=person, clock=fixed(NOW), environ=environ
        ) as memory:
            memory.learn(jobs=1)
            memory.dream()
            memory.recall(QUESTION)
            on.bind(("127.0.0.1", 0))
            name = f"127.0.0.1:{on.getsockname()[1]}"
            visitors = Visitors(memory.clock)
            app = application(memory, visitors, [name])
            server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False))
            thread = threading.Thread(target=server.run, kwargs={"sockets": [on]})
            thread.start()
            try:
                with sync_playwright() as started:
                    # As root there is no sandbox to be had; nothing foreign is opened here.
                    browser = started.chromium.launch(
                        executable_path=chromium, args=["--no-sandbox"]
                    )
                    context = browser.new_context(viewport=SIZE, color_scheme="light")  # type: ignore[arg-type]
                    visit = visitors.enter(visitors.invite())
                    context.add_cookies([{"name": COOKIE, "value": visit, "url": f"http://{name}"}])
                    page = context.new_page()
                    for picture, shown in places(memory).items():
                        page.goto(f"http://{name}{shown}")
                        page.screenshot(path=PICTURES / f"page-{picture}.png")
                    browser.close()
            finally:
                server.should_exit = True
                thread.join()


if __name__ == "__main__":
    main()
