"""The root command: the one table of commands, lazy loading, and the outermost error handler."""

import errno
import gc
import importlib
import os
import sys
from typing import Any

import click

from reverie import __version__
from reverie.errors import Interrupted, InvalidInput, ReadOnly, ReverieError, Unavailable

# group → commands as "module:function", below `reverie.cli`. Help shows them in this order.
COMMANDS: dict[str, dict[str, str]] = {
    group: {place.partition(":")[2].rstrip("_"): place for place in places.split()}
    for group, places in {
        "every day": "digest:digest everyday:recall everyday:remember review:review"
        " digest:pause digest:resume digest:allow server:ui",
        "learning": "learning:learn dreaming:dream dreaming:proposals diaries:diary"
        " diaries:daily diaries:corrections forgetting:decay learning:due"
        " learning:unlearn dreaming:schedule",
        "memories": "memories:memories memories:show memories:why memories:edit memories:rename"
        " memories:forget memories:pin memories:unpin history:log history:diff"
        " history:restore history:redact",
        "stores": "stores:stores stores:mount stores:unmount syncing:sync stores:import_"
        " stores:export stores:backup stores:repair",
        "sessions": "sessions:sessions sessions:projects sessions:reindex",
        "agents": "connect:connect agents:mcp agents:work",
        "server": "server:serve server:worker server:keys",
        "trust": "trust:doctor trust:stats engines:costs engines:engines measure:measure"
        " trust:completion",
    }.items()
}

_ALLOCATIONS = 20_000  # between two looks for cycles; Python has 700
HELP = ("--help", "-h")
EPILOG = """`reverie COMMAND --help` has examples. Data goes to stdout, words to stderr.

\b
Exit codes: 0 done, 1 something is wrong, 2 wrong call, 3 not found, 4 somebody
was first, 5 refused, 6 settings, 7 damage, 8 unavailable or busy, 130 stopped."""


class Root(click.Group):
    """A group that imports a command's module only when it is used: start-up stays small."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # The reader of our output went away (`reverie … | head`): not an error of ours.
            # Caught here, because click itself would make it one.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # What people try first: `reverie help`, `reverie help COMMAND`.
        asked = [*args[1:], HELP[0]] if args[:1] == ["help"] else args
        return super().parse_args(ctx, asked)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for group in COMMANDS.values() for name in group]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for group in COMMANDS.values():
            if target := group.get(cmd_name):
                module, attribute = target.split(":")
                return getattr(importlib.import_module(f"reverie.cli.{module}"), attribute)
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, group in COMMANDS.items():
            rows: list[tuple[str, str]] = []
            for name in group:
                command = self.get_command(ctx, name)
                if command is not None:
                    rows.append((name, command.get_short_help_str(limit=150)))
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            name, command, rest = super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            close = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
            if not close:
                raise
            hint = f"{error.message} Did you mean {close[0]!r}?"
            raise click.UsageError(hint, ctx) from None
        if name and command and not set(HELP).isdisjoint(rest):
            from reverie.cli.examples import tell

            tell(command, name)
        return name, command, rest


@click.group(
    cls=Root,
    invoke_without_command=True,
    epilog=EPILOG,
    context_settings={"help_option_names": list(HELP)},
)
@click.version_option(__version__, "--version", prog_name="reverie")
@click.option("--json", "as_json", is_flag=True, help="Print the status as JSON.")
@click.pass_context
def root(ctx: click.Context, as_json: bool) -> None:
    """A memory for coding agents.

    Without a command: what is known, what is pending, what to do next.
    """
    if ctx.invoked_subcommand is None:
        from reverie.cli.everyday import show_status

        show_status(as_json=as_json)


def main(argv: list[str] | None = None) -> None:
    """Run the command line and exit with the code of the error table."""
    _missing_streams()
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        # Python does this for stderr: what the locale has no character for is shown, not fatal.
        reconfigure(errors="backslashreplace")
    # Of what a command makes hardly anything is a cycle: looked for so often, they cost 4 % of it.
    gc.set_threshold(_ALLOCATIONS)
    code = run(argv)
    # The last collection would look at every object of a process that ends anyway (5 ms).
    gc.freeze()
    sys.exit(code)


def _missing_streams() -> None:
    """Stand in for standard streams that the caller closed.

    Python has `None` for them, and the next file opened would get their descriptor: a database
    must never be where something else writes its errors.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def run(argv: list[str] | None = None) -> int:
    """Run the command line and return the exit code; errors become `error:` and `hint:` lines."""
    try:
        result: Any = root.main(args=argv, prog_name="reverie", standalone_mode=False)
    except ReverieError as error:
        return report(error)
    except click.exceptions.Abort:
        return report(Interrupted("stopped"))
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        return report(_usage(error))
    except Exception as error:  # noqa: BLE001 - outermost: the user reads a sentence, always
        return report(_unforeseen(error))
    return result if isinstance(result, int) else 0


def _usage(error: click.ClickException) -> ReverieError:
    """A wrong call, as every other error is told."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    hint = f"`{context.command_path} --help` shows how it is called" if context else None
    message = " ".join(error.format_message().split()).removesuffix(".")
    return InvalidInput(message[:1].lower() + message[1:], hint=hint)


def _unforeseen(error: Exception) -> ReverieError:
    """What nobody translated below: the system's refusals by their meaning, the rest as a bug."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return ReadOnly(f"{where}{error.strerror}")
        return Unavailable(f"{where}{error.strerror}")
    if os.environ.get("REVERIE_TRACEBACK"):
        raise error
    return ReverieError(
        f"this should not happen: {type(error).__name__}: {error}",
        hint="the same with REVERIE_TRACEBACK=1 shows where; please report it",
    )


def report(error: ReverieError) -> int:
    """Print one error the way every surface does; returns its exit code."""
    from reverie.cli.printing import plain
    from reverie.privacy import passing_redactor

    # What was typed is told back, and terminals are logged too.
    redact = passing_redactor()
    click.echo(f"error: {plain(redact(error.message))}", err=True)
    if error.hint:
        click.echo(f"hint: {plain(redact(error.hint))}", err=True)
    return error.exit_code
