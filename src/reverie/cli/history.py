"""`log`, `diff`, `restore`, `redact`: what became of a memory, and the way back."""

import click

from reverie import forms
from reverie.cli.opening import opened_in_step
from reverie.cli.options import json_option
from reverie.cli.printing import agree, diff_line, out_json, say, table
from reverie.cli.speaker import only_a_person
from reverie.operations import history


@click.command()
@click.argument("name", required=False, metavar="[NAME|STORE]")
@click.option(
    "--limit", type=click.IntRange(1), default=50, show_default=True, help="Most versions."
)
@json_option
def log(name: str | None, limit: int, as_json: bool) -> None:
    """Versions of a memory or a store, newest first: who, when, why.

    Without a name: of this project's store and the shared one.
    """
    versions = history.versions(opened_in_step(), name, limit)
    if as_json:
        out_json([forms.version(version) for version in versions])
        return
    table(
        [
            version.created_at[:16].replace("T", " "),
            version.id,
            f"v{version.number}",
            version.operation,
            version.path or "(redacted)",
            f"{version.actor.kind}{' ' + version.actor.id if version.actor.id else ''}",
            version.reason,
        ]
        for version in versions
    )
    if not versions:
        say("no versions yet: nothing was written here")
    elif len(versions) == limit:
        say(f"older ones are not shown: --limit {2 * limit}")


@click.command()
@click.argument("name")
@click.argument("old", required=False, metavar="[V1")
@click.argument("new", required=False, metavar="V2]")
@json_option
def diff(name: str, old: str | None, new: str | None, as_json: bool) -> None:
    """What changed between two versions of a memory.

    V1 and V2 are version numbers or ids; with one of them, from it to now; with none, the last
    change.
    """
    difference = history.compare(opened_in_step(), name, old, new)
    if as_json:
        out_json(forms.difference(difference))
        return
    for line in difference.lines:
        click.echo(diff_line(line))
    if not difference.lines:
        say("no difference in the text")


@click.command()
@click.argument("name")
@click.argument("version", required=False)
@click.option("--why", default="", help="The reason, kept in the history.")
@json_option
def restore(name: str, version: str | None, why: str, as_json: bool) -> None:
    """Bring an old version back as the newest, or what was forgotten or archived.

    VERSION is a number or an id; without it NAME (a memory, a turn or a candidate) is taken out of
    the archive, and its words may be told again.
    """
    memory = opened_in_step(speaking=True)
    if version is None:
        from reverie.cli.memories import tell_forgotten

        tell_forgotten(memory.restore(name, why), "told again", "is back", as_json)
        return
    restored = history.restore(memory, name, version, why)
    if as_json:
        out_json(forms.item(restored))
    else:
        say(f"{restored.store}:{restored.name} is now version {restored.memory.version}")


@click.command()
@click.argument("version")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--why", default="", help="The reason, kept in the history.")
@json_option
def redact(version: str, yes: bool, why: str, as_json: bool) -> None:
    """Take the text out of one old version, for good.

    VERSION is an id from `reverie log`, or NAME@NUMBER. Its place in the history stays.
    """
    only_a_person("take words out of the history", f"redact {version}")
    memory = opened_in_step(speaking=True)
    chosen = history.find_version(memory, version)
    what = f"version {chosen.number} of {chosen.path or 'a redacted memory'}"
    agree(f"Redact {what}? Its text cannot be brought back", yes=yes)
    done = history.redact_version(memory, chosen.id, why)
    if as_json:
        out_json(forms.version(done))
    else:
        say(f"{done.id} is redacted")
