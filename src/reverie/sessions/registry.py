"""The projects seen so far, and what the user decided about them: `projects.json`.

Unlike `index.db` this file is not derived. It remembers which directory had which remote, so that
the logs of a renamed or deleted checkout still find their project, and it holds renames, merges and
which folders a person agreed on, which `reverie reindex` must not lose. Slugs are given once and
never change: stores are named by them. Writers hold the write lock of the index while they save
(see `index.Index`).
"""

import json
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar, cast

from reverie.errors import Ambiguous, InvalidInput, NotFound, StoreDamaged
from reverie.files import replace_file
from reverie.sessions.layouts import is_common, layout_of
from reverie.sessions.projects import (
    Place,
    ProjectId,
    base_name,
    locate,
    normalise_remote,
    short_hash,
    slug_of,
)

_VERSION = 1

Params = ParamSpec("Params")
Result = TypeVar("Result")

# The session's log names no directory at all.
NOWHERE = "elsewhere"
# Branches that folders are not named after because they were made for them.
_TRUNKS = frozenset({"", "main", "master", "develop", "dev", "trunk", "head"})


class Project(NamedTuple):
    """One project: its slug, the name to show, every root and remote it was found by."""

    slug: str
    name: str
    roots: tuple[str, ...] = ()
    remotes: tuple[str, ...] = ()
    # The roots that were git repositories: these own the folders below them even when those are
    # gone; a plain directory (the home, /tmp) does not.
    repositories: tuple[str, ...] = ()


def _alone(
    method: "Callable[Concatenate[Projects, Params], Result]",
) -> "Callable[Concatenate[Projects, Params], Result]":
    """One thread at a time: finding a project may add it, or a root of it."""

    @wraps(method)
    def locked(projects: "Projects", *args: Params.args, **kwargs: Params.kwargs) -> Result:
        with projects.lock:
            return method(projects, *args, **kwargs)

    return locked


class Projects:
    """The registry. Reads are from memory; `save` writes the file if anything changed.

    Threads may share it. A path that is given to `find` lies below `folder` if it is relative, and
    `~` is `user_home`.
    """

    def __init__(self, file: Path, *, folder: str = "", user_home: str = "") -> None:
        self.file = file
        self.lock = threading.RLock()
        self._folder = folder
        self._user_home = user_home
        self._by_slug: dict[str, Project] = {}
        self._merged: dict[str, str] = {}
        self._seen: dict[tuple[str, str, str], ProjectId] = {}
        self._stamp = (0, 0)
        self._changed = False

    @classmethod
    def open(cls, file: Path, *, folder: str = "", user_home: str = "") -> "Projects":
        """Read the registry; a missing file is an empty one.

        Raises:
            StoreDamaged: the file is there and is not a registry. It holds decisions, so it is
                never replaced by an empty one.
        """
        projects = cls(file, folder=folder, user_home=user_home)
        projects.refresh()
        return projects

    @_alone
    def refresh(self) -> None:
        """Take in what another process has saved meanwhile; unsaved additions are found again."""
        try:
            status = self.file.stat()
        except FileNotFoundError:
            return
        stamp = (status.st_mtime_ns, status.st_ino)
        if stamp == self._stamp:
            return
        self._by_slug, self._merged = _parse(self.file)
        self._seen.clear()
        self._stamp, self._changed = stamp, False

    @_alone
    def save(self) -> None:
        """Write the file if anything changed, atomically and readable by the user only."""
        if not self._changed:
            return
        listed = [
            {
                "slug": p.slug,
                "name": p.name,
                "roots": list(p.roots),
                "remotes": list(p.remotes),
                "repositories": list(p.repositories),
            }
            for p in self.all()
        ]
        document = {"version": _VERSION, "projects": listed, "merged": self._merged}
        replace_file(self.file, json.dumps(document, indent=1, ensure_ascii=True) + "\n")
        status = self.file.stat()
        self._stamp, self._changed = (status.st_mtime_ns, status.st_ino), False

    @_alone
    def all(self) -> list[Project]:
        """Every project, by slug."""
        return [self._by_slug[slug] for slug in sorted(self._by_slug)]

    @_alone
    def identify(self, cwd: str, remote: str = "", branch: str = "") -> ProjectId:
        """The project of a session; a new one is added to the registry."""
        cached = self._seen.get((cwd, remote, branch))
        if cached is None:
            cached = self._seen[cwd, remote, branch] = self._identify(cwd, remote, branch)
        return cached

    @_alone
    def is_guess(self, cwd: str, remote: str = "") -> bool:
        """Whether a session would be placed by a name that no known project has, so far."""
        place = self._settled(locate(cwd, self._user_home))
        return bool(place.name) and self._named(place, normalise_remote(remote)) is None

    @_alone
    def place_named(self, paths: Mapping[str, int], key: str) -> str:
        """Where a session ran whose log does not say so, "" when nothing tells.

        The repository that most of the `paths` it named lie in, else the root whose logs an agent
        would name `key`.
        """
        counts: Counter[str] = Counter()
        for path, times in paths.items():
            place = self._settled(locate(path, self._user_home))
            # Of a worktree that is gone the path says more than what stands for its root.
            root = path if place.name else place.root if place.git else self._root_above(path)
            counts[root] += times
        del counts[""]
        if counts:
            return max(sorted(counts), key=counts.__getitem__)
        from reverie.sessions.whereabouts import is_key_of

        roots = {root for project in self.all() for root in project.roots if is_key_of(key, root)}
        return roots.pop() if key and len(roots) == 1 else ""

    @_alone
    def keep(self, slug: str, cwd: str, remote: str = "") -> ProjectId | None:
        """The project a session was placed in before, as `identify` gives it; None if unknown."""
        project = self._by_slug.get(slug)
        if project is None:
            return None
        place = self._settled(locate(cwd, self._user_home))
        known = place.root in project.roots or not project.roots
        root = place.root if known else project.roots[0]
        return ProjectId(slug, root, place.remote or normalise_remote(remote))

    @_alone
    def at(self, cwd: str) -> ProjectId | None:
        """The known project of a directory; nothing is added."""
        place = self._settled(locate(cwd, self._user_home))
        project = self._match(place)
        return None if project is None else ProjectId(project.slug, place.root, place.remote)

    @_alone
    def expected(self, cwd: str) -> ProjectId:
        """The known project of a directory, or the one it would become; nothing is added."""
        if known := self.at(cwd):
            return known
        place = self._settled(locate(cwd, self._user_home))
        return ProjectId(self._free_slug(place, self._own(place)), place.root, place.remote)

    @_alone
    def claimed(self, cwd: str) -> Project | None:
        """The project a folder says it is by its remote alone, until a person agreed to it."""
        place = self._settled(locate(cwd, self._user_home))
        other = self._of_remote(place.remote) if place.exists and place.remote else None
        return None if other is None or other == self._match(place) else other

    @_alone
    def agree(self, cwd: str) -> Project:
        """Let a folder be what it says it is.

        Raises:
            InvalidInput: it says nothing, or its root is a project of its own.
        """
        place = self._settled(locate(cwd, self._user_home))
        other = self.claimed(cwd)
        if other is None:
            raise InvalidInput(f"{place.root} does not say that it is another project")
        if project := self._match(place):
            raise InvalidInput(
                f"{place.root} is the project {project.slug}",
                hint=f"`reverie projects merge {project.slug} {other.slug}`"
                " makes it part of the other",
            )
        return self._put(
            other._replace(
                roots=_union(other.roots, (place.root,)),
                repositories=_union(other.repositories, (place.root,)),
            )
        )

    @_alone
    def find(self, reference: str) -> Project:
        """A project by slug, name, path or unambiguous part of its slug.

        Raises:
            NotFound: nothing fits; the hint names what comes close.
            Ambiguous: several fit.
        """
        slug = self._merged.get(reference, reference)
        if slug in self._by_slug:
            return self._by_slug[slug]
        named = [p for p in self.all() if p.name == reference]
        if not named and (os.sep in reference or reference in {".", ".."}):
            named = self._above(self._path(reference))
        if not named:
            named = [p for p in self.all() if reference and reference.lower() in p.slug]
        if len(named) == 1:
            return named[0]
        if named:
            fits = ", ".join(p.slug for p in named[:5])
            raise Ambiguous(f"{reference!r} fits several projects: {fits}")
        from difflib import get_close_matches

        close = get_close_matches(reference, [p.slug for p in self.all()], n=1)
        hint = f"did you mean {close[0]}?" if close else "`reverie projects` lists those known"
        raise NotFound(f"no project {reference!r}", hint=hint)

    @_alone
    def of_remote(self, remote: str) -> Project:
        """The project of a normalised remote, entered if no folder of this machine has it yet."""
        known = self._of_remote(remote)
        if known is None:
            place = Place("", remote)
            known = self._put(self._new(place, remote)._replace(remotes=(remote,)))
            self.save()
        return known

    @_alone
    def rename(self, reference: str, name: str) -> Project:
        """Give a project another name to show. Its slug, and so its store, stay.

        Raises:
            InvalidInput: the name is empty, unprintable, or another project's.
        """
        project = self.find(reference)
        name = name.strip()
        if not name or not name.isprintable() or len(name) > 100:
            raise InvalidInput("a project's name is 1 to 100 printable characters")
        if any(name in (p.name, p.slug) for p in self.all() if p.slug != project.slug):
            raise InvalidInput(f"{name!r} is the name of another project")
        return self._put(project._replace(name=name))

    @_alone
    def merge(self, source: str, target: str) -> tuple[Project, Project]:
        """Make `source` part of `target`; returns what was merged and what it became.

        Raises:
            InvalidInput: both are the same project.
        """
        gone, kept = self.find(source), self.find(target)
        if gone.slug == kept.slug:
            raise InvalidInput(f"{source!r} and {target!r} are already one project")
        del self._by_slug[gone.slug]
        self._merged = {
            old: kept.slug if new == gone.slug else new for old, new in self._merged.items()
        } | {gone.slug: kept.slug}
        return gone, self._put(
            kept._replace(
                roots=_union(kept.roots, gone.roots),
                remotes=_union(kept.remotes, gone.remotes),
                repositories=_union(kept.repositories, gone.repositories),
            )
        )

    @_alone
    def lookalikes(self) -> list[tuple[Project, Project]]:
        """Pairs that may be one project: same last name, and not two different remotes."""
        pairs: list[tuple[Project, Project]] = []
        by_name: dict[str, list[Project]] = {}
        for project in self.all():
            for name in sorted({base_name(p).lower() for p in (*project.remotes, *project.roots)}):
                by_name.setdefault(name, []).append(project)
        for name in sorted(by_name):
            first, *others = by_name[name]
            for other in others:
                apart = first.remotes and other.remotes and not _same_owner(first, other)
                if not apart and (first, other) not in pairs:
                    pairs.append((first, other))
        return pairs

    def _identify(self, cwd: str, remote: str, branch: str) -> ProjectId:
        place = self._settled(locate(cwd, self._user_home))
        known = place.remote or normalise_remote(remote)
        if other := self._named(place, known) or self._beside(place, branch):
            # The folder itself is not entered: should it come back, anybody may have made it. Where
            # a remote tells, what stands for all worktrees is, for those whose logs have none.
            if place.name and known in other.remotes:
                self._put(other._replace(roots=_union(other.roots, (place.root,))))
            return ProjectId(other.slug, _root_named(other, place.name), known)
        project = self._match(place, known) or self._new(place, self._own(place, known))
        grown = project._replace(roots=_union(project.roots, (place.root,) if place.root else ()))
        if place.git:
            grown = grown._replace(repositories=_union(grown.repositories, (place.root,)))
        if known and self._of_remote(known) is None:
            grown = grown._replace(remotes=_union(grown.remotes, (known,)))
        if grown != project:
            self._put(grown)
        return ProjectId(project.slug, place.root, known)

    def _path(self, reference: str) -> str:
        if reference.startswith("~/"):
            reference = os.path.join(self._user_home, reference[2:])
        return os.path.normpath(os.path.join(self._folder, reference))

    def _above(self, path: str) -> list[Project]:
        """The project of a path a person named: its own, else that of the nearest known root."""
        here = self.at(path)
        if here is not None:
            return [self._by_slug[here.slug]]
        roots = {root: project for project in self.all() for root in project.roots}
        above = [root for root in roots if path.startswith(root.rstrip("/") + "/")]
        return [roots[max(above, key=len)]] if above else []

    def _root_above(self, path: str) -> str:
        """The longest known root above a path, "" if there is none that holds no other root."""
        roots = {root for project in self.all() for root in project.roots}
        above = [root for root in roots if path.startswith(root.rstrip("/") + "/")]
        longest = max(above, key=len, default="")
        holds = any(root.startswith(longest.rstrip("/") + "/") for root in roots)
        return "" if holds or is_common(longest, self._user_home) else longest

    def _settled(self, place: Place) -> Place:
        """A directory that is gone belongs to the longest known root above it."""
        if place.exists or place.git:
            return place
        above = [
            root
            for project in self.all()
            for root in project.repositories
            if (place.root == root or place.root.startswith(root.rstrip("/") + "/"))
            and not is_common(root, self._user_home)
        ]
        return Place(max(above, key=len), git=True, exists=False) if above else place

    def _named(self, place: Place, remote: str) -> Project | None:
        """The one project that a worktree can be of whose path says only the repository's name."""
        if not place.name:
            return None
        if remote and (known := self._of_remote(remote)):
            return known
        name = place.name.lower()
        fits = [
            project
            for project in self.all()
            if not (remote and project.remotes)
            and any(name == base_name(root).lower() for root in _checkouts(project))
        ]
        return fits[0] if len(fits) == 1 else None

    def _beside(self, place: Place, branch: str) -> Project | None:
        """The repository `app` beside a folder `app-fix` that is gone and was on the branch fix."""
        if place.exists or place.git or place.name:
            return None
        tails = {branch.lower().replace("/", "-"), branch.lower().rpartition("/")[2]} - _TRUNKS
        for tail in sorted(tails, key=len, reverse=True):
            checkout = place.root[: -len(tail)].rstrip("-_.@")
            if place.root.lower().endswith(tail) and place.root[len(checkout) :][: -len(tail)]:
                beside = self._settled(locate(checkout, self._user_home))
                project = self._match(beside) if beside.root == checkout else None
                if project is not None and checkout in project.repositories:
                    return project
        return None

    def _match(self, place: Place, remote: str = "") -> Project | None:
        for project in self.all():
            if place.root and place.root in project.roots:
                return project
        # Of what is gone, or lies on another machine, the log is all there is. A folder that is
        # here could say anything, and would be handed another project's memory.
        return self._of_remote(remote) if remote and not place.exists else None

    def _own(self, place: Place, remote: str = "") -> str:
        """The remote a new project is named by: none that is another's already."""
        known = place.remote or remote
        return "" if place.exists and known and self._of_remote(known) else known

    def _of_remote(self, remote: str) -> Project | None:
        return next((p for p in self.all() if remote in p.remotes), None)

    def _new(self, place: Place, remote: str) -> Project:
        name = base_name(remote or place.root) or NOWHERE
        return self._put(Project(self._free_slug(place, remote), name))

    def _free_slug(self, place: Place, remote: str) -> str:
        slug = slug_of(base_name(remote or place.root) or NOWHERE)
        if slug in self._by_slug or slug in self._merged or slug == "global":
            slug = f"{slug}-{short_hash(remote or place.root)}"
        return slug

    def _put(self, project: Project) -> Project:
        self._seen.clear()  # what goes by a name may be another's now
        self._by_slug[project.slug] = project
        self._changed = True
        return project


def _checkouts(project: Project) -> Iterator[str]:
    """What a project is named by, without the folders that stand for one only known by name."""
    yield from project.remotes
    for root in project.roots:
        layout = layout_of(root) or layout_of(f"{root}/x")
        if layout is None or not layout.name:
            yield root


def _root_named(project: Project, name: str) -> str:
    """The root of a project that has this name, else its first."""
    fits = [root for root in project.roots if base_name(root).lower() == name.lower()]
    return next(iter(fits or project.roots), "")


def _union(first: tuple[str, ...], second: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({*first, *second}))


def _same_owner(first: Project, second: Project) -> bool:
    """One repository on two hosts: the last two parts of a remote are equal."""

    def tails(project: Project) -> set[str]:
        return {"/".join(remote.split("/")[-2:]).lower() for remote in project.remotes}

    return bool(tails(first) & tails(second))


def _parse(file: Path) -> tuple[dict[str, Project], dict[str, str]]:
    try:
        document: Any = json.loads(file.read_text(encoding="utf-8"))
        if document["version"] != _VERSION:
            raise StoreDamaged(f"{file} was written by another version of reverie")
        projects = [
            Project(
                str(p["slug"]),
                str(p["name"]),
                tuple(map(str, cast("list[Any]", p["roots"]))),
                tuple(map(str, cast("list[Any]", p["remotes"]))),
                tuple(map(str, cast("list[Any]", p["repositories"]))),
            )
            for p in cast("list[dict[str, Any]]", document["projects"])
        ]
        merged = {str(k): str(v) for k, v in cast("dict[Any, Any]", document["merged"]).items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreDamaged(
            f"{file} cannot be read: {error}",
            hint="it holds your renames and merges; repair it, or move it away to start anew",
        ) from None
    return {p.slug: p for p in projects}, merged
