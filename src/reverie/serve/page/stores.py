"""Stores: who may do what, how they grew, where they are shown; and the health of the home."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from reverie.operations import checking, copies, history
from reverie.operations import stores as operations
from reverie.serve.page.site import Routes, Site

_LATEST = 30


class Stores:
    """All stores, one of them, and what `doctor` says."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.home = site.home

    def listed(self, request: Request) -> Response:
        stores = self.home.store.stores(archived=True) if self.home.exists else []
        return self.site.page(
            request,
            "stores",
            "stores",
            "Stores",
            stores=stores,
            mounts=operations.mounts(self.home) if self.home.exists else [],
            backups=copies.backups(self.home),
        )

    def read(self, request: Request) -> Response:
        info = self.home.store.find_store(request.path_params["store"])
        return self.site.page(
            request,
            "store",
            "stores",
            info.name,
            info=info,
            attachments=self.home.store.attachments(info.id),
            versions=history.versions(self.home, info.name, limit=_LATEST),
            mounts=[mount for name, mount in operations.mounts(self.home) if name == info.name],
        )

    def doctor(self, request: Request) -> Response:
        return self.site.page(
            request,
            "doctor",
            "doctor",
            "Doctor",
            findings=checking.check(self.home) if self.home.exists else [],
            home=str(self.home.config.home),
        )

    def routes(self) -> Routes:
        return [
            Route("/stores", self.listed),
            Route("/stores/{store}", self.read),
            Route("/doctor", self.doctor),
        ]
