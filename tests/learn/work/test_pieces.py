"""Sessions condensed: a person's words whole, an agent's in a line, nothing left out."""

from reverie.learn.work.pieces import MATERIAL, Part, Piece, part_between, parts_of, together
from reverie.sessions.query import SessionRow, TurnRow


def session(key: str = "codex:s") -> SessionRow:
    return SessionRow(
        key, "codex", key, "", "shop", "/code/shop", "", "", "2026-11-10T09:00:00Z", "", "", "",
        "", False, 0, 0, None,
    )  # fmt: skip


def row(line: int, role: str, text: str, kind: str = "", tool: str = "") -> TurnRow:
    known = {"human": "prompt", "agent": "text", "tool": "tool_result"}
    return TurnRow(line, line, role, kind or known[role], "", text, tool, "typed", False, False)


def test_what_the_agent_did_between_is_one_line_with_claim_deeds_and_failure() -> None:
    turns = [
        row(0, "human", "Fix the port."),
        row(1, "agent", "I look at it."),
        row(2, "agent", "/code/shop/app.py", "tool_call", "Edit"),
        row(3, "agent", "make test", "tool_call", "Bash"),
        row(4, "tool", "Exit code 1\n2 failed", tool="Bash"),
        row(5, "agent", "The port is 8080 now. Shall I commit?"),
        row(6, "human", "No, it must be 8081."),
    ]
    (part,) = parts_of(session(), turns)
    assert Piece((part,)).text.splitlines() == [
        "SESSION a: codex, 2026-11-10 09:00",
        "a0 PERSON: Fix the port.",
        "a5 agent: The port is 8080 now. Shall I commit? [did: Edit app.py; Bash make test]"
        " [failed: Exit code 1 2 failed]",
        "a6 PERSON: No, it must be 8081.",
    ]
    assert [line.number for line in part.beside("6")] == [5]


def test_a_long_session_comes_in_parts_that_leave_nothing_out() -> None:
    turns = [row(n, ("human", "agent")[n % 2], f"{n} " + "word " * 500) for n in range(90)]
    parts = list(parts_of(session(), turns))
    seen: list[int] = []
    for part in parts:
        assert sum(len(line.text) for line in part.lines) <= MATERIAL
        assert part_between(session(), turns, part.first, part.last) == part
        seen += [line.number for line in part.lines if line.number >= part.first]
    assert seen == list(range(max(seen) + 1))
    assert not any(turn.role == "human" for turn in turns[max(seen) + 1 :])


def test_one_very_long_turn_is_cut_and_says_so() -> None:
    (part,) = parts_of(session(), [row(0, "human", "word " * 200_000)])
    assert len(part.lines[0].text) < 5_000
    assert "characters" in part.lines[0].text


def test_what_was_pasted_is_cut_and_what_was_said_about_it_stays() -> None:
    log = "\n".join(
        f"2026-11-10 09:00:{n:02d} ERROR [worker-{n}] code=0x{n:04x}" for n in range(99)
    )
    (part,) = parts_of(session(), [row(0, "human", f"Never log at this level:\n```\n{log}\n```")])
    assert part.lines[0].text.startswith("Never log at this level:")
    assert "characters pasted]" in part.lines[0].text
    assert len(part.lines[0].text) < 200


def test_small_parts_are_laid_together_and_a_large_one_stands_alone() -> None:
    small = next(parts_of(session("codex:1"), [row(0, "human", "word " * 700)]))
    large = next(
        parts_of(session("codex:2"), [row(n, "human", f"{n} " + "word " * 790) for n in (0, 1, 2)])
    )
    parts: list[Part] = [small, small, small, large]
    pieces: list[int] = []
    while parts:
        piece = together(parts)
        pieces.append(len(piece.parts))
        parts = parts[len(piece.parts) :]
    assert pieces == [2, 1, 1]


def test_of_a_choice_only_what_the_person_picked_and_noted_is_theirs() -> None:
    picked = (
        'User has answered your questions: "Which store?"="SQLite" selected preview: one file, no '
        'server user notes: on the small disk, "Which port?"="8080" selected preview: as before'
    )
    asked = row(1, "tool", picked, tool="AskUserQuestion")
    (part,) = parts_of(session(), [row(0, "human", "Choose."), asked])
    shown = '"Which store?"="SQLite" user notes: on the small disk, "Which port?"="8080"'
    assert part.lines[1].text == shown


def test_more_of_the_agents_words_is_shown_to_those_who_answer_in_few() -> None:
    asked = "First. " + "word " * 400 + "Shall I take A or B?"
    shown: list[int] = []
    for reply in ("B", "Neither: " + "we want something else entirely. " * 9):
        turns = [row(0, "human", "Choose."), row(1, "agent", asked), row(2, "human", reply)]
        (part,) = parts_of(session(), turns)
        shown.append(len(part.lines[1].text))
        assert part.before("2") == part.lines[1].text
        assert part_between(session(), turns, 0, 1).lines[1] == part.lines[1]
    alone = next(parts_of(session(), [row(0, "human", "Choose."), row(1, "agent", asked)]))
    assert shown[0] > 1.5 * shown[1] > 2 * len(alone.lines[1].text)


def test_of_a_choice_the_question_and_the_answer_are_shown_without_the_frame() -> None:
    told = '"Where do drafts go?"="beside the ledger, ' + "and so on " * 60 + '"'
    turns = [
        row(0, "human", "Plan it."),
        row(
            1,
            "tool",
            f"User has answered your questions: {told}. You can now continue with the user's"
            " answers in mind.",
            tool="AskUserQuestion",
        ),
    ]
    (part,) = parts_of(session(), turns)
    assert part.lines[-1].text == " ".join(told.split())


def test_an_option_that_a_person_takes_by_its_name_is_shown() -> None:
    options = " ".join(
        f"**Option {name}**: {name.lower()}-drafts. {'Word ' * 90}" for name in "ABC"
    )
    for said, shown in (
        ("I like Option B", "b-drafts"),
        ("b, and name it well", "b-drafts"),
        ("2", ""),
        ("a few more things", ""),
    ):
        turns = [row(0, "agent", f"{options} {'End ' * 300}"), row(1, "human", said)]
        (part,) = parts_of(session(), turns)
        assert ("b-drafts" in part.lines[0].text) == bool(shown)
