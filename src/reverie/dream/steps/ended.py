"""Ended: memories of something that is over, to be archived.

What a memory says may have a last day, or name only things that are no longer there. Neither makes
it wrong for certain, so a person decides; what is pinned is left alone.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from reverie.dream.model import Change
from reverie.dream.night import Known, Night
from reverie.dream.steps.tidy import change_of

_LAST_DAY = re.compile(r"\b(?:until|till|through|up to|valid to)\s+(\d{4}-\d\d-\d\d)\b", re.I)


def ended(night: Night) -> list[Change]:
    """One change for each live memory that is over, in the order of the memories."""
    gone = dict(night.vanished)
    live = (one for one in night.known if not one.memory.path.startswith("/archive/"))
    return [change for one in live for change in _over(night, one, gone)]


def _over(night: Night, one: Known, gone: dict[str, str]) -> Iterator[Change]:
    if one.document.pinned or one.document.problem:
        return
    today = night.now[:10]
    last = last_day(one)
    if last and last < today:
        reason, valid_to = f"held until {last}", last
    elif one.memory.version_id in gone:
        reason, valid_to = f"what it names is gone: {gone[one.memory.version_id]}", today
    else:
        return
    change = change_of("archive", one, one.memory.content, reason)
    yield replace(change, new_path=f"/archive/{today}{one.memory.path}", valid_to=valid_to)


def last_day(one: Known) -> str:
    """The day up to which a memory holds, as its history or its own words say; "" for no end."""
    if one.memory.valid_to:
        return one.memory.valid_to[:10]
    said = _LAST_DAY.search(one.text)
    return said[1] if said else ""
