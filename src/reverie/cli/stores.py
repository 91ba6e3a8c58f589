"""Stores: `stores …`, `backup …`, stores as folders (`mount`, `unmount`), and what goes in
and out: `import`, `export`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie import forms
from reverie.cli.opening import opened, opened_in_step, tell, waiting
from reverie.cli.options import json_option
from reverie.cli.printing import agree, out, out_json, say, say_clean, several, table
from reverie.cli.speaker import only_a_person, only_the_person
from reverie.cli.syncing import NO_MOUNT
from reverie.errors import InvalidInput
from reverie.operations import stores as store_operations

if TYPE_CHECKING:
    from reverie.imports.run import Imported
    from reverie.memory import Memory
    from reverie.mounts.transfer import Loaded
    from reverie.store.model import Access, StoreInfo


mine_option = click.option(
    "--mine", is_flag=True, help="It is your own, from a home whose key is gone: keep its trust."
)


@click.group()
def stores() -> None:
    """Stores of memories: list, make, share, archive, copy."""


@stores.command("list")
@click.option("--archived", is_flag=True, help="Archived ones too.")
@json_option
def list_stores(archived: bool, as_json: bool) -> None:
    """List the stores, newest first."""
    infos = opened_in_step().store.stores(archived)
    if as_json:
        out_json([forms.plain(info) for info in infos])
        return
    if not infos:
        say("there is no store yet: `reverie learn` or `reverie remember` makes the first")
        return
    table(
        [
            [
                info.name,
                str(info.memories),
                str(info.versions),
                "archived" if info.archived_at else "",
                info.description,
                info.id,
            ]
            for info in infos
        ],
        ["name", "memories", "versions", "state", "description", "id"],
    )


@stores.command()
@click.argument("name")
@click.option("--description", default="", help="What it is for; agents are shown this.")
@click.option("--meta", multiple=True, metavar="KEY=VALUE", help="A note for programs.")
@json_option
def create(name: str, description: str, meta: tuple[str, ...], as_json: bool) -> None:
    """Make a new, empty store."""
    pairs = [part.partition("=") for part in meta]
    if any(not mark for _, mark, _ in pairs):
        raise InvalidInput("--meta is written KEY=VALUE")
    notes = {key: value for key, _, value in pairs}
    memory = opened_in_step(speaking=bool(description))
    if description:  # every session is told it, as the user's words
        only_the_person(memory, "describe a store to agents", f"stores create {name}")
    made = store_operations.create_store(memory, name, description, notes)
    _done(made, as_json, f"made the store {made.name}")


@stores.command()
@click.argument("store")
@json_option
def show(store: str, as_json: bool) -> None:
    """Show one store and who it is attached to."""
    held = opened_in_step().store
    info = held.resolve_store(store)
    attached = held.attachments(info.id)
    if as_json:
        attachments = [forms.attachment(attachment) for attachment in attached]
        out_json(forms.plain(info) | {"attachments": attachments})
        return
    rows = [
        ("name", info.name),
        ("id", info.id),
        ("description", info.description),
        ("memories", str(info.memories)),
        ("versions", str(info.versions)),
        ("created", info.created_at),
        ("archived", info.archived_at or "no"),
    ]
    rows += [(f"metadata {key}", value) for key, value in sorted(info.metadata.items())]
    rows += [
        (
            "attached to",
            f"{attachment.principal.kind}:{attachment.principal.id} ({attachment.access})"
            f" {attachment.instructions}".rstrip(),
        )
        for attachment in attached
    ]
    table(rows)


@stores.command()
@click.argument("store")
@click.argument("principal", required=False)
@click.option("--read-write", is_flag=True, help="May write; without it, only read.")
@click.option("--read-only", is_flag=True, help="Of a server: nothing is written there.")
@click.option("--instructions", help="What it is told about the store (4,096 characters).")
@click.option("--as", "name", metavar="NAME", help="Of a server: the name of the copy here.")
@click.option("--key-file", type=click.Path(), help="Of a server: the file with the key (0600).")
@click.option("--key-variable", metavar="NAME", help="Or the variable; else REVERIE_REMOTE_KEY.")
@json_option
def attach(
    store: str,
    principal: str | None,
    read_write: bool,
    read_only: bool,
    instructions: str | None,
    name: str | None,
    key_file: str | None,
    key_variable: str | None,
    as_json: bool,
) -> None:
    """Let PRINCIPAL (project:SLUG, agent:NAME or key:ID) use a store.

    STORE may be one of a server: https://HOST, or https://HOST/NAME. A copy is kept here and
    brought up to date with it, the project here uses it unless another PRINCIPAL is named, and
    what is written goes there unless it is --read-only. The key stays where it is.
    """
    from reverie.store.access import parse_principal

    if "://" in store:
        from reverie.cli.syncing import attach_distant

        attach_distant(store, principal, read_only, name, key_file, key_variable, as_json)
        return
    if principal is None or read_only or name or key_file or key_variable:
        raise InvalidInput("name a PRINCIPAL; --read-only is how a store here is attached anyway")
    only_a_person("give rights to a store", f"stores attach {store} {principal}")
    memory = opened_in_step(speaking=bool(instructions))
    if instructions:  # told as the user's words
        only_the_person(memory, "instruct agents", f"stores attach {store} {principal}")
    access: Access = "read_write" if read_write else "read_only"
    info = memory.store.resolve_store(store)
    whom = parse_principal(principal)
    made = memory.store.attach(info.id, whom, access, instructions)
    if whom.kind == "project" and whom.id not in {known.slug for known in memory.projects.all()}:
        say(f"warning: no project {whom.id!r} is known yet; `reverie projects` lists those known")
    if as_json:
        out_json(forms.attachment(made))
    else:
        say(f"attached {info.name} to {principal} ({access})")


@stores.command()
@click.argument("store")
@click.argument("principal")
def detach(store: str, principal: str) -> None:
    """Take a store away from PRINCIPAL; `server` leaves a copy alone, which stays here."""
    from reverie.store.access import parse_principal

    if principal == "server":
        from reverie.cli.syncing import detach_distant

        detach_distant(store)
        return
    only_a_person("take rights to a store away", f"stores detach {store} {principal}")
    held = opened_in_step().store
    info = held.resolve_store(store)
    held.detach(info.id, parse_principal(principal))
    say(f"detached {info.name} from {principal}")


@stores.command()
@click.argument("store")
@mine_option
@json_option
def adopt(store: str, mine: bool, as_json: bool) -> None:
    """Make a store of another home this one's, with the trust of an agent unless it is yours."""
    memory = opened_in_step(speaking=True)
    only_the_person(memory, "adopt a store", f"stores adopt {store}")
    done = store_operations.adopt_store(memory, store, mine=mine)
    _done(done, as_json, f"{done.name} is this home's" + (", as it was" if mine else ""))


@stores.command()
@click.argument("store")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def archive(store: str, yes: bool, as_json: bool) -> None:
    """Close a store to changes, for good; it stays readable."""
    only_a_person("close a store", f"stores archive {store}")
    held = opened_in_step().store
    info = held.resolve_store(store)
    agree(f"Archive {info.name}? It cannot be written again", yes=yes)
    done = held.archive_store(info.id)
    _done(done, as_json, f"archived {done.name}")


@stores.command()
@click.argument("store")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def delete(store: str, yes: bool, as_json: bool) -> None:
    """Delete a store with all its memories and history, for good."""
    memory = opened_in_step(speaking=True)
    only_the_person(memory, "delete a store", f"stores delete {store}")
    info = memory.store.resolve_store(store)
    agree(f"Delete {info.name} with {holding(info)}?", yes=yes)
    gone = store_operations.delete_store(memory, info.id)
    _done(gone, as_json, f"deleted {gone.name}")


@stores.command()
@click.argument("source")
@click.argument("target")
@click.option("--store", "names", multiple=True, help="Only this store; may be given again.")
@mine_option
@json_option
def copy(source: str, target: str, names: tuple[str, ...], mine: bool, as_json: bool) -> None:
    """Copy stores between databases with ids, hashes and history.

    SOURCE and TARGET are a database URL, the path of an SQLite file, or `here` for the one in use.
    An empty target receives everything, a used one the stores alone. What is not proven to be of
    this home arrives with the trust of an agent, not pinned and attached to nothing.
    """
    only_a_person("copy stores", f"stores copy {source} {target}")
    memory = opened(speaking=mine)
    if mine:
        only_the_person(
            memory, "say that stores are theirs", f"stores copy {source} {target} --mine"
        )
    done = store_operations.copy_stores(memory, source, target, names, mine=mine)
    _tell_disowned([info.name for info in done.disowned])
    if as_json:
        out_json(forms.copied(done))
        return
    for info in done.stores:
        say(f"copied {info.name}: {holding(info)}, verified")
    for info in done.already:
        say(f"{info.name} was already there")


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def repair(yes: bool, as_json: bool) -> None:
    """Make a damaged or incomplete memory usable again.

    Sets aside what is damaged (nothing is deleted), brings back the newest backup that adds up if
    it holds more than what is left, rebuilds the index if it must, and learns again from all
    sessions, which changes nothing where it is known.
    """
    from reverie.operations import repairing

    only_a_person("repair the memory", "repair")
    memory = opened()
    state = repairing.examined(memory)
    for problem in state.problems:
        say(f"wrong: {problem}")
    if state.problems:
        agree("Repair this?", yes=yes, otherwise="nothing was changed")
    done = repairing.repair(memory, waiting=waiting, tell=say)
    if as_json:
        out_json(forms.plain(done))
    elif not done.problems and not done.moved:
        say("nothing is wrong with the memories")
    else:
        say(f"repaired; learned again from {several(done.learned, 'session')}")


@click.group()
def backup() -> None:
    """Backups of all stores in one file."""


@backup.command("create")
@click.argument("file", type=click.Path(dir_okay=False))
def create_backup(file: str) -> None:
    """Write a verified backup to a new FILE, while everything stays in use."""
    count = store_operations.back_up(opened_in_step(), file)
    say(f"backed up {several(count, 'version')}, every hash checked")
    out(file)


@backup.command("restore")
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--replace", is_flag=True, help="Replace what is there; a backup of it is kept.")
@mine_option
def restore_backup(file: str, replace: bool, mine: bool) -> None:
    """Bring a backup back, after checking every hash in it.

    What is not proven to be of this home arrives with the trust of an agent, not pinned and
    attached to nothing.
    """
    only_a_person("bring a backup back", f"backup restore {file}")
    memory = opened_in_step(speaking=mine)
    if mine:
        only_the_person(memory, "say that a backup is theirs", f"backup restore {file} --mine")
    kept, disowned = store_operations.restore_backup(memory, file, replace=replace, mine=mine)
    say(f"restored {file}, every hash checked")
    _tell_disowned(disowned)
    if kept:
        say(f"what was there before is in {kept}")


@click.command()
@click.argument("store", required=False)
@click.argument("folder", required=False, type=click.Path())
@click.option("--read-only", is_flag=True, help="Show the store; edits are not taken over.")
@json_option
def mount(store: str | None, folder: str | None, read_only: bool, as_json: bool) -> None:
    """Show STORE as the files of FOLDER, which must be new or empty; alone, list the mounts.

    What is edited there becomes a version, what changes in the store appears there: at every
    `reverie` command, or with `reverie sync`.
    """
    if store is None:
        _list_mounts(opened(), as_json)
        return
    if folder is None:
        raise InvalidInput("mount needs a store and a folder", hint="reverie mount global ~/memory")
    if not read_only:
        only_a_person("show a store where it can be edited", f"mount {store} {folder}")
    done = store_operations.mount(opened(), store, folder, read_only=read_only)
    tell(done.report)
    if as_json:
        out_json(forms.plain(done.mount) | {"files": done.report.shown})
    else:
        shown = f"{several(done.report.shown, 'file')} ({done.mount.access})"
        say(f"{done.store.name} is shown in {done.mount.folder}: {shown}")
        out(done.mount.folder)


def _list_mounts(memory: "Memory", as_json: bool) -> None:
    listed = store_operations.mounts(memory)
    if as_json:
        out_json([forms.plain(mounted) for _, mounted in listed])
    elif listed:
        table(
            [[name, mounted.folder, mounted.access.replace("_", "-")] for name, mounted in listed],
            ["store", "folder", "access"],
        )
    else:
        say(NO_MOUNT)


@click.command()
@click.argument("folder", type=click.Path())
@click.option("--delete", is_flag=True, help="Delete the files too, if all of them are stored.")
def unmount(folder: str, delete: bool) -> None:
    """End a mount after one last sync. The files stay, unless --delete is given."""
    memory = opened()
    if store_operations.is_editable(memory, folder):
        only_a_person("take away a folder that you edit", f"unmount {folder}")
    done = store_operations.unmount(memory, folder, delete=delete, tell=tell)
    deleted = f"; {several(done.deleted, 'file')} deleted" if delete else ""
    say(f"{done.folder} shows no store any more{deleted}")


def holding(info: "StoreInfo") -> str:
    """How much a store holds, in words."""
    return f"{several(info.memories, 'memory')}, {several(info.versions, 'version')}"


def _done(info: "StoreInfo", as_json: bool, words: str) -> None:
    if as_json:
        out_json(forms.plain(info))
    else:
        say(words)
        out(info.id)


# --- import and export --------------------------------------------------------------------------


_KINDS = "memory-system instructions json codex claude-code basic-memory markdown reverie".split()
_SHOWN = 20


@click.command("import")
@click.argument("source", required=False)
@click.option("--from", "kind", type=click.Choice(_KINDS), help="What SOURCE is; seen if absent.")
@click.option("--store", help="Put everything into this store; made if new.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--undo", is_flag=True, help="Take the last import back (of SOURCE, or of any).")
@click.option(
    "--follow/--no-follow",
    default=None,
    help="From now on, what agents save as their own memory is taken over by itself; or no longer.",
)
@json_option
def import_(
    source: str | None,
    kind: str | None,
    store: str | None,
    dry_run: bool,
    undo: bool,
    follow: bool | None,
    as_json: bool,
) -> None:
    """Take over the memories at SOURCE: a folder, a file, or an archive of `reverie export`.

    Alone, or with `claude-code` as SOURCE: the memory folders of Claude Code. What is there
    already is not written twice, secrets are replaced, and the source itself is never touched.
    """
    from reverie.operations import transfer

    if undo:
        only_a_person("take an import back", "import --undo")
    if follow is not None:
        _follow(source, follow)
        if not follow:
            return
    memory = opened_in_step(speaking=True)
    if undo:
        _undo(memory, source, as_json)
        return

    def took(place: Path, done: "Imported") -> None:
        if not as_json:
            _tell_taken(done, place, dry_run)

    done = transfer.import_memories(
        memory,
        source,
        kind=kind,
        store=store,
        dry_run=dry_run,
        made=lambda name: say(f"made the store {name}"),
        took=took,
    )
    if not isinstance(done, list):
        _tell_loaded(done, dry_run, as_json)
    elif as_json:
        out_json([forms.imported(imported) for imported in done])


def _follow(source: str | None, answer: bool) -> None:
    """Write into our own settings whether what agents save themselves is taken over by itself."""
    from reverie.connect.questions import AGENT_MEMORY, answering
    from reverie.files import replace_file

    if source not in (None, "claude-code"):
        raise InvalidInput("only agents' own memory is followed", hint="`import --follow` alone")
    only_a_person("say what is taken over by itself", "import --follow")
    memory = opened()
    planned = answering(memory.config.file, answer, AGENT_MEMORY)
    if planned.needed and planned.after is not None:
        replace_file(memory.make_home() / memory.config.file.name, planned.after)
    say("what agents save is taken over " + ("with every `learn`" if answer else "no longer"))


def _tell_taken(done: "Imported", place: Path, dry_run: bool) -> None:
    verb = "would write" if dry_run else "wrote"
    say(
        f"{place}: {verb} {several(len(done.written), 'memory')}, {done.already} were here already,"
        f" {len(done.skipped)} left out, secrets replaced in {done.redacted}"
    )
    if dry_run:
        table(
            [
                [memory.change, f"{memory.store}:{memory.path}", memory.source]
                for memory in done.written
            ]
        )
    for source, why in done.skipped[:_SHOWN]:
        say(f"left out: {source}: {why}")
    if len(done.skipped) > _SHOWN:
        say(f"… and {len(done.skipped) - _SHOWN} more; --json lists all")
    for note in done.notes:
        say(f"note: {note}")


def _tell_disowned(names: Sequence[str]) -> None:
    if names:
        made = ", ".join(names)
        say(f"another home made {made}: it has the trust of an agent, attached to nothing")
        say("if it is your own, from a home whose key is gone, do it again with --mine")


def _tell_loaded(done: "Loaded", dry_run: bool, as_json: bool) -> None:
    if not done.proven:
        say("another home made this: what it holds has the trust of an agent, attached to nothing")
    for file in done.edited:
        say_clean(f"warning: {file} was edited since the export and is not taken over")
    if as_json:
        out_json(forms.loaded(done))
        return
    verb = "would import" if dry_run else "imported"
    for info in done.copied.stores:
        say(f"{verb} {info.name}: {holding(info)}, verified")
    for info in done.copied.already:
        say(f"{info.name} was already there")


def _undo(memory: "Memory", source: str | None, as_json: bool) -> None:
    from reverie.operations import transfer

    done = transfer.undo_import(memory, source)
    if as_json:
        out_json(forms.plain(done))
        return
    say(f"undone: {several(done.removed, 'memory')} removed, {done.restored} as they were before")
    for path in done.kept:
        say(f"kept, as it was changed since: {path}")


@click.command()
@click.argument("target", required=False, type=click.Path(path_type=Path))
@click.option("--store", "stores", multiple=True, help="Only this store; may be given again.")
@click.option(
    "--claude-code",
    is_flag=True,
    help="TARGET is Claude Code's memory folder: add what is missing, change nothing there.",
)
@click.option("--long-term", is_flag=True, help="Long-term memory as one Markdown page.")
@click.option("--scope", help="global, or a project (name, slug or path); default: where you are.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to a file.")
@json_option
def export(
    target: Path | None,
    stores: tuple[str, ...],
    claude_code: bool,
    long_term: bool,
    scope: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Write stores to TARGET (a new folder, or FILE.tar.gz), or a page for reading.

    TARGET holds every memory as a file and the whole history; `reverie import` brings it back with
    the same hashes. The long-term page has fixed sections and stays under about 10,000 tokens; for
    a project without memories it is the empty template.
    """
    from reverie.operations import transfer

    if long_term:
        _export_page(opened_in_step(), scope, output, as_json)
        return
    if target is None:
        raise InvalidInput("say what to export", hint="`reverie export FOLDER`, or --long-term")
    place = target.expanduser().absolute()
    memory = opened_in_step()
    if claude_code:
        _into_claude_code(memory, place, scope, as_json)
        return
    done = transfer.export(memory, place, stores)
    if as_json:
        out_json(forms.plain(done))
        return
    what = f"{several(done.memories, 'memory')}, {several(done.versions, 'version')}"
    say(f"exported {several(len(done.stores), 'store')}, {what}")
    out(str(place))


def _into_claude_code(memory: "Memory", folder: Path, scope: str | None, as_json: bool) -> None:
    from reverie.operations import transfer

    done = transfer.export_to_claude_code(memory, folder, scope)
    if as_json:
        out_json(forms.written_back(done))
        return
    say(f"{len(done.written)} written to {folder}, {len(done.unchanged)} were there already")
    for name in done.left:
        say(f"left alone, another text is there: {name}")
    for name in done.unlisted:
        say(f"not in MEMORY.md, which is full: {name}")


def _export_page(memory: "Memory", scope: str | None, output: Path | None, as_json: bool) -> None:
    from reverie.operations import transfer

    page = transfer.long_term(memory, scope)
    if output is not None:
        from reverie.files import replace_file

        replace_file(output, page.text)
        say(f"{page.scope}: about {page.tokens:,} tokens written to {output}")
    elif as_json:
        out_json(forms.plain(page))
    else:
        out(page.text.rstrip())
