"""`reverie sync`: mounted folders, one memory on several machines, and stores of a server."""

import os
from typing import TYPE_CHECKING

import click

from reverie import forms
from reverie.cli.opening import opened, opened_in_step, tell
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, plain, say, several, table
from reverie.cli.speaker import only_a_person, only_the_person
from reverie.errors import InvalidInput, RemoteAway, ReverieError
from reverie.operations import stores as store_operations
from reverie.store.library import ARCHIVE, stem
from reverie.sync.addresses import shown

if TYPE_CHECKING:
    from reverie.memory import Memory
    from reverie.mounts.sync import Report
    from reverie.operations.serving.distant import Looked
    from reverie.operations.syncing import Wish
    from reverie.sync.exchange import Exchanged
    from reverie.sync.receiving import Taken
    from reverie.sync.settling import Settled

NO_MOUNT = "no folder shows a store: `reverie mount STORE FOLDER` makes one"
_SHOWN = 8
_SHOWN_OF_A_SERVER = 5


@click.command()
@click.argument("folder", required=False, type=click.Path())
@click.option("--mine", is_flag=True, help="What was edited there is in your name, not the disk's.")
@click.option("--with", "remote", metavar="REMOTE", help="A folder or git repository, remembered.")
@click.option("--store", "stores", multiple=True, help="Only this store travels; may be repeated.")
@click.option(
    "--team", is_flag=True, help="Others use REMOTE, too: only projects named by --store."
)
@click.option("--as", "author", metavar="NAME", help="The name a team sees; git's if absent.")
@click.option("--key", metavar="-", help="Join your other machines: their key is asked for.")
@click.option("--encrypt", is_flag=True, help="Nobody without your key can read what is there.")
@click.option("--recipient", "recipients", multiple=True, help="Encrypt for this age key, too.")
@click.option("--anew", is_flag=True, help="REMOTE is lost: make it again, of all that is here.")
@click.option("--dry-run", is_flag=True, help="Show what would come and go.")
@click.option("--local", is_flag=True, help="Only mounted folders, no remote.")
@click.option("--list", "listed", is_flag=True, help="The remotes that are remembered.")
@click.option("--forget", "forgotten", metavar="REMOTE", help="Exchange nothing with it any more.")
@click.option("--accept", "accepted", metavar="NAME", help="What a teammate wrote is your word.")
@click.option("--show-key", is_flag=True, help="Print the key by which your machines know you.")
@click.option("--show-recipient", is_flag=True, help="Print what a team encrypts for you with.")
@json_option
def sync(
    folder: str | None,
    mine: bool,
    remote: str | None,
    stores: tuple[str, ...],
    team: bool,
    author: str | None,
    key: str | None,
    encrypt: bool,
    recipients: tuple[str, ...],
    anew: bool,
    dry_run: bool,
    local: bool,
    listed: bool,
    forgotten: str | None,
    accepted: str | None,
    show_key: bool,
    show_recipient: bool,
    as_json: bool,
) -> None:
    """Bring mounted folders (FOLDER, or all) and remembered remotes together with the stores.

    A file you deleted in a mounted folder is deleted in the store; files that vanished all at once
    are put back. With --mine, what was edited there and taken over before is made your word, too.

    With --with REMOTE, versions are exchanged with your other machines, or with a team.
    """
    elsewhere = listed or show_key or show_recipient or forgotten is not None or remote is not None
    # Only a person deletes what a person said by deleting its file.
    memory = opened(speaking=mine or show_key or key is not None or not elsewhere)
    if accepted is not None:
        _accept(memory, accepted)
    elif listed:
        _list(memory, as_json)
    elif forgotten is not None:
        _forget(memory, forgotten)
    elif show_key:
        _show_key(memory)
    elif show_recipient:
        _show_recipient(memory)
    elif remote is not None:
        from reverie.operations.syncing import Wish

        wish = Wish(team or None, stores or None, author, encrypt, recipients, anew)
        _sync_with(memory, remote, wish, _asked(memory, key), as_json=as_json, dry_run=dry_run)
    elif stores or team or author or key or encrypt or recipients or anew or dry_run:
        raise InvalidInput("that is about a remote", hint="name it: `--with REMOTE`")
    else:
        _sync_all(memory, folder, mine=mine, local=local, as_json=as_json)


def _sync_all(
    memory: "Memory", folder: str | None, *, mine: bool, local: bool, as_json: bool
) -> None:
    def told(report: "Report") -> None:
        tell(report)
        if not as_json:
            for file in report.claimed:
                say(f"{report.folder}/{file} is your word now")
            say(f"{report.folder}: {_changes(report)}")

    reports = store_operations.sync_mounts(memory, folder, mine=mine, tell=told)
    exchanged: list[Exchanged | ReverieError] = []
    if folder is None and not local and memory.exists:
        from reverie.operations import syncing

        if syncing.remotes(memory):
            exchanged = syncing.sync_remotes(memory)
    looked: list[Looked] = []
    if folder is None and not local and memory.exists:
        from reverie.operations.serving import distant

        looked = distant.sync(memory)
    if as_json:
        there = [forms.looked(visit) for visit in looked]
        out_json(
            [forms.sync(report) for report in reports]
            + [_form(outcome) for outcome in exchanged]
            + there
        )
    elif not reports and not exchanged and not looked:
        say(NO_MOUNT)
    for visit in looked:
        if not as_json or visit.trouble:
            _tell_looked(visit)
    _tell_all(exchanged, as_json=as_json)


def _tell_all(exchanged: "list[Exchanged | ReverieError]", *, as_json: bool) -> None:
    """What came of each remote; an error if nothing could be done with any that is there."""
    for outcome in exchanged:
        if isinstance(outcome, RemoteAway):
            say(f"{outcome.message}: the next sync looks again")
        elif isinstance(outcome, ReverieError):
            say(f"warning: {outcome.message}")
        elif not as_json:
            if len(exchanged) > 1:
                say(f"{shown(outcome.remote)}:")
            _tell(outcome)
    tried = [outcome for outcome in exchanged if not isinstance(outcome, RemoteAway)]
    if tried and all(isinstance(outcome, ReverieError) for outcome in tried):
        raise next(outcome for outcome in tried if isinstance(outcome, ReverieError))


def _sync_with(
    memory: "Memory",
    remote: str,
    wish: "Wish",
    key: str | None,
    *,
    as_json: bool,
    dry_run: bool,
) -> None:
    from reverie.operations import syncing

    new = any(wish) or not syncing.is_remembered(memory, remote)
    if new or key is not None:
        only_a_person("choose where a memory travels", f"sync --with {remote}")
    done = syncing.sync_with(memory, remote, wish, key=key, dry_run=dry_run)
    if as_json:
        out_json(_form(done))
        return
    _tell(done)
    if not dry_run:
        from reverie.cli.asking import ask_to_sync

        ask_to_sync(memory.config)


def _asked(memory: "Memory", key: str | None) -> str | None:
    """The key of the other machines; never an argument, which every process could read.

    Who has it is the person: what those machines hold is believed as their word from then on.
    """
    if key is None:
        return None
    only_the_person(memory, "give the key of your machines", "sync --with REMOTE --key -")
    if key != "-":
        raise InvalidInput(
            "a key is no argument, which other programs could read", hint="`--key -` asks for it"
        )
    import sys

    if sys.stdin.isatty():
        return str(click.prompt("the key of your other machine", hide_input=True, err=True))
    return sys.stdin.readline()


def _show_key(memory: "Memory") -> None:
    from reverie.operations import syncing

    only_the_person(memory, "see the key of your machines", "sync --show-key")
    shown = syncing.key_of(memory)
    say("whoever has this key is you, on every machine: `reverie sync --with REMOTE --key -` there")
    out(shown)


def _accept(memory: "Memory", name: str) -> None:
    from reverie.operations import syncing

    item = syncing.accept(memory, name)
    if item is None:
        say(f"{name} is deleted, as a teammate wished")
    elif item.archived:
        say(f"{item.store}:{item.name} is archived, as a teammate wished")
    else:
        say(f"{item.store}:{item.name} is your word now")


def _show_recipient(memory: "Memory") -> None:
    from reverie.sync.encryption import own_recipient

    out(own_recipient(memory.make_home()))


def _list(memory: "Memory", as_json: bool) -> None:
    from reverie.operations import syncing

    links = syncing.remotes(memory)
    if as_json:
        out_json([forms.plain(link) for link in links])
    elif links:
        rows = [
            [
                shown(link.remote),
                link.kind + (" (team)" if link.team else ""),
                ", ".join(link.stores) or "all stores",
                link.trouble or link.synced_at or "never",
            ]
            for link in links
        ]
        table(rows, ["remote", "kind", "what travels", "last"])
    else:
        say("nothing is exchanged: `reverie sync --with REMOTE` begins")


def _forget(memory: "Memory", remote: str) -> None:
    from reverie.operations import syncing

    only_a_person("end an exchange", f"sync --forget {remote}")
    link = syncing.forget_remote(memory, remote)
    say(f"nothing is exchanged with {shown(link.remote)} any more; what is there and here stays")


def _tell(done: "Exchanged") -> None:
    """What came and went, a line for each store."""
    for store in sorted(done.received.keys() | done.sent.keys()):
        parts: list[str] = []
        if taken := done.received.get(store):
            parts.append(f"{several(taken.versions, 'version')} in{_became(taken)}")
        if sent := done.sent.get(store):
            parts.append(f"{several(sent, 'version')} out")
        say(f"{store}: {'; '.join(parts)}")
        if taken:
            _tell_settled(store, taken.settled)
    for why in done.refused[:_SHOWN]:
        say(f"warning: refused {why}")
    if len(done.refused) > _SHOWN:
        say(f"warning: refused {len(done.refused) - _SHOWN} more")
    if done.waiting:
        say(f"{several(done.waiting, 'file')} not there as a whole yet: the next sync looks again")
    if not done.received and not done.sent and not done.refused:
        say("nothing new" if not done.dry_run else "nothing would change")


def _tell_settled(store: str, settled: "Settled") -> None:
    """What a person may want to look at."""
    for path in settled.beside[:_SHOWN]:
        say(f"  both sides changed the same lines; the other text is {path}")
    for path in settled.moved[:_SHOWN]:
        say(f"  another memory has its path; it is now {path}")
    added = [path for path in settled.joined if path.startswith(ARCHIVE)]
    for path in added[:_SHOWN]:
        say(f"  another memory says the same; what this one adds is in {path}")
    for path in settled.held[:_SHOWN]:
        name = f"{store}:{stem(path)}"
        say(f"  {name} is your word and stays; what a teammate made of it waits:")
        say(f"    `reverie diff {name}` shows it, `reverie sync --accept {name}` takes it")


def _became(taken: "Taken") -> str:
    settled = taken.settled
    counts = {
        "new": taken.memories,
        "merged": len(settled.merged),
        "kept as both": len(settled.beside),
        "renamed": len(settled.moved),
        "joined": len(settled.joined),
        "to accept": len(settled.held),
        "redacted": taken.redacted,
        "forgotten or taken back": taken.forgotten,
        "description": taken.described,
    }
    counted = ", ".join(f"{count} {words}" for words, count in counts.items() if count)
    return f" ({counted})" if counted else ""


def _form(done: "Exchanged | ReverieError") -> dict[str, object]:
    if isinstance(done, ReverieError):
        return {"error": done.message}
    return {
        "remote": done.remote,
        "received": {
            store: {
                "versions": taken.versions,
                "memories": taken.memories,
                "redacted": taken.redacted,
                "forgotten": taken.forgotten,
                "described": taken.described,
                **{name: list(paths) for name, paths in taken.settled._asdict().items()},
            }
            for store, taken in done.received.items()
        },
        "sent": done.sent,
        "refused": done.refused,
        "waiting": done.waiting,
        "dry_run": done.dry_run,
    }


def _changes(report: "Report") -> str:
    counts = {
        "taken over": report.taken,
        "shown": report.shown,
        "merged": report.merged,
        "kept beside": len(report.kept_beside),
        "deleted": report.deleted,
        "put back": report.restored,
        "yours now": len(report.claimed),
        "left alone": len(report.left),
    }
    counted = ", ".join(f"{count} {words}" for words, count in counts.items() if count)
    return counted or "nothing to do"


# --- stores of a server -------------------------------------------------------------------------


def attach_distant(
    url: str,
    principal: str | None,
    read_only: bool,
    name: str | None,
    key_file: str | None,
    key_variable: str | None,
    as_json: bool,
) -> None:
    """Use a store of a server here, in the project here or by whom is named."""
    from reverie.distant.server import FILE, KEY_VARIABLE, VARIABLE
    from reverie.operations import reach
    from reverie.operations.serving import distant
    from reverie.operations.serving.distant import Looked
    from reverie.store.access import parse_principal
    from reverie.store.model import Principal

    only_a_person("attach a server's store", f"stores attach {url}")
    if key_file and key_variable:
        raise InvalidInput("the key is in a file or in a variable")
    memory = opened()
    if principal is None:
        reach.enter_project(memory)
    whom = parse_principal(principal) if principal else Principal("project", memory.here.slug)
    source = f"{FILE} {os.path.abspath(key_file)}" if key_file else ""
    done = distant.attach(
        memory,
        url,
        whom,
        read_only=read_only,
        key_source=source or f"{VARIABLE} {key_variable or KEY_VARIABLE}",
        name=name,
    )
    looked = Looked(done.link, done.name, done.exchange)
    if as_json:
        out_json(forms.looked(looked))
        return
    say(f"attached {plain(done.name)} to {whom.kind}:{plain(whom.id)} ({done.link.access})")
    _tell_looked(looked)


def detach_distant(store: str) -> None:
    """Leave a copy to itself."""
    from reverie.operations.serving import distant

    only_a_person("detach a server's store", f"stores detach {store} server")
    url = distant.detach(opened_in_step(), store)
    say(f"nothing more is exchanged with {url}; the copy stays")


def _tell_looked(looked: "Looked") -> None:
    """What one exchange came to, in a line or a few."""
    if looked.exchange is None:
        trouble = plain(looked.trouble)
        say(f"{plain(looked.name)}: {trouble}: the copy is used, the next sync looks again")
        return
    done = looked.exchange
    parts = [
        f"{several(len(paths), 'memory')} {words}"
        for paths, words in ((done.pulled, "came"), (done.pushed, "went"))
        if paths
    ]
    say(f"{plain(looked.name)}: {', '.join(parts) or 'up to date'}")
    for path in done.beside[:_SHOWN_OF_A_SERVER]:
        say(f"  both sides changed it, both are kept: {plain(path)}")
    for path, why in done.left[:_SHOWN_OF_A_SERVER]:
        say(f"  left alone: {plain(path)}: {plain(why)}")
