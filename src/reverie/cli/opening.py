"""The memory a command works with: the person's own, closed when the command ends."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.asker import Asker
from reverie.cli.printing import progress_bar, say
from reverie.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.mounts.sync import Report
    from reverie.sessions.aside import Aside
    from reverie.sessions.index import Index, IndexReport

_SHOWN = 5


def opened(
    project: str | None = None,
    *,
    speaking: bool = False,
    environ: "Mapping[str, str] | None" = None,
) -> Memory:
    """The memory as its owner sees it from the working directory. Nothing is made or synced.

    Whose word it is that speaks is looked up for commands that say or change something; all others
    could do so with the trust of an agent at most.
    """
    if environ is None:
        environ = _chosen_by_a_person()
    memory = Memory.open(project=project, asker=Asker("cli", session()), environ=environ)
    memory.agent_above = _agent_above
    if speaking:
        from reverie.cli.speaker import speaker

        memory.asker, why = speaker(os.environ, memory.settings.trust.scripts, session())
        if why:
            say(f"acting with the trust of an agent ({why})")
    if context := click.get_current_context(silent=True):
        context.call_on_close(memory.close)
    return memory


def _chosen_by_a_person() -> "Mapping[str, str] | None":
    """The environment without what an agent, or a repository through it, may have set; None as is.

    Variables name homes, databases and settings: what they name would speak for the person.
    """
    variables = {name for name in os.environ if name.startswith("REVERIE_")}
    if not variables or not _agent_above():
        return None
    from reverie.connect.switches import for_an_agent

    environ = for_an_agent(os.environ, os.getcwd())
    ignored = sorted(name for name in variables if environ.get(name) != os.environ[name])
    if ignored:
        say(f"not obeyed in an agent's shell: {', '.join(ignored)}")
    return environ


def opened_in_step(project: str | None = None, *, speaking: bool = False) -> Memory:
    """As `opened`, for commands that read or change stores: mounted folders are looked at first,
    and again at the end if the command changed something."""
    memory = opened(project, speaking=speaking)
    if context := click.get_current_context(silent=True):
        context.with_resource(memory.in_step(tell))
    return memory


def _agent_above() -> str:
    from reverie.cli.speaker import agent_here

    return agent_here(os.environ)


def session() -> str:
    """The session this process was started by, where its agent says so."""
    return os.environ.get("CLAUDE_CODE_SESSION_ID", "")


def tell(report: "Report") -> None:
    """What a person should know of a sync, to stderr."""
    for file, why in report.left:
        say(f"warning: {report.folder}{'/' + file if file else ''}: {why}")
    for file in report.lowered:
        say(f"{report.folder}/{file}: trusted less from now on, as nobody knows who edited it")
    if report.lowered:
        say("hint: `reverie sync --mine` says that it was you")


def refreshed(memory: Memory, folder: Path | None = None) -> "Index":
    """The index, after a look at all logs; what is unchanged is not opened.

    While another process writes it, or on a read-only or full disk, it answers as it is.
    """
    from reverie.errors import ReadOnly, Unavailable
    from reverie.operations import learning

    index = memory.index  # what cannot be opened at all is an error of its own
    try:
        with progress_bar("reading logs") as progress:
            report = learning.read(memory, folder, progress=progress)
        tell_problems(report)
    except (ReadOnly, Unavailable) as error:
        say(f"what is new in the logs is left out: {error.message}")
    return index


def tell_problems(report: "IndexReport") -> None:
    """Damage is said, never passed over in silence."""
    if report.bad_lines:
        say(f"{report.bad_lines} damaged lines were passed over; `reverie doctor` lists them")
    tell_doubted(report.doubted)
    tell_aside(report.aside)


def tell_doubted(logs: "Sequence[Path]") -> None:
    """Whose logs nobody knows, and how a person says that they are theirs."""
    if logs:
        say(
            f"with the trust of an agent, as anybody may have put it there: {logs[0]}"
            + (f" and {len(logs) - 1} more" if len(logs) > 1 else "")
        )
        say("hint: `reverie learn --logs DIR --mine`, in a terminal of your own, says it is yours")


def tell_aside(asides: "Sequence[Aside]") -> None:
    """What could not be read or learned, and that it is not forgotten."""
    for aside in asides[:_SHOWN]:
        say(f"set aside: {aside.session} ({aside.step}): {aside.reason}")
    if asides:
        more = f"… and {len(asides) - _SHOWN} more; " if len(asides) > _SHOWN else ""
        say(f"{more}the next `reverie learn` tries again, `reverie doctor` lists what is set aside")


def waiting(words: str) -> None:
    """Say for whom this command waits."""
    say(f"{words}: waiting for it (Ctrl-C stops the waiting)")
