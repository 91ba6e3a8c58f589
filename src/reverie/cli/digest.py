"""`reverie digest`: what a session that begins now is told."""

import click

from reverie.cli.options import json_option


@click.command()
@click.option("--project", metavar="NAME", help="Another project than the one of this directory.")
@click.option("--budget", type=int, metavar="CHARS", help="Most characters; default 2000.")
@json_option
def digest(project: str | None, budget: int | None, as_json: bool) -> None:
    """What a session that begins now is told: one line per lesson, the best first.

    Lines marked with ? wait for your review. `reverie show CODE` tells more of a line.
    """
    from reverie.cli.opening import opened
    from reverie.cli.printing import out, out_json, say
    from reverie.operations import digesting

    memory = opened(project)
    found = digesting.digest(memory, budget=budget)
    if as_json:
        from reverie import forms

        out_json(forms.digest(found))
    elif found.text:
        out(found.text)
    else:
        say("nothing is known yet that a session could be told")
