"""Is this what somebody proves in a header who they are?"""

import re

from reverie.privacy.chosen import is_own_word
from reverie.privacy.invented import is_word_phrase
from reverie.privacy.literals import is_call, is_filler, is_readable, names_a_secret
from reverie.privacy.passwords import is_mixed_value
from reverie.privacy.places import Place, refers

_SCHEME_NAMED = re.compile(r"(?i)authorization.{0,12}(?:bearer|basic|token|apikey|api-key)\s+\W*$")
_NAMES_A_KIND = re.compile(r"::\w*$")  # `AWS::Config::AggregationAuthorization`
_PARAMETERS = re.compile(
    r"\S*\s+\w+=|[\w-]{1,24}=[\"']"
)  # behind the name of a way, or of the first of them


def is_header(value: str, place: Place) -> bool:
    """Credentials of a header: a scheme in front of them is enough."""
    return (
        len(value) >= 8
        and not is_filler(value)
        and not refers(value)
        and not _NAMES_A_KIND.search(place.line)
        and value.lower() not in {"bearer", "basic", "digest"}
        and not _PARAMETERS.match(value + place.rest)
        and not (any(sign in value for sign in "([{") and is_call(value))
        and (not is_readable(value) or _follows_scheme(value, place))
    )


def _follows_scheme(value: str, place: Place) -> bool:
    """A literal behind the name of the header and of the way: `Authorization: Bearer tiger2258`."""
    if not _SCHEME_NAMED.search(place.key) or names_a_secret(value):
        return False
    return is_own_word(value) or is_mixed_value(value) or is_word_phrase(value)
