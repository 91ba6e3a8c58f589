"""The bundled sample: sixteen invented sessions of two projects and two agents, over two weeks.

`python -m scripts.make_sample` writes the logs from a readable story; `place` puts them, and what
is left of the two projects' working trees, where agents would have left them.
"""

import shutil
from importlib import resources
from pathlib import Path

# Where the projects lie according to the logs as they are bundled.
ROOT = "/srv/code"

# The Monday after: what "now" is for the sample.
NOW = "2026-03-16T08:00:00Z"


def place(home: Path) -> Path:
    """Lay the sample out below `home` as if somebody had worked there.

    Returns the folder that holds the two projects.
    """
    code = home / "code"
    with resources.as_file(resources.files("reverie.sample")) as source:
        shutil.copytree(source / "trees", code)
        for agent, folder in (("claude", ".claude"), ("codex", ".codex")):
            for log in sorted((source / agent).rglob("*.jsonl")):
                target = home / folder / log.relative_to(source / agent)
                target.parent.mkdir(parents=True, exist_ok=True)
                text = log.read_text(encoding="utf-8")
                target.write_text(text.replace(ROOT, str(code)), encoding="utf-8")
    return code
