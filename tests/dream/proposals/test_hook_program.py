"""The program behind a hook reads a command line as a shell does, or lets it pass."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.dream.proposals.hook_program import commands, fires

TO_MAIN = {"calls": [{"call": ["git", "push"], "targets": ["main"]}]}
FORCED = {"calls": [{"call": ["git", "push", flag]} for flag in ("--force", "-f")]}
WIPE = {"calls": [{"call": ["rm", "-rf", "build"]}]}
STASH = {"calls": [{"call": ["git", "stash"], "but": ["list", "show"]}]}
WRAPPED = {"calls": [{"call": ["rtk", "npm", "…"], "exact": True}]}
FMT_FIRST = {"calls": [{"call": ["git", "commit"]}], "first": [{"call": ["make", "fmt"]}]}

FIRES = [
    ("git push origin main", TO_MAIN),
    ("git push -u origin HEAD:main", TO_MAIN),
    ("git push origin +refs/heads/main", TO_MAIN),
    ("git -C ../other -c user.name=x push origin main", TO_MAIN),
    ("cd x && FOO=1 git push origin main 2>&1 | tail -3", TO_MAIN),
    ("if make test; then git push origin main; fi", TO_MAIN),
    ("(cd a; git push origin main)", TO_MAIN),
    ("echo $(git push origin main)", TO_MAIN),
    ('echo "done: `git push origin main`"', TO_MAIN),
    ("bash -lc 'git push origin main'", TO_MAIN),
    ("sudo -u ci timeout -k 5 60 git push origin main", TO_MAIN),
    ("git push \\\n  origin main", TO_MAIN),
    ("cat <<'EOF' > notes\ngit status\nEOF\ngit push origin main", TO_MAIN),
    ('git push "origin" \'main\'', TO_MAIN),
    ("git push --force origin topic", FORCED),
    ("git push origin topic -f", FORCED),
    ("rm -r -f build", WIPE),
    ("/bin/rm -fr build dist", WIPE),
    ("git stash", STASH),
    ("git stash push -m x", STASH),
    ("rtk npm test", WRAPPED),
    ("rtk npm run build -- --watch", WRAPPED),
    ("make test && git commit -m x", FMT_FIRST),
]  # fmt: skip

PASSES = [
    ("git checkout main", TO_MAIN),
    ("git push origin main-fixes", TO_MAIN),
    ("git push origin main:topic", TO_MAIN),
    ("git push --dry-run origin main", TO_MAIN),
    ("echo git push origin main", TO_MAIN),
    ('git commit -m "git push origin main"', TO_MAIN),
    ("git log --grep 'git push origin main'", TO_MAIN),
    ("# git push origin main", TO_MAIN),
    ("cat <<EOF\ngit push origin main\nEOF", TO_MAIN),
    ("cat <<-'END'\n\tgit push origin main\n\tEND\ngit status", TO_MAIN),
    ("git push origin $BRANCH", TO_MAIN),
    ("git push 'origin main", TO_MAIN),
    ("for main in git push; do echo $main; done", TO_MAIN),
    ("git push --force-with-lease origin topic", FORCED),
    ("git push origin topic", FORCED),
    ("rm -r build", WIPE),
    ("rm -rf dist", WIPE),
    ("git stash list", STASH),
    ("rtk npm", WRAPPED),
    ("npm test", WRAPPED),
    ("make fmt && git commit -m x", FMT_FIRST),
    ("git status", FMT_FIRST),
]


@pytest.mark.proves("A3")
@pytest.mark.parametrize(("line", "guard"), FIRES)
def test_a_hook_fires_on_the_command_however_it_is_written(line: str, guard: Any) -> None:
    assert fires(line, guard, [])


@pytest.mark.proves("A3")
@pytest.mark.parametrize(("line", "guard"), PASSES)
def test_a_hook_lets_other_commands_with_the_same_words_pass(line: str, guard: Any) -> None:
    assert not fires(line, guard, [])


def test_what_must_come_first_counts_once() -> None:
    assert not fires("git commit -m a", FMT_FIRST, ["make fmt"])
    assert fires("git commit -m b", FMT_FIRST, ["make fmt", "git commit -m a"])
    assert fires("git commit -m a", FMT_FIRST, ["echo make fmt"])


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_no_line_breaks_the_reader(line: str) -> None:
    assert all(words and all(isinstance(word, str) for word in words) for words in commands(line))


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="'"), max_size=40))
def test_a_command_within_quotes_is_no_command(text: str) -> None:
    assert not fires(f"echo 'git push origin main {text}'", TO_MAIN, [])


WORD = st.from_regex(r"[a-z][a-z0-9./-]{0,6}", fullmatch=True)


@given(st.lists(st.lists(WORD, min_size=1, max_size=4), min_size=1, max_size=4), st.data())
def test_it_reads_the_same_words_as_the_grammar_of_the_shell(
    written: list[list[str]], data: st.DataObject
) -> None:
    import tree_sitter
    import tree_sitter_bash

    joints = st.sampled_from([" && ", "; ", " | ", "\n", " || "])
    line = " ".join(written[0])
    for words in written[1:]:
        line += data.draw(joints) + " ".join(words)
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    tree = parser.parse(line.encode())
    found: list[list[str]] = []
    nodes = [tree.root_node]
    while nodes:
        node = nodes.pop(0)
        if node.type == "command":
            found.append([(child.text or b"").decode() for child in node.children])
        nodes = [*node.children, *nodes]
    if tree.root_node.has_error or any("'" in word or '"' in word for one in found for word in one):
        return
    names = {"if", "do", "fi", "for", "case", "esac", "in", "then", "else", "elif", "while", "done",
             "env", "sudo", "nice", "exec", "sh", "eval", "git", "time", "bash", "until", "xargs",
             "zsh", "dash", "nohup"}  # fmt: skip
    if any(words[0].rpartition("/")[2] in names for words in written):
        return
    assert commands(line) == [[words[0].rpartition("/")[2], *words[1:]] for words in found]
