"""Endings: statements by which something no longer holds: it was mended, or is not needed any more.

"The login test was fixed" ends "the login test is flaky, run it twice"; "you no longer have to
restart the worker after a deploy" ends the rule to do so. What is only wished for or waited for
ends nothing, and neither does a word about something else: the thing must be the same as closely
as for any other two lessons.
"""

from reverie.data import patterns
from reverie.language.compare import meaning_of, relation
from reverie.language.polarity import state
from reverie.language.wording import tokens

_RE = patterns("language.txt", "ending")
_TELLING = 2  # words that a thing must share with a rule that uses it
_BESIDE = 3  # telling words at most that the rule may have besides


def is_ending(text: str) -> bool:
    """Whether a sentence says that something is over."""
    return bool(_mended(text) or _needless(text) or _thing(text))


def ends(new: str, old: str) -> bool:
    """Whether a later statement says that what an earlier one tells is over."""
    if mended := _mended(new):
        return any(
            state(tokens(part)) < 0 and relation(part, said) == "updates"
            for part in _parts(old)
            for said in (mended, new)
        )
    if deed := _needless(new):
        return any(relation(part, deed) == "same" for part in _parts(old))
    thing = _thing(new)
    return bool(thing) and _uses(old, thing)


def _mended(text: str) -> str:
    """ "X was fixed" without what else is told of it; empty for any other sentence."""
    match = _RE.mended.search(text.strip())
    if match is None:
        return ""
    thing = (match["thing"] or match["object"]).rstrip(" .!")
    said = f"{thing} was fixed"
    return said if "?" not in text and state(tokens(said)) > 0 else ""


def _needless(text: str) -> str:
    """What need not be done any more. Without "any more" it is only not done this time."""
    match = _RE.needless.search(text.strip())
    if match is None or "?" in text:
        return ""
    over = match["over"] or match["past"] or match["gone"] or "no longer" in match[0].lower()
    return (match["deed"] or match["act"] or "") if over else ""


def _thing(text: str) -> str:
    match = _RE.needless.search(text.strip())
    return match["thing"] or "" if match is not None and "?" not in text else ""


def _parts(old: str) -> list[str]:
    """A statement, and its clauses if it is a single sentence: one of them may be what is over."""
    whole = old.strip().rstrip(".!")
    clauses = [] if ". " in whole else _RE.clause.split(whole)
    return [whole, *(part for part in clauses if part != whole)]


def _uses(old: str, thing: str) -> bool:
    """Whether a rule is about using a thing: it asks for all of it, and for little else."""
    wanted, said = meaning_of(thing), meaning_of(old)
    telling = wanted.solid
    enough = len(telling) >= _TELLING or bool(wanted.names)
    asked = telling <= said.solid and all(said.signs[root] > 0 for root in telling)
    return enough and asked and len(said.solid - telling) <= _BESIDE
