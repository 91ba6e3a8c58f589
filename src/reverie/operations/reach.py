"""Reach: the stores whoever asks may use, and with whose rights.

The owner looks into any store; an agent acts as the project it works in (and as itself), checked by
the store at every access.
"""

from typing import TYPE_CHECKING

from reverie.documents.vocabulary import GLOBAL
from reverie.errors import NotFound
from reverie.home import Home

if TYPE_CHECKING:
    from reverie.sessions.projects import ProjectId
    from reverie.store.model import StoreName
    from reverie.store.store import Store


def project_of(home: Home) -> "ProjectId":
    """The named project, else the one of the folder, which need not be known yet."""
    from reverie.sessions.projects import ProjectId

    here = home.projects.at(home.folder)
    if home.named is None:
        return here or home.projects.identify(home.folder)
    slug = home.projects.find(home.named).slug
    inside = here is not None and here.slug == slug
    return ProjectId(slug, here.root if here and inside else "")


def acting(home: Home) -> "Store":
    """The stores with the rights of whoever asks."""
    if home.asker.agent is None:
        return home.store
    from reverie.store.model import Principal

    slug = project_of(home).slug
    principals = [Principal("project", slug)]
    if home.asker.agent:
        principals.append(Principal("agent", home.asker.agent))
    home.store.introduce(slug, (slug, GLOBAL))
    return home.store.acting_as(*principals)


def stores(home: Home) -> "list[StoreName]":
    """The stores of the project: its own, `global`, and what is attached to it; by name."""
    if home.asker.agent is not None:
        from reverie.store.model import StoreName

        return sorted(StoreName(info.name, info.id) for info in acting(home).stores())
    from reverie.store.access import of_project

    return of_project(home.database.query, project_of(home).slug, GLOBAL)


def find_store(home: Home, name: str) -> "StoreName":
    """One of `stores` by its name; others do not exist here.

    Raises:
        NotFound: the project has none of that name.
    """
    for info in stores(home):
        if info.name == name:
            return info
    raise NotFound(f"there is no store {name!r} in this project")


def make_store(home: Home, name: str) -> "StoreName":
    """The project's own store or `global`, made on the first write.

    Raises:
        NotFound: it is another one, and not attached to the project.
    """
    try:
        return find_store(home, name)
    except NotFound:
        taken = any(info.name == name for info in home.store.stores())
        if taken or name not in (project_of(home).slug, GLOBAL):
            raise
    # A project that gets its first memory keeps its slug; saved under the index's lock.
    with home.index.atomic():
        if home.named is None:
            home.projects.identify(home.folder)
    home.store.ensure_store(name)
    return find_store(home, name)
