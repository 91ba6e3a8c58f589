"""Features: a scene as named numbers, for the linear heads of the detector.

Form of the words, cue families and where they stand, marks of lasting statements, the stage the
agent had set, its answer, and the echo of its words.
"""

import math
from collections.abc import Sequence

from reverie.data import patterns, word_sets
from reverie.language.cues import Cues, agent_cues
from reverie.language.lexicon import lexicon
from reverie.language.words import content, stem, words
from reverie.learn.detect.context import Scene
from reverie.learn.statements.lasting import Marked, turn_features
from reverie.learn.statements.utterance import Utterance

_RE = patterns("detector.txt", "features")
_WORDS = word_sets("detector.txt", "features")

# What a turn may begin with, each a feature.
_FIRST = ("ask_first", "what_first", "does_first", "negative_first", "verb_first")
# How texts begin that a program or another agent wrote as a prompt.
_TEMPLATES = ("#", "[", "<", "You are ", "Your ", "System:", "Operation ", "**")
_NOWHERE = 40.0  # stands for "no cue at all" where the place of the first cue is a number


# Echo: how the human's words relate to what the agent said.
_REACH = 5  # words after a negation that it still covers


def echo_features(before: str, utterance: Utterance) -> dict[str, float]:
    """`before` is the end of the agent's last text."""
    numbers = set(_RE.number.findall(utterance.prose))
    known = sum(number in before for number in numbers)
    return {
        "negated_echo": _negated_echo(utterance, before),
        "numbers_shared": min(3.0, known),
        "numbers_new": min(3.0, len(numbers) - known),
    }


def _negated_echo(utterance: Utterance, before: str) -> float:
    """How many of the agent's words stand in reach of a negation: "not the *cache*"."""
    negations = lexicon(utterance.language).words("words.negations")
    if negations.isdisjoint(utterance.words):
        return 0.0
    agent = content(words(before))
    last = -_REACH - 1
    hits = 0
    for place, word in enumerate(utterance.words):
        if word in negations:
            last = place
        elif place - last <= _REACH and stem(word) in agent:
            hits += 1
    return float(min(hits, 3))


def features(
    scene: Scene, utterance: Utterance, cues: Cues, parts: Sequence[Marked]
) -> tuple[dict[str, float], bool]:
    """(all features of one human turn, whether a phrase the user added occurs in it).

    `parts` are its sentences.
    """
    row = _form(scene, utterance)
    spoken, added = _cues(utterance, cues)
    row.update(spoken)
    row.update(turn_features(parts))
    row.update(_stage(scene))
    row.update(_answer(scene))
    row.update(echo_features(scene.before, utterance))
    return row, added


def _form(scene: Scene, utterance: Utterance) -> dict[str, float]:
    text, prose, tokens = scene.turn.text, utterance.prose, utterance.words
    known = lexicon(utterance.language)
    # "Do not…" is neither a question nor the order that its verb makes it look like.
    denied = not known.words("stop.denials").isdisjoint(tokens[1:2])
    first = tokens[0] if tokens and not denied else ""
    row = {name: float(first in known.words(f"turns.{name}")) for name in _FIRST}
    row["words"] = math.log1p(len(tokens))
    row["question_end"] = float("?" in tokens[-1:])
    row["questions"] = min(3.0, prose.count("?"))
    row["exclaims"] = min(3.0, prose.count("!"))
    row["ellipsis"] = float("..." in prose or "…" in prose)
    row["fence"] = float("```" in text)
    row["bullets"] = min(6.0, len(_RE.bullet.findall(text[:6000])))
    row["short"] = float(len(tokens) <= 4)
    row["impersonal"] = float(len(tokens) >= 30 and known.words("turns.persons").isdisjoint(tokens))
    row["templated"] = float(text.lstrip(' "').startswith(_TEMPLATES))
    return row


def _cues(utterance: Utterance, cues: Cues) -> tuple[dict[str, float], bool]:
    counts, first, added = cues.hits(utterance.words)
    place = dict(zip(cues.names, first, strict=True))
    row: dict[str, float] = {}
    for name, count in zip(cues.names, counts, strict=True):
        row[f"cue:{name}"] = float(min(count, 2))
        if name in _WORDS.starts:
            row[f"start:{name}"] = float(0 <= place[name] <= 2)
    places = [place[name] for name in _WORDS.against if place[name] >= 0]
    row["first_against"] = min(float(min(places)), _NOWHERE) if places else _NOWHERE
    row["not_but"] = float(bool(_RE.not_but.search(utterance.prose)))
    return row, added


def _stage(scene: Scene) -> dict[str, float]:
    """What the agent had just said and done."""
    before = scene.before
    ending = before.rstrip()[-220:]
    cues = agent_cues()
    said = cues.counted(words(before[-1500:]))
    opening = cues.hits(words(before[:60]))[1]
    asked = ending.rstrip("*_ \n").endswith("?")
    return {
        "opening": float(scene.position == 0),
        "feedback": float(scene.turn.kind == "reject_feedback"),
        "refused": float(scene.refused),
        "agent_silent": float(not before),
        "agent_asked_which": float(asked and _RE.which.search(ending) is not None),
        "agent_explains": float(said["explains"] > 0),
        "agent_recommends": min(6.0, said["recommends"]),
        "agent_mid": float(ending.endswith(":")),
        "agent_admitted": float(0 <= opening[cues.names.index("admits")] <= 1),
        "calls": math.log1p(scene.calls),
        "edits": math.log1p(scene.edits),
        "asked_by_tool": float(scene.asked),
        "last_failed": float(scene.last_failed),
        "since_text": math.log1p(scene.since_text),
        "call:none": float(scene.call is None),
    }


def _answer(scene: Scene) -> dict[str, float]:
    """What the agent made of it: an agent that says "you're right" was wrong before."""
    cues = agent_cues()
    reply, thought = words(scene.reply), words(scene.thought)
    counts, first, _ = cues.hits(reply[:60])
    place = dict(zip(cues.names, first, strict=True))
    replied = dict(zip(cues.names, counts, strict=True))
    mused = cues.counted(thought)
    return {
        "reply_admits": float(0 <= place["admits"] <= 1),
        "reply_right": float(replied["right"] > 0),
        "reply_answers": float(place["answers"] == 0),
        "reply_complies": float(place["complies"] == 0),
        "thought_corrects": min(3.0, mused["sees_correction"]),
        "thought_asks": float(mused["sees_request"] > 0),
        "promises": float(replied["promises"] + mused["promises"] > 0),
        "re_edited": float(scene.re_edited),
        "undoes": float(scene.undoes),
        "noted": float(scene.noted),
        "reply_texts": math.log1p(scene.texts),
        "reply_looks": math.log1p(scene.looks),
        "cut_short": float(scene.cut_short),
    }
