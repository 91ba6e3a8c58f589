"""Record what `reverie` prints, stores and leaves behind, so that two versions can be compared.

    python -m scripts.record --python VENV/bin/python [--corpus DIR] --out DIR
    python -m scripts.record --out DIR --compare OTHER_DIR

One text file per command (arguments, exit code, stdout, stderr), per home's files and per table of
a database. Commands run in processes and homes of their own, at a set time. Only the command line,
`reverie-hook`, the bundled sample and the tables are touched, no other module. Needs Linux.
"""

import argparse
import fcntl
import json
import os
import re
import shlex
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

# ── what is not the same in two runs of one version, each with the reason ────────────────────────
# Chance decides ties between entries of one moment. Every process gets bytes that follow from its
# command and time, made so that ids ascend as they are drawn (their first digit is the lowest).
CHANCE = """
import hashlib, itertools, os, sys
said = " ".join(sys.orig_argv[1:]) + os.environ.get("REVERIE_NOW", "")
drawn, rest = itertools.count(), int(hashlib.sha256(said.encode()).hexdigest()[:14], 16)
def urandom(size):
    high, low = divmod(next(drawn), 55)
    value = high // 55 + high % 55 * 55 + low * 55**2 + rest * 55**3
    return (value % 256**size).to_bytes(size, "big")
os.urandom = urandom
"""
PERSON = """
try:
    import reverie.cli.speaker
    reverie.cli.speaker.at_a_terminal = lambda: True
except ImportError:
    pass
"""
# Still, how often bytes were drawn before is nobody's business: ids are called by what they belong
# to in memory.db, all others by how many were seen before them.
RANDOM_ID = re.compile(r"\b(memstore|memver|mem|mount|import|recall)_[^\W_]{24}(?![^\W_])")
NAMES = """SELECT id, 'memstore ' || name FROM stores ; SELECT id, 'recall ' || seq FROM recalls ;
SELECT v.id, 'memver ' || name || ' ' || v.sequence FROM versions v JOIN stores s ON s.id = store_id
; SELECT memory_id, 'mem ' || name || ' ' || min(v.sequence) FROM versions v JOIN stores s
ON s.id = store_id GROUP BY memory_id"""
# The hash of a version is salted, every later one of its store rests on it; and where and when the
# file system put a file is nothing of ours.
MASKED_COLUMNS = """versions.salt versions.body versions.previous versions.commitment files.inode
stores.commitment checkpoints.commitment files.mtime_ns mounted_files.inode mounted_files.mtime_ns
mounted_files.ctime_ns""".split()
SALTED_TEXT = re.compile(r'("(?:salt|body|previous|commitment)": ?)"[0-9a-f]{32,64}"')
FILE_STAMP = re.compile(r'"stamp": \[\d+, \d+, \d+\]')
# hooks.log has the time of the system's clock, not that of REVERIE_NOW.
SYSTEM_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ(?= [A-Za-z]+: )")
# Bytes that hold all of this, and the key of a home.
OPAQUE_FILES = (".db", ".db-wal", ".db-shm", ".tar.gz", "redaction.key")

# A look into the working tree is cut short for a person who waits, not for a busy machine.
ENVIRONMENT = """HOME={home} REVERIE_HOME={home}/.reverie REVERIE_NOW={now} TMPDIR={home}/..
PATH={scratch}/bin:{scratch}/venv/bin PYTHONPATH={scratch}/bin EDITOR=add-a-line LANG=C.UTF-8
PYTHONPYCACHEPREFIX={scratch}/pycache COLUMNS=100 TZ=UTC REVERIE_RECALL_VERIFY_MS=600000"""
# ── what is run ──────────────────────────────────────────────────────────────────────────────────
# Commands are parted by ` ; `. `*` before one runs it with --json as well, `(a|b)` stands for one
# command each, ` < ` gives it a file as standard input.
EMPTY_HOME = """--version ; help ; help recall ; nonsense ; recal tests ; remember ; remember "" ;
export ; import ; * (|doctor|memories|projects|corrections|proposals|diary|daily|due|stats|costs|
engines|review|sessions list|stores list|decay --dry-run|learn --dry-run|learn|dream|mount|sync|
recall words) ; (show|why|log|diff|restore|import|unmount|stores show|sessions show|projects show|
connect) nothing ; recall (--budget x|--project nowhere|--strategy nonsense|--since someday) words ;
decay --nonsense ; remember x --type nonsense ; learn (--jobs 0|--logs nowhere|--since never) ;
dream --min-sessions 0 ; proposals show prop_nothing ; daily 2026-02-31 ; redact nothing@1 (|--yes)
; unlearn nothing --yes ; corrections --strategy nonsense ; diary add missing.md --session nothing ;
mount nothing folder ; backup (restore missing.db|create nowhere/backup.db) ; projects merge a b ;
sessions (search|turns) ; work (next|submit work_nothing missing.json) ; measure (detection|
retrieval) ; completion (nonsense|bash|zsh|fish) ; schedule remove --with (systemd|cron) --yes ;
schedule run ; schedule install --with (cron --dry-run|systemd --dry-run|launchd --dry-run|systemd
--yes|cron --hours 0)"""
LEARNING = """* sessions (list|pending|search registry|show 409d3537|extract 2026-03-04|turns --logs
{home}/.claude) ; sessions list (--agent nonsense|--agent codex --since 2026-03-05 --until
2026-03-11|--project shop-api --limit 2 --subagents) ; sessions search "dev server" --project
shop-api --limit 3 ; sessions show (4|c|c20b8d5b --atif|409d3537 --human|409d3537 --line 4 --limit
2) ; * projects ; * learn --dry-run (--project feed-loader|--since 2026-03-05|--jobs 2) ; learn ;
learn --json ; * (|corrections --budget 900|corrections --all|corrections --project feed-loader
--since 2026-03-06) ; corrections --strategy (ours|random|recency|position|density|tier|misstep|
neighbourhood|label|bm25|tfidf) --json ; corrections label (|--set nonsense wrong wrong|--set
claude-code:61bb35b3-294c-5560-b1bb-a1353e6d9ebf#5 explicit project|--json) ; * (memories|memories
--all|show prices|why prices) ; * recall (|"which port does the dev server use?"|zebra crossing
quantum) ; recall lint (--sessions --types feedback|--no-rules --since 2026-03-10 --project
feed-loader) ; recall cents (--strategy bm25 --json|--window 100|--budget 30000|--budget 30000
--yes) ; * (diary|diary --day 2026-03-04|diary 653757dc|daily|daily 2026-03-12|daily 2026-01-01|
daily --list) ; diary add - --session 653757dc (|--task 1 --json|--task 9) < {own_diary} ; diary
653757dc ; * export --long-term ; export --long-term --scope global --output long-term.md ; *
(review|review --project shop-api|due|dream --dry-run --explain|dream --dry-run --store global) ;
dream --dry-run (--min-sessions 2 --min-days 1 --json|--project shop-api --since 2026-03-05|
--instructions "only tests" --json|--sessions 409d3537 --sessions 81bbf3fb) ; dream (--explain|
--json|--if-due) ; * (due|doctor|costs|stats|stats --project shop-api --agent codex --since
2026-03-05)"""
DECIDING = """* (proposals|proposals show {offer[id]}|proposals show prop_|review {offer[id]}) ;
review (--accept {waiting[0][id]} --reject {waiting[1][id]}|--accept {waiting[0][id]}|--reject
{waiting[2][id]} --json|--accept cand_nothing|--reject {offer[changes][0][id]}|--forms nonsense|
--accept {offer[changes][1][id]} --forms rule --root {home}/code/shop-api|{offer[id]} --accept-all
--forms all) ; * proposals undo {offer[id]} ; review (--accept-all|) ; * work next ; work run --yes
; work next (--all|--project feed-loader --kind dream) --json ; work submit {piece[id]} - < {answer}
; work submit {piece[id]} - < {own_diary} ; work submit {piece[id]} --json - < {answer} ; dream
(--into dreamt --json|--apply) --min-sessions 2 ; * (stores list|memories --store dreamt) ; unlearn
61bb35b3 (--dry-run||--yes --reason "for the record" --json|--yes) ; learn ; * sessions (keep
--dry-run|keep --all|extract 2026-03-05 --all --project shop-api|pending) ; sessions extract
2026-03-05 --mark --output day.md ; sessions drop (413f4927|--processed --json|) ; projects (rename
shop-api "The Shop"|show . --days 2|merge feed-loader shop-api) ; * (projects|projects show
shop-api|reindex|doctor)"""
MEMORIES = """learn ; remember "Releases are cut from release/next" (--why "main is frozen" --how
"branch first"|--json) ; remember - --name from-input --type project --kind decision --json < {note}
; remember "I prefer short answers" --type user --scope global --section preferences --pin ;
remember "The token is gh{nothing}p_0123456789abcdefghijABCDEFGHIJ012345" --scope global --json ;
remember "Deploys need the VPN" (--scope feed-loader --kind data-quirk|--scope nowhere) ; * memories
(--type feedback|--kind decision --scope shop-api|--pinned) ; * show (from-input|global:prefer|
from-inptu) ; * (pin|unpin) from-input --why "hard won" ; edit from-input (--why "the record says
so"|--json) ; show from-input ; * rename (from-input said-once|said-once said-twice|said-twice
prices-integer-cents-here-never-floats) ; * (log|log said-twice|log global --limit 2|diff
said-twice|diff said-twice 1 2|diff said-twice 1 99|forget said-twice --why "no longer"|memories
--archived|restore said-twice|restore said-twice 1|restore said-twice 99) ; redact said-twice@1 (|
--yes --why "named a customer" --json|--yes) ; * (log said-twice|why said-twice|why said-twice
--helpful|why said-twice --harmful) ; stores (create team --description "What the team agreed on"
--meta owner=us --json|create team|create archive-me|attach team agent:codex --read-write --json|
attach team nonsense|detach team agent:codex|detach team agent:codex) ; * stores (show team|attach
team project:shop-api|archive archive-me --yes) ; remember "The team meets on Tuesdays" --store
(team --json|nowhere|archive-me) ; stores delete archive-me (|--yes --json) ; * stores list (|
--archived) ; mount team {home}/team ; * mount ; mount team {home}/team ; mount global {home}/global
--read-only --json"""
MOUNTED = """* (sync|memories --store team|show team:added) ; sync {home}/team --mine --json ;
unmount {home}/global ; unmount {home}/team --delete ; mount ; * import ({home}/notes --dry-run|
{home}/notes --store notes|--undo|claude-code --dry-run) ; import {home}/notes/AGENTS.md --from
instructions --dry-run --json ; export {home}/(exported|exported|exported.tar.gz|exported.tar.gz
--json|team-only --store team --json) ; * export {home}/.claude/projects/-own/memory --claude-code ;
import {home}/(exported --json|exported.tar.gz --dry-run|exported.tar.gz --json) ; backup (create|
create|restore|restore --replace) {home}/backup.db ; stores copy here ({home}/copy.db|{home}/copy.db
--store team --json|here) ; * (recall tuesdays|stats|doctor)"""
CONNECTED = """learn ; connect claude-code (|--plain --hooks --digest|--plugin) --dry-run ; connect
claude-code --plain --hooks --digest (--yes|--yes) ; connect claude-code --undo --dry-run ; connect
codex (--dry-run --hint|--hooks --hint --no-digest --yes|--yes|) ; connect (gemini|opencode|cursor|
copilot|pi|claude-code --plugin) --yes"""
# Tools of the MCP server with their arguments.
MCP_CALLS = """recall (|query="which port does the dev server use?" budget_chars=1500|
budget_chars=many|query=lint types='["feedback"]' sessions=true rules=false|query=cents
budget_chars=90000|query=cents budget_chars=90000 confirm=true window_tokens=900) ; remember
(text="The staging host is called heron." why="asked twice"|text="" name=empty|nonsense=1|
text="Answers end with a summary." scope=global type=user) ; search_sessions (|query=registry|
query=lint since=2026-03-10 limit=2) ; nonsense ; read_session
session=(409d3537-44ee-51e3-ad07-2ec9857df5d6 line=4 turns=3|nothing) ; why
memory=(prices-integer-cents-here-never-floats|nothing) ; memory command=(nonsense|view
path=/memories|view path=/memories/shop-api|create path=/memories/global/a.md file_text="One Two"|
str_replace path=/memories/global/a.md old_str=Two new_str="Three Four"|insert
path=/memories/global/a.md insert_line=0 insert_text=Zero|view path=/memories/global/a.md
view_range="[1, -1]"|rename old_path=/memories/global/a.md new_path=/memories/global/b.md|delete
path=/memories/global/b.md|delete path=/memories/../b)"""
DATA = re.compile(r"\d+|\[.*|true|false")  # arguments that are no text
HOOK_SETTINGS = "[hooks]\nevery_turns = 1\ndigest = true\nrecall_on_prompt = true\n"
CORPUS = """learn --json --logs {logs} (--dry-run|) ; (review|corrections|corrections --all|
projects|sessions list|memories --all|diary|daily --list|work next --all|due|proposals) --json ;
dream --explain --logs {logs} (--dry-run|--json) ; (proposals|stats|decay --dry-run) --json ; doctor
; export {home}/exported ; sessions search (test|"commit message"|error|"why not") --json"""
OWN_DIARY = """# Loader release\n\n## Task\nRelease the loader without debug output.\n
## Approaches\n1. Commit at once -> failed: the lint had not run\n2. Lint first -> worked\n
## Patterns\n- The loader is released on Fridays.\n"""
RULES = "# Rules\n\n- Run the tests before pushing.\n- Ask before adding a library.\n"
DOCUMENT = "---\nname: one\ndescription: The first note.\n---\n\nThe first note.\n"
NOTES = {"AGENTS.md": RULES, "one.md": DOCUMENT, "deep/two.md": "# Two\n\nOf the nightly import.\n"}
SAMPLE_NOW = datetime.fromisoformat("2026-03-16T08:00Z")
EDITOR = "#!/bin/sh\necho 'One more line.' >> \"$1\"\n"
PLACE = "import pathlib, sys, reverie.sample; reverie.sample.place(pathlib.Path(sys.argv[1]))"


@dataclass
class Home:
    """An isolated home: where it is, what time it is there, what its random ids are called."""

    folder: Path
    out: Path
    scratch: Path
    hidden: dict[str, str]  # text of this machine → what is written instead
    now: datetime = SAMPLE_NOW
    steps: int = 0
    names: dict[str, str] = field(default_factory=dict[str, str])


def call(home: Home, command: list[str], given: str = "") -> "subprocess.CompletedProcess[bytes]":
    """Run something a minute after the last; of the caller's environment it sees nothing."""
    home.now += timedelta(minutes=1)
    known = {"home": home.folder, "scratch": home.scratch, "now": home.now.isoformat()}
    env = dict(word.split("=", 1) for word in ENVIRONMENT.format_map(known).split())
    project, words = home.folder / "code/shop-api", [f"{home.scratch}/venv/bin/python", *command]
    cwd, data = project if project.is_dir() else home.folder, given.encode()
    return subprocess.run(words, cwd=cwd, env=env, input=data, capture_output=True, check=False)


def step(home: Home, typed: list[str], given: str = "", program: str = "reverie") -> str:
    """Run one command and write down what came of it; returns its stdout."""
    script = ["-m", "reverie"] if program == "reverie" else [f"{home.scratch}/venv/bin/{program}"]
    done = call(home, [*script, *typed], given)
    # Hooks start detached workers: go on when nobody is at work in this home.
    mark = ["grep", "-qsz", f"^HOME={home.folder}$"]
    while not subprocess.run([*mark, *map(str, Path("/proc").glob("[0-9]*/environ"))]).returncode:
        time.sleep(0.05)
    out, err = (data.decode("utf-8", "backslashreplace") for data in (done.stdout, done.stderr))
    text = f"$ {shlex.join([program, *typed])}\nexit {done.returncode}\n--- stdin\n{given}\n"
    write(home, "-".join([program, *typed]), f"{text}--- stdout\n{out}--- stderr\n{err}")
    return out


def write(home: Home, title: str, text: str) -> None:
    home.steps += 1
    # A damaged database has no names.
    with suppress(sqlite3.DatabaseError), opened(home, home.folder / ".reverie/memory.db") as found:
        for query in NAMES.split(";"):
            for identifier, name in found.execute(query):
                home.names.setdefault(identifier, f"<{name}>")
    name = re.sub(r"[^A-Za-z0-9]+", "-", normal(home, title)).strip("-")[:60]
    (home.out / f"{home.steps:03d}-{name}.txt").write_text(normal(home, text), encoding="utf-8")


def normal(home: Home, text: str) -> str:
    """The text without what chance or this machine put into it."""
    for place, name in home.hidden.items():
        text = text.replace(place, name)
    names = home.names
    text = RANDOM_ID.sub(lambda id: names.setdefault(id[0], f"<{id[1]} {len(names)}>"), text)
    text = FILE_STAMP.sub('"stamp": "<masked>"', SALTED_TEXT.sub(r'\1"<masked>"', text))
    return SYSTEM_TIME.sub("<time>", text)


def spelled_out(script: str) -> Iterator[str]:
    for line in " ".join(script.split()).replace("| ", "|").split(" ; "):
        before, _, rest = line.partition("(")
        among, _, after = rest.partition(")")
        yield from (f"{before}{choice}{after}" for choice in among.split("|"))


def play(home: Home, script: str, **values: Any) -> None:
    """Run the commands of a script; `{name}` stands for one of `values`."""
    values |= {"home": str(home.folder), "nothing": ""}
    for line in spelled_out(script):
        typed, _, file = line.format_map(values).partition(" < ")
        given = Path(file).read_text(encoding="utf-8") if file else ""
        command = shlex.split(typed.removeprefix("*"))
        step(home, command, given)
        if typed.startswith("*"):
            step(home, [*command, "--json"], given)


def asked(home: Home, *typed: str) -> Any:  # without a record of it
    return json.loads(call(home, ["-m", "reverie", *typed, "--json"]).stdout)


@contextmanager
def opened(home: Home, file: Path) -> Generator[sqlite3.Connection]:
    """A copy of a database, read-only: a look must leave no side files in the home."""
    with tempfile.TemporaryDirectory(dir=home.folder.parent) as folder:
        for part in (file, file.with_name(f"{file.name}-wal")):
            if part.exists():
                shutil.copy(part, folder)
        with closing(sqlite3.connect(f"file:{folder}/{file.name}?mode=ro", uri=True)) as database:
            yield database


def dump(home: Home, file: Path) -> None:
    """Every table of a database as text, in the order of its columns' values."""
    target = home.out / f"{file.name}.tables"
    target.mkdir()
    with opened(home, file) as database:
        database.text_factory = partial(str, encoding="utf-8", errors="backslashreplace")
        listed = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        tables = dict(listed.fetchall())
        full_text = tuple(name for name, sql in tables.items() if "VIRTUAL TABLE" in sql)
        for table in (name for name in tables if not name.startswith((*full_text, "sqlite_"))):
            found = database.execute(f'SELECT * FROM "{table}"')
            columns = [column[0] for column in found.description]
            masks = ["<masked>" * (f"{table}.{name}" in MASKED_COLUMNS) for name in columns]
            rows = ([mask or v for mask, v in zip(masks, row, strict=True)] for row in found)
            texts = (json.dumps(row, ensure_ascii=False, default=bytes.hex) for row in rows)
            lines = [json.dumps(columns), *sorted(normal(home, text) for text in texts)]
            (target / f"{table}.txt").write_text("\n".join(lines), encoding="utf-8")


def left_behind(home: Home) -> None:
    """Every file of a home with its mode and text, and the tables of its databases."""
    parts: list[str] = []
    for file in sorted(path for path in home.folder.rglob("*") if path.is_file()):
        parts.append(f"=== {file.relative_to(home.folder)} {file.stat().st_mode & 0o777:o}\n")
        if not file.name.endswith(OPAQUE_FILES):
            parts.append(file.read_bytes().decode("utf-8", "backslashreplace") + "\n")
    write(home, "files", "".join(parts))
    for file in home.folder.rglob("*.db"):
        dump(home, file)


def given_file(home: Home, name: str, text: str) -> str:
    (home.folder / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    (home.folder / name).write_text(text, encoding="utf-8")
    (home.folder / name).chmod(0o600)
    return f"{home.folder}/{name}"


def place_sample(home: Home) -> None:
    call(home, ["-c", PLACE, str(home.folder)]).check_returncode()
    given_file(home, ".reverie/redaction.key", "5a" * 32)
    for file in (home.folder, *home.folder.rglob("*")):
        os.utime(file, (SAMPLE_NOW.timestamp(), SAMPLE_NOW.timestamp()))
        file.chmod(0o700 if file.is_dir() else 0o600)


def record_empty(home: Home) -> None:
    """Help of every command, wrong calls, and what is said where nothing is."""
    listed = re.compile(r"^  ([a-z]+)  +\S", re.M)
    for name in listed.findall(step(home, ["--help"])):
        for below in listed.findall(step(home, [name, "--help"])):
            step(home, [name, below, "--help"])
    play(home, EMPTY_HOME)
    left_behind(home)


def record_learning(home: Home) -> None:
    place_sample(home)
    own = given_file(home, "own-diary.md", OWN_DIARY)
    play(home, LEARNING, own_diary=own)
    offer, piece = asked(home, "proposals")[0], asked(home, "work", "next")
    said = next(line.split()[0] for line in piece["material"].splitlines() if " PERSON: " in line)
    lesson = {"text": "The person comes from Go and wants packaging explained."}
    lesson |= {"kind": "best-practice", "evidence": [said]}
    answer = given_file(home, "answer.json", json.dumps({"lessons": [lesson]}))
    waiting = [one for one in asked(home, "review") if one["id"].startswith("cand_")]
    play(home, DECIDING, offer=offer, piece=piece, waiting=waiting, own_diary=own, answer=answer)
    home.now = SAMPLE_NOW + timedelta(weeks=5)
    play(
        home, "* decay (--dry-run||--archive) ; * memories (--archived|--stale) ; * review --stale"
    )
    left_behind(home)


def record_memories(home: Home) -> None:
    place_sample(home)
    for name, text in NOTES.items():
        given_file(home, f"notes/{name}", text)
    play(home, MEMORIES, note=given_file(home, "note.txt", "Schema changes are announced.\n"))
    given_file(home, "team/added.md", DOCUMENT.replace("one", "added"))
    play(home, MOUNTED)
    left_behind(home)


def record_agents(home: Home) -> None:
    place_sample(home)
    play(home, CONNECTED)
    about: dict[str, Any] = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}}
    sent: list[tuple[str, dict[str, Any]]] = [("initialize", about), ("tools/list", {})]
    for tool, *words in map(shlex.split, spelled_out(MCP_CALLS)):
        given = dict(word.split("=", 1) for word in words)
        data = {key: json.loads(v) if DATA.fullmatch(v) else v for key, v in given.items()}
        sent.append(("tools/call", {"name": tool, "arguments": data}))
    messages = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate([*sent, ("ping", {}), ("nonsense", {})], 1)
    ]
    for options in ([], ["--read-only", "--project", "feed-loader"]):
        step(home, ["mcp", "--agent", "claude-code", *options], "\n".join([*messages, "[]", "{"]))
    left_behind(home)
    play(home, "connect (claude-code|claude-code|codex) --undo --yes ; doctor")


def record_hooks(home: Home) -> None:
    """What an agent's client calls, and the workers that this starts."""
    place_sample(home)
    given_file(home, ".reverie/config.toml", HOOK_SETTINGS)
    events = "Nonsense SessionStart Stop PreCompact UserPromptSubmit SessionEnd SessionStart"
    for event in events.split():
        for log in sorted((home.folder / ".claude").rglob("*.jsonl"))[-2:]:
            said = {"session_id": log.stem, "transcript_path": str(log), "source": "startup"}
            said |= {"prompt": "May I edit generated files?", "cwd": f"{home.folder}/code/shop-api"}
            step(home, [event], json.dumps(said), program="reverie-hook")
    step(home, ["SessionEnd"], "no JSON", program="reverie-hook")
    play(home, "doctor ; * memories ; * stats")
    left_behind(home)


def record_broken(home: Home) -> None:
    place_sample(home)
    for name in ("config.toml", "memory.db", "index.db"):
        step(home, ["learn"])
        file = Path(given_file(home, f".reverie/{name}", "no such thing\n" * 999))
        play(home, "(memories|doctor|recall lint|sessions list|remember words|reindex|learn)")
        file.unlink(missing_ok=True)


def record_corpus(home: Home, logs: Path, questions: list[tuple[str, str]]) -> None:
    """Learn from one folder of logs, then ask what its labels ask."""
    home.now = SAMPLE_NOW + timedelta(weeks=25)
    given_file(home, ".reverie/redaction.key", "5a" * 32)
    play(home, CORPUS, logs=shlex.quote(str(logs)))
    listed = asked(home, "sessions", "list", "--limit", "100000")
    projects = {one["path"]: one["project"] for one in listed}
    for transcript, question in questions:
        project = projects[str(logs.parent / transcript)]
        step(home, ["recall", "--json", "--project", project, question])
    left_behind(home)


def jobs_of(only: str | None, corpus: Path | None) -> Iterator[tuple[str, Callable[[Home], None]]]:
    """What is recorded, each in a home of its own; what takes longest comes first."""
    if corpus and only != "sample":
        labels = (corpus / "labels.jsonl").read_text(encoding="utf-8").splitlines()
        asking = [(one["transcript"], one["question"]) for one in map(json.loads, labels)]
        yield "corpus/all", partial(record_corpus, logs=corpus, questions=[])
        for logs in sorted(path for path in corpus.iterdir() if path.is_dir()):
            its = [one for one in asking if one[1] and one[0].startswith(f"{logs.name}/")]
            yield f"corpus/{logs.name}", partial(record_corpus, logs=logs, questions=its[:7])
    if only != "corpus":
        yield from (("sample/learning", record_learning), ("sample/memories", record_memories))
        yield from (("sample/empty", record_empty), ("sample/agents", record_agents))
        yield from (("sample/hooks", record_hooks), ("sample/broken", record_broken))


def record(python: Path, corpus: Path | None, out: Path, only: str | None) -> None:
    """Record into `out`, which loses what was recorded there before."""
    # The same place each time: paths are part of texts, widths, budgets and hashes.
    scratch = Path(tempfile.gettempdir()).resolve() / f"reverie-record-{os.getuid()}"
    with scratch.with_name(f"{scratch.name}.lock").open("w") as lock, ThreadPoolExecutor(2) as pool:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(scratch, ignore_errors=True)
        hidden = prepare(scratch, python) | ({str(corpus): "<corpus>"} if corpus else {})

        def run(name: str, job: Callable[[Home], None]) -> str:
            began = time.monotonic()
            home = Home(scratch / name / "home", out / name, scratch, hidden)
            shutil.rmtree(home.out, ignore_errors=True)
            for folder in (home.out, home.folder):
                folder.mkdir(parents=True)
            job(home)
            return f"{name}: {home.steps} steps in {time.monotonic() - began:.0f} s"

        for done in as_completed([pool.submit(run, *job) for job in jobs_of(only, corpus)]):
            print(done.result(), flush=True)
        shutil.rmtree(scratch)


def prepare(scratch: Path, python: Path) -> dict[str, str]:
    """A place where it makes no difference which checkout is recorded; what is hidden of it."""
    (scratch / "bin").mkdir(parents=True)
    (scratch / "venv").symlink_to(python.parent.parent)
    for program in ("git", "sh"):
        (scratch / "bin" / program).symlink_to(shutil.which(program) or program)
    (scratch / "bin/add-a-line").write_text(EDITOR, encoding="ascii")
    (scratch / "bin/add-a-line").chmod(0o700)
    find = [python, "-c", "import reverie; print(reverie.__file__)"]
    package = Path(subprocess.run(find, check=True, capture_output=True, text=True).stdout).parent
    # Where scripts do not speak for a person by themselves, these do.
    person = PERSON if (package / "cli/speaker.py").exists() else ""
    (scratch / "bin/sitecustomize.py").write_text(CHANCE + person, encoding="ascii")
    hidden = {str(scratch): "<tmp>", str(package): "<package>", str(package.parents[1]): "<source>"}
    host = {f"learn {socket.gethostname()}:": "learn <host>:"}
    return hidden | host


def compare(one: Path, other: Path, part: str) -> int:
    """Print what differs, file by file with the first lines that do; how many files differ."""
    files = ((root, file) for root in (one, other) for file in (root / part).rglob("*.txt"))
    names = {file.relative_to(root) for root, file in files}
    different = 0
    for name in sorted(names):
        both = [one / name, other / name]
        texts = [file.read_bytes().decode() if file.exists() else f"(no {file})" for file in both]
        pairs = zip_longest(*(text.split("\n") for text in texts), fillvalue="(no more lines)")
        wrong = [(number, *pair) for number, pair in enumerate(pairs, 1) if pair[0] != pair[1]]
        different += bool(wrong)
        for number, left, right in wrong[:2]:
            same = [a == b for a, b in zip(left, right, strict=False)]
            start = max(0, [*same, False].index(False) - 40)
            shown = f"  - {left[start:][:150]}\n  + {right[start:][:150]}"
            print(f"{name}:{number} ({len(wrong)} lines differ)\n{shown}")
    print(f"{different} of {len(names)} files differ")
    return different


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", type=Path, help="interpreter of the version to record")
    parser.add_argument("--corpus", type=Path, help="folder of logs with labels.jsonl")
    parser.add_argument("--out", type=Path, required=True, help="where the recording is, or goes")
    parser.add_argument("--only", choices=("sample", "corpus"), help="record this part alone")
    parser.add_argument("--compare", type=Path, help="another recording; exits 1 if it differs")
    args = parser.parse_args()
    if args.python:
        # The interpreter of a venv is a link out of it, so it is not resolved.
        record(args.python.absolute(), args.corpus and args.corpus.resolve(), args.out, args.only)
    return int(bool(args.compare and compare(args.compare, args.out, args.only or "")))


if __name__ == "__main__":
    sys.exit(main())
