"""Remarks: the sentences of a session that could be said again in another one.

Wider than the lessons that are written at once: a wish that nobody would remember for its own sake
becomes a rule when it comes back on other days. How much a sentence reads as lasting is scored by
its form alone, so that it does not depend on what people talk about.
"""

from collections import Counter
from collections.abc import Sequence

from reverie.data import pairs, patterns
from reverie.language.words import Said, content, pattern, said, words
from reverie.learn.detect.judge import Judgement
from reverie.learn.statements import kinds
from reverie.learn.statements.lasting import Sentence, is_question, sentences
from reverie.learn.statements.lesson import forbidding, general
from reverie.sessions.index import SessionRead
from reverie.sessions.model import Turn
from reverie.sessions.remarks import RemarkRow

_RE = patterns("statements.txt", "remarks")

FEWEST_WORDS = 3
MOST_WORDS = 45
MOST_SENTENCES = 14
LONG_TURN = 1_200  # characters of prose; longer ones are briefs and pastes
SPOKEN = frozenset({"prompt", "steer", "reject_feedback"})

_MARKS = [(pattern, float(step)) for step, pattern in pairs("statements.txt", "remarks.marks")]
_AGAINST = [(pattern, float(step)) for step, pattern in pairs("statements.txt", "remarks.against")]
# First letter and letters in order of the alphabet → the word, for letters that changed places.
_TURNING = {(word[0], "".join(sorted(word))): word for word in _RE.text("turning").split()}
AS_CORRECTION = 0.2  # said against what the agent did
OPENING = -0.4  # the first sentence of a session is its task
FROM_LONG = -0.25


def remarks(read: SessionRead, judgements: Sequence[Judgement]) -> list[RemarkRow]:
    """The remarks of one session, in order."""
    found: list[RemarkRow] = []
    on_line: Counter[int] = Counter()  # a damaged log can hold several turns on one line
    for number, judgement in enumerate(judgements):
        turn = read.turns[judgement.turn_index]
        if judgement.turn_index in read.copied or not _is_own(turn):
            continue
        own = said(turn.text)
        # A ban and what to do instead are one remark: "don't use x; y does that".
        prose = own.prose.replace("; ", ", ")
        before = on_line[turn.line]
        for place, sentence in enumerate(sentences(prose)[:MOST_SENTENCES], before):
            opening = number == 0 and place == 0
            row = _remark(read, turn, own, judgement, sentence, place, opening=opening)
            on_line[turn.line] += 1
            if row is not None:
                found.append(row)
    return found


def _is_own(turn: Turn) -> bool:
    """A person's own words: not a paste, not injected, not taken back."""
    text = turn.text.lstrip()
    return (
        turn.kind in SPOKEN
        and turn.typed != "injected"
        and not turn.undone
        and bool(text)
        and not (text.startswith("<") and ">" in text[:60])
        and not text.startswith("Operation stopped by hook")
    )


def _remark(
    read: SessionRead,
    turn: Turn,
    own: Said,
    judgement: Judgement,
    sentence: Sentence,
    place: int,
    *,
    opening: bool,
) -> RemarkRow | None:
    asked_to = bool(_RE.asked_to.search(sentence.text))
    # "Use tabs, ok?" asks nothing.
    text = mended(_RE.tag.sub("", _RE.before.sub("", sentence.text)))
    text = forbidding(text)
    if (is_question(words(text)) and not asked_to) or _says_nothing(text):
        return None
    line = general(text)
    if not FEWEST_WORDS <= len(sentence.words) <= MOST_WORDS or len(content(sentence.words)) < 2:
        return None
    only = said(text)
    standing = not asked_to and kinds.is_standing(only)
    score = _form(text, line)
    score += AS_CORRECTION * (judgement.correction.label != "none") + OPENING * opening
    score += FROM_LONG * (len(own.prose) > LONG_TURN)
    if not opening and judgement.durable.label != "none" and judgement.durable.lesson == line:
        score = max(score, judgement.durable.score)
    passing = bool(_RE.passing.search(text))
    kind = kinds.kind_of(only, judgement.correction.label == "explicit")
    return RemarkRow(
        session=read.key,
        line=turn.line,
        place=place,
        agent=read.head.agent,
        project=read.project.slug,
        at=turn.at,
        text=line,
        quote=" ".join(sentence.text.split()),
        lasting=round(min(1.0, max(0.0, score)), 3),
        standing=standing and not passing and len(own.prose) <= LONG_TURN,
        shared=kinds.is_global(only),
        passing=passing,
        kind=kind,
        type=kinds.type_of(kind, only),
        trust="user" if turn.typed == "typed" else "agent",
    )


def _says_nothing(text: str) -> bool:
    return bool(_RE.machine.search(text) or _RE.praise.match(text))


def mended(text: str) -> str:
    """The text with the small words that turn its meaning spelled right: `instaed` → `instead`."""
    return pattern(r"[a-z]{5,}").sub(lambda match: _spelled(match[0]), text)


def _spelled(word: str) -> str:
    lower = word.lower()
    meant = _TURNING.get((lower[0], "".join(sorted(lower))), lower)
    return word if meant == lower else meant


def _form(text: str, line: str) -> float:
    """The score of the form: marks of rules, bans and reasons, against those of a passing task."""
    score = 0.1
    for text_pattern, step in _MARKS:
        target = line if text_pattern.startswith("^") else text
        score += step if pattern(text_pattern).search(target) else 0.0
    for text_pattern, step in _AGAINST:
        target = line if text_pattern.startswith("^") else text
        score -= step if pattern(text_pattern).search(target) else 0.0
    return score
