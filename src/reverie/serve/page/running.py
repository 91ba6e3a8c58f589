"""Learning and dreaming begun on the page: one at a time, in a thread, watched while it goes on.

Whoever looks is told by server-sent events; without script the page is asked for again.
"""

import asyncio
import json
import threading
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from reverie.errors import InvalidInput, ReverieError
from reverie.home import Home
from reverie.operations import dreaming, learning
from reverie.plural import several
from reverie.serve.page.site import Form, Routes, Site, back_to, posted

TITLES = {"learn": "Reading new sessions", "dream": "Dreaming"}
_LOOK_EVERY = 0.2  # seconds between two looks at a run by those who watch it
_MOST_WATCHERS = 32


@dataclass(frozen=True)
class Run:
    """One run as it is at a moment; a new value for each."""

    deed: str
    sentence: str = "Looking for what is new"
    share: int | None = None  # of a hundred; None while nobody knows
    ended: str | None = None  # ISO
    trouble: str = ""
    results: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return TITLES[self.deed]


class Runs:
    """The run that goes on, or the last one."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.last: Run | None = None
        self.watching = 0

    @property
    def running(self) -> str:
        """What goes on now; "" for nothing."""
        return self.last.title if self.last is not None and self.last.ended is None else ""

    def start(self, deed: str) -> bool:
        """Begin, unless something goes on already.

        Raises:
            InvalidInput: there is no such deed.
        """
        if deed not in TITLES:
            raise InvalidInput(f"there is no deed {deed!r}")
        with self._lock:
            if self.running:
                return False
            self.last = Run(deed)
            # Whoever ends the page does not wait for it: both can be stopped at any moment.
            self._thread = threading.Thread(target=self._run, args=(deed,), name=deed, daemon=True)
            self._thread.start()
        return True

    def wait(self) -> None:
        """Until nothing goes on any more."""
        if self._thread is not None:
            self._thread.join()

    def _run(self, deed: str) -> None:
        try:
            # Connections of its own: pages are answered meanwhile.
            with self._home.at() as home:
                results = self._learn(home) if deed == "learn" else self._dream(home)
            self._change(results=results, ended=self._home.now)
        except ReverieError as error:
            hint = f" ({error.hint})" if error.hint else ""
            self._change(trouble=f"{error.message}{hint}", ended=self._home.now)
        except Exception as error:  # the outermost handler of a run
            self._change(trouble=f"it ended with {type(error).__name__}", ended=self._home.now)
            raise

    def _learn(self, home: Home) -> tuple[str, ...]:
        report = learning.learn(home, waiting=self._waiting, progress=self._reading)
        if not report.sessions:
            return ("Nothing new: every session was read before.",)
        return (
            f"{several(report.sessions, 'session')} read, {several(report.human_turns, 'turn')}"
            f" of yours in them",
            f"{several(report.corrections, 'correction')} found",
            f"{several(report.count('created'), 'memory')} written",
            f"{several(report.count('queued'), 'lesson')} waiting for you",
        )

    def _dream(self, home: Home) -> tuple[str, ...]:
        ask = dreaming.asked(home)
        run = dreaming.dream(home, ask, waiting=self._waiting, progress=self._dreaming)
        if run.proposal is None:
            return ("Nothing recurs that is not known already.",)
        changes = several(len(run.proposal.offers), "change")
        return (f"{several(len(run.night.sessions), 'session')} looked over", f"{changes} proposed")

    def _waiting(self, sentence: str) -> None:
        self._change(sentence=sentence, share=None)

    def _reading(self, done: int, whole: int) -> None:
        if whole:
            sentence = f"{done / 1e6:.1f} of {whole / 1e6:.1f} MB of logs read"
            self._change(sentence=sentence, share=100 * done // whole)

    def _dreaming(self, done: int, whole: int) -> None:
        if whole > _FEW_STEPS:  # bytes of logs that are read first
            self._reading(done, whole)
        elif whole:
            sentence = f"Step {min(done + 1, whole)} of {whole} of the dream"
            self._change(sentence=sentence, share=100 * done // whole)

    def _change(self, **what: object) -> None:
        with self._lock:
            if self.last is not None:
                self.last = replace(self.last, **what)  # type: ignore[arg-type]


_FEW_STEPS = 1_000


class Running:
    """Starting a run and watching it."""

    def __init__(self, site: Site, runs: Runs) -> None:
        self.site = site
        self.runs = runs

    def page(self, request: Request) -> Response:
        run = self.runs.last
        title = run.title if run is not None else "Nothing is running"
        return self.site.page(request, "run", "today", title, run=run)

    def start(self, request: Request, form: Form) -> Response:
        begun = self.runs.start(form.text("deed"))
        return back_to("/run", "" if begun else "that goes on already")

    async def events(self, request: Request) -> Response:
        if self.runs.watching >= _MOST_WATCHERS:
            return Response(status_code=503, headers={"retry-after": "5"})
        return StreamingResponse(self._told(), media_type="text/event-stream")

    async def _told(self) -> AsyncGenerator[str]:
        """The run each time it is another, and its end."""
        self.runs.watching += 1
        seen: Run | None = None
        try:
            while (run := self.runs.last) is not None:
                if run != seen:
                    seen = run
                    state = {"sentence": run.sentence, "share": run.share}
                    yield f"event: {'end' if run.ended else 'run'}\ndata: {json.dumps(state)}\n\n"
                if run.ended:
                    return
                await asyncio.sleep(_LOOK_EVERY)
        finally:
            self.runs.watching -= 1

    def routes(self) -> Routes:
        return [
            Route("/run", self.page),
            Route("/run", posted(self.start), methods=["POST"]),
            Route("/run/events", self.events),
        ]
