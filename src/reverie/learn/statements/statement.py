"""Statement: one sentence a person said, with what it does and what it would be as a memory.

A statement is worth keeping when the detector's head of that name says so. It is written unasked
only when it also is of the sort that may: a rule, ban, preference, pointer, decision or lasting
fact in plain words that stands alone. Never a question, an idea, a symptom, a remark on progress,
a choice among options, or an order about the one thing at hand.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from reverie.data import patterns
from reverie.language.apart import may_be_in_text
from reverie.language.cues import statement_cues
from reverie.language.frames import may_be_framed
from reverie.language.hearsay import narrows
from reverie.language.spelling import has_slip
from reverie.language.words import content, words
from reverie.learn.statements.kinds import is_global, kind_of, type_of
from reverie.learn.statements.lasting import Marked
from reverie.learn.statements.rule import (
    LONGEST,
    NAMED,
    RULE_WORDS,
    SUBJECT_WORDS,
    adds_to,
    carried,
    general,
    goes_on,
    is_clear,
    is_torn,
    lacks_a_name,
    names_first,
    names_itself,
    rule_of,
    uncapital,
)
from reverie.learn.statements.utterance import Sentence, is_proposal, is_question

Act = Literal[
    "rule", "preference", "decision", "fact", "reference",
    "order", "question", "idea", "symptom", "answer", "remark",
]  # fmt: skip

# What may become a memory without a question.
TELLING: frozenset[Act] = frozenset({"rule", "preference", "decision", "fact", "reference"})
CONFIRMED = "confirmation"  # the act of a way that was approved of
LASTING = 0.28  # of a step of `lasting`, as a share of certainty
AGAINST = 0.2  # said against what the agent did
MOST_WORDS = 45  # of a statement that is written unasked
OCCASION = 2  # telling words that a rule shares with what is being done
TOGETHER = 200  # characters of a rule with the sentence that names what it points at
DUTIFUL = 0.25  # worth from which a plain duty is written: four of five in held-out projects
FIRM = 0.12  # … and one that is said as firmly as a rule
CERTAIN = 0.7  # from which on four of five are kept by a reader of held-out projects, whatever form

_RE = patterns("statements.txt", "statement")


class Statement(NamedTuple):
    """One sentence, and the memory it would make."""

    place: int  # of the sentence in its turn
    quote: str  # as it was said
    rule: str  # without address and politeness
    why: str  # the reason that was given with it, "" when none was
    act: Act
    worth: float  # how likely it is worth keeping
    standing: bool  # said outright as a rule
    asked: bool  # the person asked for it to be remembered
    shared: bool  # holds in every project, or is about the person
    passing: bool  # said of this one time
    telling: bool  # of a sort that lasts by itself: on the person, a pointer, a dated event
    plain: bool  # of the sort that may be written unasked
    type: str
    kind: str
    lasting: float  # how much it reads as if it will hold tomorrow, by its words alone
    machine: bool  # a line of code, a log or praise among a person's words
    words: tuple[str, ...]
    lasts: bool = False  # worth keeping
    sure: bool = False  # written without a question
    merit: float = 0.0  # how much it deserves a decision, among what waits for one


class Around(NamedTuple):
    """The turn a sentence stands in."""

    sentences: Sequence[Sentence]
    corrects: bool = False  # what the agent said or did
    written: bool = False  # by a program, or out of a document: nobody speaks like that
    reviewed: bool = False  # … namely what a review says of code


def is_asked_for(sentence: str) -> bool:
    """Whether a person says that something shall be remembered."""
    return bool(_RE.asked.match(sentence))


def statement(part: Marked, place: int, worth: float, around: Around) -> Statement:
    """What a sentence says."""
    sentence = part.sentence
    beside = around.sentences
    before = beside[place - 1].text if place else ""
    after = beside[place + 1].text if place + 1 < len(beside) else ""
    rule, why = rule_of(sentence.text, before, after)
    # What a rule does not hold for belongs to it.
    excepted = after if rule and narrows(after) else ""
    quote = f"{sentence.text} {excepted}".rstrip()
    sort, act = part.sort, act_of(part)
    if act == "decision" and _RE.duty.search(rule):
        act = "rule"
    # What is to go, and why, will not come back; any other order is carried out and over.
    if act == "order" and why and _RE.ending.match(rule):
        act = "decision"
    passing = bool(_RE.passing.search(sentence.text))
    lasting_form = not (passing or around.written)
    type_ = type_of(sentence, act, sort)
    asked = is_asked_for(sentence.text) or bool(_RE.reminded.match(sentence.text))
    return Statement(
        place=place,
        quote=quote,
        rule=f"{_named(rule, act, beside[place - 1] if place else None)} {excepted}".rstrip(),
        why=why,
        act=act,
        worth=worth,
        standing=sort.standing,
        asked=asked and not sentence.question and bool(rule) and not around.written,
        shared=is_global(sentence, sort),
        passing=passing,
        telling=lasting_form and sort.lasts and not sentence.question,
        plain=lasting_form and _is_plain(part, act, f"{rule} {excepted}".rstrip(), why),
        type=type_,
        kind=kind_of(sentence, type_, corrects=around.corrects),
        lasting=min(1.0, max(0.0, LASTING * part.weight + AGAINST * around.corrects)),
        machine=bool(_RE.machine.search(sentence.text) or _RE.praise.match(sentence.text)),
        words=tuple(sentence.words),
    )


def act_of(part: Marked) -> Act:
    """What the sentence does, by its marks and the form of its clause; the first that fits."""
    sentence, said, marks, sort = part.sentence, part.said, part.marks, part.sort
    text = carried(sentence.text)
    rules = sort.standing or bool(_RE.ruling.search(text))
    if sort.pointer:
        return "reference"
    if sentence.question and (not is_proposal(sentence.words) or is_question(words(general(text)))):
        return "question"
    if _RE.idea.search(text):
        return "idea"
    if _RE.answer.match(text) and not sort.standing:
        return "answer"
    if marks["symptom"] and not rules:
        return "symptom"
    if _RE.progress.match(text):
        return "remark"
    if sort.personal:
        return "preference"
    if sort.event or (sort.meant and not rules):
        return "fact"
    if _RE.task.match(text) and not (sort.standing or sort.occasion):
        return "order"
    if rules:
        return "rule"
    if marks["choice"] or marks["ours"] or said["not_need"]:
        return "decision"
    return "fact" if marks["fact"] or marks["access"] else "remark"


def _is_plain(part: Marked, act: Act, rule: str, why: str) -> bool:
    sentence, sort = part.sentence, part.sort
    if act not in TELLING or sentence.question or len(sentence.words) > MOST_WORDS:
        return False
    # A reason tells what a short rule is about.
    short = bool(why) + (is_firm(rule) or bool(_RE.duty.search(rule)))
    fewest = RULE_WORDS if sort.standing or sort.lasts else min(NAMED, SUBJECT_WORDS - short)
    if len(rule) > LONGEST or not is_clear(rule, fewest):
        return False
    # … and gives it a ground of its own.
    added = not why and (adds_to(sentence.text) or goes_on(sentence.text))
    if not sort.standing and (lacks_a_name(rule) or (added and not names_itself(rule))):
        return False
    # Of what is seen on a screen the next look says more; of the one thing at hand, with neither a
    # reason nor a class of things, it is an order.
    shown = is_of_screen(rule) and not sort.personal
    single = is_of_one_thing(rule) and not (why or part.said["quantifier"])
    if shown or single:
        return act == "rule" and sort.standing
    return reads_well(sentence.text, rule)


def reads_well(quote: str, rule: str) -> bool:
    """Whether it neither talks about the talk or the agent, nor is pasted, nor has a slip."""
    shapes = (
        _RE.talk.search(rule),
        _RE.leaning.search(rule),
        _RE.of_agent.match(rule),
        _RE.pasted.search(quote),
    )
    return not (any(shapes) or has_slip(rule))


def is_vague(rule: str, quote: str, why: str = "") -> bool:
    """Whether it leans on what was said beside it, or could not be written as it reads."""
    apart = not why and (adds_to(quote) or goes_on(quote)) and not names_itself(rule)
    return apart or lacks_a_name(rule) or not (is_clear(rule) and reads_well(quote, rule))


def _named(rule: str, act: Act, before: Sentence | None) -> str:
    """The rule, after the sentence that names what it points at, or what it is for."""
    if not rule or before is None or before.question:
        return rule
    if is_clear(rule, RULE_WORDS):
        doing = _RE.doing.match(before.text)
        shared = content(before.words) & content(words(rule))
        occasion = act in TELLING and doing and len(shared) >= OCCASION
        return f"When {doing['what']}, {uncapital(rule)}" if occasion and doing else rule
    if names_first(rule):
        return rule
    line = f"{general(before.text)} {rule}"
    return line if len(line) <= TOGETHER and len(before.words) >= SUBJECT_WORDS else rule


def may_be_asked(act: str, rule: str, quote: str) -> bool:
    """Whether somebody who was not there could decide about it: it states something, and says what.

    Questions, ideas, symptoms, orders, remarks, code, what leans on something said before and
    unfinished sentences stay statements.
    Where no lexicon reads the words, what they do is not known.
    """
    states = act in TELLING or act == CONFIRMED or not rule.isascii()
    leans = act != CONFIRMED and _RE.leaning.search(rule)
    apart = leans or is_torn(rule) or _RE.pasted.search(quote)
    return states and is_clear(rule, RULE_WORDS) and not apart


def is_firm(rule: str) -> bool:
    """Whether it is said as firmly as a rule, and not of what is at hand: a ban, an "only"."""
    return bool(_RE.firm.search(rule)) and not _RE.at_hand.search(rule)


def is_of_one_thing(rule: str) -> bool:
    """Whether it names a line, a function, an issue, a label on a screen."""
    return bool(_RE.named.search(rule))


def is_of_screen(rule: str) -> bool:
    """Whether it speaks of what is seen on a screen."""
    return statement_cues().counted(words(rule))["screen"] > 0 or bool(_RE.shown.search(rule))


def may_be_written(said: Statement, write: str, bar: float) -> bool:
    """Whether a statement becomes a memory unasked; `bar` is the worth that the detector asks for.

    A duty or a ban in plain words needs less. With "sure", what is nearly certain is written as it
    was said, though it may need its turn.
    """
    if said.asked or write == "never":
        return said.asked
    lasting = said.act in TELLING and not (said.passing or said.machine)
    certain = write == "sure" and said.worth >= CERTAIN and lasting
    agreed = not _RE.asking_back.search(said.quote)  # "…, right" waits for a yes
    if is_firm(said.rule):
        bar = min(bar, FIRM)
    elif said.act == "rule" and _RE.duty.search(said.rule) and not _RE.at_hand.search(said.rule):
        bar = min(bar, DUTIFUL)
    sure = said.worth >= bar
    return agreed and (certain or (said.plain and (said.standing or said.telling or sure)))


def is_framed(quote: str, turn: str) -> bool:
    """Whether what stands beside a statement in its turn may say that it is not a rule as it is."""
    reminds = is_asked_for(quote)
    personal = reminds or bool(_RE.mine.search(quote))
    framed = may_be_framed(turn, quote, personal=personal, reminds=reminds)
    return framed or may_be_in_text(turn, quote)
