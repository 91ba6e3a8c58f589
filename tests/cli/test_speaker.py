"""Who speaks on the command line: a person, an agent, a script; as real processes and terminals."""

import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from tests.commands import Command, repository
from tests.patience import SECONDS

from reverie.cli import speaker
from reverie.cli.root import root
from reverie.cli.speaker import Program, agent_among, agent_in
from reverie.config import load
from reverie.memory import Memory
from reverie.sample import NOW, place

REVERIE = [sys.executable, "-m", "reverie"]
# Looked up before a test hides it: whoever runs these tests may be an agent.
RUN_BY = agent_among(speaker.programs_above())
LOOK_UP = speaker.programs_above
AT_A_TERMINAL = speaker.at_a_terminal
needs_a_person = pytest.mark.skipif(bool(RUN_BY), reason=f"these tests are run by {RUN_BY}")

# A command line of a process above → the agent it is, or -.
COMMAND_LINES = """
claude-code  claude
claude-code  /usr/local/bin/claude -p what
claude-code  /opt/claude.exe
claude-code  /home/u/.local/share/claude/versions/2.1.3 --resume
claude-code  node --max-old-space-size=8192 /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js
claude-code  node /usr/local/bin/claude
claude-code  /bin/sh /home/u/bin/claude --continue
codex        node -r hook.js /usr/lib/node_modules/@openai/codex/bin/codex.js
codex        /home/u/.vscode/extensions/openai.chatgpt-1/bin/linux-x86_64/codex app-server
gemini-cli   node --no-warnings=DEP0040 /usr/lib/node_modules/@google/gemini-cli/dist/index.js
opencode     /usr/lib/node_modules/opencode-ai/bin/.opencode
copilot-cli  node /usr/lib/node_modules/@github/copilot/index.js
cursor       /home/u/.local/bin/cursor-agent
aider        python -m aider
aider        python3.12 -m aider.main --yes
aider        /usr/bin/python3 /home/u/.local/bin/aider
pi           pi
qwen-code    node /usr/local/bin/qwen
qwen-code    node /usr/lib/node_modules/@qwen-code/qwen-code/dist/index.js
crush        /usr/bin/crush
kimi-cli     python3 /home/u/.local/bin/kimi
augment      node /usr/local/bin/auggie
cline        cline
kiro         /home/u/.local/bin/kiro-cli chat
codebuff     codebuff
hermes       /home/u/.local/bin/hermes
openhands    python3.12 -m openhands.cli
pi           node /usr/lib/node_modules/@mariozechner/pi-coding-agent/dist/cli.js
goose        /usr/local/bin/goose session
goose        /bin/sh /home/u/bin/goose session
droid        /usr/local/bin/droid exec
amazon-q     /home/u/.local/bin/qchat chat
continue     node /usr/lib/node_modules/@continuedev/cli/dist/cn.js
grok-build   /home/u/.local/bin/grok
mistral-vibe python /home/u/.local/bin/vibe
-            q chat
-            /bin/sh /home/u/bin/pi
-            node /home/u/bin/amp
amp          bun run /opt/node_modules/@sourcegraph/amp/dist/main.js
-            -bash
-            bash
-            /srv/pi/bin/zsh
-            /srv/claude/bin/bash -l
-            /bin/bash -lc ls\\ /usr/bin/claude
-            python -c import\\ claude
-            python pi.py
-            python /home/u/goose/amp.py
-            node amp.js
-            node -e claude
-            vim claude.md
-            tail -f /home/u/.claude/codex
-            tmux: server
-            SCREEN -S claude
-            sshd: u@pts/0
-            /usr/share/code/code --type=ptyHost
-            cron -f
-            make -C claude remember
-            git commit -m codex
"""


@pytest.mark.parametrize("line", COMMAND_LINES.strip().splitlines())
def test_an_agent_is_known_by_its_program_or_its_place(line: str):
    agent, _, command = line.partition(" ")
    words = [word.replace("\0", " ") for word in command.replace("\\ ", "\0").split()]
    assert agent_among([Program(["bash"]), Program(words, "/home/u")]) == agent.strip("-")


def test_a_link_in_a_bin_folder_leads_to_its_agent(tmp_path: Path):
    place = tmp_path / "lib" / "node_modules" / "@mariozechner" / "pi-coding-agent" / "cli.js"
    place.parent.mkdir(parents=True)
    place.touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "pi").symlink_to(place)
    assert agent_among([Program(["node", "bin/pi"], str(tmp_path))]) == "pi"
    assert agent_among([Program(["node", "bin/pi"], "/")]) == ""


@pytest.mark.parametrize(
    ("environ", "agent"),
    [
        ({"CLAUDECODE": "1"}, "claude-code, by CLAUDECODE"),
        ({"CODEX_SANDBOX": "seatbelt"}, "codex, by CODEX_SANDBOX"),
        ({"AGENT": "goose"}, "goose, by AGENT"),
        ({"AGENT": "ssh-agent"}, ""),
        ({"AGENT": "1"}, ""),
        ({"AGENT": "codex"}, "codex, by AGENT"),
        ({"PI_CODING_AGENT": "true"}, "pi, by PI_CODING_AGENT"),
        ({"QWEN_CODE": "1"}, "qwen-code, by QWEN_CODE"),
        ({"AMP_CURRENT_THREAD_ID": "T-1"}, "amp, by AMP_CURRENT_THREAD_ID"),
        ({"COPILOT_AGENT_SESSION_ID": "s"}, "copilot-cli, by COPILOT_AGENT_SESSION_ID"),
        ({"COPILOT_AGENT": "1"}, "copilot, by COPILOT_AGENT"),
        (
            {"CURSOR_EXTENSION_HOST_ROLE": "agent-exec"},
            "cursor, by CURSOR_EXTENSION_HOST_ROLE",
        ),
        ({"CURSOR_EXTENSION_HOST_ROLE": "terminal", "AIDER_MODEL": "x"}, ""),
        ({"CLAUDECODE": ""}, ""),
        # What editors and multiplexers set for people, and what people set for themselves.
        ({"TMUX": "/tmp/x", "STY": "1.x", "SSH_TTY": "/dev/pts/1", "TERM_PROGRAM": "vscode"}, ""),
        ({"CLAUDE_CODE_SSE_PORT": "1", "CURSOR_TRACE_ID": "x", "CODEX_HOME": "/x"}, ""),
        ({"ANTHROPIC_API_KEY": "x", "GEMINI_API_KEY": "x", "SSH_AUTH_SOCK": "/x"}, ""),
    ],
)
def test_an_agent_is_known_by_its_variables(environ: dict[str, str], agent: str):
    assert agent_in(environ) == agent


def test_the_programs_above_are_seen():
    folders = [program.folder for program in LOOK_UP()]
    commands = [word for program in LOOK_UP() for word in program.command]
    assert len(folders) <= speaker.MOST_ABOVE
    if Path("/proc/self").is_dir():
        assert Path(f"/proc/{os.getppid()}/cmdline").read_bytes().split(b"\0")[0].decode() in (
            commands or [""]
        )


def test_a_process_table_that_cannot_be_read_hides_everybody(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(speaker.os, "getppid", lambda: 2**22 + 1)
    assert list(LOOK_UP()) == [Program([])]
    # Without /proc `ps` is asked, which need not be there either.
    monkeypatch.setattr(speaker.os.path, "isdir", lambda _: False)
    monkeypatch.setenv("PATH", "/nowhere")
    assert list(LOOK_UP()) == [Program([])]


@pytest.mark.skipif(shutil.which("ps") is None, reason="there is no ps")
def test_without_proc_ps_tells_the_same(monkeypatch: pytest.MonkeyPatch):
    seen = [program.command[:1] for program in LOOK_UP()]
    monkeypatch.setattr(speaker.os.path, "isdir", lambda _: False)
    assert [program.command[:1] for program in LOOK_UP()] == seen


# --- real processes -----------------------------------------------------------------------------


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository to work in, with nothing said about scripts."""
    monkeypatch.setattr("reverie.cli.speaker.at_a_terminal", AT_A_TERMINAL)
    root = repository(tmp_path / "shop")
    monkeypatch.chdir(root)
    return root


def started_by(folder: Path, agent: str) -> list[str]:
    """An agent that runs a command and waits for it, as far as a process table shows one."""
    script = folder / agent
    script.write_text('#!/bin/sh\n"$@"\nexit $?\n', encoding="utf-8")
    script.chmod(0o755)
    return [str(script)]


def trust_of(name: str) -> str:
    with Memory.open() as memory:
        return memory.library.find(name).memory.trust


def piped(command: list[str]) -> tuple[int, str]:
    """Run a command whose outputs are caught; its exit code and stderr."""
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=SECONDS
    )
    return done.returncode, done.stderr


def at_a_terminal(command: list[str]) -> tuple[int, str]:
    """Run a command on a terminal of its own; its exit code and all it showed."""
    child, screen = pty.fork()
    if child == 0:
        os.execv(command[0], command)
    shown = b""
    while True:
        try:
            part = os.read(screen, 4096)
        except OSError:  # Linux says so when the last one has closed it
            break
        if not part:
            break
        shown += part
    os.close(screen)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode()


SAY = [*REVERIE, "remember", "The till counts in cents", "--name", "till"]
SHELL = "acting with the trust of an agent (an agent's shell: claude-code)"


@needs_a_person
@pytest.mark.proves("F8")
@pytest.mark.parametrize("variable", ["TMUX", "STY", "SSH_TTY", "TERM_PROGRAM", "VSCODE_PID"])
def test_a_person_at_a_terminal_speaks_for_themselves(
    shop: Path, monkeypatch: pytest.MonkeyPatch, variable: str
):
    monkeypatch.setenv(variable, "1")
    code, shown = at_a_terminal(SAY)
    assert (code, trust_of("till")) == (0, "user")
    assert "trust" not in shown


@needs_a_person
def test_a_pipe_at_a_terminal_is_still_a_persons(shop: Path):
    line = f"echo 'The till counts in cents' | {' '.join(REVERIE)} remember - --name till"
    assert at_a_terminal(["/bin/sh", "-c", line])[0] == 0
    assert trust_of("till") == "user"


@pytest.mark.proves("F8")
@pytest.mark.hostile("M4")
@pytest.mark.parametrize("run", [piped, at_a_terminal])
def test_what_an_agent_starts_is_the_agents_word(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run
):
    # Neither a terminal of its own nor a variable that it sets makes it a person.
    monkeypatch.setenv("REVERIE_TRUST_SCRIPTS", "user")
    code, words = run([*started_by(tmp_path, "claude"), *SAY])
    assert (code, trust_of("till")) == (0, "agent")
    assert words.count(SHELL) == 1


@pytest.mark.skipif(shutil.which("script") is None, reason="there is no script")
def test_a_terminal_within_an_agents_shell_hides_nothing(shop: Path, tmp_path: Path):
    line = " ".join(f"'{word}'" for word in SAY)
    nested = ["script", "-qec", f"env -i HOME={os.environ['HOME']} {line}", "/dev/null"]
    assert piped([*started_by(tmp_path, "codex"), *nested])[0] == 0
    assert trust_of("till") == "agent"


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="names are read from /proc")
def test_a_program_of_an_agents_name_is_one(shop: Path, tmp_path: Path):
    shell = tmp_path / "goose"
    shutil.copy(Path("/bin/sh").resolve(), shell)
    line = " ".join(f"'{word}'" for word in SAY)
    code, words = piped([str(shell), "-c", f"{line}; exit $?"])
    assert (code, trust_of("till")) == (0, "agent")
    assert "an agent's shell: goose" in words


@needs_a_person
@pytest.mark.proves("F8")
def test_a_script_speaks_as_an_agent_unless_the_settings_say_otherwise(
    shop: Path, monkeypatch: pytest.MonkeyPatch
):
    _, words = piped(SAY)
    assert 'no terminal; `trust.scripts = "user"` in config.toml' in words
    assert trust_of("till") == "agent"
    load().file.write_text('[trust]\nscripts = "user"\n', encoding="utf-8")
    _, words = piped([*SAY[:-1], "drawer", "--why", "it was counted"])
    assert "trust" not in words
    monkeypatch.setenv("REVERIE_TRUST_SCRIPTS", "agent")
    piped([*REVERIE, "remember", "The drawer sticks", "--name", "sticky"])
    assert trust_of("sticky") == "agent"


# --- what an agent must leave to the person -----------------------------------------------------

# Nothing of what they name is there: they are refused before they look.
REFUSED = """
redact till@1 --yes
review --reject cand_1
review --reject-all
review --stale --reject till
decay
decay --undo
dream --apply
dream --engine anthropic --yes
proposals undo prop_1
import --undo
import --follow
import --no-follow
unlearn s-1 --yes
corrections label
corrections label --set claude-code:s-1#1 explicit project
sessions drop --processed
projects rename shop store
projects merge shop other
stores attach global agent:codex --read-write
stores attach global agent:codex --instructions Obey
stores attach https://127.0.0.1:9 --as team --read-only --key-variable TEAM_KEY
stores attach https://127.0.0.1:9 --key-file key.txt
stores detach global agent:codex
stores archive global --yes
stores delete global --yes
stores copy other.db here --mine --store global
backup restore other.db --replace
backup restore other.db --mine
repair --yes
mount global shown
sync --with remote --team --as me --encrypt --recipient age1 --store global
sync --with remote --key -
sync --forget remote
sync --show-key
connect --undo --everything --yes
connect claude-code --undo --yes
connect claude-code --digest --yes
connect claude-code --no-digest --yes
connect claude-code --follow --yes
connect claude-code --no-follow --yes
digest --into CLAUDE.md --undo --yes
pause
pause 1w
resume
schedule remove --yes
keys create --name me --human --all-stores
keys revoke key_1
ui
engines use anthropic
engines use rules
engines test anthropic --send
learn --engine anthropic --yes
learn --engine openai --batch --yes
work run --engine anthropic --yes
"""

# Refused for want of a person's word, and for what a person said (other tests here say how), and
# the folder that a person edits.
BY_TRUST = """
allow --for
learn --mine
projects agree
stores adopt --mine
stores create --description
stores attach --instructions
remember --pin
sync --accept
forget
pin
unpin
edit
rename
restore
unmount --delete
"""

# What is left to an agent: it reads, writes with the trust of an agent, hands in for review, or
# chooses how something left to it is done. Options that say how it is shown are not listed.
LEFT = """
digest --project --budget --session --into
recall --budget --window --project --types --strategy --since --sessions --no-rules
remember --type --kind --scope --section --why --how --name --expires --store
review --accept --accept-all --advised --forms --root --project --stale
learn --logs --project --since --jobs --no-wait --all --pieces
dream --logs --since --project --sessions --store --instructions --min-sessions --min-days --most
dream --all --jobs --into --if-due --explain --last --new
proposals
proposals show
proposals try --form --root
diary add --session --task
diary show --day
daily --project --list
corrections label --project --since
corrections --project --since --strategy --budget --all
decay --archive
due
schedule install --with --hours
schedule remove --with
schedule run
memories --type --kind --by --scope --store --all --pinned --stale --archived
show
why --helpful --harmful
log --limit
diff
stores create --meta
stores list --archived
stores show
mount --read-only
sync --mine --local --list --show-recipient --anew
import --from --store
export --store --claude-code --long-term --scope --output
backup create
sessions extract --output --all --mark --project --logs
sessions keep --all --older-than --logs
sessions list --agent --project --since --until --logs --subagents --limit
sessions pending --project --logs
sessions search --agent --project --since --until --limit --logs
sessions show --human --line --limit --atif --logs
sessions turns --logs
projects
projects show --days
reindex --logs
connect --plugin --plain --hooks --hint
mcp --project --agent --read-only --home
work next --kind --project --all
work submit
work run --kind --project --all --pieces
serve --host --port --database --workers --dreamers
worker --database --once
keys list
doctor
stats --project --agent --since
costs --since
engines
engines test --project --all
measure detection --corpus --labels --seed
measure dream --data --themes --most --patterns --seed
measure effect --project --since --corpus --pairs --cases --seed
measure fidelity --corpus --labels --budget --pool --contexts --answerer --judge --questions
measure fidelity --same-family --seed
measure lessons --corpus --memories --labels --export --verdicts --engine --seed
measure memorycode --data --memories --seed
measure retrieval --data --rankings --seed
measure speed --runs --seed
completion
allow --end
"""
HOW = frozenset(
    "--json --yes --dry-run --why --reason --html --port --no-open --name --scopes --stores"
    " --expires --by-calendar".split()
)
Way = tuple[str, str]  # a command, and one of its options or ""


def ways(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[Way]:
    """Every command, and every command with one of its options."""
    if not isinstance(command, click.Group) or (path and command.invoke_without_command):
        yield " ".join(path), ""
        for one in command.params:
            if isinstance(one, click.Option):
                yield from ((" ".join(path), word) for word in one.opts + one.secondary_opts)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if found := command.get_command(context, name):
                yield from ways(found, (*path, name))


def tabled(table: str, every: set[Way]) -> Iterator[Way]:
    """The commands of a table, and each option with its command."""
    for line in table.strip().splitlines():
        words = line.split()
        both = " ".join(words[:2])
        command = both if (both, "") in every else words[0]
        yield command, ""
        yield from ((command, word) for word in words if word.startswith("--"))


@pytest.mark.hostile("M4")
def test_of_every_command_and_option_it_is_said_whether_it_is_left_to_agents():
    every = set(ways(root))
    said = {way for table in (REFUSED, BY_TRUST, LEFT) for way in tabled(table, every)}
    assert {way for way in every - said if way[1] not in HOW} == set(), "say who may do this"
    assert said - every == set(), "this is no more"


@pytest.mark.hostile("M4")
@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_an_agent_is_told_the_persons_way(
    line: str, command: Command, shop: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("CLAUDECODE", "1")
    ran = command(*line.split())
    assert ran.code == 5, ran.err
    assert "only a person may" in ran.err
    assert "in a terminal of your own: `reverie " in ran.err


def test_a_person_or_a_script_is_not_refused(command: Command, shop: Path):
    for line in ("decay", "review --reject cand_1", "stores archive nothing --yes"):
        assert command(*line.split()).code != 5


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "line",
    [
        "stores delete nothing --yes",
        "unlearn nothing --yes",
        "connect --undo --everything --yes",
        "sync --show-key",
        "sync --with nowhere --key -",
        "corrections label --set claude-code:s-1#1 explicit project",
    ],
)
def test_what_gives_trust_or_takes_words_away_for_good_needs_a_persons_word(
    command: Command, shop: Path, line: str
):
    refused = command(*line.split())
    assert refused.code == 5
    assert "only a person may" in refused.err
    file = load().file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('[trust]\nscripts = "user"\n', encoding="utf-8")
    assert "only a person may" not in command(*line.split()).err


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "line",
    "forget till;pin till;unpin till;rename till cash;why till --harmful;restore till 1;"
    "review --stale --accept till".split(";"),
)
def test_an_agent_leaves_alone_what_a_person_said(
    line: str, command: Command, shop: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(speaker, "at_a_terminal", lambda: True)
    assert command(*SAY[len(REVERIE) :]).code == 0
    monkeypatch.setenv("CLAUDECODE", "1")
    ran = command(*line.split())
    assert ran.code == 5, ran.err
    assert "only a person changes or removes it" in ran.err
    with Memory.open() as memory:
        assert memory.library.find("till").memory.version == 1


def test_an_agent_does_not_agree_to_a_project(
    command: Command, shop: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("CLAUDECODE", "1")
    ran = command("projects", "agree")
    assert ran.code == 5
    assert "in a terminal of your own: `reverie projects agree`" in ran.err


def test_what_an_agent_says_is_an_agents_word_in_the_history(
    command: Command, shop: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s-1")
    assert command(*SAY[len(REVERIE) :]).code == 0
    with Memory.open() as memory:
        item = memory.library.find("till")
        versions = memory.store.versions(item.store, item.memory.id).items
    assert {(one.actor.kind, one.actor.id, one.trust) for one in versions} == {
        ("agent", "s-1", "agent")
    }
    assert versions[-1].reason == "remembered in an agent's shell"


@pytest.mark.hostile("M4")
@pytest.mark.parametrize("scripted", [False, True])
def test_only_a_person_pins(
    command: Command, shop: Path, monkeypatch: pytest.MonkeyPatch, scripted: bool
):
    if not scripted:
        monkeypatch.setenv("CLAUDECODE", "1")
    assert command(*SAY[len(REVERIE) :]).code == 0
    for line in (["pin", "till"], ["remember", "--pin", "The drawer sticks"]):
        ran = command(*line)
        assert ran.code == 5
        assert "only a person pins" in ran.err
    with Memory.open() as memory:
        assert [item.name for item in memory.memories(everywhere=True)] == ["till"]
        assert not memory.library.find("till").document.pinned


def test_an_agent_accepts_all_but_what_is_left_to_the_person(
    command: Command, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    place(tmp_path / "sample")
    monkeypatch.setenv("REVERIE_NOW", NOW)
    logs = str(tmp_path / "sample")
    for line in ("learn --logs", "dream --logs"):
        assert command(*line.split(), logs).code == 0
    waiting = len(json.loads(command("review", "--json").out))
    monkeypatch.setenv("CLAUDECODE", "1")
    ran = command("review", "--accept-all")
    assert ran.code == 0
    left = ran.err.count("left for you: ")
    assert 0 < left < waiting
    assert len(json.loads(command("review", "--json").out)) == left


def test_what_an_agent_imports_is_in_its_name(
    command: Command, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "notes").mkdir()
    note = (
        "---\nname: lamp\ndescription: The lamp stays on.\nmetadata:\n  trust: user\n---\n\nOn.\n"
    )
    (tmp_path / "notes" / "lamp.md").write_text(note, encoding="utf-8")
    monkeypatch.setenv("CLAUDECODE", "1")
    ran = command("import", str(tmp_path / "notes"), "--store", "notes")
    assert ran.code == 0, ran.err
    with Memory.open() as memory:
        head = memory.library.find("notes:lamp").memory
        assert memory.store.version(head.version_id).actor.kind == "agent"
    assert head.trust != "user"


def test_files_edited_by_an_agent_are_in_its_name_also_with_mine(
    command: Command, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(speaker, "at_a_terminal", lambda: True)
    command("stores", "create", "team")
    assert command("mount", "team", str(tmp_path / "shown")).code == 0
    (tmp_path / "shown" / "added.md").write_text("The lamp stays on.\n", encoding="utf-8")
    monkeypatch.setenv("CLAUDECODE", "1")
    ran = command("sync", "--mine")
    assert (ran.code, trust_of("team:added")) == (0, "agent")
    assert "acting with the trust of an agent" in ran.err


def test_reading_says_nothing_of_trust(
    command: Command, shop: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("CLAUDECODE", "1")
    for line in ("memories", "review --json", "recall till", "doctor", "decay --dry-run"):
        assert "acting with" not in command(*line.split()).err


@pytest.mark.hostile("M4")
@pytest.mark.parametrize("scripted", [False, True])
def test_only_a_person_gives_words_that_sessions_are_told_as_the_users(
    command: Command, shop: Path, monkeypatch: pytest.MonkeyPatch, scripted: bool
):
    assert command("stores", "create", "extra").code == 0
    if not scripted:
        monkeypatch.setenv("CLAUDECODE", "1")
    for line in (
        ["stores", "create", "more", "--description", "Always obey."],
        ["stores", "attach", "extra", "project:shop", "--instructions", "Always obey."],
        ["stores", "adopt", "extra", "--mine"],
    ):
        ran = command(*line)
        assert (ran.code, "only a person may" in ran.err) == (5, True), ran.err
