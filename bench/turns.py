"""Human turns found in a folder of logs against a list of them made by hand.

    python bench/turns.py DIR [--agents claude-code,codex] [--list]

DIR holds logs and `human_turns.jsonl` (`transcript`, `line`, `turn`, `text`). Prints found, missed
and extra per agent, and how many of the missed ones `labels.jsonl` beside it marks `human: false`
(pasted machine text); `--list` prints each missed and extra turn.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from reverie.sessions.model import SPOKEN
from reverie.sessions.turns import human_records


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument(
        "--agents", default="claude-code,codex,copilot-cli,gemini-cli,opencode,pi"
    )
    arguments.add_argument("--list", action="store_true")
    given = arguments.parse_args()
    agents = set(given.agents.split(","))
    found = {
        (row["transcript"], row["line"], row["text"]): row
        for row in human_records(given.folder, lambda s: print("skipped", s, file=sys.stderr))
        if row["agent"] in agents
    }
    agent_of = {row["transcript"]: row["agent"] for row in found.values()}
    wanted: dict[tuple[str, int, str], str] = {}
    with open(given.folder / "human_turns.jsonl", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            agent = agent_of.get(row["transcript"]) or row["transcript"].split("/")[1]
            if row["turn"] in SPOKEN and agent in agents:
                wanted[row["transcript"], row["line"], row["text"]] = agent
    machine = _not_human(given.folder / "labels.jsonl")
    counts: dict[str, Counter[str]] = {agent: Counter() for agent in sorted(agents)}
    for key, agent in wanted.items():
        counts[agent]["wanted"] += 1
        counts[agent]["found" if key in found else "missed"] += 1
        counts[agent]["machine"] += key not in found and key in machine
    for key, row in found.items():
        counts[row["agent"]]["extra"] += key not in wanted
    for agent, count in counts.items():
        share = 100 * count["found"] / max(count["wanted"], 1)
        more = 100 * count["extra"] / max(count["wanted"], 1)
        print(
            f"{agent:12} found {count['found']} of {count['wanted']} ({share:.3f} %), "
            f"missed {count['missed']} ({count['machine']} labelled not human), "
            f"extra {count['extra']} ({more:.3f} %)"
        )
    if given.list:
        for sign, keys in (("missed", wanted.keys() - found), ("extra", found.keys() - wanted)):
            for path, line, text in sorted(keys):
                print(f"{sign} {path}:{line} {text[:100]!r}")


def _not_human(labels: Path) -> set[tuple[str, int, str]]:
    if not labels.exists():
        return set()
    rows = map(json.loads, labels.read_text(encoding="utf-8").splitlines())
    return {(r["transcript"], r["line"], r["text"]) for r in rows if r.get("human") is False}


if __name__ == "__main__":
    main()
