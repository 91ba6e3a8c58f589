"""Material: what of a turn its writer only shows, and did not say.

Told by its form (a diff, a mail, a chat with times, what a command printed) or by what stands
before it ("the README says:", "explain: …"). Where it ends is told by its form too. Of what ends
nowhere, only a last paragraph is the writer's own that asks for something, and rules nothing.
"""

from collections.abc import Sequence

from reverie.data import patterns, sections
from reverie.language.lexicon import is_phrase, languages, lexicon

_RE = patterns("language.txt", "shown")

_OWN_TAGS, _MATERIAL = (
    frozenset(sections("language.txt")[part].split()) for part in ("tags of one's own", "material")
)
_FORMS = ("diff", "commit", "yaml", "code", "rows")  # the last three are no part of others
_MARKS = frozenset('"“„«')
SALUTATION = 40  # characters


def voiced(text: str) -> str:
    """`text` without what its writer only shows; code and the output of programs may be in it."""
    bare = text.strip()
    if bare[:1] in _MARKS and _RE.passage.fullmatch(bare):
        return text  # nothing but a passage in quotation marks: who else would have said it?
    return "\n".join(_without_forms(_unreported(unquoted(text).split("\n"))))


def announces(sentence: str) -> bool:
    """Whether what stands behind the colon at the end of a sentence is somebody else's."""
    intro = _RE.intro.match(sentence)
    return bool(
        intro and (is_phrase("attributed", intro[1]) or is_phrase("labels", intro[1].strip()))
    )


def unquoted(text: str) -> str:
    """`text` without what stands between two tags: a file, a page, a selection is not said.

    Material may hold the closing tag itself, so that only the last one ends it, and material that
    nothing closes goes on to the end.
    """
    if "<" not in text:
        return text
    closings = {match[1].lower(): match for match in _RE.closing.finditer(text)}
    kept: list[str] = []
    at, line_end = 0, -1
    for opening in _RE.opening.finditer(text):
        if opening.start() < at:
            continue
        if line_end < opening.end():
            line_end = text.find("\n", opening.end()) % (len(text) + 1)
        name, given = opening[1].lower(), opening[2].strip()
        closing = closings.get(name)
        if closing is None or closing.start() < opening.end():
            end, quotes = len(text), bool(given) and name in _MATERIAL
        else:
            end = closing.end()
            quotes = bool(given) or name in _MATERIAL or (line_end < end and name not in _OWN_TAGS)
        if quotes:
            kept.append(text[at : opening.start()])
            at = end
    return "\n".join((*kept, text[at:])) if kept else text


def _without_forms(lines: Sequence[str]) -> list[str]:
    """The lines without those whose form says that somebody or something else wrote them."""
    prompts = [at for at, line in enumerate(lines) if _RE.prompt.match(line)]
    # After a mail, a chat or a printed file nothing but a request is one's own.
    endless = _endless(lines)
    kept: list[str] = []
    within = ""  # the form that the line before was of
    for at, line in enumerate(lines if endless is None else lines[:endless]):
        if within and not getattr(_RE, f"{within}_goes_on").match(line):
            within = ""
        if at in prompts:
            within = "output" if at == prompts[-1] else "session"
            kept.append(line)
        elif form := _form_of(line, _FORMS[:2] if within else _FORMS):
            within = form
        elif not within and not _RE.quote.match(line):
            kept.append(line)
    return kept if endless is None else [*kept, "", *_request(lines[endless:])]


def _form_of(line: str, forms: Sequence[str]) -> str:
    return next((form for form in forms if getattr(_RE, form).match(line)), "")


def _endless(lines: Sequence[str]) -> int | None:
    """Where something begins that has no end of its own; None when nothing does."""
    text = "\n".join(lines)
    forms = (_RE.mail, _RE.chat, _RE.printed, _RE.ticket, _RE.thread)
    matches = [form.search(text) for form in forms]
    if _RE.model_speaks.search(text):
        turns = list(_RE.speaker.finditer(text))
        matches.extend(turns[:1] if len(turns) > 1 else [])
    starts = [match.start() for match in matches if match]
    return text.count("\n", 0, min(starts)) if starts else None


def _request(lines: Sequence[str]) -> list[str]:
    """The last paragraph of some lines, if it asks for something and follows another one."""
    *before, last = "\n".join(lines).rstrip().rsplit("\n\n", 1)
    return last.split("\n") if before and _asks_only(last) else []


def _asks_only(paragraph: str) -> bool:
    return is_phrase("asks_for", " ".join(paragraph.split()))


def _unreported(lines: Sequence[str]) -> list[str]:
    """The lines without what they repeat of others: a report is not said by who reports it."""
    kept: list[str] = []
    announced = reporting = False  # what was announced has begun
    for at, line in enumerate(lines):
        bare = line.strip()
        if announced and bare:
            if not lines[at - 1].strip() and _is_document(bare):
                return [*kept, "", *_request(lines[at:])]
            announced, reporting = False, True
        reporting = reporting and bool(bare)
        if reporting:
            continue
        if _RE.pointing_up.match(line):
            kept.clear()
        elif bare and at == len(lines) - 1 and is_phrase("points_back", bare):
            _drop_paragraph(kept)
        line = _without_reports(line)
        intro = _RE.intro.match(line)
        alone = bool(intro) and intro.end() == len(line)
        if intro and alone and is_phrase("labels", intro[1].strip()):
            return [*kept, intro[0], "", *_request(lines[at + 1 :])]
        if intro and is_phrase("attributed", intro[1]):
            announced = alone
            line = intro[0]
        elif bare and is_phrase("points_ahead", bare):
            announced = True
        kept.append(_RE.passage.sub(" ", line))
    return kept


def _without_reports(line: str) -> str:
    """A line without what it tells of a text: "the manual says to …"."""
    for language in languages():
        line = lexicon(language).pattern("reported").sub(r"\1", line)
    return line


def _is_document(line: str) -> bool:
    """Whether a line begins what has several paragraphs: a heading, a salutation."""
    return bool(_RE.heading.match(line)) or (len(line) <= SALUTATION and line[-1] in ",!")


def _drop_paragraph(kept: list[str]) -> None:
    """Take the last paragraph off."""
    while kept and not kept[-1].strip():
        kept.pop()
    while kept and kept[-1].strip():
        kept.pop()
