"""`python -m reverie.cli`: the command line without its console script."""

from reverie.cli.root import main

main()
