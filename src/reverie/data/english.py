"""The English words that lists of words have, as one file; searched as text, since a table of them
all would take 20 MB."""

import gzip
from functools import cache
from string import ascii_lowercase

from reverie.data import FOLDER


def is_listed(word: str) -> bool:
    """Whether a word in lower case is an English one."""
    return f"\n{word}\n".encode() in beginning(word[:2])


@cache
def beginning(letters: str) -> bytes:
    """The words that begin with these letters, a line each."""
    listed = _dictionary().get(letters[:1], b"")
    sought = f"\n{letters}".encode()
    start, last = listed.find(sought), listed.rfind(sought)
    return listed[start : listed.find(b"\n", last + 1) + 1] if start >= 0 else b""


@cache
def _dictionary() -> dict[str, bytes]:
    """All words by their first letter."""
    listed = gzip.decompress((FOLDER / "english.txt.gz").read_bytes())
    starts = [listed.index(b"\n" + letter.encode()) for letter in ascii_lowercase]
    return {
        letter: listed[start : end + 1]
        for letter, start, end in zip(
            ascii_lowercase, starts, [*starts[1:], len(listed)], strict=True
        )
    }
