"""Forms: how a pattern can be put to use, only those that suit it.

    rule         a line for CLAUDE.md or AGENTS.md
    command      a slash command, for something that is asked for again and again
    skill        a skill file, for steps that belong together
    hook         a check before a tool runs, where the pattern names the command
    test         an idea for a regression test, for mistakes
    observation  what was seen, for what calls for no action by itself

Nothing here runs anything: a form is text, put in its place only when a person accepts it.
"""

import json

from reverie.data import patterns
from reverie.dream.model import Artefact, Form, Pattern, Suggested
from reverie.inert import inert, unframed
from reverie.learn.memories.candidate import name_from
from reverie.learn.statements.rule import positively

_RE = patterns("dreams.txt", "pattern_forms")


SPACED = r"\g<0> "
ACTED_ON = frozenset({"said", "fix", "misedit", "ask", "check", "chore", "refusal"})


def forms_of(pattern: Pattern) -> tuple[Artefact, ...]:
    """The forms that suit a pattern, in the order of the table above."""
    if pattern.suggested:
        return tuple(_suggested(pattern, one) for one in pattern.suggested)
    name = name_from(pattern.text)
    chosen: list[Artefact] = []
    source = pattern.group.source
    if source in ACTED_ON and pattern.type != "reference":
        chosen.append(Artefact("rule", "AGENTS.md", f"- {rule_line(pattern)}"))
    if pattern.kind == "command" or (source == "said" and _RE.work.match(pattern.text)):
        chosen.append(Artefact("command", f".claude/commands/{name}.md", command_file(pattern)))
    if source == "sequence":
        chosen.append(Artefact("skill", f".claude/skills/{name}/SKILL.md", skill_file(pattern)))
    hook = hook_of(pattern)
    if hook:
        chosen.append(Artefact("hook", ".claude/settings.json", hook))
    if pattern.kind == "error" and source == "said":
        chosen.append(Artefact("test", f"tests/{name}", test_idea(pattern)))
    if source not in {"sequence", *ACTED_ON}:
        chosen.append(Artefact("observation", "", observed(pattern)))
    return tuple(chosen)


def _suggested(pattern: Pattern, one: Suggested) -> Artefact:
    """A form as a model would have it."""
    name = name_from(one.name or pattern.text)
    steps = "\n".join(f"{number}. {unframed(step)}" for number, step in enumerate(one.steps, 1))
    head = f"description: {_described(pattern)}\n---\n{_said(pattern)}"
    match one.form:
        case "rule":
            return Artefact("rule", "AGENTS.md", f"- {rule_line(pattern)}")
        case "command":
            content = f"---\n{head}\n\n{_RE.acts.sub(SPACED, steps)}\n\n$ARGUMENTS\n"
            return Artefact("command", f".claude/commands/{name}.md", content)
        case "skill":
            content = f"---\nname: {name}\n{head}\n\n{_RE.acts.sub(SPACED, steps)}\n"
            return Artefact("skill", f".claude/skills/{name}/SKILL.md", content)
        case "hook":
            hook = _hook(one.match, pattern.text, deny=one.decision == "deny")
            return Artefact("hook", ".claude/settings.json", hook)
        case "test":
            return Artefact("test", f"tests/{name}", test_idea(pattern))
        case "observation":
            return Artefact("observation", "", observed(pattern))


def names(artefacts: tuple[Artefact, ...]) -> list[Form]:
    return list(dict.fromkeys(artefact.form for artefact in artefacts))


def rule_line(pattern: Pattern) -> str:
    """The rule in one line; a prohibition is said as what to do, with the original behind it."""
    better = positively(pattern.text)
    original = pattern.text.rstrip(".")
    return f"{better.rstrip('.')} ({original})." if better else pattern.text


def command_file(pattern: Pattern) -> str:
    """A slash command: front matter and what to do."""
    return f"---\ndescription: {_described(pattern)}\n---\n{_said(pattern)}\n\n{_seen(pattern)}\n"


def skill_file(pattern: Pattern) -> str:
    """A skill: when to use it, and the steps as they worked."""
    steps = _RE.command.findall(pattern.text)
    listed = "\n".join(f"{number}. `{step}`" for number, step in enumerate(steps, 1))
    name = name_from(pattern.text)
    return (
        f"---\nname: {name}\ndescription: {_described(pattern)}\n---\n\n"
        f"{_said(pattern)}\n\n{listed or _said(pattern)}\n\n{_seen(pattern)}\n"
    )


def hook_of(pattern: Pattern) -> str:
    """A `PreToolUse` entry that would have caught it; "" where no command is named."""
    commands = _RE.command.findall(pattern.text)
    if pattern.group.source == "fix" and len(commands) >= 2:
        return _hook(commands[0], pattern.text, deny=False)
    if pattern.group.source != "said" or not commands:
        return ""
    before = _RE.before.search(pattern.text)
    if before:
        event = before[1].lower()
        guarded = {"commit": "git commit", "push": "git push", "merg": "git merge"}.get(event)
        return _hook(guarded, pattern.text, deny=False) if guarded else ""
    if _RE.banned.search(pattern.text):
        return _hook(commands[0], pattern.text, deny=True)
    return ""


def _hook(command: str, reason: str, *, deny: bool) -> str:
    entry = {
        "event": "PreToolUse",
        "matcher": "Bash",
        "when": command,
        "decision": "deny" if deny else "remind",
        "reason": reason,
    }
    return json.dumps(entry, ensure_ascii=False, sort_keys=True)


def test_idea(pattern: Pattern) -> str:
    """What a regression test should hold on to, in words."""
    return f"A test that fails when this happens again: {pattern.text}\n{_seen(pattern)}"


def observed(pattern: Pattern) -> str:
    return f"{pattern.text} ({pattern.sentence()})"


def _described(pattern: Pattern) -> str:
    """The text as a value of front matter: a client shows it among its own words."""
    return json.dumps(inert(" ".join(pattern.text.split())), ensure_ascii=False)


def _said(pattern: Pattern) -> str:
    """The text as the body of a command, where a client would run !`…` and read @/a/file."""
    lines = [unframed(line) for line in pattern.text.splitlines()]
    return _RE.acts.sub(r"\g<0> ", "\n".join(lines))


def _seen(pattern: Pattern) -> str:
    return f"<!-- seen {pattern.sentence()} -->"
