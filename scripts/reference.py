"""Write docs/reference from the code: commands, settings and variables, errors.

A test calls `pages()` and compares; `python -m scripts.reference` writes them.
"""

import inspect
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import click

from reverie import config, errors
from reverie.cli.diaries import Diary
from reverie.cli.examples import EXAMPLES
from reverie.cli.root import COMMANDS, root

REFERENCE = Path(__file__).parent.parent / "docs" / "reference"
NOTICE = "<!-- made by `make docs` from the code; do not edit -->\n"


def pages() -> dict[str, str]:
    """File name → text of every generated page."""
    return {
        "commands.md": commands_page(),
        "settings.md": settings_page(),
        "errors.md": errors_page(),
    }


def commands_page() -> str:
    parts = [NOTICE, "# Commands\n"]
    context = click.Context(root, info_name="reverie")
    for title, group in COMMANDS.items():
        if group:
            parts.append(f"## {title.capitalize()}\n")
        for name in group:
            command = root.get_command(context, name)
            if command is None:
                raise LookupError(name)
            parts.extend(command_section(command, f"reverie {name}", context))
    return "\n".join(parts)


def command_section(command: click.Command, name: str, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=name.rpartition(" ")[2], parent=parent)
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"### `{name}`\n"
    yield inspect.cleandoc(command.help or "").replace("\b\n", "") + "\n"
    yield f"```\n{name} {usage}\n```\n"
    if lines := EXAMPLES.get(name.removeprefix("reverie ")):
        yield "```sh\n" + "\n".join(lines) + "\n```\n"
    rows = [parameter_row(option) for option in options_of(command)]
    if rows:
        yield "| option | meaning |\n|---|---|\n" + "\n".join(rows) + "\n"
    if isinstance(command, click.Group):
        for sub in command.list_commands(context):
            child = command.get_command(context, sub)
            if child is not None and not child.hidden:
                yield from command_section(child, f"{name} {sub}", context)


def options_of(command: click.Command) -> list[click.Option]:
    """The options of a command, or of the one that a group is without a word of its own."""
    if isinstance(command, Diary):
        command = command.commands[command.default]
    return [one for one in command.params if isinstance(one, click.Option) and not one.hidden]


def parameter_row(option: click.Option) -> str:
    names = ", ".join(f"`{o}`" for o in (*option.opts, *option.secondary_opts))
    named = option.metavar or option.type.name.upper()
    metavar = "" if option.is_flag or option.count else f" `{named}`"
    if isinstance(option.type, click.Choice):
        metavar = " `" + "/".join(str(c) for c in option.type.choices) + "`"
    text = option.help or ""
    default: object = option.default
    if not option.is_flag and isinstance(default, str | int | float) and default != "":
        text += f" Default: {default}."
    text = text.replace("|", "\\|")
    return f"| {names}{metavar} | {text} |"


def settings_page() -> str:
    parts = [
        NOTICE,
        "# Settings\n",
        "Read from `$REVERIE_HOME/config.toml`; a variable beats the file, a flag beats both.",
        "Nothing inside a repository can set any of them.\n",
    ]
    for name, section in config.sections().items():
        parts.append(f"## `[{name}]`\n\n{inspect.cleandoc(section.__doc__ or '')}\n")
        parts.append("| key | default | variable | meaning |\n|---|---|---|---|")
        for spec in fields(section):
            default = config.default_of(spec)
            shown = list(default) if isinstance(default, tuple) else default
            choices = spec.metadata["choices"]
            doc = spec.metadata["doc"] + (f" One of {', '.join(choices)}." if choices else "")
            doc = doc.replace("|", "\\|")
            parts.append(
                f"| `{spec.name}` | `{shown!r}` | `{config.variable(name, spec.name)}` | {doc} |"
            )
        parts.append("")
    parts.append("## Other variables\n\n| variable | meaning |\n|---|---|")
    parts += [f"| `{name}` | {doc} |" for name, doc in config.VARIABLES.items()]
    return "\n".join(parts) + "\n"


def errors_page() -> str:
    parts = [
        NOTICE,
        "# Errors\n",
        "Every error is one sentence on stderr (`error: …`), with a `hint: …` line where there is",
        "something to do. The exit code says which kind it was.\n",
        "| error | exit code | HTTP status | MCP code | meaning |\n|---|---|---|---|---|",
    ]
    parts += [
        f"| `{e.__name__}` | {e.exit_code} | {e.http_status} | {e.mcp_code} | {e.summary()} |"
        for e in tree(errors.ReverieError)
    ]
    return "\n".join(parts) + "\n"


def tree(error: type[errors.ReverieError]) -> Iterator[type[errors.ReverieError]]:
    """`error` and everything below it that `errors.py` defines, in the order of definition."""
    if error.__module__ != errors.__name__:
        return
    yield error
    for child in error.__subclasses__():
        yield from tree(child)


def main() -> None:
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
