"""What a tool printed is redacted when somebody reads it, and goes nowhere before."""

import pickle

import pytest

from reverie.privacy import Redactor
from reverie.sessions.model import Tool, Turn
from reverie.sessions.unread import HEAD, TAIL, Unread

REDACT = Redactor(b"a key of thirty-two bytes for us").redact
SECRET = "mirobatuze81"


def printed(text: str) -> Turn:
    tool = Tool("Bash", "call-1", ok=True, unread=Unread(text, REDACT))
    return Turn(1, 0, "tool", "tool_result", "", "", tool=tool)


@pytest.mark.hostile("X1")
def test_nothing_that_is_shown_stored_or_sent_of_it_holds_a_secret() -> None:
    turn = printed(f"password={SECRET}\n")
    assert SECRET not in repr(turn)
    assert SECRET.encode() not in pickle.dumps(turn)
    assert turn.text == "" and turn.whole.startswith("password=[redacted:")
    read = turn.read()
    assert read.text == turn.whole
    assert read.tool is not None and read.tool.unread is None


def test_what_arrives_elsewhere_reads_the_same() -> None:
    turn = printed("x" * (HEAD + TAIL) + f"\npassword={SECRET}\n")
    sent: Turn = pickle.loads(pickle.dumps(turn))
    assert sent.whole == turn.whole
    assert "[…" in sent.whole and SECRET not in sent.whole


def test_it_is_redacted_once_and_only_for_who_reads_it() -> None:
    asked: list[str] = []

    def redact(text: str) -> str:
        asked.append(text)
        return REDACT(text)

    output = Unread("10:02 disk full", redact)
    assert output.may_hold(lambda text: "10:" in text)
    assert not output.may_hold(lambda text: "11:" in text)
    assert asked == []
    assert output.text == output.text == "10:02 disk full"
    assert len(asked) == 1
