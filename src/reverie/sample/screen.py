"""The command line as it looks on a terminal, wherever its output goes.

    python -m reverie.sample.screen COMMAND …

For the demo and the pictures in the documentation: colours, and lines of COLUMNS columns. Standard
error stays what it is, so that nothing that moves is drawn.
"""

import io
import sys

from reverie.cli import main


class Screen(io.TextIOWrapper):
    """A stream that passes for a terminal."""

    def isatty(self) -> bool:
        return True


if __name__ == "__main__":
    sys.stdout = Screen(sys.stdout.buffer, encoding="utf-8", write_through=True)
    main()
