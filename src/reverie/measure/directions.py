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
    "start:should against against_density not_but negative_first ellipsis emphasis say:contrast "
    "say:ban ask:contrast ask:ban "
    # about what the agent said or did
    "negated_echo like_agent like_tail in_agent in_tail in_call shared echo_grams echo_share "
    "marks_shared numbers_shared repeat repeat_last repeat_in repeated_next "
    # when it was said
    "refused feedback interrupted steer asked_by_tool agent_mid agent_plans agent_admitted edits "
    "calls since_text position last_failed call:edit call:plan "
    # how the agent took it
    "reply_admits reply_right thought_right thought_corrects re_edited undoes noted promises "
    "cut_short",
    "cue:agree cue:praise cue:ship cue:fix_order cue:request cue:asking cue:also cue:choice "
    "cue:one_off cue:review cue:document cue:test cue:future start:agree start:also start:request "
    "start:asking first_against ask_first what_first does_first verb_first short new url fence "
    "bullets templated opening agent_silent agent_asked_end call:none thought_asks reply_complies "
    "reply_answers",
)

DURABLE = _direction(
    # a statement with a subject and a reason
    "say:best say:rule say:ban say:ours say:choice say:reason say:fact say:contrast say:plain "
    "say:plain_words say:proper ask:contrast ask:rule ask:ours ask:choice ask:reason words chars "
    "new path marks_new prose_share not_but cue_families cue_density "
    "cue:no cue:not_need cue:dont cue:should cue:always cue:avoid cue:we cue:ours cue:because "
    "cue:keep cue:name cue:document cue:test cue:use cue:place cue:instead cue:already cue:only "
    "cue:opinion cue:where cue:together cue:quantifier cue:future cue:wrong cue:thought cue:wish "
    "cue:polarity start:no start:not_need start:dont start:we start:keep start:opinion "
    "start:should start:thought start:together start:actually "
    # against what the agent held, and taken so
    "against against_density shared like_agent like_tail negated_echo repeat_in refused feedback "
    "asked_by_tool agent_recommends agent_options agent_explains reply_admits reply_right "
    "reply_calls re_edited thought_right thought_corrects noted promises",
    "question_end questions ask:share ask_first what_first does_first is_first negative_first "
    "verb_first short ellipsis exclaims fence lines bullets impersonal templated numbers_new "
    "numbers_shared "
    "cue:asking cue:request cue:one_off cue:ship cue:fix_order cue:problem cue:still cue:moan "
    "cue:you cue:self cue:review cue:agree cue:why cue:doubt cue:but cue:or cue:praise "
    "start:request start:asking start:agree start:why start:doubt start:or start:but start:self "
    "start:also start:moan start:still start:revert say:passing say:pronouns say:asks_only "
    "thought_asks reply_answers reply_complies opening agent_silent last_failed failures",
    trusted={"say:best": 4.0, "impersonal": 2.0},
)

# Of a correction: does it say what is right?
EXPLICIT = _direction(
    "say:best say:rule say:ban say:choice say:contrast say:fact say:ours say:reason say:plain "
    "say:plain_words ask:choice ask:contrast ask:rule cue:should cue:instead cue:not_need cue:dont "
    "cue:keep cue:use cue:name cue:where cue:place cue:together cue:wish cue:request cue:only "
    "cue:already cue:actually cue:because cue:opinion cue:thought cue:revert cue:fix_order "
    "cue:quantifier start:together start:actually start:only start:should start:no start:thought "
    "start:request start:wish start:revert start:keep verb_first not_but path ident marks_new new "
    "words chars refused feedback asked_by_tool agent_recommends agent_options reply_admits "
    "reply_complies prose_share",
    "question_end questions ask:share say:asks_only ask_first what_first is_first does_first "
    "negative_first "
    "cue:why cue:doubt cue:still cue:problem cue:moan cue:asking cue:but cue:self start:why "
    "start:doubt start:moan start:but start:still start:self start:asking ellipsis exclaims fence "
    "lines short reply_answers ask:ban cue:negative_question start:negative_question",
)
