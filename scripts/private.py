"""Refuse what must not be committed: a real home folder's path, a private key.

Used by pre-commit with file names; without any it checks every file git tracks.
"""

import re
import subprocess
import sys
from pathlib import Path

# Assembled from parts, so that this file passes its own check.
HOME_PATH = re.compile(rb"(?<![\w.~-])/(?:home|Users)/(?!(?:dev|me|user|you|u|runner)\b)[\w.-]+/")
ROOT_HOME = re.compile(rb"(?<![\w.~-])/" + rb"root/\.?\w+")
PRIVATE_KEY = re.compile(
    rb"-----BEGIN (?:[A-Z]+ )*PRIV" + rb"ATE KEY(?: BLOCK)?-----\s+[\w+/=]{40,}"
)

RULES = (
    ("an absolute home path", HOME_PATH),
    ("an absolute home path", ROOT_HOME),
    ("a private key", PRIVATE_KEY),
)


def problems(path: Path) -> list[str]:
    """One line per rule that `path` breaks."""
    data = path.read_bytes()
    found: list[str] = []
    for what, pattern in RULES:
        if match := pattern.search(data):
            line = data.count(b"\n", 0, match.start()) + 1
            found.append(f"{path}:{line}: {what}")
    return found


def tracked() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True).stdout
    return [Path(name.decode()) for name in listing.split(b"\0") if name]


def main(names: list[str]) -> int:
    files = [Path(name) for name in names] or tracked()
    found = [line for file in files if file.is_file() for line in problems(file)]
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
