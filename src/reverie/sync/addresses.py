"""Addresses of remotes: what is a URL, and what of it may be shown."""

import re

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://")
_SCP = re.compile(r"(?:[\w.-]+@)?[\w.-]+:(?!\\)[^\s]+")


def is_url(remote: str) -> bool:
    """Whether it names a git repository elsewhere, rather than a folder."""
    if _SCHEME.match(remote):
        return True
    # `host:path` as ssh takes it; `C:\\path` is a folder.
    return bool(_SCP.fullmatch(remote)) and not re.match(r"[a-zA-Z]:[\\/]", remote)


def shown(remote: str) -> str:
    """An address without a password in it."""
    return re.sub(r"(://[^/@\s]*?):[^/@\s]*@", r"\1:***@", remote)
