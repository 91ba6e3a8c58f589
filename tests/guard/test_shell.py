"""What the guard understood is what a real bash does."""

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.patience import SECONDS

from reverie.errors import Refused
from reverie.guard.commands import check, unwrapped
from reverie.guard.guard import Allow, can_use_tool
from reverie.guard.shell import commands
from reverie.guard.words import Command, Word

PROGRAMS = ["ls", "cat", "rm", "sort", "git", "grep", "head", "touch", "wc", "find", "uniq", "xxd"]
# What lies in the working directory when the line is run: names that are options once expanded.
PLANTED = ["-o", "-delete", "--output=q", "--pre=e", "-c", "-ofoo", "a", "ab"]
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
    *(
        "$(echo -o x)",
        '"$(echo -o)"',
        "$(echo ' -c a=b')",
        "-P",
        "log",
        "status",
        "branch",
        "config",
    ),
    *(
        "--list",
        "--format",
        "{-}o",
        "^a",
        "a#",
        "${HOME}",
        '"${X}"',
        "$X",
        "$HOME:s,/,-o,",
        "-e",
        "p",
    ),
    *("<(ls)", "<(sort", "<<<", "<<'EOF'", "<<EOF", "\nEOF\n", "\nEOF", "\ntouch q\n", "$(cat"),
    *("for f in a ab; do", "for f in -o ab; do", "for f in *; do", "for f in a*; do", "; done"),
    *("while read -r f; do", "< a", "${f}", "timeout 5", "nice", "env", "command", "-exec", "{}"),
    *("x=a; ", "x=-o; ", "x='a b'; ", "$x", '"$x"', "$((1+2))", "$((1-2))", "{a,-o}", "{a..c}"),
    *("\\;", "+", "-name", "--key=$X", '--key="$X"', "--key=*", "--output=q", "--output=$X"),
]
LINES = st.lists(
    st.tuples(st.sampled_from(PIECES), st.sampled_from([" ", " ", " ", ""])), min_size=1, max_size=9
).map(lambda parts: "".join(piece + gap for piece, gap in parts))


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of programs that only write down the words they were given."""
    stage = tmp_path_factory.mktemp("stage")
    (stage / "bin").mkdir()
    (stage / "work").mkdir()
    for name in PROGRAMS:
        program = stage / "bin" / name
        # A file for each start: programs of a pipeline run at the same time.
        script = f'#!/bin/sh\nprintf \'%s\\0\' {name} "$@" > "$SEEN/$$"\n'
        program.write_text(script, encoding="utf-8")
        program.chmod(0o755)
    for name in PLANTED:
        (stage / "work" / name).write_text("", encoding="utf-8")
    return stage


def run(line: str, stage: Path) -> list[list[str]]:
    """What bash starts for `line`, with the words it hands over; builtins leave no trace."""
    with tempfile.TemporaryDirectory(dir=stage) as seen:
        subprocess.run(
            ["/bin/bash", "-c", line],
            cwd=stage / "work",
            env={"PATH": str(stage / "bin"), "SEEN": seen, "HOME": str(stage), "X": "-o y"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=SECONDS,
        )
        started = [file.read_bytes() for file in Path(seen).iterdir()]
    return sorted(words.decode("utf-8", "replace").split("\0")[:-1] for words in started)


@settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(line=LINES)
@pytest.mark.proves("D9")
def test_bash_starts_nothing_that_was_not_seen_and_writes_nothing(line: str, stage: Path) -> None:
    work = stage / "work"
    if can_use_tool("Bash", {"command": line}, stage / "memory", work) != Allow():
        return
    understood = {unwrapped(command).name for command in commands(line)}
    for name, *given_words in run(line, stage):
        assert name in understood
        if "--" not in given_words:
            # What was allowed as written must be allowed as it is run.
            check(Command(name, tuple(Word(text) for text in given_words)), work)
    assert {file.name for file in work.iterdir()} == set(PLANTED)


def test_the_stage_would_show_a_program_and_a_file(stage: Path) -> None:
    assert run("ls; rm x", stage) == [["ls"], ["rm", "x"]]
    assert run("sort -o$(echo ' a b')", stage) == [["sort", "-o", "a", "b"]]
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

    from reverie.guard import shell

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


def test_what_was_assigned_is_known_later_on() -> None:
    assert words("x=5; echo $x") == [["echo", "5"]]
    assert words('name="a b"\ngrep "$name" f; x=b; ls a$x') == [["grep", "a b", "f"], ["ls", "ab"]]
    assert words("x=a; x=-o; sort $x f") == [["sort", "-o", "f"]]
    (command,) = commands('x="-o b"; sort $x')
    assert not command.words[0].static


def test_an_assignment_that_might_not_run_or_might_do_more_is_refused() -> None:
    for line in (
        *("x=5", "false && x=a; ls $x", "(x=a); ls $x", "x=a | cat", "! x=a; ls"),
        *("x=a & ls", "x+=a; ls", "x[1]=a; ls", "x=(a b); ls", "x=$y; ls", "x=; ls"),
        *("x=*; ls", "x={a,b}; ls", "x=~; ls", "x==ls; ls", "x=a:=ls; ls", "x='a[$(id)]'; ls"),
        *("PATH=.; ls", "path=.; ls", "IFS=,; ls", "LD_PRELOAD=x; ls", "x=a y=b; ls"),
        *("x=a; for x in -o; do sort $x; done", "for x in a; do x=-o; sort $x; done"),
        *("x=a; if true; then x=-o; fi; sort $x", "x=a; while read -r x; do sort $x; done"),
        *("x=rm; $x f", "PATH=$(pwd); ls", "x=$(ls) | sort", "x=$(ls) ls", "x=a$(ls); ls"),
    ):
        with pytest.raises(Refused):
            commands(line)


def test_what_a_command_says_may_be_assigned_and_stays_unknown() -> None:
    assert [command.name for command in commands("x=$(git log); echo $x")] == ["git", "echo"]
    for line in ("x=$(ls); sort $x", "x=a; true && x=$(ls); sort $x", 'x="-$(ls)"; sort "$x"'):
        last = commands(line)[-1]
        assert not last.words[0].static
        assert not last.words[0].safe_start
    # A later round of the loop sees what an earlier one has set.
    loop = commands("x=a; for i in 1 2; do sort $x; true && x=$(ls); done")
    assert [word.static for found in loop for word in found.words] == [True, False]


def test_a_comment_behind_a_command_is_read_as_words_too() -> None:
    assert words("sort a # -o b") == [["sort", "a"], ["sort", "a", "#", "-o", "b"]]
    assert words("ls | wc -l # lines") == [["ls"], ["wc", "-l"], ["ls"], ["wc", "-l", "#", "lines"]]
    for line in (
        "ls # a'b",
        "ls # $(id)",
        "ls # a\nrm x",
        "ls \\ # x",
        "echo $(ls # x\n)",
        "ls;# x",
    ):
        with pytest.raises(Refused):
            commands(line)


def test_a_variable_may_be_cut_but_not_changed() -> None:
    for text in ("${x:-a}", "${x-a}", "${x%.py}", "${x##*/}", "${#x}", "${x:-}"):
        (command,) = commands(f'sort "{text}"')
        assert not command.words[0].safe_start
    for text in ("${x:=a}", "${x:-$(id)}", "${x:?a}", "${x:1}", "${x@P}", "${!x}", "${x/a/b}"):
        with pytest.raises(Refused):
            commands(f'echo "{text}"')


def test_a_file_of_a_loop_may_be_read_from_if_its_beginning_is_a_name() -> None:
    assert commands('for f in src/*.py; do wc -l < "$f"; done')
    # What splits is no file to the shell.
    assert commands("for f in src/*; do cat < $f; done")
    for line in (
        *('for f in *; do wc -l < "$f"; done', 'for f in /dev/*; do cat < "$f"; done'),
        *('while read -r f; do cat < "$f"; done', "for f in */*; do cat < $f; done"),
    ):
        with pytest.raises(Refused):
            commands(line)


def test_arithmetic_passes_with_plain_numbers_alone() -> None:
    (command,) = commands('echo $((1 + 2*3)) a$((4%3)) "b $((1-9))"')
    assert [word.static or word.single for word in command.words] == [True, True, True]
    (negative,) = commands("sort $((1-2))")
    with pytest.raises(Refused):
        check(negative, Path("/"))
    for inside in ("x", "$x", "a[1]", "1<<2", "x=1", "$(id)", "0x1", "1,2", "(1)", "'1'", "", "#a"):
        with pytest.raises(Refused):
            commands(f"echo $(({inside}))")
    with pytest.raises(Refused):
        commands("echo $[1+2]")
