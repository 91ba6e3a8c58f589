"""`python -m reverie.connect.prompting SESSION < PROMPT`: the few lines a prompt is worth.

Not a command for people: the hook of a prompt starts it, for those who turned that on. Three lines
at most, and only of entries that meet the prompt far better than an answer has to.
"""

import sys


def main() -> int:
    """Print the lines; what fails is said on stderr, which the hook writes down."""
    from reverie.asker import Asker
    from reverie.errors import ReverieError
    from reverie.memory import Memory
    from reverie.operations import recalling

    prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        with Memory.open(asker=Asker("hook", sys.argv[1])) as memory:
            text = recalling.few_lines(memory, prompt)
    except ReverieError as error:
        print(error.message, file=sys.stderr)
        return error.exit_code
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
