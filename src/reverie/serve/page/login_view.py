"""The door: the link from the terminal, and the way out."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from reverie.serve.page.login import COOKIE, VISIT_HOLDS
from reverie.serve.page.site import Form, Routes, Site, posted


def routes(site: Site) -> Routes:
    """Coming and going."""

    def door(request: Request) -> Response:
        word = request.query_params.get("word", "")
        if site.visitors.knows(request.cookies.get(COOKIE, "")) and not word:
            return RedirectResponse("/", 303)
        return HTMLResponse(site.pages.page("login.html", word=word, late=False))

    def enter(request: Request, form: Form) -> Response:
        shown = site.visitors.enter(form.text("word"))
        if shown is None:
            return HTMLResponse(site.pages.page("login.html", word="", late=True), 403)
        response = RedirectResponse("/", 303)
        response.set_cookie(
            COOKIE,
            shown,
            max_age=int(VISIT_HOLDS.total_seconds()),
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response

    def leave(request: Request, _form: Form) -> Response:
        site.visitors.leave(request.cookies.get(COOKIE, ""))
        response = RedirectResponse("/login", 303)
        response.delete_cookie(COOKIE)
        return response

    return [
        Route("/login", door),
        Route("/login", posted(enter), methods=["POST"]),
        Route("/logout", posted(leave), methods=["POST"]),
    ]
