"""The command line: `main` is the console script; a command's module is loaded on use."""

from reverie.cli.root import main

__all__ = ["main"]
