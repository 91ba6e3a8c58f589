"""`python -m reverie`: how an agent starts the server, by the interpreter's own path."""

from reverie.cli import main

if __name__ == "__main__":
    main()
