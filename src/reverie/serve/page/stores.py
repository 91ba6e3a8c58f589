"""Stores: who may do what, how they grew, where they are shown; and the health of the home."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from reverie.operations import copies, history, recalling, syncing
from reverie.operations import stores as operations
from reverie.operations.serving import keys
from reverie.serve.page.rendering import query, segment
from reverie.serve.page.site import Form, Routes, Site, back_to, number, posted

_LATEST = 20  # hand-overs
_VERSIONS = 30


class Stores:
    """All stores, and one of them."""

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
            **(self._behind() if self.site.owner and self.home.exists else {}),
        )

    def _behind(self) -> dict[str, object]:
        """What only the owner sees: who else comes in, what travels, what was handed over."""
        return {
            "mounts": operations.mounts(self.home),
            "backups": copies.backups(self.home),
            "keys": keys.keys_of(self.home),
            "remotes": syncing.remotes(self.home),
            "audit": recalling.ledger(self.home).latest(_LATEST),
        }

    def revoke(self, request: Request, form: Form) -> Response:
        key = keys.revoke_key(self.home, form.text("key"))
        return back_to("/stores", f"the key {key.name} is revoked")

    def read(self, request: Request) -> Response:
        info = self.home.store.find_store(request.path_params["store"])
        first = number(request.query_params.get("from", ""))
        versions = history.versions(self.home, info.name, limit=first + _VERSIONS + 1)[first:]
        owner, place = self.site.owner, f"/stores/{segment(info.id)}"
        reaches = keys.keys_of(self.home) if owner else []
        return self.site.page(
            request,
            "store",
            "stores",
            info.name,
            info=info,
            attachments=self.home.store.attachments(info.id) if owner else [],
            names={reach.key.id: reach.key.name for reach in reaches},
            versions=versions[:_VERSIONS],
            before=f"{place}{query({'from': max(0, first - _VERSIONS)})}" if first else "",
            after=f"{place}{query({'from': first + _VERSIONS})}"
            if len(versions) > _VERSIONS
            else "",
            mounts=[mount for name, mount in operations.mounts(self.home) if name == info.name]
            if owner
            else [],
        )

    def routes(self) -> Routes:
        return [
            Route("/stores", self.listed),
            *(
                [Route("/stores/revoke", posted(self.revoke), methods=["POST"])]
                if self.site.owner
                else []
            ),
            Route("/stores/{store}", self.read),
        ]


class Doctor:
    """What `doctor` says."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.home = site.home

    def page(self, request: Request) -> Response:
        return self.site.page(
            request,
            "doctor",
            "doctor",
            "Doctor",
            findings=(findings := self.site.findings()),
            troubles=sum(finding.level != "ok" for finding in findings),
            home=str(self.home.config.home),
        )

    def routes(self) -> Routes:
        return [Route("/doctor", self.page)]
