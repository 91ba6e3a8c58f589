"""What several sessions share, and what counts once."""

from reverie.dream.traffic.tally import observations
from reverie.sessions.traces import Trace, TraceRow


def failed(session: str, at: str, message: str = "red") -> TraceRow:
    return TraceRow(session, "app", Trace(1, at, "failure", "k", 1, 1, data={"message": message}))


def test_the_same_words_in_the_same_minute_are_one_incident() -> None:
    rows = [
        failed("claude-code:1", "2026-01-05T10:30:08Z"),
        failed("claude-code:2", "2026-01-05T10:30:51Z"),
        failed("claude-code:3", "2026-01-05T10:30:52Z", "another"),
        failed("claude-code:4", "2026-01-06T10:30:08Z"),
    ]
    found = observations("fix", "It is red.", rows, lambda row: row.trace.data["message"])
    assert [one.session[-1] for one in found] == ["1", "3", "4"]
