"""Stores of a server: attached, detached, and what an exchange with one came to."""

import os
from typing import TYPE_CHECKING

from reverie import forms
from reverie.cli.opening import opened, opened_in_step
from reverie.cli.printing import out_json, plain, say
from reverie.cli.speaker import only_a_person
from reverie.errors import InvalidInput
from reverie.plural import several

if TYPE_CHECKING:
    from reverie.operations.serving.distant import Looked

_SHOWN = 5


def attach(
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
    tell_looked(looked)


def detach(store: str) -> None:
    """Leave a copy to itself."""
    from reverie.operations.serving import distant

    only_a_person("detach a server's store", f"stores detach {store} server")
    url = distant.detach(opened_in_step(), store)
    say(f"nothing more is exchanged with {url}; the copy stays")


def tell_looked(one: "Looked") -> None:
    """What one exchange came to, in a line or a few."""
    if one.exchange is None:
        say(f"{plain(one.name)}: {plain(one.trouble)}: the copy is used, the next sync looks again")
        return
    done = one.exchange
    parts = [
        f"{several(len(paths), 'memory')} {words}"
        for paths, words in ((done.pulled, "came"), (done.pushed, "went"))
        if paths
    ]
    say(f"{plain(one.name)}: {', '.join(parts) or 'up to date'}")
    for path in done.beside[:_SHOWN]:
        say(f"  both sides changed it, both are kept: {plain(path)}")
    for path, why in done.left[:_SHOWN]:
        say(f"  left alone: {plain(path)}: {plain(why)}")
