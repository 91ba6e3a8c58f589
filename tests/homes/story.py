"""What was done in the home before it was packed: every command of the version that made it.

The logs are those of the bundled sample, of two projects; some of them have a fate of their own.
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

KEPT_ONLY = "claude-code:61bb35b3-294c-5560-b1bb-a1353e6d9ebf"  # log gone, a copy was kept
INDEX_ONLY = "codex:c20b8d5b-4d84-5359-87ed-69b716aa1855"  # log gone, no copy
UNLEARNED = "claude-code:568703f2-b7e9-5f72-a673-18f134728d56"  # log there, never to be read again
MIRRORED = "claude-code:413f4927-09f6-517d-85ea-645c151b8514"  # of an agent in a container
BY_HOOK = "claude-code:e19970d3-e82b-5623-be4f-c159427c69b7"  # read because its end was announced
STAGED = "claude-code:81bbf3fb-89bd-5f46-978b-676e45c04a0a"  # announced, and nobody came for it
NOT_LEARNED = "claude-code:6d98772a-b163-5740-93c8-0b9d522dbc22"  # in the index, still pending

FATES = {
    "kept_only": KEPT_ONLY,
    "index_only": INDEX_ONLY,
    "unlearned": UNLEARNED,
    "mirrored": MIRRORED,
    "not_learned": NOT_LEARNED,
}

CONFIG = """\
# Kept across versions: what a person set stays set.
[sessions]
keep_before_days = 20

[learn]
cues = ["as we agreed"]

[forget]
archive_after_days = 44

[hooks]
every_turns = 4
"""

# What the agents' own settings hold before Reverie is connected.
SETTINGS = {
    ".claude.json": '{\n  "numStartups": 3\n}\n',
    ".claude/settings.json": json.dumps(
        {
            "cleanupPeriodDays": 365,
            "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]},
        },
        indent=2,
    )
    + "\n",
    ".codex/config.toml": 'model = "sample-model"\n',
    ".codex/AGENTS.md": "Answer in whole sentences.\n",
    "code/shop-api/AGENTS.md": "# shop-api\n\nThe price list is in `schema.yaml`.\n",
}

MIRROR = """
import asyncio, json, sys
from reverie.connect.session_store import MirroredSessions
entries = [json.loads(line) for line in sys.stdin]
key = {"project_key": "-srv-code-shop-api", "session_id": entries[0]["sessionId"]}
asyncio.run(MirroredSessions().append(key, entries))
"""
RECEIPT = """
from reverie import config
from reverie.clock import system_clock
from reverie.engines.receipts import Receipt, Receipts
receipts = Receipts(config.load().home, system_clock)
receipts.add(Receipt(receipts.now(), "claude-code", "learn", "sample", 0.03, "sample-model"))
"""
PRUNE = """
from reverie import config
from reverie.clock import system_clock
from reverie.store.store import Store
from reverie.store.values import Actor, Author
with Store.open(config.load().truth, clock=system_clock) as store:
    assert store.prune("team", "2026-03-17", Author(Actor("user", "me"), "old drafts"))
"""
# A hook whose worker never began, as when the machine went off at that moment.
HOOK = """
import sys
from reverie.connect import hook
hook.start_worker = lambda call: None
sys.exit(hook.main())
"""


class Maker(Protocol):
    """Runs the version that makes the home; a minute passes with every command."""

    @property
    def user(self) -> Path: ...
    @property
    def sample(self) -> Path: ...
    def reverie(self, *words: str, given: str = "", editor: str = "") -> str: ...
    def python(self, code: str, *words: str, given: str = "") -> str: ...
    def worker(self, project: str) -> None: ...
    def until(self, moment: str) -> None: ...


@dataclass(slots=True)
class Told:
    """One telling: the logs by session, and where each of them lies."""

    make: Maker
    logs: dict[str, Path] = field(default_factory=dict[str, Path])

    def ask(self, *words: str) -> Any:
        return json.loads(self.make.reverie(*words, "--json"))

    def place(self, wanted: Callable[[str], bool]) -> None:
        """Put logs where their agents would have left them, last written when they ended."""
        for agent, folder in (("claude", ".claude"), ("codex", ".codex")):
            for log in sorted((self.make.sample / agent).rglob("*.jsonl")):
                key = f"{'claude-code' if agent == 'claude' else agent}:{log.stem[-36:]}"
                if wanted(key):
                    self.logs[key] = (
                        self.make.user / folder / log.relative_to(self.make.sample / agent)
                    )
                    self.logs[key].parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(log, self.logs[key])
                    settle(self.logs[key])

    def hook(self, event: str, session: str, project: str) -> None:
        """An agent's client calls a hook."""
        given = {
            "session_id": session.partition(":")[2],
            "transcript_path": str(self.logs[session]),
            "cwd": f"/srv/code/{project}",
        }
        self.make.python(HOOK, event, given=json.dumps(given))


def settle(log: Path) -> None:
    """Let a log be as old as its last line."""
    import os

    times = [json.loads(line).get("timestamp", "") for line in log.read_bytes().splitlines()]
    ended = int(datetime.fromisoformat(max(times)).timestamp())
    os.utime(log, (ended, ended))


def tell(make: Maker) -> None:
    """All of it, in order."""
    told = Told(make)
    _set_up(told)
    _learn(told)
    _decide(told)
    _write(told)
    _share(told)
    _keep_and_forget(told)


def _set_up(told: Told) -> None:
    make = told.make
    shutil.copytree(make.sample / "trees", make.user / "code")
    for name, text in SETTINGS.items():
        (make.user / name).parent.mkdir(parents=True, exist_ok=True)
        (make.user / name).write_text(text, encoding="utf-8")
    home = make.user / ".reverie"
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(CONFIG, encoding="utf-8")
    (home / "config.toml").chmod(0o600)
    make.reverie("connect", "claude-code", "--plain", "--hooks", "--yes")
    make.reverie("connect", "codex", "--hooks", "--hint", "--yes")


def _learn(told: Told) -> None:
    make = told.make
    later = (BY_HOOK, MIRRORED, NOT_LEARNED)
    told.place(lambda key: key not in later)
    log = next(make.sample.rglob(f"{MIRRORED.partition(':')[2]}.jsonl"))
    make.python(MIRROR, given=log.read_text(encoding="utf-8"))
    for mirrored in (make.user / ".reverie/mirrored").rglob("*.jsonl"):
        settle(mirrored)
    make.until("2026-03-14T08:00")
    make.reverie("learn")
    make.reverie("sessions", "keep", "--older-than", "8")
    make.reverie("sessions", "list")  # takes note of the copies
    make.reverie("unlearn", UNLEARNED, "--reason", "was only a trial", "--yes")
    told.place(lambda key: key == BY_HOOK)
    told.hook("Stop", BY_HOOK, "feed-loader")
    told.hook("SessionEnd", BY_HOOK, "feed-loader")
    make.worker("feed-loader")
    told.hook("Stop", STAGED, "shop-api")
    told.hook("PreCompact", STAGED, "shop-api")
    make.reverie("dream")


def _decide(told: Told) -> None:
    """Of what waits, some is accepted, some rejected; the rest goes on waiting."""
    make = told.make
    told.make.until("2026-03-15T09:00")
    queue: list[dict[str, Any]] = told.ask("review")
    waiting = [one["id"] for one in queue if one["id"].startswith("cand_")]
    make.reverie("review", "--accept", waiting[0], "--accept", waiting[5], "--reject", waiting[6])
    lint, pytest, _, prices = [change["id"] for change in told.ask("proposals")[0]["changes"]]
    root = str(make.user / "code/shop-api")
    make.reverie("review", "--accept", pytest, "--forms", "rule", "--root", root)
    make.reverie("review", "--accept", lint, "--reject", prices)
    found = told.ask("corrections", "--all")
    for one, (correction, durable) in zip(
        found, (("explicit", "project"), ("none", "none"), ("implicit", "global")), strict=False
    ):
        make.reverie("corrections", "label", "--set", one["id"], correction, durable)
    piece = told.ask("work", "next", "--project", "shop-api")["id"]
    make.reverie("work", "submit", piece, "-", given='{"lessons": []}')
    make.reverie("work", "next", "--project", "feed-loader")
    make.python(RECEIPT)


def _write(told: Told) -> None:
    """Memories by hand: several versions, a redacted one, another name, a pin, a verdict."""
    remember = told.make.reverie
    remember("remember", "I like short answers, the reason first", "--section", "preferences",
             "--name", "short-answers")  # fmt: skip
    remember("remember", "Deploys wait for the on-call person", "--scope", "shop-api",
             "--why", "nobody else can roll back", "--name", "deploys-wait")  # fmt: skip
    for words in ("s/on-call person/release captain/", "s/nobody else/only they/"):
        remember("edit", "shop-api:deploys-wait", "--why", "said again", editor=f"sed -i '{words}'")
    remember("redact", "shop-api:deploys-wait@1", "--yes", "--why", "named a role that is gone")
    remember("remember", "The supplier feed is empty on public holidays", "--scope", "feed-loader",
             "--why", "no deliveries", "--kind", "data-quirk", "--name", "holidays")  # fmt: skip
    remember("rename", "feed-loader:holidays", "empty-on-holidays")
    remember("pin", "feed-loader:empty-on-holidays", "--why", "cost a whole day")
    remember("remember", "Wiki pages of the shop are out of date", "--scope", "shop-api",
             "--why", "the wiki is read-only since February", "--name", "wiki-is-old")  # fmt: skip
    remember("why", "shop-api:wiki-is-old", "--helpful")
    remember("forget", "shop-api:wiki-is-old", "--why", "the wiki was switched off")
    notes = (
        "# Task\nWarm the price cache\n\n"
        "# Approaches\n- warm it at the first request → failed: slow\n"
        "- `make warm` after the import → worked: nobody waits\n"
    )
    remember("diary", "add", "-", "--session", INDEX_ONLY, "--task", "1", given=notes)
    remember("edit", "global:/daily/2026-03-12.md", editor="sed -i '$ a My own note of that day.'")
    remember("projects", "rename", "feed-loader", "Feed loader")
    for question in ("how are prices kept?", "what does the supplier write?"):
        remember("recall", "--project", "shop-api", question)


def _share(told: Told) -> None:
    """Stores with a name of their own, and a store that is shown as a folder."""
    make = told.make
    make.until("2026-03-16T09:00")
    make.reverie("stores", "create", "team", "--description", "What the team agreed on",
                 "--meta", "owner=platform")  # fmt: skip
    make.reverie("remember", "Incidents are announced in the status channel first",
                 "--store", "team", "--why", "support reads that",
                 "--name", "incidents-first")  # fmt: skip
    for words in ("s/status channel/status page/", "s/support reads/customers read/"):
        make.reverie("edit", "team:incidents-first", "--why", "moved", editor=f"sed -i '{words}'")
    make.reverie("stores", "attach", "team", "project:shop-api")
    make.reverie("stores", "attach", "team", "agent:codex", "--read-write")
    make.reverie("stores", "create", "winter")
    make.reverie("remember", "The winter sale ended", "--store", "winter",
                 "--why", "for the record", "--name", "sale-ended")  # fmt: skip
    make.reverie("stores", "archive", "winter", "--yes")
    folder = make.user / "memory"
    make.reverie("mount", "shop-api", str(folder))
    shown = folder / "deploys-wait.md"
    shown.write_text(shown.read_text(encoding="utf-8") + "\nAlso on Fridays.\n", encoding="utf-8")
    make.reverie("sync", str(folder), "--mine")


def _keep_and_forget(told: Told) -> None:
    """Old versions pruned; logs that are gone; one that is new; a decay after five weeks."""
    make = told.make
    make.until("2026-03-20T09:00")
    make.python(PRUNE)
    for session in (KEPT_ONLY, INDEX_ONLY):
        told.logs[session].unlink()
    told.place(lambda key: key == NOT_LEARNED)
    make.reverie("sessions", "list")
    make.until("2026-04-20T08:00")
    make.reverie("decay")
