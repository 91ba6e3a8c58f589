"""What a repository's history says about a path, a name or a command since a day.

Git is only asked to read, and never to run anything a repository's own configuration names: no
hooks, no fsmonitor, no external diff, no text conversion, no signatures, no fetching of missing
objects. Only committed trees are compared, so no filter runs either.
"""

import os
import re
import subprocess
from dataclasses import dataclass

TIMEOUT = 10.0
_SAFE = (
    *("--no-pager", "--no-optional-locks", "--literal-pathspecs"),
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    *("-c", "protocol.allow=never", "-c", "gc.auto=0", "-c", "core.quotePath=false"),
)
_LOG = ("log", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-color", "--no-notes")
_FORM = "--format=%h%x09%cs%x09%s"
_REVISION = re.compile(r"[0-9a-f]{40,64}")


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, as far as a sentence needs it."""

    id: str
    day: str
    subject: str

    def __str__(self) -> str:
        subject = self.subject if len(self.subject) <= 60 else self.subject[:59].rstrip() + "…"
        return f"{self.id} on {self.day} “{subject}”"


class History:
    """The committed past of one working tree; everything is unknown when there is no git."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._bases: dict[str, str] = {}
        self.available = bool(self._git("rev-parse", "--verify", "--quiet", "HEAD").strip())

    def base(self, since: str) -> str:
        """The last commit before a moment (ISO); empty when there is none."""
        if since not in self._bases:
            revision = self._git("rev-list", "-1", f"--before={since}", "HEAD").strip()
            self._bases[since] = revision if _REVISION.fullmatch(revision) else ""
        return self._bases[since]

    def changes(self, path: str, since: str) -> list[Commit]:
        """Commits after `since` that changed `path`, newest first."""
        return self._commits(since, "--", path)

    def removed(self, path: str, since: str) -> tuple[Commit | None, str]:
        """The commit after `since` that took `path` away, and the name it has now, if it moved."""
        commits = self._commits(since, "-n1", "--diff-filter=D", "--no-renames", "--", path)
        if not commits:
            return None, ""
        moved = self._git(
            *("diff-tree", "-r", "-M", "--diff-filter=R", "--name-status", "--no-commit-id"),
            *("--no-ext-diff", "--no-textconv", "-z", commits[0].id),
        ).split("\0")
        for place in range(0, len(moved) - 2, 3):
            if moved[place + 1] == path:
                return commits[0], moved[place + 2]
        return commits[0], ""

    def touched(self, pattern: str, since: str) -> Commit | None:
        """The last commit after `since` with a changed line that fits an extended expression."""
        commits = self._commits(since, "-n1", "--extended-regexp", f"-G{pattern}")
        return commits[0] if commits else None

    def dropped(self, text: str, since: str) -> Commit | None:
        """The last commit after `since` that changed how often `text` occurs."""
        commits = self._commits(since, "-n1", f"-S{text}")
        return commits[0] if commits else None

    def content(self, path: str, since: str) -> str:
        """A file as it was at `since`; empty when it was not there."""
        base = self.base(since)
        return self._git("cat-file", "blob", f"{base}:{path}") if base else ""

    def _commits(self, since: str, *arguments: str) -> list[Commit]:
        base = self.base(since)
        span = f"{base}..HEAD" if base else "HEAD"
        split = arguments.index("--") if "--" in arguments else len(arguments)
        options, paths = arguments[:split], arguments[split:]
        output = self._git(*_LOG, _FORM, "-n50", *options, span, *(paths or ("--",)))
        rows = (line.split("\t", 2) for line in output.splitlines())
        return [Commit(*row) for row in rows if len(row) == 3]

    def _git(self, *arguments: str) -> str:
        """What git says; empty when it is missing, fails, or takes too long."""
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("GIT_")
        } | {
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ALLOW_PROTOCOL": "none",
            "LC_ALL": "C.UTF-8",
        }
        try:
            done = subprocess.run(
                ["git", *_SAFE, "-C", self.root, *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=environment,
                timeout=TIMEOUT,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return "" if done.returncode else done.stdout.decode("utf-8", "replace")
