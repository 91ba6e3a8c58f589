"""`reverie` without a command."""

from reverie.cli.printing import out


def show_status() -> None:
    """What is known, what is pending, what to do next, in ten lines."""
    out("nothing is known yet")
