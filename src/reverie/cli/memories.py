"""Memories by name: `memories`, `show`, `why`, `edit`, `rename`, `forget`, `pin`, `unpin`.

`show` starts often and cold: what only the others need is imported where it is used.
"""

import sys
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.opening import opened_in_step
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, say, several, table
from reverie.documents.vocabulary import KINDS, TYPES
from reverie.errors import InvalidInput
from reverie.operations import editing, references
from reverie.operations import memories as memory_operations
from reverie.trust import TRUSTS

if TYPE_CHECKING:
    from reverie.memory import Memory
    from reverie.mounts.merge import Merged
    from reverie.operations.forgotten import Forgot
    from reverie.operations.memories import Reasons, Use
    from reverie.store.library import Item


@click.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Print one memory, as it is stored, or what was said in a session.

    NAME is a memory's name, a unique beginning of it, STORE:NAME, a path or an id; the letters of a
    line of the digest; or a place such as claude-code:1f2e3d4c#42.
    """
    item = references.find(opened_in_step(), name)
    if isinstance(item, references.Spoken):
        _show_spoken(item, as_json)
        return
    memory = item.memory
    if as_json:
        from reverie import forms

        out_json(forms.item(item) | {"content": memory.content})
        return
    state = " archived" if item.archived else ""
    say(
        f"{item.store}:{item.name}{state}, version {memory.version} of {memory.updated_at[:10]}, "
        f"trust {memory.trust}"
    )
    out(memory.content.removesuffix("\n"))


def _show_spoken(spoken: "references.Spoken", as_json: bool) -> None:
    """What was said at one place of a session."""
    turn, row = spoken.turn, spoken.correction
    if as_json:
        from reverie import forms

        out_json(forms.spoken(spoken))
        return
    at = turn.at if turn else row.at if row else ""
    by = "the agent" if turn and turn.role != "human" else "you"
    say(f"{spoken.place}, said by {by} on {at[:10]} in {spoken.session.project}")
    out(turn.text if turn else row.text if row else "")


@click.command()
@click.option("--type", "types", multiple=True, type=click.Choice(TYPES), help="Only this type.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind.")
@click.option(
    "--by", "trusts", multiple=True, type=click.Choice(TRUSTS), help="Only what this one said."
)
@click.option("--scope", help="Only this scope: global, or a project's slug.")
@click.option("--store", help="Only this store, also one of another project.")
@click.option("--all", "everywhere", is_flag=True, help="Of every store, not only those of here.")
@click.option("--pinned", is_flag=True, help="Only pinned ones.")
@click.option("--stale", is_flag=True, help="Only those that name something that changed.")
@click.option("--archived", is_flag=True, help="The archive instead.")
@json_option
def memories(
    store: str | None, everywhere: bool, stale: bool, as_json: bool, **wanted: Any
) -> None:
    """List the memories of this project and the shared ones.

    Each with whose word it is (user, agent, tool or web), its type and its day. --by agent lists
    what your agents saved by themselves.
    """
    if everywhere and store:
        raise InvalidInput("--all and --store exclude each other")
    memory = opened_in_step()
    listed = memory.memories(store=store, everywhere=everywhere, **wanted)
    changes = memory_operations.outdated(memory, listed) if stale else {}
    if stale:
        listed = [item for item in listed if item.memory.id in changes]
    if as_json:
        from reverie import forms

        out_json([
            forms.item(item) | ({"stale": list(changes[item.memory.id])} if stale else {})
            for item in listed
        ])  # fmt: skip
        return
    for item in listed:
        if item.document.problem:
            say(f"warning: {item.store}:{item.name} has no type: {item.document.problem}")
    table(
        [
            f"{item.store}:{item.name}",
            item.memory.trust,
            item.document.type or "-",
            item.document.dated or item.memory.updated_at[:10],
            ("pinned  " if item.document.pinned else "")
            + (", ".join(changes.get(item.memory.id, ())) or item.document.description),
        ]
        for item in listed
    )
    if listed and "agent" in wanted["trusts"]:
        say("hint: `reverie edit NAME`, or `reverie remember` with its words, makes one your word")
    if not listed:
        narrowed = stale or any(wanted.values())
        _nothing(memory, narrowed=narrowed, everywhere=everywhere or store is not None)


def _nothing(memory: "Memory", *, narrowed: bool, everywhere: bool) -> None:
    """Why the list is empty: nothing is known, or it is known of other projects."""
    elsewhere = 0 if everywhere else memory_operations.elsewhere(memory)
    if narrowed:
        say("no such memories")
    elif elsewhere:
        say("no memories of this folder's project, and none that all projects share")
    else:
        say("no memories yet")
    if elsewhere:
        say(f"hint: `reverie memories --all` looks at the {elsewhere} of other projects, too")
    elif not narrowed:
        say("hint: `reverie learn` reads your agents' logs, `reverie remember TEXT` keeps a fact")


@click.command()
@click.argument("name")
@click.option("--helpful", is_flag=True, help="Say that it was of use.")
@click.option("--harmful", is_flag=True, help="Say that it led astray.")
@json_option
def why(name: str, helpful: bool, harmful: bool, as_json: bool) -> None:
    """Where a memory comes from: the words it rests on, its versions, when it was recalled.

    With --helpful or --harmful your verdict is counted in the memory: recall ranks by it, and what
    led astray fades first.
    """
    if helpful and harmful:
        raise InvalidInput("--helpful and --harmful exclude each other")
    use: Use | None = "helpful" if helpful else "harmful" if harmful else None
    memory = opened_in_step(speaking=use is not None)
    name = references.canonical(memory, name)
    if references.is_place(name):
        if use is not None:
            raise InvalidInput("a verdict is kept in a memory, and this is none yet")
        _show_why_said(memory, references.spoken(memory, name), as_json)
        return
    if use is not None:
        item = memory_operations.judge(memory, name, use)
        name = f"{item.store}:{item.memory.id}"
    reasons = memory.why(name)
    if use is not None:
        times = reasons.helpful if use == "helpful" else reasons.harmful
        say(f"{reasons.item.store}:{reasons.item.name} counts as {use} {several(times, 'time')}")
    if as_json:
        from reverie import forms

        out_json(forms.reasons(reasons))
    elif use is None:
        _show_reasons(reasons)


def _show_why_said(memory: "Memory", spoken: "references.Spoken", as_json: bool) -> None:
    """Why something that was said and nobody reviewed may be told."""
    _show_spoken(spoken, as_json)
    row = spoken.correction
    if as_json or row is None:
        return
    if row.premise:
        out("  the agent held: " + _line(row.premise))
    sort = "no correction" if row.label == "none" else f"an {row.label} correction"
    out(f"taken for {sort} ({row.score:.0%}), lasting ({row.durable_score:.0%})")
    times, _ = memory_operations.told(memory, spoken.place)
    out(f"told {several(times, 'time')}; `reverie review` asks about what waits")


def _show_reasons(reasons: "Reasons") -> None:
    item, document = reasons.item, reasons.item.document
    support = several(document.support, "session")
    out(f"{item.store}:{item.name}  trust {item.memory.trust}, {support}")
    out(f"  {document.description or document.title}")
    for evidence, quote in reasons.quotes:
        if quote is None:
            out(f"\n{evidence}    no quote was kept")
            continue
        out(f"\n{evidence}  {quote.at[:10]}  {quote.trust or 'no quote was kept'}")
        if quote.answered:
            out("  the agent held: " + _line(quote.answered))
        if quote.quote:
            out("  “" + _line(quote.quote) + "”")
    if not reasons.quotes:
        out("\nno session is named as its source")
    out()
    for version in reasons.versions:
        actor = f"{version.actor.kind} {version.actor.id or ''}".strip()
        reason = f": {version.reason}" if version.reason else ""
        what = f"v{version.number} {version.operation} {version.created_at[:10]}"
        out(f"{what} by {actor}{reason}")
    last = reasons.last_recalls
    when = f", last on {last[0].at[:10]} ({last[0].surface})" if last else ""
    out(f"recalled {reasons.recalled} times{when}")
    if reasons.helpful or reasons.harmful:
        out(f"helpful {reasons.helpful}, harmful {reasons.harmful}")


def _line(text: str) -> str:
    return " ".join(text.split())[:400]


@click.command()
@click.argument("name")
@click.option("--why", default="", help="The reason, kept in the history.")
@json_option
def edit(name: str, why: str, as_json: bool) -> None:
    """Open a memory in $EDITOR and keep the result.

    If somebody changed it meanwhile, both changes are merged by lines; what cannot be merged is
    shown once more. Nothing you wrote is thrown away.
    """
    from reverie.cli.editor import edited, settled

    memory = opened_in_step(speaking=True)
    item = memory.library.find(name)
    text = edited(memory, item.name, item.memory.content)
    if text is None:
        say("nothing changed")
        return

    def settle(merged: "Merged") -> str:
        return _settled(memory, item, merged)

    saved = editing.edit(memory, item, text, why=why, settle=settle)
    settled(memory, item.name)
    _done(saved, f"is now version {saved.memory.version}", as_json)
    if memory.asker.trust == "user" != saved.memory.trust:
        name = f"{saved.store}:{saved.name}"
        say(f"not all of it is yours: it keeps the trust `{saved.memory.trust}`")
        say(f"`reverie review --stale --accept {name}` makes it your word")


def _settled(memory: "Memory", item: "Item", merged: "Merged") -> str:
    """Both changes in one text; what cannot be merged is shown once more to whoever is there."""
    from reverie.cli.editor import edited
    from reverie.operations.editing import in_conflict

    text = merged.text
    if not merged.clean:
        if not sys.stdin.isatty():
            return text
        say(f"{merged.conflicts} places were changed on both sides; they are marked in the text")
        text = edited(memory, item.name, text) or text
        if in_conflict(text):
            return text
    say("changed by somebody else meanwhile; both changes are merged")
    return text


@click.command()
@click.argument("name")
@click.argument("new_name")
@json_option
def rename(name: str, new_name: str, as_json: bool) -> None:
    """Give a memory another name; its history stays with it."""
    item, old, linking = memory_operations.rename(opened_in_step(speaking=True), name, new_name)
    for other in linking:
        say(f"{other.store}:{other.name} still links to [[{old}]]")
    _done(item, f"renamed from {old}", as_json)


@click.command()
@click.argument("name")
@click.option("--why", default="", help="The reason, kept in the history.")
@json_option
def forget(name: str, why: str, as_json: bool) -> None:
    """Let go of a memory, a correction or what waits for review, with its words.

    NAME is a memory, the id of a turn (`agent:session#line`) or of a candidate (`cand_…`), or the
    letters of a line of the digest. What says the same goes to the archive and off the queue, and
    where it was said is neither recalled nor learned from again. `reverie restore NAME` brings all
    of it back.
    """
    memory = opened_in_step(speaking=True)
    forgot = memory.forget(references.canonical(memory, name), why)
    tell_forgotten(forgot, "forgotten", "archived", as_json)


@click.command()
@click.argument("name")
@click.option("--why", default="", help="Why it must stay; kept in the memory.")
@json_option
def pin(name: str, why: str, as_json: bool) -> None:
    """Protect a memory from decay and list it first."""
    _done(opened_in_step(speaking=True).pin(name, why), "pinned", as_json)


@click.command()
@click.argument("name")
@click.option("--why", default="", help="The reason, kept in the history.")
@json_option
def unpin(name: str, why: str, as_json: bool) -> None:
    """Let a memory age again."""
    memory = opened_in_step(speaking=True)
    _done(memory_operations.unpin(memory, name, why), "unpinned", as_json)


def tell_forgotten(forgot: "Forgot", what: str, moved: str, as_json: bool) -> None:
    """What a person had forgotten or has brought back."""
    if as_json:
        from reverie import forms

        out_json(forms.forgot(forgot))
        return
    for item in forgot.items:
        say(f"{item.store}:{item.name} {moved}")
    also = [
        several(len(things), word)
        for things, word in ((forgot.reviews, "candidate"), (forgot.places, "turn"))
        if things
    ]
    if also:
        say(f"{forgot.subject} {what}, with {' and '.join(also)}")


def _done(item: "Item", what: str, as_json: bool) -> None:
    if as_json:
        from reverie import forms

        out_json(forms.item(item))
    else:
        say(f"{item.store}:{item.name} {what}")
