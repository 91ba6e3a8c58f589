"""Legible: whether a lesson can be read alone and stays true, by its form.

Whoever distils a session knows what was meant, and leaves out what it was about; tells a decision
as the work it led to; says "only" and "always" where nobody did. Such a lesson is sent back once,
with what is to be mended: the forms are sure enough to ask, not to refuse.
"""

from collections.abc import Iterable, Iterator

from reverie.data import patterns
from reverie.documents.vocabulary import Kind

_RE = patterns("work.txt", "legible")


def illegible(text: str, kind: Kind | str, said: Iterable[str]) -> Iterator[str]:
    """What is to be mended in the words of a lesson, given all that it rests on."""
    match = _RE.dangling.search(text) or _RE.here.search(text)
    if match:
        yield f"{match[0].strip()!r} does not say what is meant to who reads it alone: name that"
    if guessed := _RE.guess.search(text):
        yield f"{guessed[0]!r} tells a guess: say what is known, or leave it out"
    planned = _RE.plan.search(text)
    work = kind == "decision" and _RE.work.search(text) and not _RE.lasting.search(text)
    if planned or work:
        yield (
            "it tells work that is to be done: say what holds when it is done, or leave it out if"
            " it was about nothing but that work"
        )
    whole = "\n".join(said)
    for wide in (_RE.only, _RE.every):
        added = wide.search(text)
        if added and not (wide.search(whole) or _RE.bound.search(whole)):
            yield f"nobody said {added[0]!r}: leave that out, or name the line that says so"
