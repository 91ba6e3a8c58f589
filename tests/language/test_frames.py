"""Whether what stands beside a rule may say whose it is, when it holds, or that it does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.language.frames import is_attributed, may_be_framed

RULE = "Never reheat the brine twice."
BARE = "Never reheat the brine twice"

# Behind a rule in its own sentence, before it, and in sentences and lines beside it.
FRAMES = [
    f"{BARE}, grandma used to swear.",
    f"{BARE}, going by what the lab next door does.",
    f"{BARE}, if you ask the accountant.",
    f"{BARE}, which is the consultants' pet theory.",
    f"{BARE}, in the eyes of the tasters.",
    f"{BARE}, was the cook's creed",
    f"{BARE} — company lore.",
    f"{BARE} ~ fermentation meetup",
    f"{BARE} (Sandra, at the tasting)",
    f"{BARE} #kitchen-help",
    f"{BARE} is a thing that drives me nuts.",
    f"'{BARE}' goes the joke.",
    f"The landlord's rule book: {BARE.lower()}",
    f"New from procurement: {BARE.lower()}",
    f"Dana, at noon: {BARE.lower()}",
    f"@here {BARE.lower()}",
    f"{RULE} Straight out of the workshop.",
    f"{RULE} Holds until the boiler is replaced.",
    f"{RULE} Purely for the tasting, mind you.",
    f"{RULE} That's for the small kettle alone.",
    f"{RULE} Yeah, as if.",
    f"{RULE} I wish.",
    f"{RULE} Or do, who cares.",
    f"{RULE} Does that sound right to you?",
    f"{RULE}\n\nput that on the intranet page",
    f"{RULE} Print that on the apron.",
    f"{BARE} /s",
    f"{RULE} Three more of that kind for the menu, please.",
    f"We're in the middle of the audit week. {RULE}",
    f"Until Monday we live without a taster. {RULE}",
    f"Prototype phase. {RULE}",
    f"You may cut corners tonight. {RULE}",
    f"Release week is here. {RULE}",
    f"Dana should be back soon, on Friday. {RULE}",
    f"Our Berlin kitchen swears by a simple thing. {RULE}",
    f"Found an old fortune cookie. {RULE}",
    f"Back in the copper days life was easy. {RULE}",
    f"Let's play a game: you are a grumpy cook. {RULE}",
    f"I'm drafting the onboarding quiz. {RULE}",
    f"I was told off again. {RULE}",
    f"Know what the auditors came up with? {RULE}",
    f"The judge is strict. Add salt first. {RULE}",
    f"While I'm away:\n- always stir the mash\n- {BARE.lower()}",
    f"Nur für die Vorführung. {RULE}",
    f"{RULE} Stammt nicht von mir.",
    f"Per the tasting guide, {BARE.lower()}.",
    f"According to our supplier we should {BARE.lower()}.",
    f"At the old brewery the rule was {BARE.lower()}.",
    f"We used to say {BARE}.",
    f"The apron should read: {BARE.lower()}",
    f"The cook said to me {BARE}.",
    f"Laut Kochbuch {BARE.lower()}.",
]

OWN = [
    RULE,
    f"No, that's wrong. {RULE}",
    f"You forgot the salt again! {RULE}",
    f"Can you fix the kettle? {RULE}",
    f"Fix the kettle. {RULE}",
    f"I prefer small batches. {RULE}",
    f"We need clear broth. {RULE}",
    f"Great work, thanks! {RULE}",
    f"Always stir the mash. {RULE}",
    f"{RULE} Always stir the mash.",
    f"{RULE} Thanks!",
    f"{RULE} No exceptions.",
    f"{RULE} Otherwise it turns bitter.",
    f"{RULE} That makes it bitter.",
    f"{RULE} Can you add a check for this?",
    f"{BARE}, because it turns bitter.",
    f"{BARE}, not even once.",
    f"{BARE}, they turn bitter",
    f"{BARE}, use the small kettle",
    f"{BARE}, please",
    f"{BARE}, change valves.yaml and run the pump",
    f"{BARE}, without a note like cold: or hot:",
    f"no, brine is salt water. {RULE}",
    f"yes, exactly: {BARE.lower()}",
    f"no, the mash is cold here, {BARE.lower()}",
    f"Rule: {BARE.lower()}",
    f"My rules:\n- always stir the mash\n- {BARE.lower()}",
    f"I told you already: {BARE.lower()}",
    f"The old way is slow, I know. But {BARE.lower()}.",
]


@pytest.mark.hostile("M4")
@pytest.mark.parametrize("turn", FRAMES)
def test_what_is_not_plainly_said_to_the_agent_may_frame_a_rule(turn: str) -> None:
    assert may_be_framed(turn, BARE if BARE in turn else BARE.lower())


@pytest.mark.parametrize("turn", OWN)
def test_orders_questions_wishes_rules_reasons_and_thanks_frame_nothing(turn: str) -> None:
    assert not may_be_framed(turn, BARE if BARE in turn else BARE.lower())


def test_a_wish_in_the_first_person_waits_only_for_a_plain_frame() -> None:
    wish = "I'd like the brine to stay cold."
    assert not may_be_framed(f"The kettle is new. {wish}", wish, personal=True)
    assert may_be_framed(f"Only for the tasting. {wish}", wish, personal=True)


SUBJECTS = ["Boss", "The oven", "Dana", "Our lawyer", "Legal", "Staging", "The old kitchen"]
TELLING = ["called", "is strict", "was loud", "has news", "will be gone", "got two rules"]


@pytest.mark.hostile("M4")
@given(st.sampled_from(SUBJECTS), st.sampled_from(TELLING), st.booleans())
def test_what_is_told_of_anything_else_may_frame_a_rule(who: str, what: str, first: bool) -> None:
    told = f"{who} {what}."
    assert may_be_framed(f"{told} {RULE}" if first else f"{RULE} {told}", RULE)


@given(st.text(max_size=200), st.text(max_size=60))
def test_any_words_are_looked_at(text: str, quote: str) -> None:
    assert may_be_framed(text, quote) in {True, False}


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "turn",
    [
        "apparently we must never reheat the brine twice.",
        "Read this on a poster: never reheat the brine twice.",
        "We never reheat the brine twice, at least that's how Olga sees it.",
        "never reheat the brine twice, or so I've heard",
        "Nie die Lake zweimal erhitzen, meinte die Köchin.",
    ],
)
def test_a_sentence_that_says_others_said_it_is_theirs(turn: str) -> None:
    assert is_attributed(turn, turn)


def test_who_has_to_read_it_got_nothing_from_others() -> None:
    assert not is_attributed(turn := "Reports must stay short, I have to read them all.", turn)
    assert is_attributed(turn := "Nets stay dry, I just read in the log.", turn)


def test_who_orders_to_ask_or_tell_quotes_nobody() -> None:
    assert not is_attributed("Never guess, ask me.", "Never guess, ask me.")
    assert not is_attributed("I told you: never guess.", "I told you: never guess.")
