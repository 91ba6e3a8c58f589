"""Dreams: of what recurs in a project, by somebody who read it whole, how much is proposed?

`themes.jsonl` lists what recurs: `repo` (a folder of the corpus), `theme` in words, `turns` that
show it (`folder/file#line`), `needles` (patterns of its telling words) and `value`, 1 to 3. Each
project is dreamed over alone, in a scratch home. A pattern is about a theme if its text holds all
needles, or if at least two of the places it rests on, and a third of them, are turns of the theme.
A pattern about no theme may still be worth having: `records` hold them for a reader.
"""

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reverie.errors import InvalidInput
from reverie.home import Home
from reverie.measure.result import (
    SEED,
    Measurement,
    Record,
    Row,
    Table,
    bootstrap,
    fingerprint,
    read_records,
)
from reverie.operations.dreaming import asked, dream_dry
from reverie.sessions.logs.discover import logs_in

MOST = 10  # patterns of a project that count
FEWEST, PART = 2, 3  # places that a pattern and a theme share: so many, and one of so many
VALUES = range(1, 4)


@dataclass(frozen=True, slots=True)
class Theme:
    """One thing that recurs."""

    project: str
    text: str
    turns: frozenset[str]  # as `session#line`
    needles: tuple[re.Pattern[str], ...]
    value: int


@dataclass(frozen=True, slots=True)
class Proposed:
    """One pattern that a dream would propose."""

    project: str
    text: str
    places: frozenset[str]

    def is_about(self, theme: Theme) -> bool:
        """Whether it speaks of the theme, or rests on the same turns."""
        text = " ".join(self.text.split())
        if theme.needles and all(needle.search(text) for needle in theme.needles):
            return True
        both = len(self.places & theme.turns)
        return both >= FEWEST and both * PART >= len(self.places)


def measure_dreams(
    corpus: Path, themes: Path, *, most: int = MOST, seed: int = SEED
) -> Measurement:
    """Dream over each project that `themes` speaks of, and compare.

    Raises:
        InvalidInput: a line of `themes` is not of its form, or speaks of another corpus.
    """
    listed = read_themes(themes)
    rows: list[tuple[str, list[Theme], list[Proposed]]] = []
    logs: set[Path] = set()
    for project in sorted({theme.project for theme in listed}):
        folder = corpus / project
        if not folder.is_dir():
            raise InvalidInput(f"{themes} speaks of {project}, which is not in {corpus}")
        logs |= {log.path for log in logs_in(folder).logs}
        mine = [theme for theme in listed if theme.project == project]
        rows.append((project, mine, list(_dreamed(folder, project))[:most]))
    everything = [theme for _, mine, _ in rows for theme in mine]
    proposed = [pattern for _, _, some in rows for pattern in some]
    return Measurement(
        "dream",
        (
            Table(
                "What recurs, and is proposed",
                ("themes found", "by worth", "themes", "patterns about one", "patterns"),
                (
                    _row("all projects", everything, proposed, seed),
                    *(_row(f"… {name}", mine, some, seed) for name, mine, some in rows),
                ),
            ),
        ),
        seed=seed,
        data={corpus.resolve().name: fingerprint(*logs), themes.name: fingerprint(themes)},
        notes=(
            f"the first {most} patterns of each project count",
            "intervals over themes, and over patterns",
        ),
        records=tuple(_record(pattern, everything) for pattern in proposed),
    )


def _row(name: str, themes: Sequence[Theme], proposed: Sequence[Proposed], seed: int) -> Row:
    hits = [float(any(_fits(pattern, theme) for pattern in proposed)) for theme in themes]
    # A theme worth three is there three times, and all three are drawn together.
    worth = [hit for hit, theme in zip(hits, themes, strict=True) for _ in range(theme.value)]
    which = [number for number, theme in enumerate(themes) for _ in range(theme.value)]
    about = [float(any(_fits(pattern, theme) for theme in themes)) for pattern in proposed]
    return Row(
        name,
        (
            bootstrap(hits, range(len(hits)), seed=seed),
            bootstrap(worth, which, seed=seed),
            f"{hits.count(1.0)} of {len(themes)}",
            bootstrap(about, range(len(about)), seed=seed) if about else None,
            f"{about.count(1.0)} of {len(about)}",
        ),
    )


def _fits(pattern: Proposed, theme: Theme) -> bool:
    return pattern.project == theme.project and pattern.is_about(theme)


def _record(pattern: Proposed, themes: Sequence[Theme]) -> Record:
    return {
        "project": pattern.project,
        "text": pattern.text,
        "places": sorted(pattern.places),
        "themes": [theme.text for theme in themes if _fits(pattern, theme)],
    }


def read_themes(file: Path) -> list[Theme]:
    """The themes of a `themes.jsonl`.

    Raises:
        InvalidInput: a line is not of that form, or there is none.
    """
    themes: list[Theme] = []
    for number, record in enumerate(read_records(file), start=1):
        try:
            value = record["value"]
            if value not in VALUES:
                raise ValueError(f"value {value!r} is not 1, 2 or 3")
            themes.append(
                Theme(
                    record["repo"],
                    record["theme"],
                    frozenset(map(_session_and_line, record["turns"])),
                    tuple(re.compile(needle, re.IGNORECASE) for needle in record["needles"]),
                    value,
                )
            )
        except (KeyError, TypeError, ValueError, AttributeError, re.error) as error:
            raise InvalidInput(f"{file}:{number} is not a theme: {error!r}") from None
    if not themes:
        raise InvalidInput(f"{file} lists no theme")
    return themes


def _session_and_line(turn: str) -> str:
    """`agent/7f3a.jsonl#12` is the line 12 of the session 7f3a."""
    path, mark, line = turn.rpartition("#")
    if not mark or not line.isdigit():
        raise ValueError(f"{turn!r} is not FILE#LINE")
    return f"{path.rpartition('/')[2].rpartition('.')[0]}#{line}"


def _dreamed(logs: Path, project: str) -> Iterator[Proposed]:
    """All patterns of the project's logs, by worth."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        Home.open(scratch, folder=scratch, environ={"HOME": scratch}) as home,
    ):
        night = dream_dry(home, asked(home), logs).night
        known = {change.pattern for change in night.changes}.union(night.left)
        for pattern in night.patterns:
            if pattern.status == "pattern" and pattern.group.id in known:
                places = (member.evidence.partition(":")[2] for member in pattern.group.members)
                yield Proposed(project, pattern.text, frozenset(places))
