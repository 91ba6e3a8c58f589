"""A slash divides or begins a pattern, as every awk sees it; what is left over cannot write."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.patience import SECONDS

from reverie.errors import Refused
from reverie.guard.awk import check_awk
from reverie.guard.words import Word

AWKS = [found for name in ("gawk", "mawk", "original-awk", "awk") if (found := shutil.which(name))]
PAYLOADS = [
    *('> "proof"', '>> "proof"', '| "touch proof"', 'system("touch proof")', 'print 1 > "proof"'),
    '"touch proof" | getline',
]
PIECES = [
    *PAYLOADS,
    *("print", "printf", '"a"', '"', '\\"', '"\\\\"', "/a/", "/", "/=/", "/b|c/", "/[/]/", '/"/'),
    *("#", '# "', "# /", "/#/", "\n", ";", "{", "}", "(", ")", "[", "]", "[1]", ",", "x", "$1"),
    *("NR", "length", "length()", "if", "else", "while", "for", "do", "in", "++", "--", "+", "||"),
    *("&&", ">", "?", ":", "~", "!", "=", "/=", "1", "x++/2", ")/2", "a/b/c", "BEGIN{", "print x"),
    *('sub(/a/,"b")', 'gsub(/\\//,"|")', "if (x)", "x>1", "return", "function f(q)", "f(1)"),
]
PROGRAMS = st.tuples(
    st.sampled_from(["{", "BEGIN{", "/a/{", "{ x = 1; ", "{ y = x / 2; ", "{ if (x) "]),
    st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(["", " "])), max_size=8),
    st.sampled_from(PAYLOADS),
    st.sampled_from(["}", " }", "\n}", '"}', "/}"]),
).map(lambda parts: parts[0] + "".join(a + b for a, b in parts[1]) + parts[2] + parts[3])


def allows(program: str) -> bool:
    try:
        check_awk((Word(program), Word("in")))
    except Refused:
        return False
    return True


def leaves_a_file(program: str) -> bool:
    """Whether any awk that is installed writes something when it runs `program`."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "in").write_text("a b/c\n1 2\n", encoding="utf-8")
        for awk in AWKS:
            try:
                subprocess.run(
                    [awk, program, "in"],
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    check=False,
                    timeout=SECONDS,
                )
            except subprocess.TimeoutExpired:
                continue
        return len(list(Path(folder).iterdir())) > 1


@pytest.mark.proves("D9")
@settings(max_examples=300, deadline=None)
@given(program=PROGRAMS)
def test_no_program_that_passes_writes_or_runs_anything(program: str) -> None:
    assert not (allows(program) and leaves_a_file(program))


def test_the_payloads_do_write_when_they_are_run() -> None:
    assert all(leaves_a_file(f"BEGIN {{ {payload} }}") for payload in PAYLOADS[3:])
    assert leaves_a_file('{ print $1 > "proof" }')


@pytest.mark.parametrize(
    "program",
    [
        "/foo|bar/ { print NR }",
        '{ gsub(/^[ \\t]+|[ \\t]+$/, ""); print }',
        "{ n += $1 } END { print n / NR, n/2 }",
        "$3 > 100 && $2/$1 >= 2 { print $1 }",
        "{ print a\n if (b > c) d = (b / c) }",
        '{ split($0, part, "|"); print part[1] "|" systime() }',
        'BEGIN { PROCINFO["sorted_in"] = "@ind_str_asc" } { seen[$1]++ }',
    ],
)
def test_reading_programs_pass(program: str) -> None:
    assert allows(program)


@pytest.mark.parametrize(
    "program",
    [
        '{ print length / 2 > "x" } # /',
        "{ x = length / 2; y = z / 2 }",
        '/[/]/ { print > "x" } /[/]/',
        'BEGIN { SYMTAB["ARG" "C"] = 2 }',
        'BEGIN { f = "sys" "tem"; @f("x") }',
        'BEGIN { awk::system("x") }',
        '{ print "a",\n "b" > "x" }',
        "{ print (a > b) }",
        "{ print a \\\n > b }",
    ],
)
def test_what_awks_read_differently_or_what_writes_is_refused(program: str) -> None:
    assert not allows(program)
