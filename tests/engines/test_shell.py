"""What the guard understood is what a real bash does."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.engines.guard import Allow, can_use_tool
from reverie.engines.shell import commands
from reverie.errors import Refused

PROGRAMS = ["ls", "cat", "rm", "sort", "git", "grep", "head", "touch", "wc", "find"]
PIECES = [
    *PROGRAMS,
    *("-l", "-o", "--", "x", "src/a", "*", "a*", "{a,b}", "-{o,l}", "'q r'", '"q r"', "''", '""'),
    *("$HOME", '"$HOME"', "$f", '"$f"', "~", "\\", "\\\n", "\\;", "\\$", "'", '"', "`", "$", "#"),
    *(";", "&&", "||", "|", "|&", "&", "\n", "\t", "(", ")", "{", "}", "!", "[", "]", "[[", "]]"),
    *("<", ">", ">>", "2>&1", "2>", "&>", ">&", "/dev/null", "<<", "<<<", "EOF", "<(", ">(", "1"),
    *("$(", "$((", "))", "${", "$'", '$"', "=", "x=1", "PATH=.", "LC_ALL=C", "@", ":", ",", ".."),
    *("for f in", "do", "done", "if", "then", "else", "fi", "while", "case", "esac", ";;", "in"),
    *(
        "function",
        "ls()",
        "eval",
        "exec",
        "time",
        "echo",
        "cd",
        "test",
        "-f",
        "-eq",
        "a[$(touch x)]",
    ),
]
LINES = st.lists(
    st.tuples(st.sampled_from(PIECES), st.sampled_from([" ", " ", " ", ""])), min_size=1, max_size=9
).map(lambda parts: "".join(piece + gap for piece, gap in parts))


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of programs that only write down their own name."""
    stage = tmp_path_factory.mktemp("stage")
    (stage / "bin").mkdir()
    (stage / "work").mkdir()
    for name in PROGRAMS:
        program = stage / "bin" / name
        program.write_text(f'#!/bin/sh\necho {name} >> "$SEEN"\n', encoding="utf-8")
        program.chmod(0o755)
    return stage


def run(line: str, stage: Path) -> list[str]:
    """The programs that bash starts for `line`; builtins leave no trace."""
    seen = stage / "seen"
    seen.write_text("", encoding="utf-8")
    subprocess.run(
        ["/bin/bash", "-c", line],
        cwd=stage / "work",
        env={"PATH": str(stage / "bin"), "SEEN": str(seen), "HOME": str(stage)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=20,
    )
    return seen.read_text(encoding="utf-8").split()


@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(line=LINES)
@pytest.mark.proves("D9")
def test_bash_starts_nothing_that_was_not_seen_and_writes_nothing(line: str, stage: Path) -> None:
    work = stage / "work"
    if can_use_tool("Bash", {"command": line}, stage / "memory", work) != Allow():
        return
    understood = {command.name for command in commands(line)}
    assert set(run(line, stage)) <= understood
    assert list(work.iterdir()) == []


def test_the_stage_would_show_a_program_and_a_file(stage: Path) -> None:
    assert run("ls; rm x", stage) == ["ls", "rm"]
    run("echo x > proof", stage)
    assert (stage / "work" / "proof").exists()
    (stage / "work" / "proof").unlink()


def words(line: str) -> list[list[str]]:
    return [[command.name, *(word.text for word in command.words)] for command in commands(line)]


def test_quoting_is_taken_off_as_the_shell_does_it() -> None:
    assert words(r"""grep 'a b' "c \"d\" \$e" f\ g h'i'"j" ''""") == [
        ["grep", "a b", 'c "d" $e', "f g", "hij", ""]
    ]


def test_every_command_of_a_line_is_found() -> None:
    line = 'ls a | cat && (pwd; { echo "$(id -u)"; }) || ! true\nif [ -f x ]; then wc x; fi'
    names = [command[0] for command in words(line)]
    assert names == ["ls", "cat", "pwd", "id", "echo", "true", "[", "wc"]


def test_a_word_that_expands_is_not_static() -> None:
    (command,) = commands("ls a* {b,c} ~/d \"$HOME\" 'e*' f")
    assert [word.static for word in command.words] == [False, False, False, False, True, True]
    assert [word.single for word in command.words] == [False, False, True, True, True, True]


def test_without_the_parser_nothing_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from reverie.engines import shell

    monkeypatch.setitem(sys.modules, "tree_sitter_bash", None)
    shell._parser.cache_clear()
    decision = can_use_tool("Bash", {"command": "ls"}, "/x/memory", "/x")
    assert decision != Allow()
    monkeypatch.undo()
    shell._parser.cache_clear()


def test_an_unreadable_line_is_refused_not_guessed() -> None:
    for line in ("ls )", "ls 'x", 'ls "x', "if ls", "ls <<EOF"):
        with pytest.raises(Refused):
            commands(line)
