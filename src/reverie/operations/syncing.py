"""Syncing: one memory on several machines, through a folder or a git repository."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from reverie.config import expanded
from reverie.documents.vocabulary import GLOBAL
from reverie.errors import Busy, InvalidInput, NotFound, Refused, RemoteAway, ReverieError
from reverie.home import Home
from reverie.operations import keeping
from reverie.sync import keys, links
from reverie.sync.exchange import Exchange, Exchanged, Remote, Shared
from reverie.sync.links import Kind, Link
from reverie.sync.pack import Damaged, Pack

if TYPE_CHECKING:
    from reverie.store.library import Item

_LOCK = "sync.lock"
_BY_REMOTE, _BY_NAME = "git:", "name:"
_MOST_STORE_NAME = 200


class Wish(NamedTuple):
    """How a remote is to be used; what is None stays as it is remembered."""

    team: bool | None = None
    stores: tuple[str, ...] | None = None
    author: str | None = None
    encrypt: bool = False
    recipients: tuple[str, ...] = ()
    anew: bool = False  # what was there is lost: a folder that is gone is made again


def sync_with(
    home: Home,
    remote: str,
    wish: Wish | None = None,
    *,
    key: str | None = None,
    dry_run: bool = False,
) -> Exchanged:
    """Exchange versions with a remote, and remember it.

    Args:
        remote: A folder, or a git repository (its URL, or a path to a bare one).
        wish: What travels, and in whose name, if that changes.
        key: The key of the person's other machines, to join them.

    Raises:
        InvalidInput: no such store; a team's remote without named projects; no key.
        RemoteAway: the remote is not there now; nothing was written.
        Unavailable: it cannot be used.
        Refused: it holds something else, or the memory of somebody else.
        Busy: another exchange of this home is under way.
    """
    with _alone(home):
        if key is not None and keys.join(home.make_home(), key):
            _sign_anew(home)
        known = links.find(home.database, _named(home, remote))
        link = _wished(home, known or _new_link(home, remote), wish or Wish())
        if dry_run and known is None:
            return Exchanged(link.remote, dry_run=True)
        link = links.keep(home.context, link)
        try:
            return _exchange(home, link, dry_run=dry_run)
        except (Refused, RemoteAway):
            if known is None:  # perhaps a slip of the pen, of which nobody wants to hear again
                links.remove(home.database, link)
            raise


def sync_remotes(home: Home) -> list[Exchanged | ReverieError]:
    """Exchange with every remembered remote; what fails is told, and the others go on."""
    done: list[Exchanged | ReverieError] = []
    with _alone(home):
        for link in links.links(home.database):
            try:
                done.append(_exchange(home, link))
            except ReverieError as error:
                done.append(error)
    return done


def remotes(home: Home) -> list[Link]:
    """The remotes that are remembered; looking makes nothing."""
    return links.links(home.database) if home.exists else []


def is_remembered(home: Home, remote: str) -> bool:
    """Whether a person chose this remote before."""
    return home.exists and links.find(home.database, _named(home, remote)) is not None


def accept(home: Home, reference: str) -> "Item | None":
    """Make what another person wrote the word of this one; None if that was to delete it.

    Raises:
        NotFound, Ambiguous: none or several fit.
        Refused: whoever asks has not the word of a person.
    """
    from reverie.store.library import Item
    from reverie.store.writing import credit, head_of, lock, required_head
    from reverie.sync.accepting import accept_waiting

    if home.asker.trust != "user":
        raise Refused(
            "only a person accepts what somebody else wrote",
            hint=f"in a terminal of your own: `reverie sync --accept {reference}`",
        )
    item = home.library.find(reference)
    by = home.asker.author("accepted")
    with keeping.in_step(home), home.database.atomic() as tx:
        state = lock(home.context, tx, item.memory.store_id)
        person = keys.signer_of(home.make_home()).person
        if accept_waiting(home.context, tx, state, person, item.memory.id, by):
            written = head_of(home.context, tx.execute, state.store_id, item.memory.id)
        else:
            head = required_head(home.context, tx, state, item.memory.id)
            written = head if head.trust == "user" else credit(home.context, tx, state, head, by)
    return Item(item.store, written) if written else None


def doubt(home: Home, reference: str, version: str) -> "Item":
    """Take back that something is this person's word: its words stay, with the trust they had.

    Raises:
        NotFound, Ambiguous: no memory or several fit, or it has no such version.
        Refused: whoever asks has not the word of a person.
    """
    from reverie.store.library import Item
    from reverie.store.writing import credit, lock, required_head

    if home.asker.trust != "user":
        raise Refused("only a person takes back what a person accepted")
    item = home.library.find(reference)
    before = home.store.version(version)
    if before.memory_id != item.memory.id:
        raise NotFound(f"{item.name} has no version {version!r}")
    by = home.asker.author("no longer accepted")._replace(trust=before.trust)
    with keeping.in_step(home), home.database.atomic() as tx:
        state = lock(home.context, tx, item.memory.store_id)
        head = required_head(home.context, tx, state, item.memory.id)
        return Item(item.store, credit(home.context, tx, state, head, by))


def forget_remote(home: Home, remote: str) -> Link:
    """Exchange nothing with a remote any more; what is there and here stays.

    Raises:
        NotFound: nothing is exchanged with it.
    """
    link = links.required(home.database, _named(home, remote))
    links.remove(home.database, link)
    return link


def key_of(home: Home) -> str:
    """The key by which a person's other machines join, made if there is none yet."""
    return keys.signer_of(home.make_home()).shown


def _exchange(home: Home, link: Link, *, dry_run: bool = False) -> Exchanged:
    folder = home.make_home()
    cipher = None
    if link.recipients:
        from reverie.sync.encryption import cipher_for

        cipher = cipher_for(folder, link)
    seal = home.context.sealer
    exchange = Exchange(
        home.context,
        keys.signer_of(folder),
        keys.home_id(seal.key_id if seal else ""),
        link,
        _remote(home, link),
        _Stores(home),
        cipher,
    )
    try:
        with keeping.in_step(home):
            result = exchange.run(dry_run=dry_run)
    except ReverieError as error:
        links.settled(home.database, link, home.now, error.message)
        raise
    if not dry_run:
        links.settled(home.database, link, home.now)
    return result


def _remote(home: Home, link: Link) -> Remote:
    if link.kind == "git":
        from reverie.sync.remote_git import GitRemote

        place = home.make_home() / "sync" / f"{link.id}.git"
        return GitRemote(link.remote, place, home.config.environ)
    from reverie.sync.remote_folder import FolderRemote

    return FolderRemote(link.remote, new=not link.synced_at)


def _new_link(home: Home, remote: str) -> Link:
    place = _named(home, remote)
    return Link("", place, _kind(place))


def _wished(home: Home, link: Link, wish: Wish) -> Link:
    team = link.team if wish.team is None else wish.team
    stores = link.stores if wish.stores is None else wish.stores
    if team and (not stores or GLOBAL in stores):
        raise InvalidInput(
            "a team's remote gets projects by name, and never what is about you",
            hint="`--team --store PROJECT`",
        )
    author = link.author if wish.author is None else wish.author
    recipients = link.recipients
    if wish.encrypt or wish.recipients:
        from reverie.sync.encryption import recipients_for

        recipients = recipients_for(home.make_home(), wish.recipients)
    # Whoever comes to read it later reads all of it: what is there is written anew.
    anew = bool(link.id) and recipients != link.recipients
    return link._replace(
        epoch=link.epoch + anew,
        team=team,
        stores=tuple(_store_name(home, name) for name in stores),
        author=author or (_own_name() if team else ""),
        recipients=recipients,
        synced_at="" if wish.anew else link.synced_at,
    )


def _store_name(home: Home, name: str) -> str:
    """The name of a store that is here; another machine may have one that is not."""
    try:
        return home.store.resolve_store(name).name
    except NotFound:
        return name


def _own_name() -> str:
    """What git calls the person, else their login."""
    import getpass
    import subprocess

    try:
        asked = ["git", "config", "--global", "user.name"]
        done = subprocess.run(asked, capture_output=True, text=True, timeout=5, check=False)
        name = done.stdout.strip()
    except (OSError, subprocess.SubprocessError):
        name = ""
    return name or getpass.getuser()


def _named(home: Home, remote: str) -> str:
    """A remote as it is remembered: a URL as given, a folder with its whole path."""
    if "\0" in remote or "\n" in remote or not remote.strip() or remote.startswith("-"):
        raise InvalidInput(f"{remote!r} is no remote", hint="name a folder or a git repository")
    if _is_url(remote):
        return remote
    return os.path.normpath(os.path.join(home.folder, expanded(remote, home.config.environ)))


def _is_url(remote: str) -> bool:
    from reverie.sync.addresses import is_url

    return is_url(remote)


def _kind(place: str) -> Kind:
    bare = os.path.isfile(os.path.join(place, "HEAD")) and os.path.isdir(
        os.path.join(place, "objects")
    )
    return "git" if _is_url(place) or bare else "folder"


def _sign_anew(home: Home) -> None:
    """What this home sent was signed with another key: it is sent again with the new one."""
    with home.database.atomic() as tx:
        for link in links.links(home.database):
            links.start_again(tx, link)


@contextmanager
def _alone(home: Home) -> Generator[None]:
    """One exchange of a home at a time.

    Raises:
        Busy: another one is under way.
    """
    from reverie.db.locks import try_lock

    file = home.make_home() / _LOCK
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not try_lock(descriptor):
            raise Busy("another sync of this home is under way", hint="wait for it, then repeat")
        yield
    finally:
        os.close(descriptor)


class _Stores:
    """The stores of a home, by what they are called between machines."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def shared(self, link: Link) -> list[Shared]:
        """The stores that travel by a link."""
        remotes = {project.slug: sorted(project.remotes) for project in self._home.projects.all()}
        stores: list[Shared] = []
        for info in sorted(self._home.store.stores(), key=lambda info: info.name):
            if link.stores and info.name not in link.stores:
                continue
            key = f"{_BY_NAME}{info.name}"
            if info.name == GLOBAL:
                key = GLOBAL
            elif remotes.get(info.name):
                key = f"{_BY_REMOTE}{remotes[info.name][0]}"
            if not (link.team and key == GLOBAL):
                stores.append(Shared(info.id, info.name, key))
        return stores

    def arriving(self, link: Link, pack: Pack) -> Shared | None:
        """The store of this home that a pack is for, made if need be; None if it stays out.

        Raises:
            Damaged: its name can be no store's.
        """
        key = pack.body.store
        if link.team and key == GLOBAL:
            raise Damaged("it is somebody's own memory, and none of a project")
        name = self._name(link, key, pack.body.name)
        if name is None:
            return None
        archived = [store for store in self._home.store.stores(archived=True) if store.archived_at]
        live = {info.name for info in self._home.store.stores()}
        if name not in live and any(info.name == name for info in archived):
            return None
        info = self._home.store.ensure_store(name)
        return Shared(info.id, info.name, key)

    def _name(self, link: Link, key: str, pack_name: str) -> str | None:
        if key == GLOBAL:
            return GLOBAL if not link.stores or GLOBAL in link.stores else None
        if key.startswith(_BY_REMOTE):
            remote = key.removeprefix(_BY_REMOTE)
            known = next(
                (project for project in self._home.projects.all() if remote in project.remotes),
                None,
            )
            if known is not None:
                return known.slug if not link.stores or known.slug in link.stores else None
            if link.stores and pack_name not in link.stores:
                return None
            return self._home.projects.of_remote(remote).slug
        name = key.removeprefix(_BY_NAME)
        if not key.startswith(_BY_NAME) or name == GLOBAL or len(name) > _MOST_STORE_NAME:
            raise Damaged("the store it is for has no proper name")
        return name if not link.stores or name in link.stores else None
