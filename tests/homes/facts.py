"""What must stay true of a home, whatever version opens it.

Each fact is asked for through the command line where it can be, and read from the tables of the
truth where no command tells it. The recipe asks the version that makes a home and writes the
answers to `expected.json`; the tests ask the current version.
"""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

Record = dict[str, Any]
Ask = Callable[..., Any]  # words of a command → what it printed with --json
Rows = Callable[[str], list[tuple[Any, ...]]]  # a query of the truth → its rows
Fact = Callable[[Ask, Rows, Path], Any]  # the path is the user's HOME, which may lie anywhere


def _chosen(records: list[Record], *names: str) -> list[Record]:
    return [{name: record[name] for name in names} for record in records]


def _stores(ask: Ask, _rows: Rows, _user: Path) -> list[Record]:
    found: list[Record] = ask("stores", "list", "--archived")
    chosen = _chosen(
        found, "name", "description", "metadata", "archived_at", "memories", "versions"
    )
    return sorted(chosen, key=lambda store: store["name"])


def _memories(ask: Ask, _rows: Rows, _user: Path) -> list[Record]:
    """Every memory with all its versions, also diaries, dailies and what was archived."""
    found: list[Record] = []
    for store in _stores(ask, _rows, _user):
        versions: dict[str, list[Record]] = defaultdict(list)
        for version in ask("log", store["name"], "--limit", "10000"):
            versions[version["memory_id"]].append(version)
        for memory, history in versions.items():
            history.sort(key=lambda version: version["number"])
            last = history[-1]
            found.append({
                "store": store["name"],
                "path": last["path"],
                "id": memory,
                "sha256": last["sha256"],
                "trust": last["trust"],
                "versions": len(history),
                "last": f"{last['number']} {last['operation']}",
                "redacted": [one["number"] for one in history if one["redacted"]],
                "hashes": [str(one["sha256"])[:16] for one in history],
            })  # fmt: skip
    return sorted(found, key=lambda memory: (memory["store"], str(memory["path"]), memory["id"]))


def _pins(ask: Ask, _rows: Rows, _user: Path) -> list[Record]:
    return _chosen(ask("memories", "--all", "--pinned"), "store", "name", "pin_reason")


def _archive(ask: Ask, _rows: Rows, _user: Path) -> list[Record]:
    return _chosen(ask("memories", "--all", "--archived"), "store", "name", "sha256")


def _pruned(_ask: Ask, rows: Rows, _user: Path) -> list[Any]:
    """Where the chain begins after old versions were taken away."""
    return rows("SELECT sequence, commitment, pruned FROM checkpoints ORDER BY 1")


def _attachments(ask: Ask, _rows: Rows, _user: Path) -> Record:
    names = [store["name"] for store in _stores(ask, _rows, _user)]
    return {name: ask("stores", "show", name)["attachments"] for name in names}


def _mounts(ask: Ask, _rows: Rows, user: Path) -> list[Record]:
    return [
        {
            "store_id": mount["store_id"],
            "folder": str(Path(mount["folder"]).relative_to(user)),
            "access": mount["access"],
            "files": sorted(
                file.relative_to(mount["folder"]).as_posix()
                for file in Path(mount["folder"]).rglob("*.md")
            ),
        }
        for mount in ask("mount")
    ]


def _decisions(_ask: Ask, rows: Rows, _user: Path) -> list[Any]:
    return rows(
        "SELECT id, status, decided_at, memory_id, joined_to FROM reviews"
        " WHERE status <> 'pending' ORDER BY id"
    )


def _waiting(ask: Ask, _rows: Rows, _user: Path) -> list[Record]:
    found: list[Record] = ask("review")
    return sorted(
        ({"id": one["id"], "status": one["status"], "store": one["store"]} for one in found),
        key=lambda one: one["id"],
    )


def _proposals(ask: Ask, _rows: Rows, _user: Path) -> list[Record]:
    return [
        {
            "id": one["id"],
            "status": one["status"],
            "changes": {change["id"]: change["status"] for change in one["changes"]},
        }
        for one in ask("proposals")
    ]


def _labels(ask: Ask, _rows: Rows, _user: Path) -> list[Record]:
    return ask("corrections", "label")


def _evidence(_ask: Ask, rows: Rows, _user: Path) -> list[Any]:
    return rows("SELECT id, at, trust, quote FROM evidence ORDER BY id")


def _tombstones(_ask: Ask, rows: Rows, _user: Path) -> list[Any]:
    return rows("SELECT session, reason, buried_at FROM tombstones ORDER BY session")


def _recalls(_ask: Ask, rows: Rows, _user: Path) -> list[Any]:
    return rows("SELECT id, project, query FROM recalls ORDER BY seq")


def _work(_ask: Ask, rows: Rows, _user: Path) -> list[Any]:
    return rows("SELECT id, kind, subject, status FROM work ORDER BY id")


def _sessions(ask: Ask, _rows: Rows, _user: Path) -> list[Record]:
    found: list[Record] = ask("sessions", "list", "--subagents")
    chosen = _chosen(found, "key", "project", "started", "turns", "human_turns")
    return sorted(chosen, key=lambda session: session["key"])


def _projects(ask: Ask, _rows: Rows, _user: Path) -> list[Record]:
    found: list[Record] = ask("projects")
    return sorted(_chosen(found, "slug", "name", "roots", "sessions"), key=lambda one: one["slug"])


def _pending(ask: Ask, _rows: Rows, _user: Path) -> list[Record]:
    return _chosen(ask("sessions", "pending"), "day", "sessions")


def _diaries(ask: Ask, _rows: Rows, _user: Path) -> list[Record]:
    return _chosen(ask("diary"), "session", "task", "day", "outcome", "path")


def _dailies(ask: Ask, _rows: Rows, _user: Path) -> list[Record]:
    return ask("daily", "--list")


def _corrections(ask: Ask, _rows: Rows, _user: Path) -> list[str]:
    """What is listed, and what was until a person said that it is none."""
    denied = {one["evidence"] for one in ask("corrections", "label") if _is_denied(one)}
    return sorted(denied | {one["id"] for one in ask("corrections", "--all")})


def _is_denied(label: Record) -> bool:
    return label["correction"] == label["durable"] == "none"


def _costs(ask: Ask, _rows: Rows, _user: Path) -> list[Record]:
    known = (
        "at cache_read_tokens cost_usd engine input_tokens known model output_tokens purpose"
        " seconds session"
    )
    return [{name: one[name] for name in known.split()} for one in ask("costs")["receipts"]]


FACTS: dict[str, Fact] = {
    "stores": _stores,
    "memories": _memories,
    "pins": _pins,
    "archive": _archive,
    "pruned": _pruned,
    "attachments": _attachments,
    "mounts": _mounts,
    "decisions": _decisions,
    "waiting": _waiting,
    "proposals": _proposals,
    "labels": _labels,
    "evidence": _evidence,
    "tombstones": _tombstones,
    "recalls": _recalls,
    "work": _work,
    "sessions": _sessions,
    "projects": _projects,
    "pending": _pending,
    "diaries": _diaries,
    "dailies": _dailies,
    "corrections": _corrections,
    "costs": _costs,
}
