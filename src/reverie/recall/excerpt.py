"""The part of a text that answers: whole sentences around the one that meets a question best."""

import re
from collections.abc import Callable

_SENTENCE = re.compile(r"\S(?:[^\n.!?。！？]|[.!?](?!\s))*[.!?。！？]*")


def excerpt(text: str, worth: Callable[[str], float], limit: int) -> str:
    """`text`, or of a long one at most `limit` characters as they stand in it.

    The sentence worth most is there, and those beside it as far as they fit, the better one first.
    """
    text = text.strip()
    if len(text) <= limit:
        return text
    places = [match.span() for match in _SENTENCE.finditer(text)]
    values = [worth(text[start:end]) for start, end in places]
    first = last = max(range(len(places)), key=lambda place: (values[place], -place))
    room = limit - 2  # for the marks of what is left out
    while True:
        after = last + 1 < len(places) and places[last + 1][1] - places[first][0] <= room
        before = first > 0 and places[last][1] - places[first - 1][0] <= room
        if after and (not before or values[last + 1] >= values[first - 1]):
            last += 1
        elif before:
            first -= 1
        else:
            break
    start, end = places[first][0], places[last][1]
    cut = text[start:end]
    if len(cut) > room:
        cut = cut[:room].rsplit(" ", 1)[0] if " " in cut[:room] else cut[:room]
        end = start + len(cut)
    return ("…" if start else "") + cut + ("…" if end < len(text) else "")
