"""Which secret an edit puts in the place of its mark."""

import re
from typing import Any

from reverie.privacy.carried import is_sure
from reverie.privacy.literals import is_readable
from reverie.privacy.marks import is_mark, name_of_mark
from reverie.privacy.neighbours import SECRETISH, names_a_field, stands_out

_BODY = re.compile(r"[A-Za-z0-9+/=\s]+")  # of a key


def filled_by(old: Any, new: Any) -> str:
    """The name of the secret that takes the place of `old`; else nothing."""
    if not isinstance(old, str) or not isinstance(new, str) or not SECRETISH.search(old):
        return ""
    name = name_in_mark(old)
    if not name or name_in_mark(new) or ("\n" in new.strip() and not _BODY.fullmatch(new)):
        return ""
    if is_mark(old):
        return name
    return name if stands_out(new) and not is_readable(new) else ""


def left_for(old: Any, new: Any) -> str:
    """The name of the secret that was taken out for a mark of its own."""
    if not isinstance(old, str) or any(map(str.isspace, old)) or not is_sure(old):
        return ""
    return filled_by(new, old)


def name_in_mark(text: str) -> str:
    """The same of a mark alone."""
    name = name_of_mark(text)
    return name if name and names_a_field(name) else ""
