"""Together: neighbouring sentences of a short turn that rule the same thing are one memory.

"Exports have a header row. The first column is the id." Half of it would be found without the
other, or both beside each other as if they were two things.
"""

from collections.abc import Callable, Sequence

from reverie.data import patterns
from reverie.language.hearsay import found_at
from reverie.language.lexicon import lexicon
from reverie.language.words import content, words
from reverie.learn.statements.statement import Act, Statement, is_of_screen, reads_well

MOST = 4  # sentences of a turn that is short
LONGEST = 240  # characters of what they say together
SHARED = 2  # telling words of a fact or a decision and what stands beside it
RULING: frozenset[Act] = frozenset({"rule", "decision", "fact"})

_RE = patterns("statements.txt", "together")


def together(
    said: Sequence[Statement], turn: str, may_stand: Callable[[Statement], bool]
) -> tuple[Statement, ...]:
    """The statements of a turn, where what is written takes its neighbours along.

    `may_stand` says of one that is not written itself whether somebody else might have said it.
    """
    if len(said) > MOST:
        return tuple(said)
    joined = list(said)
    for at in range(len(joined) - 1):
        statement, other = joined[at : at + 2]
        if not (statement.sure or other.sure) or not _of_one_thing(statement, other):
            continue
        both = _both(statement, other)
        beside = other if statement.sure else statement
        apart = len(both.rule) > LONGEST or found_at(turn, both.quote) is None
        if not apart and (beside.sure or may_stand(beside)):
            joined[at : at + 2] = statement._replace(sure=False, lasts=False), both
    return tuple(joined)


def _of_one_thing(statement: Statement, other: Statement) -> bool:
    """Whether both rule, in words that may be written, and speak of the same."""
    if not all(_rules(each) for each in (statement, other)):
        return False
    shared = _telling(statement) & _telling(other)
    if statement.act == other.act == "rule":
        return bool(shared or _RE.goes_on.match(other.rule))
    return len(shared) >= SHARED


def _telling(statement: Statement) -> frozenset[str]:
    """The words that carry what it is about; what is to be done with that is said of much."""
    verbs = lexicon().words("words.imperatives")
    return content([word for word in words(statement.rule) if word not in verbs])


def _rules(statement: Statement) -> bool:
    kept = statement.sure or statement.lasts or statement.act == "rule"
    apart = statement.passing or statement.machine or statement.asked
    return (
        kept
        and statement.act in RULING
        and not apart
        and reads_well(statement.quote, statement.rule)
    )


def _both(statement: Statement, other: Statement) -> Statement:
    written = statement if statement.sure else other
    named = other.rule.startswith(statement.rule)  # what it points at was taken along already
    # What half of it says of a screen, all of it does.
    shown = any(is_of_screen(each.rule) and not each.standing for each in (statement, other))
    return written._replace(
        sure=written.sure and not shown,
        place=other.place,
        quote=f"{statement.quote} {other.quote}",
        rule=other.rule if named else f"{statement.rule} {other.rule}",
        why=statement.why or other.why,
        worth=max(statement.worth, other.worth),
        merit=max(statement.merit, other.merit),
        lasting=max(statement.lasting, other.lasting),
        standing=statement.standing or other.standing,
    )
