"""Commands and skills: steps to carry out, and what the real client makes of them."""

import json
import re
import subprocess

import pytest
from examples.claude_offline import Client
from tests.dream.proposals.test_rules import pattern

from reverie.dream.model import Artefact
from reverie.dream.proposals.procedures import delivery_form, procedure, procedure_form
from reverie.dream.proposals.suggestions import FormOf, suggestions


def skill(*steps: str) -> Artefact:
    text = f"These commands go together: {', then '.join(steps)}"
    found = procedure_form(pattern(text, source="sequence", steps=steps, trust="agent"))
    assert found is not None
    return found


def asked(wording: str, *steps: str) -> Artefact:
    return procedure("command", wording, steps, pattern("asked again"))


def tools(artefact: Artefact) -> str:
    found = re.search(r"^allowed-tools: (.*)$", artefact.content, re.MULTILINE)
    assert found is not None
    return found[1]


def steps(artefact: Artefact) -> list[str]:
    return re.findall(r"^\d+\. (.*)$", artefact.content, re.MULTILINE)


@pytest.mark.proves("A3")
def test_commands_that_go_together_are_numbered_orders() -> None:
    one = skill("just fmt", "just lint --fix", "git add …", "rtk git commit -m …")
    assert one.path == ".claude/skills/fmt-lint-add-commit/SKILL.md"
    assert steps(one) == [
        "Run `just fmt`.",
        "Run `just lint --fix`.",
        "Run `git add` with the files that belong to this work, by name.",
        "Run `rtk git commit -m` with a message that says what changed and why.",
    ]
    assert tools(one) == (
        "Bash(just fmt:*), Bash(just lint:*), Bash(git add:*), Bash(rtk git commit:*)"
    )
    assert "$ARGUMENTS" in one.content
    assert "These commands go together" not in one.content


@pytest.mark.proves("A3")
def test_a_delivery_shows_what_there_is_and_asks_before_it_leaves_the_machine() -> None:
    acts = ("git commit", "git push")
    one = delivery_form(pattern("People ask for it", source="ask", steps=acts, trust="agent"))
    assert one is not None
    assert (one.form, one.path) == ("command", ".claude/commands/push.md")
    assert "- !`git status --short`\n" in one.content
    assert [order.split()[0] for order in steps(one)] == ["Stage", "Commit", "Push"]
    assert "Bash(git commit:*)" in tools(one)
    assert "push" not in tools(one)


@pytest.mark.proves("A3")
def test_commands_before_the_work_is_handed_over_are_a_rule() -> None:
    order = "Before you hand the work over, run `just fmt`, then `just lint`"
    told = pattern("x", source="sequence", steps=("just fmt", "just lint"), order=order)
    assert procedure_form(told) is None


@pytest.mark.proves("A3")
def test_what_is_asked_for_is_a_command_named_by_the_words() -> None:
    one = asked("Regenerate the client", "make client", "make …")
    assert one.path == ".claude/commands/regenerate-client.md"
    assert steps(one)[1] == "Run `make …`, with what this work needs in the place of `…`."
    assert asked("review", "make review").path == ".claude/commands/do-review.md"


@pytest.mark.hostile("M5")
@pytest.mark.parametrize(
    "step",
    [
        "curl x.example",
        "rm -rf build",
        "npm publish",
        "sudo make",
        "make a | sh",
        "python -c …",
        "make rooms/…/doors",
    ],
)
def test_what_fetches_removes_or_runs_anything_is_asked_about(step: str) -> None:
    assert tools(skill("make fmt", step)) == "Bash(make fmt:*)"


FORMS = {
    "a skill": (skill("make one", "make two"), "/one-two"),
    "a command": (asked("Tidy up", "make one", "make two"), "/tidy-up"),
}


@pytest.mark.proves("A3")
@pytest.mark.parametrize("name", FORMS)
def test_the_real_client_carries_it_out_without_a_question(name: str, client: Client) -> None:
    artefact, called = FORMS[name]
    makefile = client.project / "Makefile"
    makefile.write_text("one two:\n\techo made >> $@.txt\n", encoding="utf-8")
    place = client.project / artefact.path
    place.parent.mkdir(parents=True)
    place.write_text(artefact.content, encoding="utf-8")
    client.ask(f"{called} with care")
    (sent, *_) = client.api.with_text("Carry out these steps")
    assert "(may be empty): with care" in json.dumps(sent["messages"])
    assert (client.project / "one.txt").read_text(encoding="utf-8") == "made\n"
    assert (client.project / "two.txt").exists()


@pytest.mark.proves("A3")
def test_the_real_client_finds_nothing_wrong_with_the_files(client: Client) -> None:
    plugin = client.project / "plugin"
    manifest = plugin / ".claude-plugin" / "plugin.json"
    manifest.parent.mkdir(parents=True)
    described = {"name": "forms", "version": "1.0.0", "description": "x", "author": {"name": "x"}}
    manifest.write_text(json.dumps(described), encoding="utf-8")
    said = asked("Notes", "Update the notes: “all”", "Bump the `x` version")
    for artefact in (*(form for form, _ in FORMS.values()), said):
        place = plugin / artefact.path.removeprefix(".claude/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(artefact.content, encoding="utf-8")
    done = subprocess.run(
        [client.program, "plugin", "validate", str(plugin), "--strict"],
        env=client.env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_step_in_backquotes_is_the_command_in_them() -> None:
    one = asked("back to main", "`git switch main`", "`git pull`.", "`git log` of `main`")
    assert one.path == ".claude/commands/back-to-main.md"
    assert steps(one) == [
        "Run `git switch main`.",
        "Run `git pull`.",
        "Run `git log` of `main`.",
    ]
    assert "``" not in one.content and "Bash(git switch main:*)" in tools(one)
    assert "Bash(main)" not in tools(one)


def test_a_sentence_is_no_command_though_its_first_word_may_be_a_program() -> None:
    told = (
        "Checkout main and bring it up to date.",
        "make sure that the tests pass",
        "`Remove the stale branches`",
    )
    one = asked("tidy up", *told, "make client", "./tidy.sh all.txt")
    assert steps(one) == [
        "Checkout main and bring it up to date.",
        "Make sure that the tests pass.",
        "Remove the stale branches.",
        "Run `make client`.",
        "Run `./tidy.sh all.txt`.",
    ]
    assert "Checkout" not in tools(one) and "Bash(make client:*)" in tools(one)


def test_an_order_of_several_deeds_may_use_what_each_needs_and_pushes_nothing() -> None:
    one = asked("handle reviews", "Fix, add a test, commit and push", "is it still valid?")
    assert steps(one) == ["Fix, add a test, commit and push.", "Is it still valid?"]
    one = asked("handle reviews", "Check each comment: is it still valid?", "Commit and push it.")
    assert steps(one) == ["Check each comment: is it still valid?", "Commit and push it."]
    assert "Bash(git commit:*)" in tools(one) and "push" not in tools(one)


def test_a_deed_in_words_names_what_does_it_if_the_sessions_ran_that() -> None:
    ran = {"git commit -m …", "git push", "gh pr create --title …", "make check"}
    deeds = ("Commit and push", "Open a pull request.", "Pull the latest", "make check", "Tidy up")
    ((rule, command), wrong) = suggestions([FormOf("command", "ship", deeds)], deeds, ran)
    assert (rule.form, wrong) == ("rule", ())
    assert command.steps == (
        "Commit and push (`git commit`, `git push`)",
        "Open a pull request (`gh pr create`)",
        "Pull the latest",
        "`make check`",
        "Tidy up",
    )
    made = asked("ship", *command.steps)
    assert "Bash(make check:*)" in tools(made) and "Bash(git commit:*)" in tools(made)
    assert "git push" not in tools(made) and "gh pr" not in tools(made)
