"""Clauses: what a sentence does, by the words it begins with.

An order, a duty, a wish of one's own, a reason, thanks: whoever asks whether words are plainly said
to the agent asks it of these. The words are in the lexicons, and of all languages at once, since
what stands beside a sentence may be in another one.
"""

from collections.abc import Sequence
from functools import cache

from reverie.data import patterns
from reverie.language.lexicon import ENGLISH, is_phrase, languages, lexicon
from reverie.language.words import words

_RE = patterns("language.txt", "clauses")

WORDED = 3  # words in which a speaker says what they do


def is_order(bare: Sequence[str]) -> bool:
    """Whether it begins with a verb; "release" may be one, "release the tool" is."""
    first, second = (*bare[:2], "", "")[:2]
    if first in known("nominal"):
        return second in known("determiners")
    return first in known("imperatives", "words") or "please" in bare


def is_duty(bare: Sequence[str]) -> bool:
    """Whether it says what is to be done always, or never."""
    return any(word in known("duties") for word in bare)


def begins_as_duty(bare: Sequence[str]) -> bool:
    """Whether a duty is its first word, or holds from now on."""
    begins = bare[0] in known("duties") or bare[0] in known("contrasts")
    return begins or begins_lasting(bare)


def begins_as_rule(bare: Sequence[str]) -> bool:
    """Whether it begins like a rule and goes on to say what is to be done."""
    return len(bare) > WORDED and bare[0] in known("duties") and bare[1] not in stops()


def is_own(bare: Sequence[str]) -> bool:
    """Whether a speaker wants, needs, thinks or uses something, at no time or place."""
    does = [word for word in bare[1:] if word not in known("adverbs")][:1]
    contracted = bare[0] not in {"i", "we", "you", "u", "ich", "wir", "du", "ihr"}
    personal = contracted or any(word in known("own") for word in does) or bare[0] == "you"
    return personal and not is_tied(bare)


def is_of_things(bare: Sequence[str]) -> bool:
    """Whether a duty is nobody's, and bound to no time, place or case."""
    return not is_tied(bare) and known("roles").isdisjoint(bare)


def is_tied(bare: Sequence[str]) -> bool:
    """Whether it is said of a time, a place or a case."""
    elsewhere = _RE.own_place.sub("", " ".join(bare)).split()
    return not known("ties").isdisjoint(elsewhere)


def is_everywhere(tokens: Sequence[str]) -> bool:
    """Whether it says that it holds in all of the project."""
    return bool(_RE.own_place.search(" ".join(tokens)))


def begins_lasting(bare: Sequence[str]) -> bool:
    """Whether it begins with a time that does not end: "from now on", "in future"."""
    return bool(_RE.lasting.match(" ".join(bare)))


def is_reason(tokens: Sequence[str]) -> bool:
    first, second = (*tokens[:2], "", "")[:2]
    if first == "so":
        return second in known("consequences")
    return first in known("reasons") or (first in known("behind") and second in known("reasoned"))


def says_again(sentence: str) -> bool:
    """Whether somebody says what they said themselves: "as I said"."""
    return bool(_RE.own_words.match(sentence))


def is_somebodys(sentence: str) -> bool:
    """Whether something in it belongs to somebody: "Dana's rule"."""
    return bool(_RE.possessive.search(sentence))


def begins_as_theirs(sentence: str) -> bool:
    """Whether a rule is somebody else's by its first words: "his rule is"."""
    return bool(_RE.theirs.match(sentence))


def plays(text: str) -> bool:
    """Whether somebody begins a game, in which nothing that is said is meant."""
    return bool(_RE.game.search(text))


def casts(text: str) -> bool:
    """Whether it says who the agent is, or the speaker will be: a game or a prompt begins so."""
    return bool(_RE.part.search(text))


def exclaims(tokens: Sequence[str]) -> bool:
    """Whether it begins with a cry."""
    return any(word in known("exclaims") for word in tokens[:1])


def is_a_title(bare: Sequence[str]) -> bool:
    """Whether a few words only name what follows a rule, a note, a wish."""
    return all(word in known("titles") or word.isdigit() for word in bare)


def is_a_nod(sentence: str) -> bool:
    """Whether it only thanks, agrees or insists."""
    bare = bare_of(words(sentence))
    return all(word in known("nods") for word in bare) or is_phrase("insists", sentence)


def is_of_work(sentence: str) -> bool:
    """Whether it asks, orders, wishes, rules, agrees or gives a reason: talk about the work."""
    tokens = words(sentence)
    bare = bare_of(tokens)
    if first_of(tokens) in known("waiting") or not known("roles").isdisjoint(tokens):
        return False
    begins = first_of(bare) in known("nods") | known("greetings")
    if not bare or begins or is_a_nod(sentence) or "?" in tokens:
        return True
    if is_phrase("objects", sentence) or is_duty(bare) or begins_lasting(bare) or is_reason(tokens):
        return True
    if _RE.together.match(sentence):
        return True
    if bare[0] in known("speakers"):
        return bare[0] != "let" and not known("wanting").isdisjoint(bare[1 : WORDED + 1])
    if agrees(bare):
        return True
    leaning = known("received") | known("pointing") | stops()
    second = first_of(bare[1:]) in known("determiners") and bare[0] not in leaning
    verb = begins_with_verb(bare) or (second and not bare[0].endswith("ed"))
    return verb or _may_order(bare)


def begins_with_verb(bare: Sequence[str]) -> bool:
    """Whether it begins with a verb: one that is known, or any word before an article."""
    first, second = (*bare[:2], "", "")[:2]
    # "Found a note" tells of oneself without saying so.
    tells = first.endswith(("ed", "ing")) or first in stops() | known("received") | known("saying")
    return is_order(bare) or (not tells and second in known("articles"))


def agrees(bare: Sequence[str]) -> bool:
    """Whether it nods at what the agent did: "that works, thanks"."""
    return all(word in known("nods") | known("nodded") for word in bare)


def _may_order(bare: Sequence[str]) -> bool:
    """Whether it may begin with a verb of a language of which few are known."""
    english = lexicon(ENGLISH).stop
    elsewhere = not english.issuperset(stops().intersection(bare))
    named = known("texts") | known("roles") | known("others") | known("announcing")
    return elsewhere and bare[0] not in stops() | named | known("reversing")


def bare_of(tokens: Sequence[str]) -> list[str]:
    """The words from the first on that says something."""
    start = next(
        (at for at, word in enumerate(tokens) if word not in known("openers")), len(tokens)
    )
    return list(tokens[start:])


def asked_for(tokens: Sequence[str]) -> list[str]:
    """The words from the verb on that says what is asked for: behind "can you please"."""
    line = " ".join(bare_of(tokens))
    lead = _RE.asking.match(line)
    return bare_of((line[lead.end() :] if lead else line).split())


def first_of(tokens: Sequence[str]) -> str:
    """The first word; "" where there is none."""
    return tokens[0] if tokens else ""


@cache
def known(name: str, table: str = "frames") -> frozenset[str]:
    """The words of a concept in all languages: what frames may be in another one."""
    return frozenset[str]().union(
        *(lexicon(language).words(f"{table}.{name}") for language in languages())
    )


@cache
def worded() -> frozenset[str]:
    """What texts are called, and what is done with them."""
    return known("texts") | known("announced") | known("wording")


def names_text(tokens: Sequence[str]) -> bool:
    """Whether one of the words is what a text is called, or several are."""
    return any(word in worded() or word.removesuffix("s") in worded() for word in tokens)


@cache
def stops() -> frozenset[str]:
    """The stop words of all languages."""
    return frozenset[str]().union(*(lexicon(language).stop for language in languages()))
