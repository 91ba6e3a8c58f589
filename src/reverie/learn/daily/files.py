"""Files of a day: what was edited, what is new and worth telling, and in which folders."""

import re
from collections import Counter
from collections.abc import Sequence

from reverie.learn.diary.diary import Diary

MAX_AREAS = 3
CROWDED = 4  # new files of one folder that are told as the folder

# Made by tools, or of no interest to anybody who reads about the day.
_GENERATED = re.compile(
    r"(?:^|/)(?:node_modules|dist|build|out|coverage|target|vendor|__snapshots__|__pycache__|\.next"
    r"|\.git|tmp)/|(?:^|/)(?:package-lock\.json|go\.sum)$|[.-]lock(?:\.\w+)?$"
    r"|\.(?:snap|map|log|tmp|pyc|png|jpe?g|gif|svg|ico|woff2?)$",
    re.I,
)
_TESTING = re.compile(r"(?:^|[/_.-])(?:tests?|specs?|fixtures?|testdata)(?:[/_.-]|$)", re.I)


def edited_files(diaries: Sequence[Diary]) -> list[str]:
    """What was edited inside the projects, besides what was made there."""
    seen = Counter(file.text for diary in diaries for file in diary.files)
    made = {file.text for diary in diaries for file in diary.created}
    inside = [name for name in seen if name not in made and _is_inside(name)]
    return sorted(inside, key=lambda name: (-seen[name], name))


def _is_inside(name: str) -> bool:
    return not name.startswith(("/", "~", "..")) and ":" not in name[:3]


def new_files(diaries: Sequence[Diary]) -> list[tuple[str, str]]:
    """New files worth telling, many of one folder as the folder; tests after the rest."""
    found: dict[tuple[str, str], int] = {}
    for diary in diaries:
        for file in diary.created:
            if _is_inside(file.text) and not _GENERATED.search(file.text):
                key = (diary.project, file.text)
                found[key] = found.get(key, 0) + len(file.lines)
    crowded = Counter((project, name.rpartition("/")[0]) for project, name in found)
    told: dict[tuple[str, str], tuple[bool, int, str]] = {}
    for (project, name), times in found.items():
        folder = name.rpartition("/")[0]
        count = crowded[project, folder]
        shown = f"{folder}/ ({count} files)" if folder and count >= CROWDED else name
        told.setdefault((project, shown), (bool(_TESTING.search(name)), -times, name))
    return sorted(told, key=lambda key: (*told[key], key))


def areas(diaries: Sequence[Diary]) -> list[str]:
    """The folders most edited, by the number of tasks and then of files."""
    tasks: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for diary in diaries:
        touched = [file.text for file in diary.files if _is_inside(file.text)]
        folders = [name.rpartition("/")[0] + "/" for name in touched if "/" in name]
        tasks.update(set(folders))
        files.update(folders)
    ranked = sorted(tasks, key=lambda name: (-tasks[name], -files[name], name))
    return [f"`{name}`" for name in ranked[:MAX_AREAS]]
