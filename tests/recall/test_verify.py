"""What a memory names is looked up in the working tree."""

import os
from pathlib import Path

import pytest

from reverie.recall.verify import MAX_REFERENCES, Tree, references, verify


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    files = {
        "src/app.py": "def load_config():\n    parser.add_argument('--strict')\n",
        "lib/moved.py": "class Harbour: ...\n",
        "Makefile": "lint:\n\truff check\n",
        "package.json": '{"scripts": {"build": "tsc"}}',
        ".gitignore": "ignored\n*.log\n",
        "ignored/secret.py": "def only_here(): ...",
        "node_modules/x/index.js": "only_there()",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Tree(str(tmp_path), lambda: False)


def states(text: str, tree: Tree) -> dict[str, str]:
    return {f.reference.text: f.state for f in verify(references(text), tree)}


@pytest.mark.proves("D12")
@pytest.mark.parametrize(
    ("text", "name", "state"),
    [
        ("Settings live in src/app.py.", "src/app.py", "verified"),
        ("Settings live in src/moved.py.", "src/moved.py", "changed"),
        ("Settings live in src/gone.py.", "src/gone.py", "gone"),
        ("See app.py for it.", "app.py", "verified"),
        ("Call load_config() first.", "load_config()", "verified"),
        ("Call save_config() first.", "save_config()", "gone"),
        ("The class `Harbour` holds it.", "Harbour", "verified"),
        ("Start it with --strict.", "--strict", "verified"),
        ("Start it with --lenient.", "--lenient", "gone"),
        ("Run `make lint` first.", "make lint", "verified"),
        ("Run `make test` first.", "make test", "gone"),
        ("Run `npm run build` first.", "npm run build", "verified"),
        ("Run `npm run lint` first.", "npm run lint", "gone"),
        ("Run `git push origin` first.", "git push origin", "unchecked"),
        ("Call only_here() first.", "only_here()", "gone"),
        ("Call only_there() first.", "only_there()", "gone"),
        ("Look at ../../etc/passwd.py now", "../../etc/passwd.py", "unchecked"),
    ],
)
def test_every_sort_of_name_is_checked(tree: Tree, text: str, name: str, state: str) -> None:
    assert states(text, tree)[name] == state


def test_a_moved_file_is_said_to_be_elsewhere(tree: Tree) -> None:
    (finding,) = verify(references("It is in src/moved.py."), tree)
    assert str(finding) == "src/moved.py changed (now lib/moved.py)"


@pytest.mark.proves("D12")
def test_reasons_pass() -> None:
    text = "**Rule:** Run `make lint`.\n**Why:** old/gone.py broke CI.\n**How to apply:** --fix it."
    assert [r.text for r in references(text)] == ["make lint", "--fix"]


def test_plain_prose_names_nothing() -> None:
    assert references("Please answer in short sentences and/or lists, e.g. with care.") == ()


def test_no_more_than_a_few_names_are_checked() -> None:
    assert len(references(" ".join(f"src/a{n}/b.py" for n in range(50)))) == MAX_REFERENCES


def test_out_of_time_means_unchecked_and_never_gone(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1")
    late = Tree(str(tmp_path), lambda: True)
    assert states("Call missing_thing() and read src/far/b.py", late) == {
        "missing_thing()": "unchecked",
        "src/far/b.py": "unchecked",
    }


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
def test_links_and_pipes_in_the_tree_hold_nothing_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "out.py").symlink_to("/etc/passwd")
    assert states("Call find_me() now", Tree(str(tmp_path), lambda: False)) == {"find_me()": "gone"}
