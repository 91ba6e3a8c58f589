"""Condense: a person's or an agent's words, shorter, and still their words."""

from reverie.data import patterns
from reverie.language.words import READ, said
from reverie.learn.traffic.commands import shortened

_RE = patterns("diaries.txt", "condense")
ENOUGH = 4  # spaces; a shorter sentence says "done", not what
MOSTLY_OWN = 0.9
PASTED = 400  # characters; a shorter paste is not worth a remark
ANSWER_WORDS = 2  # content words; fewer is an answer, not a wish of its own


def sentences(text: str, limit: int = 6_000) -> list[str]:
    """The sentences of a text, without markup, tables and code; hollow ones are left out."""
    bare = _RE.markup.sub("", _RE.fence.sub("\n", text[:limit]))
    parts = [" ".join(part.split()) for part in _RE.sentence.split(bare)]
    return [part for part in parts if len(part) > 2 and not _RE.hollow.match(part)]


def telling_sentence(text: str, limit: int) -> str:
    """The first sentence with a cause or an intent, else the first that says something."""
    parts = sentences(text, 1_500)
    long = [part for part in parts if part.count(" ") >= ENOUGH]
    telling = next((part for part in long if _RE.telling.search(part)), "")
    return shortened(telling or (long or parts or [""])[0], limit)


def titled(text: str, limit: int) -> str:
    """One line of at most `limit` characters: its first sentences, else its first clauses."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    led = _RE.led.match(line)
    for shape in (_RE.ended, _RE.parted, _RE.joint):
        ends = [match.end() for match in shape.finditer(line[:limit], led.end() if led else 0)]
        whole = line[: ends[-1]].rstrip(" ,;:—–-([") if ends else ""
        if whole.count(" ") >= ENOUGH:
            return whole
    return shortened(line, limit)


def results(text: str, limit: int) -> str:
    """What of an agent's words says what stands now: no plans, questions and offers."""
    return _whole([part for part in sentences(text) if not _RE.passing.search(part)], limit)


def request_of(text: str, limit: int) -> str:
    """What a person wanted, in one line; "" for greetings, choices, answers and the like.

    After a paste it is what they said about it.
    """
    heard = said(text)
    parts = sentences(heard.prose)
    if heard.share < MOSTLY_OWN:
        parts = [part for part in parts if _RE.asking.search(part)] or parts
    requests = (_RE.ahead.sub("", part) for part in parts if not _RE.no_request.search(part))
    wish = next((part for part in requests if len(said(part).content) >= ANSWER_WORDS), "")
    return titled(wish, limit)


def condensed(text: str, limit: int) -> str:
    """The beginning of what was said, in whole sentences where they fit.

    Pasted matter is left out and mentioned by its size.
    """
    heard = said(text)
    prose = heard.prose
    parts = sentences(prose) or [shortened(prose or text, limit)]
    cut = shortened(_whole(parts, limit), limit)
    if len(cut) < len(" ".join(parts)) and not cut.endswith("…"):
        cut += " …"
    rest = len(text) - int(heard.share * min(len(text), READ))
    if rest > PASTED and rest > len(text) // 4:
        cut += f" [+ {rest:,} characters pasted]"
    return cut


def _whole(parts: list[str], limit: int) -> str:
    """As many of the sentences as fit, the first of them in any case."""
    kept: list[str] = []
    size = 0
    for part in parts:
        if kept and size + len(part) > limit:
            break
        kept.append(part)
        size += len(part) + 1
    return " ".join(kept)
