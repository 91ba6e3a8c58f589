"""Directions: for each head, which features may speak for it and which against it.

Reviewed by hand. Training sets how much each feature weighs, never which way it points; a feature
listed on neither side has no weight. On the labelled corpus this is worth more across projects
than any choice of model: what a few hundred labels of one team suggest by accident is shut out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Direction:
    """The two sides of one head, and features the ridge holds back less."""

    speaks_for: frozenset[str]
    speaks_against: frozenset[str]
    trusted: Mapping[str, float]

    def signs(self, names: Sequence[str]) -> list[int]:
        """+1, -1 or 0 for each feature."""
        return [(n in self.speaks_for) - (n in self.speaks_against) for n in names]


def _direction(up: str, down: str, trusted: Mapping[str, float] | None = None) -> Direction:
    return Direction(frozenset(up.split()), frozenset(down.split()), trusted or {})


CORRECTION = _direction(
    # words against
    "cue:no cue:wait cue:moan cue:wrong cue:actually cue:instead cue:revert cue:still cue:already "
    "cue:not_need cue:dont cue:should cue:thought cue:why cue:negative_question cue:doubt cue:but "
    "cue:or cue:only cue:problem cue:you cue:where cue:polarity start:no start:wait start:moan "
    "start:but start:or start:why start:doubt start:actually start:only start:thought "
    "start:not_need start:dont start:revert start:negative_question start:instead start:still "
    "start:should against against_density not_but negative_first ellipsis emphasis "
    # about what the agent said, or once more what was asked before
    "negated_echo repeat "
    # when it was said
    "refused feedback interrupted steer asked_by_tool agent_mid agent_plans agent_admitted edits "
    "calls since_text position last_failed call:edit call:plan "
    # how the agent took it
    "reply_admits reply_right thought_right thought_corrects re_edited undoes noted promises "
    "cut_short",
    "cue:agree cue:praise cue:ship cue:fix_order cue:request cue:asking cue:also cue:choice "
    "cue:one_off cue:review cue:document cue:test cue:future start:agree start:also start:request "
    "start:asking first_against ask_first what_first does_first verb_first short url fence "
    "bullets templated opening agent_silent agent_asked_end call:none thought_asks reply_complies "
    "reply_answers",
)

DURABLE = _direction(
    # a statement with a subject and a reason
    "say:best say:ban say:reason not_but cue:not_need cue:avoid cue:place cue:keep cue:always "
    # against what the agent held, and taken so
    "against against_density refused feedback asked_by_tool agent_recommends agent_options "
    "agent_explains reply_admits reply_right re_edited thought_right thought_corrects noted "
    "promises",
    "question_end questions ask:share say:asks_only ask_first what_first does_first is_first "
    "negative_first verb_first short ellipsis exclaims fence bullets impersonal templated "
    "numbers_new numbers_shared cue:asking cue:request cue:one_off cue:ship cue:fix_order "
    "cue:self cue:moan cue:review cue:why cue:doubt say:passing say:pronouns thought_asks "
    "reply_answers reply_complies opening agent_silent",
    trusted={"say:best": 4.0, "impersonal": 2.0},
)

# Of a correction: does it say what is right?
EXPLICIT = _direction(
    "say:best say:rule say:ban say:choice say:contrast say:fact say:ours say:reason say:plain "
    "say:plain_words ask:choice ask:contrast ask:rule cue:should cue:instead cue:not_need cue:dont "
    "cue:keep cue:use cue:name cue:where cue:place cue:together cue:wish cue:request cue:only "
    "cue:already cue:actually cue:because cue:opinion cue:thought cue:revert cue:fix_order "
    "cue:quantifier start:together start:actually start:only start:should start:no start:thought "
    "start:request start:wish start:revert start:keep verb_first not_but names words refused "
    "feedback asked_by_tool agent_recommends agent_options reply_admits reply_complies",
    "question_end questions ask:share say:asks_only ask_first what_first is_first does_first "
    "negative_first cue:why cue:doubt cue:still cue:problem cue:moan cue:asking cue:but cue:self "
    "cue:negative_question start:why start:doubt start:moan start:but start:still start:self "
    "start:asking start:negative_question ask:ban ellipsis exclaims fence short reply_answers",
)

HEADS = {"correction": CORRECTION, "durable": DURABLE, "explicit": EXPLICIT}
