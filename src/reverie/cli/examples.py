"""Examples for `--help` and the reference; a test runs each through the parser."""

from collections.abc import Iterator

import click

# Command → lines as one would type them; what is said about a line comes after `#`.
EXAMPLES: dict[str, tuple[str, ...]] = {
    "recall": (
        'reverie recall "how do we run the tests?"',
        "reverie recall                            # what this project most needs now",
        "reverie recall lint --project shop-api --sessions",
    ),
    "remember": (
        'reverie remember "Releases are cut from release/next" --why "main is frozen"',
        "reverie remember - < note.txt",
    ),
    "review": (
        "reverie review                            # one key each",
        "reverie review --json",
        "reverie review --accept cand_0a1b2c --reject chg_9f8e7d",
    ),
    "learn": (
        "reverie learn --dry-run                   # what it would find; writes nothing",
        "reverie learn --since 7d",
        "reverie learn --logs ~/old-logs --jobs 4",
    ),
    "dream": (
        "reverie dream --dry-run --explain",
        "reverie dream --project shop-api --since 30d",
        'reverie dream --instructions "only tests"',
    ),
    "proposals": (
        "reverie proposals",
        "reverie proposals show prop_3c4d",
        "reverie proposals undo prop_3c4d",
    ),
    "diary": (
        "reverie diary                             # the latest",
        "reverie diary --day yesterday",
        "reverie diary 1f2e3d",
    ),
    "diary add": ("reverie diary add diary.md --session 1f2e3d",),
    "daily": ("reverie daily", "reverie daily 2026-11-02", "reverie daily --list"),
    "corrections": (
        "reverie corrections --since 30d",
        "reverie corrections --all --json",
        "reverie corrections label                 # teach the detector",
    ),
    "decay": ("reverie decay --dry-run", "reverie decay --archive"),
    "unlearn": ("reverie unlearn 1f2e3d --dry-run",),
    "schedule install": (
        "reverie schedule install --dry-run",
        "reverie schedule install --with systemd --hours 12",
    ),
    "memories": (
        "reverie memories",
        "reverie memories --all --type feedback",
        "reverie memories --stale",
    ),
    "show": ("reverie show run-lint", "reverie show global:run-lint --json"),
    "why": ("reverie why run-lint", "reverie why run-lint --helpful"),
    "edit": ('reverie edit run-lint --why "the command changed"',),
    "rename": ("reverie rename run-lint lint-first",),
    "forget": ('reverie forget run-lint --why "CI does it now"',),
    "pin": ('reverie pin run-lint --why "hard won"',),
    "log": ("reverie log", "reverie log run-lint", "reverie log global --limit 200"),
    "diff": ("reverie diff run-lint", "reverie diff run-lint 1 3"),
    "restore": ("reverie restore run-lint", "reverie restore run-lint 2"),
    "redact": ('reverie redact run-lint@1 --why "named a customer"',),
    "stores create": ('reverie stores create team --description "What the team agreed on"',),
    "stores attach": (
        "reverie stores attach team project:shop-api",
        "reverie stores attach team agent:codex --read-write",
    ),
    "stores copy": ("reverie stores copy here postgresql://me@db.example/reverie",),
    "mount": (
        "reverie mount global ~/memory",
        "reverie mount                             # lists the mounts",
    ),
    "sync": ("reverie sync", "reverie sync ~/memory --mine"),
    "import": (
        "reverie import --dry-run                  # Claude Code's own memory",
        "reverie import ~/.claude/memory",
        "reverie import ~/vault --from basic-memory --store notes",
        "reverie import --undo",
    ),
    "export": (
        "reverie export reverie.tar.gz",
        "reverie export --long-term --scope global",
    ),
    "backup create": ("reverie backup create ~/reverie-backup.db",),
    "backup restore": ("reverie backup restore ~/reverie-backup.db --replace",),
    "sessions list": ("reverie sessions list --since 7d --agent codex",),
    "sessions show": ("reverie sessions show 1f2e3d --human",),
    "sessions search": ('reverie sessions search "lock file" --project shop-api',),
    "sessions extract": ("reverie sessions extract 2026-11-02 --output day.md",),
    "sessions keep": ("reverie sessions keep --dry-run",),
    "projects": (
        "reverie projects show .",
        'reverie projects rename app "The App"',
        "reverie projects merge app-1a2b3c app",
    ),
    "connect": (
        "reverie connect claude-code --dry-run",
        "reverie connect codex --hooks",
        "reverie connect claude-code --undo",
    ),
    "work next": ("reverie work next --json",),
    "work submit": ("reverie work submit work_0a1b answer.json",),
    "stats": ("reverie stats --project shop-api --since 30d",),
    "measure detection": ("reverie measure detection --corpus logs --labels logs/labels.jsonl",),
    "completion": ('eval "$(reverie completion bash)"',),
}


def tell(command: click.Command, name: str) -> None:
    """Put its examples below the help of a command and of those below it."""
    for path, one in _with_subcommands(command, name):
        if lines := EXAMPLES.get(path):
            # \b keeps click from joining the lines.
            one.epilog = "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def _with_subcommands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        for sub, child in command.commands.items():
            yield from _with_subcommands(child, f"{name} {sub}")
