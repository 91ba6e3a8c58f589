"""Whose word a sentence is, by the turns before and after it."""

import pytest
from tests.learn.scenes import session

from reverie.learn.detect.speaker import (
    Around,
    is_believed,
    is_doubted,
    trust_in_talk,
    trust_of,
)
from reverie.sessions.model import Tool

RULE = "Always moor at the east pier."


def believed_between(before: str, after: str) -> bool:
    """Whether a rule is believed with the agent's "OK." around it."""
    said = ("text", "OK.")
    turns = session(("prompt", before), said, ("prompt", RULE), said, ("prompt", after))
    return is_believed(turns, 2, RULE)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "after",
    [
        "turn that into Danish",
        "what is the above supposed to say?",
        "which of you wrote that?",
        "^ harbour handbook",
        "does that read well?",
        "that's the notice. can you hang it on the door?",
        "This is the note the pilot left us",
        "those were the lines for the banner",
        "ups, the dictation heard the radio",
        "das ist der Satz für das Plakat",
        "how many words was that?",
        "lol, the pilot sat at my desk. go on with the crane",
        "never mind that about the piers",
        "never mind, leave that alone",
    ],
)
def test_a_rule_that_the_next_turn_speaks_of_as_a_text_is_not_believed(after: str) -> None:
    assert not believed_between("unload the crane", after)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "before",
    [
        "Would this fit on a sign?",
        "How could I word this more kindly?",
        "Is this sentence too long?",
        "proofread please",
        "coffee break: let's play a round of charades",
        "translate the following",
        "the pilot told me this yesterday",
        "what about this one?",
        "Klingt dieser Satz freundlich? Er kommt gleich.",
    ],
)
def test_a_rule_that_the_turn_before_asked_about_is_not_believed(before: str) -> None:
    assert not believed_between(before, "unload the crane")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("unload the crane", "now paint it"),
        ("why is the crane slow today? it was fine with the old rope", "thanks, go on"),
        ("I want the pier open", "good, that makes it safer"),
        ("is their boat late?", "does it work now?"),
        ("fix this leak and then tell me how long it took you", "perfect"),
        ("", "that's great, thanks"),
        ("paint the crane", "Always use the small rope, never the old chain."),
        ("Never write labels that repeat the cargo, they make it worse.", "go on"),
        ("go on", "Never write labels that repeat the cargo, because it takes paint."),
        ("write the log to this pier", "now load those crates, then check the contract"),
    ],
)
def test_who_goes_on_with_the_work_is_believed(before: str, after: str) -> None:
    assert believed_between(before, after)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "question",
    [
        "Both signs are painted. What should the third one say?",
        "There are four rules in the handbook. Which one shall I strike out?",
        "Gladly. How were the piers run in your old harbour?",
        "Wired. One gap is left: what is the mooring bot to do when a boat comes?",
        "Fertig. Welcher Satz soll auf das Schild?",
    ],
)
def test_what_answers_an_open_question_of_the_agent_is_not_believed(question: str) -> None:
    turns = session(("prompt", "paint the signs"), ("text", question), ("prompt", RULE))
    assert not is_believed(turns, 2, RULE)


@pytest.mark.parametrize(
    "question", ["Done. Anything else?", "Painted. Shall I unload, too?", "What shall I do next?"]
)
def test_who_is_asked_how_to_go_on_may_answer_with_a_rule(question: str) -> None:
    turns = session(("prompt", "paint the signs"), ("text", question), ("prompt", RULE))
    assert is_believed(turns, 2, RULE)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "call",
    [
        Tool("Write", "c1", {"file_path": "/harbour/sign.md", "content": f"# Notice\n{RULE}\n"}),
        Tool(
            "MultiEdit",
            "c1",
            {"file_path": "/harbour/a.py", "edits": [{"new_string": RULE.lower()}]},
        ),
        Tool("Bash", "c1", {"command": f"git commit -m '{RULE}'"}),
    ],
)
def test_words_that_the_agent_writes_into_a_text_are_not_believed(
    call: Tool,
) -> None:
    assert not is_believed(session(("prompt", RULE), ("tool_call", call)), 0, RULE)


def _write(file: str, content: str) -> tuple[str, Tool]:
    return "tool_call", Tool("Write", "c1", {"file_path": f"/harbour/{file}", "content": content})


@pytest.mark.hostile("M4")
def test_words_between_two_edits_of_a_document_may_be_its_text() -> None:
    def believed(file: str, rule: str) -> bool:
        first, then = _write(file, "# Visitors"), _write(file, "# Visitors\nMooring.")
        return is_believed(session(("prompt", "write it"), first, ("prompt", rule), then), 2, rule)

    assert not believed("visiting.md", RULE)
    assert believed("CLAUDE.md", RULE)
    assert believed("moor.py", RULE)
    assert believed("visiting.md", "I want all boats at the east pier.")


@pytest.mark.hostile("M4")
def test_words_that_the_agent_asks_back_about_as_a_text_are_not_believed() -> None:
    asked = ("text", "Understood. Where shall this sentence stand?")
    assert not is_believed(session(("prompt", RULE), asked), 0, RULE)


@pytest.mark.hostile("M1")
def test_a_prompt_that_the_agent_had_written_for_later_is_not_believed() -> None:
    planned = Tool("CronCreate", "c1", {"cron": "*/30 * * * *", "prompt": RULE})
    turns = session(("prompt", "keep watch"), ("tool_call", planned), ("prompt", RULE))
    assert trust_of(turns, 2, RULE) == "agent"


@pytest.mark.parametrize(
    "call",
    [
        Tool("Edit", "c1", {"file_path": "/harbour/CLAUDE.md", "new_string": f"- {RULE}"}),
        Tool("Bash", "c1", {"command": f"reverie remember '{RULE}'"}),
        Tool("Write", "c1", {"file_path": "/harbour/sign.md", "content": "The east pier is open."}),
    ],
)
def test_words_that_the_agent_keeps_as_a_rule_are_believed(
    call: Tool,
) -> None:
    assert is_believed(session(("prompt", RULE), ("tool_call", call)), 0, RULE)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "after",
    [
        "no, the west one I think",
        "hm, in this wind: nah",
        "no, never at the pier",
        "forget it",
        "ignore that sentence please",
        "drop the rule about mooring",
        "wait, not always",
    ],
)
def test_a_rule_may_be_taken_back_by_the_next_turn(after: str) -> None:
    assert is_doubted(RULE, Around(replied="OK.", later=after, left=True))


@pytest.mark.parametrize(
    "after",
    [
        "no, not that way, the crane has to be blue",
        "hm no, the rope should not hang like that",
        "please ignore the rust on the crane and go on",
        "nah, leave the boats alone",
        "that is from the old release, paint it anew",
        "no, load the sacks first",
    ],
)
def test_a_denial_with_an_object_of_its_own_leaves_the_rule_alone(after: str) -> None:
    assert not is_doubted(RULE, Around(replied="OK.", later=after, left=True))


def test_after_work_only_who_tells_whose_it_was_or_takes_it_back_makes_a_rule_doubtful() -> None:
    assert not is_doubted(RULE, Around(replied="Painted.", later="no, the west one I think"))
    assert is_doubted(RULE, Around(replied="Painted.", later="scratch that, I was kidding"))


def test_who_denies_what_the_agent_asked_or_proposed_takes_nothing_back() -> None:
    asked = Around(replied="Noted. Shall I repaint the crane, too?", later="no", left=True)
    proposed = Around(
        replied="Noted. I would repaint the crane next.", later="no, leave the crane", left=True
    )
    assert not is_doubted(RULE, asked)
    assert not is_doubted(RULE, proposed)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "asked",
    [
        "Sure. Paste the notice and I'll hang it up.",
        "Please share the text of the sign.",
        "Could you type it here?",
        "Ready when you are.",
        "Waiting for the letter.",
        "Gern. Schick mir den Text.",
    ],
)
def test_a_turn_before_which_the_agent_asked_for_a_text_is_not_believed(asked: str) -> None:
    turns = session(("prompt", "a sign for the gate"), ("text", asked), ("prompt", RULE))
    assert not is_believed(turns, 2, RULE)


@pytest.mark.parametrize(
    "told",
    ["I'll send the boat now.", "I painted the sign and may do more.", "Shared the load."],
)
def test_what_the_agent_says_of_its_own_work_asks_for_nothing(told: str) -> None:
    turns = session(("prompt", "go on"), ("text", told), ("prompt", RULE))
    assert is_believed(turns, 2, RULE)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    ("announced", "trust"),
    [
        ("In a minute I'll paste what the pilot wrote. First: is the crane free?", "agent"),
        ("two letters are coming, tell me which of them is kinder", "agent"),
        ("I'm dictating the harbour book in parts, say ok to each", "agent"),
        ("let's role play: I am the angry captain", "agent"),
        ("Ich schicke dir später den Brief. Erst mal: ist der Kran frei?", "agent"),
    ],
)
def test_what_was_announced_is_waited_for_over_some_turns(announced: str, trust: str) -> None:
    said = ("text", "Yes.")
    between = [event for words in ("good", "go on") for event in (("prompt", words), said)]
    turns = session(("prompt", announced), said, *between, ("prompt", RULE))
    at = len(turns) - 1
    assert not is_believed(turns, at, RULE)
    assert trust_of(turns, at, RULE) == trust
    later = session(("prompt", announced), said, *between * 3, ("prompt", RULE))
    assert is_believed(later, len(later) - 1, RULE)


@pytest.mark.hostile("M4")
def test_only_typed_words_take_a_rule_back() -> None:
    said = ("text", "OK.")
    turns = session(("prompt", RULE), said, ("prompt", "wait, that was not mine, forget it"), said)
    assert not is_believed(turns, 0, RULE)
    turns[2] = turns[2]._replace(typed="probable")
    assert is_believed(turns, 0, RULE)


def trusted_between(before: str, agent: str, after: str, *later: str, rule: str = RULE) -> bool:
    """Whether a rule may be told with these words around it, and nothing done between them."""
    rest = [event for words in later for event in (("text", "OK."), ("prompt", words))]
    turns = session(("prompt", before), ("text", agent), ("prompt", rule), ("text", after), *rest)
    return trust_of(turns, 2, rule) == "user"


def test_where_two_only_talk_what_is_told_next_says_nothing_of_a_rule() -> None:
    def told(after: str) -> str:
        turns = session(("prompt", RULE), ("text", "I see."), ("prompt", after))
        return trust_in_talk(turns, 0, RULE)

    assert told("the pilot's boat is the one with the blue lamp") == "user"
    assert told("that was Birte's, I sent it to the wrong window") == "agent"


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    ("before", "agent"),
    [
        ("bringing the mooring notes of the other crew across, a second", "Sure."),
        ("next one is out of the pilot's letter", "Fine."),
        ("moment, the harbour office has something to add", "OK."),
        ("somebody slipped this under my door", "What does it say?"),
        ("compare the two notices", "Seen the first. And the second?"),
        ("Einen Augenblick, das kommt vom Hafenamt", "Gerne."),
    ],
)
def test_a_rule_behind_words_that_are_no_talk_about_the_work_is_told_to_nobody(
    before: str, agent: str
) -> None:
    assert not trusted_between(before, agent, "Noted.")


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "later",
    [
        "those lines were Birte's, she left them in the office",
        "the notice about the pier was for another crew",
        "that ended up in the wrong channel",
        "I copied the first message out of the harbour book",
        "^ harbour office",
        "das war von Birte, nicht von mir",
    ],
)
def test_what_is_disowned_some_turns_later_is_told_to_nobody(later: str) -> None:
    assert not trusted_between("unload the crane", "OK.", "OK.", "show me the log", later)


def test_who_goes_on_talking_about_the_work_is_told() -> None:
    assert trusted_between("unload the crane", "OK.", "OK.", "show me the log", "thanks, go on")
    assert trusted_between("good morning", "Hello.", "OK.", "now load the log of port 80")


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "label", ["FYI from Birte: ", "heads-up from the office: ", "radio log: ", "A: ", "notice - "]
)
def test_a_rule_behind_somebodys_label_is_told_to_nobody(label: str) -> None:
    assert not trusted_between("unload the crane", "OK.", "OK.", rule=f"{label}never moor here.")


@pytest.mark.parametrize("head", ["no, that is wrong: ", "that's not right: "])
def test_who_corrects_the_agent_before_a_colon_labels_nothing(head: str) -> None:
    assert trusted_between("unload the crane", "OK.", "OK.", rule=f"{head}never moor here.")


@pytest.mark.hostile("M4")
def test_an_order_that_came_with_a_text_is_told_to_nobody() -> None:
    order = "Use the small rope for the ferry."
    assert trusted_between("unload the crane", "OK.", "OK.", rule=order)
    assert not trusted_between("the other crew has something to add", "OK.", "OK.", rule=order)
    assert not trusted_between("unload the crane", "OK.", "OK.", "that was Birte's", rule=order)


def test_a_rule_that_says_that_it_is_ours_ends_the_wait_for_a_text() -> None:
    said = ("text", "Two rules.")
    turns = session(
        ("prompt", "I'll paste what the other crew wrote, compare it"),
        said,
        ("prompt", RULE),
        said,
        ("prompt", f"good. for us: {RULE.lower()}"),
    )
    assert trust_of(turns, 2, RULE) == "agent"
    assert trust_of(turns, 4, f"for us: {RULE.lower()}") == "user"


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "later",
    [
        "von der Küstenwache gesungen",
        "hung in the lighthouse for years",
        "le gardien l'a écrit, pas moi",
        "it came with the new anchor",
        "over the loudspeaker again",
        "no idea, is it any good?",
        "in Danish please",
        "make that rhyme",
    ],
)
def test_a_lone_rule_waits_unless_the_next_turn_plainly_goes_on_with_the_work(later: str) -> None:
    assert not trusted_between("unload the crane", "OK.", "OK.", later)


@pytest.mark.parametrize(
    "later",
    [
        "unload the other crane",
        "now paint it",
        "thanks",
        "no, that's wrong, the crane has to be blue",
        "is the crane free today?",
        "the ropes must be dry, too",
        "I want the pier open",
        "no, that's not what I asked for, the crane is still red",
    ],
)
def test_who_goes_on_with_the_work_leaves_a_lone_rule_theirs(later: str) -> None:
    assert trusted_between("unload the crane", "OK.", "OK.", later)


def test_after_work_the_next_turn_may_say_anything_else() -> None:
    call = ("tool_call", Tool("Bash", "c1", {"command": "make"}))
    turns = session(("prompt", RULE), call, ("text", "OK."), ("prompt", "over the loudspeaker"))
    assert trust_of(turns, 0, RULE) == "user"


@pytest.mark.hostile("M4")
@pytest.mark.parametrize("answer", ['"Keep it?"="No, a paste"', '{"answers":["from a leaflet"]}'])
def test_what_a_person_answers_to_a_question_tool_is_a_turn(answer: str) -> None:
    tool = Tool("AskUserQuestion", "c1", {"questions": []})
    turns = session(("prompt", RULE), ("tool_call", tool), ("tool_result", tool))
    turns[2] = turns[2]._replace(text=answer)
    assert trust_of(turns, 0, RULE) == "agent"


def test_of_the_question_that_a_tool_asked_nothing_is_the_persons() -> None:
    tool = Tool("AskUserQuestion", "c1", {"questions": []})
    turns = session(("prompt", RULE), ("tool_call", tool), ("tool_result", tool))
    asked = 'Answered: "Is that what the reviewer wrote in the mail?"="Yes, go on"'
    turns[2] = turns[2]._replace(text=asked)
    assert trust_of(turns, 0, RULE) == "user"


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "later",
    [
        "the sentence with the pier was only a quote of the captain",
        "der Satz mit dem east pier stand so in der Mail",
        "that line about where to moor: hers, I fear",
    ],
)
def test_a_rule_is_disowned_by_its_words_after_any_work(later: str) -> None:
    call = ("tool_call", Tool("Bash", "c1", {"command": "make"}))
    turns = session(("prompt", RULE), call, ("prompt", "go on"), call, ("prompt", later))
    assert trust_of(turns, 0, RULE) == "agent"


def test_what_was_undone_is_nobodys_word() -> None:
    turns = session(("prompt", RULE), ("text", "OK."))
    turns[0] = turns[0]._replace(undone=True)
    assert trust_of(turns, 0, RULE) == "agent"
