"""Forms: how a pattern can be put to use, only those that suit it and would work.

    rule         one order with its reason, for CLAUDE.md or AGENTS.md (`rules`)
    command      a slash command, for work that is asked for again and again (`procedures`)
    skill        a skill file, for commands that belong together (`procedures`)
    hook         a check before a command runs that held over the past (`hooks`)
    test         a regression test in the framework of the project (`regressions`)
    observation  what was seen, where there is nothing to do by itself

Nothing here runs anything: a form is text, put in its place only when a person accepts it.
"""

from collections.abc import Iterable

from reverie.dream.model import Artefact, Form, Pattern, Replay
from reverie.dream.proposals.hooks import Guard, hook_form
from reverie.dream.proposals.procedures import delivery_form, procedure, procedure_form
from reverie.dream.proposals.regressions import regression_form
from reverie.dream.proposals.rules import rule_of
from reverie.plural import several

CLAUDE = "claude-code:"  # how the keys of its sessions begin
# What there is nothing to do about while one works: it is for a person to read.
OBSERVED = frozenset({"sequence", "lag"})
OF_CLAUDE = frozenset({"command", "skill", "hook"})  # what other clients do not read
HOOK = "its hook on "  # what is said of one that is not offered begins so


def forms_of(
    pattern: Pattern,
    guard: Guard | None = None,
    replay: Replay | None = None,
    frameworks: Iterable[str] = (),
) -> tuple[Artefact, ...]:
    """The forms that suit a pattern, in the order of the table above.

    `replay` is what its guard would have done; the project is tested with `frameworks`.
    """
    made = _suggested if pattern.suggested else _own
    candidates = [*made(pattern, guard, replay or Replay()), regression_form(pattern, frameworks)]
    chosen = tuple(form for form in candidates if form is not None)
    return chosen or (Artefact("observation", "", observed(pattern)),)


def _own(pattern: Pattern, guard: Guard | None, replay: Replay) -> list[Artefact | None]:
    source = pattern.group.source
    made = (procedure_form(pattern) or delivery_form(pattern)) if _by_claude(pattern) else None
    candidates: list[Artefact | None] = [made]
    unstable = source == "check" and pattern.type == "project"
    first = pattern.group.members[0]
    observed_only = source in OBSERVED or unstable or bool(first.steps)
    if first.order or source == "said" or not (observed_only or made):
        candidates.insert(0, Artefact("rule", read_by(pattern), f"- {rule_of(pattern).line}"))
    if guard is not None and _by_claude(pattern):
        candidates.append(hook_form(pattern, guard, replay))
    return candidates


def _suggested(pattern: Pattern, guard: Guard | None, replay: Replay) -> list[Artefact | None]:
    """The forms that a model would give it, made and checked as the rules' own."""
    made: list[Artefact | None] = []
    for wanted in pattern.suggested:
        if wanted.form in OF_CLAUDE and not _by_claude(pattern):
            continue
        match wanted.form:
            case "rule":
                made.append(Artefact("rule", read_by(pattern), f"- {rule_of(pattern).line}"))
            case "command" | "skill":
                made.append(
                    procedure(wanted.form, wanted.name or pattern.text, wanted.steps, pattern)
                )
            case "hook":
                made.append(guard and hook_form(pattern, guard, replay))
            case "observation":
                made.append(Artefact("observation", "", observed(pattern)))
            case "test":  # is made wherever there is a call to test, whoever thinks of it
                pass
    return made


def unmade(pattern: Pattern, guard: Guard | None, replay: Replay | None) -> str:
    """Why a hook that a model would give it is not offered; "" where it is, or none was wanted."""
    wanted = [suggestion.match for suggestion in pattern.suggested if suggestion.form == "hook"]
    if not wanted or any(form.form == "hook" for form in pattern.forms):
        return ""
    if not _by_claude(pattern):
        return "only Claude Code runs hooks, and none of these sessions is of it"
    if guard is None:
        return f"{HOOK}`{wanted[0]}` names no single command"
    if replay is None or replay.unread:
        return f"{HOOK}`{wanted[0]}` was not tried: the commands of some sessions are not read"
    fired = several(replay.good + replay.bad, "past call")
    return f"{HOOK}`{wanted[0]}` would have fired at {fired}, {replay.good} of them good"


def read_by(pattern: Pattern) -> str:
    """The file that the agents of its sessions read."""
    claude = sum(session.startswith(CLAUDE) for session in pattern.group.sessions)
    return "CLAUDE.md" if claude == pattern.support else "AGENTS.md"


def _by_claude(pattern: Pattern) -> bool:
    """Whether any of its sessions was of a client that reads commands and skills of a project."""
    return any(session.startswith(CLAUDE) for session in pattern.group.sessions)


def names(artefacts: Iterable[Artefact]) -> list[Form]:
    return list(dict.fromkeys(artefact.form for artefact in artefacts))


def observed(pattern: Pattern) -> str:
    """What was seen, and how often."""
    return f"{pattern.text} ({pattern.sentence()})"
