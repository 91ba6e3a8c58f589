"""The body of a memory: a rule or a fact, why it holds, how to apply it."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from reverie.data import patterns

_RE = patterns("long-term.txt", "bodies")

_LABELS = {
    "rule": "rule",
    "fact": "rule",
    "decision": "rule",
    "lesson": "rule",
    "why": "why",
    "reason": "why",
    "how to apply": "how",
    "how": "how",
    "said": "said",
}


_DESCRIPTION = 150
_TITLE = 80  # characters of a sentence that is its own title
_FEWEST = 4  # words of a title that is cut from a longer one


class Parts(NamedTuple):
    """What a body says; empty strings for what it leaves out."""

    rule: str
    why: str
    how: str


def compose(rule: str, why: str = "", how: str = "") -> str:
    """A body in the form that `parts` reads back."""
    lines = [rule.strip()]
    if why:
        lines.append(f"**Why:** {why.strip()}")
    if how:
        lines.append(f"**How to apply:** {how.strip()}")
    return "\n\n".join(lines) + "\n"


def head(type_: str, kind: str) -> str:
    """What the first line of a memory is called."""
    if type_ in {"feedback", "user"}:
        return "Rule"
    return "Decision" if kind == "decision" else "Fact"


def parts(body: str) -> Parts:
    """Rule, why and how of a body; text before the first label is the rule."""
    texts = {"rule": "", "why": "", "how": "", "said": ""}
    labels = list(_RE.label.finditer(body))
    lead = body[: labels[0].start()] if labels else body
    texts["rule"] = _tidy(lead)
    for at, label in enumerate(labels):
        end = labels[at + 1].start() if at + 1 < len(labels) else len(body)
        key = _LABELS[(label["bold"] or label["plain"]).lower()]
        text = _tidy(body[label.end() : end])
        labelled_rule = key == "rule" and text
        if labelled_rule or not texts[key]:
            texts[key] = text
    return Parts(texts["rule"], texts["why"], texts["how"])


def _tidy(text: str) -> str:
    """One paragraph: headings and line ends gone."""
    lines = (line.strip() for line in text.splitlines() if not line.lstrip().startswith("#"))
    return re.sub(r"^[-*][ \t]+", "", " ".join(line for line in lines if line))


def describe(text: str) -> str:
    """The first sentence, on one line, at most 150 characters."""
    line = " ".join(text.split())
    sentence = re.match(r".{12,}?[.!?。！？](?=\s|$)", line)
    first = sentence.group() if sentence else line
    return first.rstrip(".") if len(first) <= _DESCRIPTION else shortened(first, _DESCRIPTION)


def shortened(line: str, most: int = _TITLE) -> str:
    """A line that is too long, up to the end of a word."""
    return line[: most - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def headline(text: str) -> str:
    """A sentence that is short enough to be a title, or as much of it as stands alone; else ""."""
    line = " ".join(text.split()).rstrip(".")
    if len(line) <= _TITLE:
        return line
    for shorter in (line, _RE.case.sub("", line, count=1)):
        ends = [end for end in _RE.ending.finditer(shorter + "; ") if end.start() <= _TITLE]
        for end in reversed(ends):
            part = shorter[: end.start()]
            if _stands(part) and (end[0] != ", " or _RE.verbal.search(part)):
                return part[:1].upper() + part[1:] if shorter != line else part
    return ""


def _stands(part: str) -> bool:
    """Whether a part of a sentence can be read alone."""
    closed = part.count("`") % 2 == part.count('"') % 2 == part.count("“") - part.count("”") == 0
    return closed and len(part.split()) >= _FEWEST and not _RE.opening.match(part)


def replaced(body: str, words: Mapping[str, str]) -> str:
    """`body` with some words for others; what it quotes stays as it was said."""
    old = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True) if word)
    if not old:
        return body
    return "".join(
        line if line.startswith(">") else re.sub(old, lambda match: words[match[0]], line)
        for line in body.splitlines(keepends=True)
    )


def links(body: str) -> tuple[str, ...]:
    """Names linked as `[[other-name]]`, in order, each once."""
    return tuple(dict.fromkeys(match.strip() for match in _RE.link.findall(body)))


def without_quotes(text: str) -> str:
    """`text` with every line of a quotation emptied; the lines keep their numbers."""
    return _RE.quote.sub("> …", text)
