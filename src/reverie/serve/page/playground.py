"""Playground: what an agent would be handed for a prompt, and why this and not that."""

import threading

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

    def page(self, request: Request) -> Response:
        prompt = request.query_params.get("prompt", "")[:20_000]
        projects = sorted(one.slug for one in self.home.projects.all())
        project = request.query_params.get("project", "") or self.home.project or ""
        if project not in projects:
            project = projects[0] if projects else ""
        budget = number(request.query_params.get("budget", ""), 0, 40_000)
        answer, left = None, None
        if prompt.strip() and project and self.home.exists:
            seen = self._seen_from(project)
            question = Question(query=prompt, budget=budget or None, confirmed=True)
            answer = recalling.answered(seen, question)
            if request.query_params.get("left"):
                left = browsing.left_out(seen, question, answer, _LEFT)
        past = browsing.past_prompts(self.home, project, _PAST) if project else []
        return self.site.page(
            request,
            "playground",
            "playground",
            "Playground",
            prompt=prompt,
            project=project,
            projects=projects,
            budget=budget or "",
            answer=answer,
            left=left,
            again=query({"project": project, "prompt": prompt, "budget": budget, "left": 1}),
            past=past,
            items_of=self._places(answer) if answer else {},
            gate=self.home.settings.recall.good_enough,
        )

    def _places(self, answer: Recall) -> dict[str, str]:
        """Where the memories of an answer are read, by their names."""
        names = {entry.id for entry in answer.entries if "#" not in entry.id}
        return {name: f"/memories{query({'q': name})}" for name in names}

    def routes(self) -> Routes:
        return [Route("/playground", self.page)]
