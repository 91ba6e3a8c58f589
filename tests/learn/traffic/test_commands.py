"""Commands cut up: what was run, and what sort of act it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.learn.traffic.commands import command_of, form_of


@pytest.mark.parametrize(
    ("text", "shown", "act"),
    [
        ("cd /w/app && npm test 2>&1 | tail -20", "npm test", "check"),
        ("FOO=1 timeout 60 pytest -q; echo done", "pytest -q", "check"),
        ("ls -la && cat README.md", "ls -la && cat README.md", "look"),
        ("git -C /w/app status", "git status", "look"),
        ("git add . && git commit -m 'x y' && git push", "git commit -m 'x y' && git push", "ship"),
        ("git commit -m \"$(cat <<'EOF'\nlong\ntext\nEOF\n)\"", "git commit -m …", "ship"),
        ("git checkout -- src/a.py", "git checkout -- src/a.py", "undo"),
        ("git stash list", "git stash list", "look"),
        ("gh pr view 12 --json title", "gh pr view 12 --json title", "look"),
        ("npm run lint:fix", "npm run lint:fix", "run"),
        ("docker run \\\n  --rm alpine", "docker run --rm alpine", "run"),
        ("/home" + "/someone/bin/deploy now", "~/bin/deploy now", "run"),
        ("npx playwright install chromium", "npx playwright install chromium", "run"),
        ("playwright install", "playwright install", "run"),
        ("sed -i s/a/b/ file", "sed -i s/a/b/ file", "run"),
        ("command -v jq", "command -v jq", "look"),
        ("for f in *.md; do npx lint $f; done", "npx lint $f", "check"),
        ("if [ -f a ]; then make build; else exit 1; fi", "make build", "check"),
    ],
)
def test_a_command_is_named_by_what_it_does(text: str, shown: str, act: str) -> None:
    command = command_of(text)
    assert (command.shown(), command.act) == (shown, act)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (
            "kubectl --context blue rollout restart deploy/web",
            "kubectl --context … rollout restart …",
        ),
        ("terraform -chdir=ops plan -out=a.plan", "terraform -chdir=… plan -out=…"),
        ("docker compose -f dev.yml down", "docker compose -f … down"),
        ("git commit -m 'x y' src", "git commit -m …"),
        ("git push -u origin main", "git push -u …"),
    ],
)
def test_the_form_of_a_call_keeps_its_subcommand(text: str, form: str) -> None:
    assert form_of(command_of(text).acts[0]) == form


def test_a_pipe_hides_the_exit_code() -> None:
    assert command_of("npm test | tail -3").piped
    assert not command_of("npm test || true").piped


@given(st.text(max_size=300))
def test_any_text_is_cut_up(text: str) -> None:
    command = command_of(text)
    assert all(part and part[0] for part in command.parts)
    assert len(command.shown()) <= 140
