"""Each error has one exit code, one HTTP status, one MCP code and one sentence."""

import re

import pytest
from scripts.reference import tree

from reverie import errors
from reverie.cli.root import report

ALL = list(tree(errors.ReverieError))


def test_the_tree_in_the_docstring_is_the_tree_in_the_code() -> None:
    drawn = re.findall(r"[│├└─ ]*\b([A-Z]\w+)\s{2,}(\d+)?", errors.__doc__ or "")
    assert [name for name, _ in drawn] == [e.__name__ for e in ALL]
    for name, code in drawn:
        if code:
            assert getattr(errors, name).exit_code == int(code)


@pytest.mark.parametrize("error", ALL)
def test_every_error_is_mapped_and_explained(error: type[errors.ReverieError]) -> None:
    assert 1 <= error.exit_code <= 130
    assert 400 <= error.http_status <= 599
    assert error.mcp_code < 0
    assert error.summary().endswith(".")


def test_exit_codes_differ_between_the_first_branches() -> None:
    codes = [e.exit_code for e in errors.ReverieError.__subclasses__()]
    assert len(codes) == len(set(codes))


def test_an_error_is_printed_as_one_sentence_and_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    code = report(errors.NotFound("no memory named 'x\x1b[2J'", hint="did you mean 'y'?"))
    assert code == 3
    assert (
        capsys.readouterr().err == "error: no memory named 'x\\x1b[2J'\nhint: did you mean 'y'?\n"
    )
