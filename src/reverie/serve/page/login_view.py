"""The door: the link from the terminal or a key, what a stranger may load, and the way out."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from reverie.errors import Refused
from reverie.serve.page.login import COOKIE, VISIT_HOLDS, Register
from reverie.serve.page.rendering import FOLDER, Pages
from reverie.serve.page.site import Form, posted


def door(pages: Pages, register: Register) -> Starlette:
    """What can be asked for by somebody who is not in."""

    def shown(word: str = "", late: str = "", status: int = 200) -> Response:
        text = pages.page("login.html", word=word, late=late, keyed=register.keyed)
        return HTMLResponse(text, status)

    def look(request: Request) -> Response:
        word = request.query_params.get("word", "")
        if not word and register.knows(request.cookies.get(COOKIE, "")):
            return RedirectResponse("/", 303)
        return shown(word)

    def enter(request: Request, form: Form) -> Response:
        try:
            visit = register.enter(form.text("word").strip())
        except Refused as error:
            return shown(late=error.message, status=403)
        response = RedirectResponse("/", 303)
        response.set_cookie(
            COOKIE,
            visit,
            max_age=int(VISIT_HOLDS.total_seconds()),
            httponly=True,
            samesite="strict",
            # Behind a proxy that ends TLS only the browser knows how it came here.
            secure=request.headers.get("origin", "").startswith("https://"),
        )
        return response

    def leave(request: Request, _form: Form) -> Response:
        register.leave(request.cookies.get(COOKIE, ""))
        response = RedirectResponse("/login", 303)
        response.delete_cookie(COOKIE)
        return response

    return Starlette(
        routes=[
            Route("/login", look),
            Route("/login", posted(enter), methods=["POST"]),
            Route("/logout", posted(leave), methods=["POST"]),
            Mount("/static", _Unchanging(directory=FOLDER / "static"), name="static"),
        ]
    )


class _Unchanging(StaticFiles):
    """Files of the package; a browser asks whether they changed."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["cache-control"] = "no-cache"
        return response
