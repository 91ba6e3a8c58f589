"""What `import reverie` gives, and what it costs."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import reverie
from reverie import errors

PACKAGE = Path(inspect.getfile(reverie))


def run(program: str) -> str:
    command = [sys.executable, "-P", "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_importing_it_loads_nothing_but_itself() -> None:
    loaded = run(
        "import sys; before = set(sys.modules); import reverie;"
        " print(sorted(set(sys.modules) - before))"
    )
    assert ast.literal_eval(loaded) == ["reverie"]


def test_a_name_loads_only_what_it_lives_in() -> None:
    loaded = run(
        "import reverie, sys; reverie.NotFound;"
        " print(sorted(name for name in sys.modules if name.startswith('reverie')))"
    )
    assert ast.literal_eval(loaded) == ["reverie", "reverie.errors"]


@pytest.mark.proves("F14")
@pytest.mark.parametrize("name", reverie.__all__)
def test_every_name_that_is_offered_is_there(name: str) -> None:
    assert getattr(reverie, name) is not None
    assert name in dir(reverie)


@pytest.mark.proves("F14")
def test_what_is_offered_is_what_checkers_are_told() -> None:
    tree = ast.parse(PACKAGE.read_text(encoding="utf-8"))
    told: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("reverie"):
            told |= dict.fromkeys((alias.name for alias in node.names), node.module)
    assert sorted([*told, "__version__"]) == sorted(reverie.__all__)
    for name, module in told.items():
        assert getattr(reverie, name) is getattr(sys.modules[module], name)


def test_every_error_is_offered() -> None:
    raised = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.ReverieError)
    }
    assert raised <= set(reverie.__all__)


def test_another_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Manager'"):
        _ = reverie.Manager  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.proves("F14")
def test_every_public_deed_says_what_it_does_and_what_it_gives() -> None:
    for name, value in inspect.getmembers(reverie.Memory, inspect.isfunction):
        if not name.startswith("_"):
            assert inspect.getdoc(value), name
            assert "return" in value.__annotations__, name
