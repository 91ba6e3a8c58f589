"""Values: the part of a lesson that an update changes while the subject stays.

A port, a prefix, a tool, a style: two of them for the same subject cannot both hold. What is only
added (another import, another decorator) can.
"""

import re

from reverie.language.wording import root_of

# Ordinary words of which one excludes the others; tools are names and need no list, but those
# with nothing beside them ("use npm") are only known to be of one kind by being here.
_CHOICE_TEXT = """
npm pnpm yarn bun
pip poetry uv pipenv conda pdm
tab space
single double
merge rebase squash
camelcase snakecase pascalcase kebabcase uppercase lowercase titlecase
pytest unittest nose
jest vitest mocha
black ruff yapf autopep8
eslint biome oxlint
vim emacs nano helix
docker podman
make just task
rest graphql grpc
json yaml toml xml
postgresql mysql sqlite mariadb mongodb
sync async
light dark
dev staging production
monday tuesday wednesday thursday friday saturday sunday
linux windows macos
bash zsh fish powershell
british american
metric imperial
ascending descending
daily weekly monthly quarterly
english german french spanish japanese chinese
main develop trunk
before after
upper lower
"""
# Things done to a value that leave room for another one.
_ADDITIVE_TEXT = """
add include import install mention support list log document attach contain decorate append-to
annotate incorporate integrate insert provide write describe cover cite link
decorator module plugin extension middleware dependency
"""
_COMMON_TEXT = """
able access account action active additional admin advance agent alert amount analysis annotation
answer api approach area argument array art article assert assertion attempt attention attribute
author autumn background backup bar base batch behaviour behavior block board body book boolean
border boundary box branch browser bucket budget buffer bug build bundle business button byte cache
caller card care category cause cell chain chance channel character chart chat check choice chunk
class client clock cloud cluster collection color colour column comment commit community company
compile complete complex component condition connection constant container content context control
conversation copy core cost count country coverage cron customer cycle dashboard database date day
deadline debug decision declaration decorator defect definition delay delivery demo dependency
deploy deployment design detail developer device diagram dialog difference digit direct directory
discount disk display docstring documentation domain draft driver duration edge edit editor effect
effort element email empty encoding endpoint engine enum entity entry enumeration environment error
estimate event exact exception exit export expression extension external factor failure feature
feedback fetch field filter final fixture flag float flow focus folder font footer force form
foundation frame framework frequency friend front function gap gateway general generator global goal
graph group guard guide handler hardware hash head header heading health height hidden history home
hook host hour html icon identifier image impact index indent information inner input install
instance integer integration interface internal invoice issue job join journal key keyboard keyword
label language large last latency latest layer layout lead leader length letter library licence
license limit link lint list load local lock log logger logic login long loop low machine mail
manager manual map margin marker market master match matter measure media meeting member memory menu
message metadata method metric middle migration minute mistake mobile mode model module moment money
monitor month morning motion move name namespace network night node noise null number object offer
office old open operation operator option order organization origin other output overview owner
package page paragraph parameter parent parser partner party pass password past patch path pattern
pause payload payment people percent performance period permission person phase phone photo picture
piece pipeline plan platform player plugin point pool port position post power prefix premise
preview price print private process processor product production profile progress prompt property
protocol provider proxy public publish pull purpose push quality query queue quick quote random
range rate raw reader record redirect reference region registry release remote repeat replica report
repository request reset resource response result retry return review role root round route router
row runner runtime safe sample scale schedule schema scope score screen script search season second
secret section security seed segment selector sender sequence series server session set setup shape
share shell shop short signal signature simple site size sleep slice slot small snapshot socket
solution sort sound source space spec speed staging standard state statement static station
statistic status step stock storage store stream string structure style subject submit suffix suite
summary support surface suite switch symbol syntax system table tag target task team template tenant
term test text theme thread threshold ticket tier time timeout timer timestamp timezone title today
token tool topic total trace track traffic transaction transfer transition translation tree trigger
true trust type unit update upload url usage user utility validation value variable vendor vendored
verification version video view warning watch web week weight wide widget width window word worker
workflow workspace world wrapper writer year zone
large second single double try annotation docstring assertion
"""

CHOICES: dict[str, int] = {
    form: number
    for number, line in enumerate(_CHOICE_TEXT.strip().splitlines())
    for word in line.split()
    for form in (word, root_of(word))  # as a name in code, and as a word
}
STYLES = frozenset(root_of(word) for word in _CHOICE_TEXT.split() if word.endswith("case"))
ADDITIVE = frozenset(root_of(word) for word in _ADDITIVE_TEXT.split())
_COMMON = frozenset(root_of(word) for word in _COMMON_TEXT.split())
_AFFIX = re.compile(r"^(?:[a-z0-9]{0,6}[_-]|[_-][a-z0-9]{0,6})$")
_ORDINARY_END = re.compile(r"(?:ings?|tions?|ments?|ness|ity|ally|able|ed|ous|ful|ies|ure|ance)$")


def is_affix(root: str) -> bool:
    """`a_`, `_q`, `get-`: a piece of a name."""
    return bool(_AFFIX.match(root))


def is_ordinary(root: str) -> bool:
    """Whether a word is one of the language, not the name of a tool or a thing."""
    return root in _COMMON or bool(_ORDINARY_END.search(root))


def exclude_each_other(one: str, other: str) -> bool:
    """Whether two values are known to be alternatives of one choice."""
    kind = CHOICES.get(one)
    return (kind is not None and kind == CHOICES.get(other)) or (is_affix(one) and is_affix(other))
