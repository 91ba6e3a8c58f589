"""What is there to be replaced: `@@DB_PASSWORD@@`, `<your api key>`, `CHANGEME_TOKEN`.

A mark looks like nothing else. A bare name may only get another one, so that what takes its place
must be no name.
"""

import re
from functools import lru_cache

from reverie.data import patterns
from reverie.privacy.grammar import in_text

_RE = patterns("judgement.txt", "filled")
_MARK = "(?i){mark}"
_EDGES = re.compile(r"^[^A-Za-z0-9]+|[^A-Za-z0-9]+$")
_SEPARATORS = "/|,:!~;+^ "
_LONGEST = 100


@lru_cache(maxsize=2048)
def name_of_mark(text: str) -> str:
    """The name of a secret that is all there is in a text to be replaced; else nothing."""
    text = text.strip()
    if not text or len(text) > _LONGEST or "\n" in text or not in_text(_MARK).fullmatch(text):
        return ""
    bare = _EDGES.sub("", text)
    return _RE.affix.sub("", bare) or bare


def is_mark(text: str) -> bool:
    """Whether a text is there to be replaced: in brackets or signs, in capitals, or with a word
    that says so."""
    return _RE.mark.search(text.strip()) is not None


def last_mark(text: str) -> str:
    """What a value behind `text` takes the place of."""
    last = ""
    for mark in in_text(_MARK).finditer(text):
        last = mark[0].strip(_SEPARATORS)
    return last
