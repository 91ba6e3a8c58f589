"""A git repository as a remote: packs are files of one branch, which nobody needs to check out.

Git is only run against a bare repository of our own in the home: no hook, filter or setting of the
remote is obeyed, no program it names is started, and nobody is asked for a password. A branch holds
only files that are added, so whoever was first is simply built upon. What a home takes away (its
journal after a redaction) leaves the branch with its past: the branch begins anew.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from reverie.db.points import reached
from reverie.errors import RemoteAway, Unavailable
from reverie.files import make_private
from reverie.sync.addresses import shown
from reverie.sync.pack import MAX_PACK_BYTES
from reverie.sync.remote_folder import FORMAT, JOURNALS, MARKER, refuse_newer

BRANCH = "refs/heads/reverie"
_HERE = "refs/remotes/origin/reverie"
_LEFTOVERS = ("*.lock", "index.*", "refs/**/*.lock", "objects/*.lock", "objects/[ip]*/**/*.lock")
_TRIES = 6
_SECONDS = 120
_SETTINGS = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "commit.gpgSign=false",
    "push.gpgSign=false", "fetch.fsckObjects=true", "transfer.fsckObjects=true",
)  # fmt: skip
_REFUSED = ("Permission denied", "Authentication failed", "could not read Username", "error: 403")
_IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "reverie"), ("EMAIL", "reverie@localhost"))
}


class GitRemote:
    """One branch of a repository that several homes push to."""

    def __init__(self, url: str, place: Path, environ: Mapping[str, str]) -> None:
        self._url = url
        self._place = place
        self._environ = environ  # what git gets to see, but for what would lead it elsewhere

    def begin(self) -> None:
        """Fetch what is new.

        Raises:
            RemoteAway: no repository answers at that address.
            Unavailable: there is no git, or the repository wants a password.
            Refused: a newer program wrote there.
        """
        self._clear()
        self._fetch()
        if self._tip():
            refuse_newer(self._contents([MARKER]).get(MARKER, b""))

    def listing(self) -> list[str]:
        """The paths of all files of journals, in order."""
        if not self._tip():
            return []
        names = self._git("ls-tree", "-r", "-z", "--name-only", _HERE, JOURNALS).decode(
            errors="replace"
        )
        return sorted(name for name in names.split("\0") if name)

    def read(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The bytes of files; what is gone or too large is left out."""
        return self._contents(list(paths))

    def publish(self, new: Mapping[str, bytes], gone: Iterable[str] = ()) -> None:
        """Add files and push; then what is `gone` has left the branch and its past.

        Raises:
            Unavailable: the repository takes nothing, or others were first time and again.
        """
        left = list(gone)
        blobs = {path: self._hash(data) for path, data in new.items()}
        blobs[MARKER] = self._hash(json.dumps({"format": FORMAT}).encode())
        trouble = ""
        for _ in range(_TRIES):
            before = self._tip()
            trouble = self._push(self._commit(blobs, left, before), before, anew=bool(left))
            if not trouble:
                return
            reached("sync_rejected")
            self._fetch()
            if self._tip() == before:
                if not left:
                    break
                # It may allow no new beginning: then the past stays, and the branch goes on.
                trouble = self._push(self._commit(blobs, left, before, follow=True), before)
                if not trouble:
                    return
                break
        raise Unavailable(f"{shown(self._url)} took nothing: {trouble}")

    def _fetch(self) -> None:
        there = self._asked()
        if there == self._tip():
            return
        wanted = ["update-ref", "-d", _HERE]
        if there:
            wanted = [
                "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
                "--", self._url, f"+{BRANCH}:{_HERE}",
            ]  # fmt: skip
        if self._run(*wanted).returncode != 0:
            # The remote answers, so it may be the clone, which is nothing but a cache.
            shutil.rmtree(self._place, ignore_errors=True)
            self._clear()
            self._git(*wanted)

    def _asked(self) -> str:
        """The commit that the branch is at there; "" when it has none."""
        done = self._run("ls-remote", "--", self._url, BRANCH)
        if done.returncode == 0:
            return next(iter(done.stdout.decode(errors="replace").split()), "")
        lines = done.stderr.decode(errors="replace").splitlines()
        messages = (
            line.strip() for line in lines if line.strip() and "warning:" not in line.lower()
        )
        message = shown(next(messages, "nothing"))[:300]
        if any(words in message for words in _REFUSED):
            raise Unavailable(
                f"{shown(self._url)} does not let you in: git says: {message}",
                hint="sync asks for no password: let git keep it, or use a key of ssh",
            )
        raise RemoteAway(
            f"{shown(self._url)} does not answer: git says: {message}",
            hint="is the address right? then repeat it once it answers: nothing is lost",
        )

    def _clear(self) -> None:
        """A clone that can be used: made if there is none, without what a killed git left.

        Nobody else uses it, since an exchange holds the lock of the home.
        """
        for pattern in _LEFTOVERS:
            for file in self._place.glob(pattern):
                file.unlink(missing_ok=True)
        if not self._place.is_dir() or self._run("rev-parse", "--git-dir").returncode != 0:
            shutil.rmtree(self._place, ignore_errors=True)
            make_private(self._place)
            self._git("init", "--quiet", "--bare", "--template=", str(self._place), bare=False)

    def _tip(self) -> str:
        done = self._run("rev-parse", "--verify", "--quiet", _HERE)
        return done.stdout.decode().strip()

    def _hash(self, data: bytes) -> str:
        return self._git("hash-object", "-w", "--stdin", data=data).decode().strip()

    def _commit(
        self, blobs: Mapping[str, str], gone: list[str], before: str, *, follow: bool = False
    ) -> str:
        index = {"GIT_INDEX_FILE": str(self._place / f"index.{os.getpid()}")}
        self._git("read-tree", *([before] if before else ["--empty"]), extra=index)
        lines = [f"0 {'0' * 40}\t{path}\n" for path in gone]
        lines += [f"100644 {blob}\t{path}\n" for path, blob in blobs.items()]
        self._git("update-index", "--index-info", data="".join(lines).encode(), extra=index)
        tree = self._git("write-tree", extra=index).decode().strip()
        (self._place / f"index.{os.getpid()}").unlink(missing_ok=True)
        parents = ["-p", before] if before and (follow or not gone) else []
        return self._git("commit-tree", tree, *parents, "-m", "sync").decode().strip()

    def _push(self, commit: str, before: str, *, anew: bool = False) -> str:
        """Why it was not taken; "" when it was."""
        lease = [f"--force-with-lease={BRANCH}:{before}"] if anew else []
        done = self._run("push", "--quiet", *lease, "--", self._url, f"{commit}:{BRANCH}")
        if done.returncode == 0:
            self._git("update-ref", _HERE, commit)
            return ""
        return _last_line(done.stderr)

    def _contents(self, paths: list[str]) -> dict[str, bytes]:
        asked = "".join(f"{_HERE}:{path}\n" for path in paths).encode()
        rest = self._git("cat-file", "--batch", data=asked)
        contents: dict[str, bytes] = {}
        for path in paths:
            head, _, rest = rest.partition(b"\n")
            parts = head.split(b" ")
            if len(parts) != 3 or parts[1] != b"blob":
                if len(parts) == 3 and parts[2].isdigit():
                    rest = rest[int(parts[2]) + 1 :]
                continue
            size = int(parts[2])
            if size <= MAX_PACK_BYTES:
                contents[path] = rest[:size]
            rest = rest[size + 1 :]
        return contents

    def _git(
        self,
        *words: str,
        data: bytes = b"",
        extra: Mapping[str, str] | None = None,
        bare: bool = True,
    ) -> bytes:
        done = self._run(*words, data=data, extra=extra, bare=bare)
        if done.returncode != 0:
            raise Unavailable(f"{shown(self._url)}: git says: {_last_line(done.stderr)}")
        return done.stdout

    def _run(
        self,
        *words: str,
        data: bytes = b"",
        extra: Mapping[str, str] | None = None,
        bare: bool = True,
    ) -> "subprocess.CompletedProcess[bytes]":
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        where = [f"--git-dir={self._place}"] if bare else []
        kept = {name: value for name, value in self._environ.items() if not name.startswith("GIT_")}
        asked = {
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
            "GIT_SSH_COMMAND": self._environ.get("GIT_SSH_COMMAND", "ssh -o BatchMode=yes"),
            "LC_ALL": "C",
        }
        try:
            return subprocess.run(
                ["git", *settings, *where, *words],
                input=data,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
                cwd=self._place if self._place.is_dir() else None,
                env=kept | asked | _IDENTITY | dict(extra or {}),
                umask=0o077 if os.name == "posix" else -1,
            )
        except FileNotFoundError:
            raise Unavailable("there is no git here", hint="install git, or use a folder") from None
        except subprocess.TimeoutExpired:
            raise RemoteAway(f"{shown(self._url)} does not answer") from None


def _last_line(text: bytes) -> str:
    lines = [line for line in text.decode(errors="replace").splitlines() if line.strip()]
    failure = next((line for line in lines if line.startswith(("fatal:", "error:", " ! "))), "")
    return shown((failure or (lines[-1] if lines else "nothing")).strip())[:300]
