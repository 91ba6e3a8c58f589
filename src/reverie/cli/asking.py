"""Questions that a person answers: a key each, or a yes before something is changed."""

import sys

import click

from reverie.errors import Refused


def key() -> str:
    """The next key a person presses; what came together with it is left out."""
    return click.getchar()[:1].lower()


def agree(question: str, *, yes: bool = False, otherwise: str = "nothing was changed") -> None:
    """Go on only with a person's yes, given now or beforehand with `--yes`.

    Raises:
        Refused: the answer is no, or nobody is there to give one.
    """
    if yes:
        return
    try:
        agreed = click.confirm(question, err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        click.echo(err=True)
        raise Refused(
            f"{otherwise}: nobody is here to answer", hint="--yes says yes beforehand"
        ) from None
    if not agreed:
        raise Refused(otherwise)
