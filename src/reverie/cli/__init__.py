"""The command line. `main` is the console script; each command group is one module, loaded on use."""

from reverie.cli.root import main

__all__ = ["main"]
