"""`reverie learn`, `unlearn` and `due`."""

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.opening import opened, opened_in_step, tell, tell_aside, tell_doubted, waiting
from reverie.cli.options import json_option, logs_option, start_of
from reverie.cli.printing import (
    agree,
    hanging,
    one_line,
    out,
    out_json,
    out_jsonl,
    progress_bar,
    say,
    several,
)
from reverie.cli.speaker import only_the_person
from reverie.operations import learning

if TYPE_CHECKING:
    from reverie.learn.report import Followed, LearnReport
    from reverie.memory import Memory
    from reverie.sessions.logs.discover import Skipped

SHOWN = 12  # lessons named in the summary
SUREST = 20  # corrections shown by a dry run
DRY_WIDTH = 160  # of a line quoted by a dry run
DAILIES = 3  # warnings about sizes

# --- learn and unlearn --------------------------------------------------------------------------


@click.command()
@logs_option
@click.option("--project", help="Only sessions of this project (name, slug or path).")
@click.option("--since", help="Only sessions since this day (2026-11-01, 7d).")
@click.option("--jobs", type=click.IntRange(1), default=None, help="Processes to read logs with.")
@click.option("--mine", is_flag=True, help="These logs are your own, also in a repository.")
@click.option("--dry-run", is_flag=True, help="Say what would be found; write nothing.")
@click.option("--no-wait", is_flag=True, help="Fail at once if another process is learning.")
@click.option("--engine", metavar="NAME", help="Have this engine think about learned sessions.")
@click.option("--all", "everything", is_flag=True, help="With --engine: of all projects.")
@click.option("--pieces", type=click.IntRange(1), help="With --engine: at most so many.")
@click.option("--batch", is_flag=True, help="With --engine: at half the price, within a day.")
@click.option("--yes", is_flag=True, help="With --engine: do not ask; the caps hold all the same.")
@json_option
def learn(
    folder: Path | None,
    project: str | None,
    since: str | None,
    jobs: int | None,
    mine: bool,
    dry_run: bool,
    no_wait: bool,
    engine: str | None,
    as_json: bool,
    **thinking: Any,
) -> int:
    """Read what is new in your agents' logs and keep what it teaches.

    Finds corrections and lasting statements, writes memories where they are sure enough and queues
    the rest for `reverie review`. With --dry-run it only shows what it would find. While another
    process is learning it says so and waits.

    With --engine a model thinks about sessions that were learned before: an estimate comes first,
    `reverie engines` lists who can, `reverie costs` has the receipts. Every answer is checked.
    With --batch they are sent together; the same command again fetches what was answered.
    """
    if engine not in {None, "rules"}:
        from reverie.cli.engines import work_with

        thinking |= {"project": project, "since": since, "dry_run": dry_run, "as_json": as_json}
        return work_with(engine or "", **thinking)
    memory = opened(speaking=mine)
    if mine:
        only_the_person(
            memory, "say whose logs these are", f"learn --logs {folder or 'DIR'} --mine"
        )
    first = start_of(since, memory.clock())
    if dry_run:
        _show_dry(memory, folder, project=project, since=first, as_json=as_json)
        return 0
    with progress_bar("learning") as progress:
        report = learning.learn(
            memory,
            folder,
            project=project,
            since=first,
            jobs=jobs,
            mine=mine,
            waiting=None if no_wait else waiting,
            progress=progress,
            tell=tell,
        )
    if as_json:
        from reverie import forms

        out_json(forms.learn_report(report))
    else:
        _summarise(report)
    return 0


def _summarise(report: "LearnReport") -> None:
    """The end of a run, in words."""
    _tell_followed(report.followed)
    if not report.index.files:
        _no_logs()
        return
    tell_doubted(report.index.doubted)
    tell_aside(report.aside)
    if not report.sessions and not report.outcomes:
        say(f"nothing new in {several(report.index.files, 'log')}")
        return
    counts = (
        (report.sessions, "session"),
        (report.human_turns, "human turn"),
        (report.corrections, "correction"),
        (report.diaries, "diary"),
    )
    say(", ".join(several(count, noun) for count, noun in counts))
    written = [(c, o) for c, o in report.outcomes if o.action in {"created", "corroborated"}]
    for candidate, outcome in islice(written, SHOWN):
        verb = "wrote" if outcome.action == "created" else "confirmed"
        before = f" (instead of {', '.join(outcome.replaced)})" if outcome.replaced else ""
        say(f"  {verb} [{candidate.store}] {candidate.lesson}{before}")
    if len(written) > SHOWN:
        say(f"  … and {len(written) - SHOWN} more (`reverie memories`)")
    for item in report.ended[:SHOWN]:
        say(f"  no longer holds [{item.store}] {item.document.description}")
    warnings = [daily.warning for daily in report.dailies if daily.warning]
    for warning in warnings[:DAILIES]:
        say(warning)
    if len(warnings) > DAILIES:
        say(f"… and {len(warnings) - DAILIES} more dailies were compacted")
    if report.count("excluded"):
        say(f"{report.count('excluded')} left out: readable from code or git, or one-off")
    if report.index.bad_lines:
        say(f"{report.index.bad_lines} damaged lines passed over (`reverie doctor`)")
    if report.waiting:
        say(f"{report.waiting} wait for you: `reverie review`")


def _tell_followed(followed: "Followed") -> None:
    """What became of the notes that agents keep themselves."""
    if followed.taken:
        say(f"took over {several(len(followed.taken), 'memory')} that your agents had saved")
    for name in followed.gone[:SHOWN]:
        say(f"  archived, for its agent deleted it: {name}")
    for source, why in followed.kept[:SHOWN]:
        say(f"  not taken over: {source}: {why}")


def _no_logs() -> None:
    """Say that there is nothing to read, and where it was looked for."""
    say("no logs found")
    say("hint: `reverie doctor` says where logs are looked for; --logs DIR reads any folder")


def _show_dry(
    memory: "Memory", folder: Path | None, *, project: str | None, since: str | None, as_json: bool
) -> None:
    """Print one record per human turn (JSON), or the surest corrections for a person."""

    def skipped(item: "Skipped") -> None:
        say(f"not read: {item.path}: {item.reason}")

    judged = learning.would_learn(memory, folder, project=project, since=since, skipped=skipped)
    if not judged.logs:
        _no_logs()
        return
    if as_json:
        out_jsonl(judged.turns)
        return
    turns = list(judged.turns)
    corrected = [r for r in turns if r["correction"]["label"] != "none"]
    durable = [r for r in turns if r["durable"]["label"] != "none"]
    surest = sorted(corrected, key=lambda r: (-r["correction"]["score"], r["at"], r["line"]))
    for record in surest[:SUREST]:
        _show_correction(record)
    counts = f"{several(len(turns), 'human turn')}, {several(len(corrected), 'correction')}"
    say(f"{counts}, {len(durable)} worth keeping,")
    sure = sum(1 for r in durable if r["durable"]["write"])
    say(f"{sure} of them sure enough to be written unasked. Nothing was written.")


def _show_correction(record: dict[str, Any]) -> None:
    correction = record["correction"]
    place = f"{record['transcript']}#{record['line']}"
    out(f"{record['at'][:10]}  {correction['score']:.2f} {correction['label']}  {place}")
    if correction["premise"]:
        out(hanging("    the agent:  ", one_line(correction["premise"], DRY_WIDTH)))
    out(hanging("    the person: ", one_line(correction["span"] or record["text"], DRY_WIDTH)))
    if record["durable"]["write"]:
        out(hanging("    would write: ", one_line(record["durable"]["lesson"], DRY_WIDTH)))


@click.command()
@click.argument("session")
@click.option("--reason", default="asked by the user", help="Why; kept with the tombstone.")
@click.option("--dry-run", is_flag=True, help="List what came from it; remove nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def unlearn(session: str, reason: str, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Remove everything that was learned from SESSION, and never learn from it again.

    Memories that rest on it alone are deleted and their versions redacted, others lose this source,
    and what only it had superseded comes back. The kept copy goes, a tombstone stays. The agent's
    own log is not touched. Repeating it finishes what was interrupted.
    """
    memory = opened_in_step(speaking=not dry_run)
    if not dry_run:
        only_the_person(memory, "unlearn a session", f"unlearn {session}")
    resting = learning.derived(memory, session)
    key, count = resting.session, len(resting.memories)
    if dry_run:
        if as_json:
            from reverie.forms import plain

            out_json(plain(resting))
            return
        say(f"{key}: {count} memories rest on it")
        for path in resting.memories:
            out(path)
        return
    question = f"Remove what {key} taught ({several(count, 'memory')})?"
    agree(question, yes=yes, otherwise="nothing was removed")
    done = learning.unlearn(memory, key, reason, waiting=waiting)
    if as_json:
        from reverie import forms

        out_json(forms.unlearned(done))
        return
    gone = several(len(done.deleted), "memory")
    say(f"{key} is unlearned: {gone} deleted, {len(done.weakened)} weakened,")
    taken = f"{several(done.turns, 'turn')} and {several(done.copies, 'kept copy')} removed"
    say(f"{several(done.redacted, 'version')} redacted, {taken}")
    for path in done.restored:
        say(f"  right again: {path}")


# --- due ----------------------------------------------------------------------------------------


@click.command()
@json_option
def due(as_json: bool) -> None:
    """Say whether a dream is due; silent on stdout when it is not.

    Due after 10 new sessions or 24 hours, and only if something new was learned since the last.
    """
    memory = opened_in_step()
    state = learning.remind(memory)
    if as_json:
        from reverie import forms

        out_json(forms.due(state, memory.settings.due))
    elif state.due:
        out(state.sentence)
    else:
        last = f"last dream {state.last[:16].replace('T', ' ')} UTC" if state.last else "none yet"
        new = f"{several(state.sessions, 'session')}, {several(state.learned, 'lesson')}"
        say(f"not due ({last}; since then {new})")
