"""Playground: what an agent would be handed for a prompt, and why this and not that."""

import threading
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from reverie.home import Home
from reverie.operations import recalling
from reverie.operations.serving import browsing
from reverie.recall.recall import Recall
from reverie.recall.recall import Request as Question
from reverie.serve.page.rendering import query
from reverie.serve.page.site import Routes, Site, number

_PAST = 12
_MOST_WARM = 8  # projects
_LEFT = 15  # that were found and not handed over


class Reach(NamedTuple):
    """From where is asked, and from where it could be."""

    label: str
    places: list[str]
    place: str  # "" for all of them at once, where there is a word for the `whole`
    whole: str = ""


class Playground:
    """A prompt in, the answer out; nothing is entered in the ledger."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.home = site.home
        self._lock = threading.Lock()
        self._homes: dict[str, Home] = {}  # as each project sees it, with what a recall keeps warm

    def _seen_from(self, project: str) -> Home:
        with self._lock:
            if project not in self._homes:
                if len(self._homes) >= _MOST_WARM:
                    self._homes.pop(next(iter(self._homes))).close()
                self._homes[project] = self.home.at(project=project)
            return self._homes[project]

    def _reach(self, chosen: str) -> Reach:
        """From where is asked: an owner's agent works in a project, a key's in some stores."""
        if self.site.owner:
            projects = sorted(project.slug for project in self.home.projects.all())
            wanted = chosen or self.home.project or ""
            place = wanted if wanted in projects else next(iter(projects), "")
            return Reach("Project", projects, place)
        stores = browsing.stores(self.home)
        return Reach("Store", stores, chosen if chosen in stores else "", whole="all of mine")

    def _asked(self, reach: Reach, prompt: str, budget: int) -> tuple[Home, Question]:
        question = Question(query=prompt, budget=budget or None, confirmed=True)
        if self.site.owner:
            return self._seen_from(reach.place), question
        chosen = (self.home.store.find_store(reach.place).id,) if reach.place else ()
        return self.home, question._replace(stores=chosen)

    def page(self, request: Request) -> Response:
        prompt = request.query_params.get("prompt", "")[:20_000]
        reach = self._reach(request.query_params.get("project", ""))
        budget = number(request.query_params.get("budget", ""), 0, 40_000)
        answer, left = None, None
        if prompt.strip() and reach.places and self.home.exists:
            seen, question = self._asked(reach, prompt, budget)
            answer = recalling.answered(seen, question)
            if request.query_params.get("left"):
                left = browsing.left_out(seen, question, answer, _LEFT)
        past = self.site.owner and reach.place
        asked = {"project": reach.place, "prompt": prompt, "budget": budget, "left": 1}
        return self.site.page(
            request,
            "playground",
            "playground",
            "Playground",
            prompt=prompt,
            reach=reach,
            budget=budget or "",
            answer=answer,
            left=left,
            again=query(asked),
            past=browsing.past_prompts(self.home, reach.place, _PAST) if past else [],
            items_of=self._places(answer) if answer else {},
            gate=self.home.settings.recall.good_enough,
        )

    def _places(self, answer: Recall) -> dict[str, str]:
        """Where the memories of an answer are read, by their names."""
        names = {entry.id for entry in answer.entries if "#" not in entry.id}
        return {name: f"/memories{query({'q': name})}" for name in names}

    def routes(self) -> Routes:
        return [Route("/playground", self.page)]
