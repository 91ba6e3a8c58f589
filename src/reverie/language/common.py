"""Common: words that everybody who programs uses in passing, whatever the project.

A hand-written list of general English and of the words of the trade; a group of remarks that
consists of them alone is most likely habit, not a rule.
"""

import re
from functools import cache, lru_cache

from reverie.language.compare import meaning_of

SHORTEST_ROOT = 4
PREFIX = 3  # letters in which a word and its stem agree; else the stem is that of a synonym
_ENDING = re.compile(r"(?:at(?:ors?|ions?|ing|ed|es?)?|ers?|ings?|ed|ions?)$")

_TEXT = (
    "myself own there's unless whether we've you're i'd i'm i've let's forgot forget grab "
    "api ci e2e endpoint everywhere host limit listen overall port "
    "readme timeout rerun ticket todo "
    "able about above accept across act actual add after again against agree ahead all allow "
    "almost alone along already also always amount another answer any anything anyway apart app "
    "appear application approach area argument around array arrive ask attempt available avoid "
    "away back bad base basic because become before begin behind believe below best better "
    "between big bit both bottom branch break bring broken bug build busy button call can "
    "capture care case cause certain chance change check choice choose class clean clear click "
    "client close code color colour column come command comment commit common compare complete "
    "component concern config configuration confirm consider contain content continue control "
    "copy correct count course cover create current cut dashboard data date day deal debug "
    "decide default define delete depend describe description design detail develop diff "
    "difference different directory discuss display do doc docs document documentation done "
    "double down drop during each early easy edit effect eight either element else empty end "
    "enough ensure enter entire entry error even every everything exact example except exist "
    "expect explain export extra fact fail failure fall far fast feature few field figure file "
    "fill filter final find fine finish first fit five fix folder follow font form format "
    "forward found four full function further general generate get give go good great group "
    "guess half hand handle happen hard have head header hear help here high hint hold home "
    "hope how icon idea if image implement import important improve include increase indeed "
    "info information input insert inside instead intend interface investigate involve issue "
    "item job join jump just keep key kind know label large last late later layout lead learn "
    "least leave left length less let level library like likely line link list little load "
    "local log logic long look loop lot low main make manage manner many mark matter may mean "
    "means menu merge message method middle mind miss missing mistake modal mode model module "
    "moment more most move much must name near necessary need never new next nice nine no none "
    "normal note nothing notice now number object obvious off offer often ok old once one only "
    "open option order other output outside over overview own page paragraph parameter part "
    "party pass past path people perfect perhaps period person picture piece place plan please "
    "point popup possible post prepare present press pretty previous print probably problem "
    "proceed process produce program progress project proper property propose provide pull "
    "purpose push put question quick quite raise range rather reach read ready real realise "
    "reason receive recent record reduce refactor refer regard relate release remain remember "
    "remove rename repeat replace repo report repository request require research "
    "rest result return revert review rewrite right row run same save say screen "
    "script search second section see seem select send sense sentence separate server service "
    "session set seven several shape share short should show side sign similar simple since "
    "single site six size skip slow small solution solve some something soon sort sound source "
    "space special specific split stage stand standard start state status stay step still stop "
    "string structure stuff style submit such suggest suite summarise summarize summary support "
    "suppose sure switch system tab table take talk target task tell ten term test text than "
    "thank thing think third though thread three through time tip title today together tomorrow "
    "too tool top total touch toward track tree trouble true try turn two type understand undo "
    "unit until up update upload usage use user usual value variable various verify version "
    "very view visible wait walk want warning watch way web website week well while whole why "
    "will window wish within without wonder word work world worth write wrong year yes yet your"
)


@lru_cache(maxsize=8192)
def root(word: str) -> str:
    """A word without the endings that make a noun of a verb: `validator`, `validation`."""
    cut = _ENDING.sub("", word)
    return cut if len(cut) >= SHORTEST_ROOT else word


@cache
def _stems() -> frozenset[str]:
    found: set[str] = set()
    for word in _TEXT.split():
        own = {root(stem) for stem in meaning_of(word).solid}
        found |= {word, *(stem for stem in own if stem[:PREFIX] == word[:PREFIX])}
    return frozenset(found)


def is_common(stem: str) -> bool:
    """Whether a word says little about what a remark is about."""
    return stem in _stems()
