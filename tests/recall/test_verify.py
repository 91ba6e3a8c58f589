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
        "package.json": '{"scripts": {"build": "tsc"}, "dependencies": {"lodash": "^4.17.1"}}',
        "src/rows.py": "def parse_invoice(row): ...\nclass InvoiceParser: ...\nimport pandas\n",
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
        ("Start it with --lenient.", "--lenient", "not found here"),
        ("Amounts come from parse_invoice, in cents.", "parse_invoice", "verified"),
        ("Amounts come from parse_receipt, in cents.", "parse_receipt", "not found here"),
        ("Call parse_receipt for amounts.", "parse_receipt", "gone"),
        ("Keep InvoiceParser free of state.", "InvoiceParser", "verified"),
        ("Keep class ReceiptParser free of state.", "ReceiptParser", "gone"),
        ("Each class Invoice holds one row.", "Invoice", "gone"),  # InvoiceParser is another
        ("The page lives on GitHub.", "GitHub", "unchecked"),
        ("The page is made with Next.js.", "Next.js", "unchecked"),
        ("Push with `git push --force-with-lease`.", "--force-with-lease", "not found here"),
        ("Take pandas.read_feather() for it.", "pandas.read_feather()", "gone"),
        ("Take lodash.debounce_all() for it.", "lodash.debounce_all()", "not found here"),
        ("Take polars.read_all() for it.", "polars.read_all()", "not found here"),
        ("Use github.com/gin-gonic/gin here.", "github.com/gin-gonic/gin", "not found here"),
        ("Run `pnpm add zod` first.", "pnpm add zod", "unchecked"),
        ("Run `make -C web test` first.", "make -C web test", "unchecked"),
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


@pytest.mark.proves("D12")
@pytest.mark.parametrize(
    ("file", "content", "claim", "state"),
    [
        ("package.json", '{"dependencies": {"react": "^19.0.0"}}', "React 18", "changed"),
        ("package.json", '{"dependencies": {"react": "^18.2.0"}}', "React 18", "verified"),
        ("package.json", '{"dependencies": {"react": "^18.2.0"}}', "React 18.3", "verified"),
        ("package.json", '{"dependencies": {"react": "~18.2.0"}}', "React 18.3", "changed"),
        ("package.json", '{"dependencies": {"next": "14.1.0"}}', "Next.js 13", "changed"),
        ("package.json", '{"engines": {"node": ">=20"}}', "Node 18", "changed"),
        ("package.json", '{"engines": {"node": "18 || 20"}}', "Node 18", "verified"),
        ("package.json", '{"packageManager": "pnpm@9.1.0+sha.1"}', "pnpm@8", "changed"),
        ("package.json", '{"dependencies": {"react": "workspace:*"}}', "React 18", "unchecked"),
        ("package.json", '{"dependencies": {"vue": "^3.4"}}', "React 18", "unchecked"),
        ("package.json", '{"dependencies": [', "React 18", "unchecked"),
        ("web/package.json", '{"devDependencies": {"vite": "^5"}}', "vite v4", "changed"),
        ("pyproject.toml", '[project]\nrequires-python = ">=3.12"', "Python 3.11", "changed"),
        ("pyproject.toml", '[project]\nrequires-python = ">=3.11"', "Python 3.12", "verified"),
        ("pyproject.toml", '[project]\nrequires-python = ">=3.8"', "Python 3.7+", "verified"),
        ("pyproject.toml", '[project]\ndependencies = ["django~=5.0"]', "Django 4.2", "changed"),
        (
            "pyproject.toml",
            '[project]\ndependencies = ["django[x]>=4.2,<5"]',
            "Django 4",
            "verified",
        ),
        ("requirements.txt", "flask==2.3.1  # pinned\n", "Flask 3", "changed"),
        ("go.mod", "module a\n\ngo 1.22\n", "Go 1.21", "changed"),
        ("go.mod", "require (\n\tgithub.com/jackc/pgx/v5 v5.5.0\n)\n", "pgx v4", "changed"),
        ("Cargo.toml", '[dependencies]\ntokio = { version = "1.35" }', "tokio 1.36", "verified"),
        ("Gemfile", "gem 'rails', '~> 7.1'\n", "Rails 6", "changed"),
        (".nvmrc", "v20.1.0\n", "Node 20", "verified"),
    ],
)
def test_a_version_is_compared_with_the_manifest(
    tmp_path: Path, file: str, content: str, claim: str, state: str
) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(content, encoding="utf-8")
    assert states(f"We are on {claim}.", Tree(str(tmp_path), lambda: False))[claim] == state


def test_numbers_that_are_no_versions_are_no_claims(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"dependencies": {"port": "1", "react": "^19"}}')
    tree = Tree(str(tmp_path), lambda: False)
    found = states("We moved from React 18 last year; retry 3 times on 10 %.", tree)
    assert set(found.values()) == {"unchecked"}


def test_a_version_that_changed_says_what_the_manifest_has(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"dependencies": {"react": "^19.0.0"}}')
    (finding,) = verify(references("We are on React 18."), Tree(str(tmp_path), lambda: False))
    assert str(finding) == "React 18 changed (now ^19.0.0 in package.json)"


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
