"""Homes: a path below a home folder names a person and a machine, so it is told from `~` on.

For lessons, diaries, failures and calls. Quotes of what a person said stay as they are.
"""

import re

_NAME = r"[^\s/\\:\"'`<>|,;()\[\]{}]+"
_HOME = re.compile(
    # `/home` may also be a folder of a project (`src/home/`), the start of an import (`@/home/`)
    # or a page (`/home/settings`), which goes on as a path only sometimes.
    rf"(?:(?<![\w.@~}}])|(?<=-[ILF]))(?:/Users/(?!Shared\b){_NAME}"
    rf"|/home/{_NAME}(?=/|[\"'`:)\]]|\s*(?:&&|\|\||[;|])|\s*\Z)"
    rf"|/(?:mnt/)?[A-Za-z]/Users/{_NAME})"
    r"|(?<!\w)[A-Za-z]:(?:\\{1,2}|/)Users(?:\\{1,2}|/)(?!Public\b)"
    # A Windows name may hold spaces; then it ends where the path goes on.
    rf"(?:[^\\/:*?\"<>|\r\n]{{1,64}}(?=[\\/])|{_NAME})"
)


def tilde(text: str) -> str:
    """The text with every home folder as `~`."""
    if "/home/" not in text and "Users" not in text:
        return text
    return _HOME.sub("~", text)
