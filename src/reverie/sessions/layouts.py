"""Where tools put the worktrees of a repository, told from a path alone.

Only for folders that are gone: what is there is asked itself. A path says either where the checkout
lies (`app/.claude/worktrees/fix`) or only what it is named (`~/.cursor/worktrees/app/fix`).
"""

import re
from typing import NamedTuple

# Patterns are made when they are first matched: few look for a folder that is gone.
_DRIVE = r"^[A-Za-z]:[\\/]"

# Folders that hold projects and are none: roots, homes on any system, folders for a while.
_COMMON = (
    r"(?i)^(?:/|[A-Za-z]:)?(?:/?|/?(?:tmp|private|private/tmp|var|var/tmp|mnt|root)"
    r"|/?(?:(?:mnt/[a-z]|var|export)/)?(?:Users|home)(?:/[^/]+)?)/?$"
)

# Tools that keep worktrees in the person's home; others keep them in the checkout.
_IN_THE_HOME = "codex|copilot|cursor|factory|grok|superset"
_TREES = r"(?:worktrees?|wt)"
# `my-worktrees/app/fix` is a folder of many repositories, `app-worktrees/fix` one of app.
_MANY = r"(?:(?:agents?|ai|all|claude|code|git|my)[-_.])?"

# `above` is where a repository may lie that owns all of it, `name` that of the repository, and
# `shared` the folder that holds all its worktrees. Without a name `above` is the checkout.
_LAYOUTS = (
    # By a number or a word, and then by repository.
    r"^(?P<above>.+?)/\.codex/worktrees/[^/]+/(?P<name>[^/]+)",
    r"^(?P<above>.*?)/(?:\.vibe-kanban-workspaces|vibe-kanban/worktrees)/[^/]+/(?P<name>[^/]+)",
    # By repository.
    rf"^(?P<shared>(?P<above>.+?)/\.(?:{_IN_THE_HOME})/worktrees/(?P<name>[^/]+))",
    r"^(?P<shared>(?P<above>.+?)/conductor/workspaces/(?P<name>[^/]+))/[^/]",
    rf"^(?P<shared>(?P<above>.*?)/{_MANY}{_TREES}/(?P<name>[^/]+))/[^/]",
    # In the checkout, or beside it.
    r"^(?P<above>.+?)/\.(?:conductor|worktrees|[A-Za-z][\w-]*/worktrees)/[^/]",
    rf"^(?P<above>.*/[^/]*?[^/._-])(?:\.|__?|--?){_TREES}/[^/]",
)
_OF_A_HOME = r"^(?P<shared>(?P<above>.*?)/\.(?:[^/]+/)?worktrees/(?P<name>[^/]+))"


class Layout(NamedTuple):
    """What a path says about the repository that a worktree was of."""

    root: str  # the checkout; or what stands for it where only the name is known
    name: str  # of the repository, "" where `root` is the checkout
    above: str  # the repository may lie here or above, whatever the layout


def layout_of(path: str, user_home: str = "") -> Layout | None:
    """The layout of a folder that is gone; None when it is no worktree's."""
    windows = bool(re.match(_DRIVE, path))
    slashed = path.replace("\\", "/") if windows else path
    matches = [match for layout in _LAYOUTS if (match := re.match(layout, slashed))]
    # A worktree within a worktree is one of the outer's repository.
    for match in sorted(matches, key=lambda match: len(match["above"])):
        layout = _read(match)
        if not layout.name and is_common(layout.root, user_home):
            # A tool that keeps its worktrees in the home, or was started there.
            of_a_home = re.match(_OF_A_HOME, slashed)
            if of_a_home is None:
                continue
            layout = _read(of_a_home)
        if windows:
            layout = layout._replace(root=layout.root.replace("/", "\\"))
        return layout
    return None


def is_common(folder: str, user_home: str = "") -> bool:
    """Whether a folder belongs to no project: a root, a home, or what lies above the home."""
    slashed = folder.replace("\\", "/").rstrip("/")
    home = user_home.rstrip("/")
    return bool(re.match(_COMMON, slashed or "/")) or (
        bool(home) and (home == slashed or home.startswith(f"{slashed}/"))
    )


def _read(match: re.Match[str]) -> Layout:
    groups = match.groupdict()
    above, name = groups["above"], groups.get("name") or ""
    if not name:
        return Layout(above, "", above)
    shared = groups.get("shared") or f"{_before(match)}/*/{name}"
    return Layout(shared, name, above)


def _before(match: re.Match[str]) -> str:
    """The folder that holds one folder per worktree, each with the repository in it."""
    return match[0].rsplit("/", 2)[0]
