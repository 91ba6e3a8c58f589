"""Instructions: what a project's files for agents say already, as far as sessions show them."""

from collections import defaultdict

from reverie.data import patterns
from reverie.dream.model import Night, Pattern, named_once
from reverie.dream.steps.weigh import says
from reverie.language.compare import relation
from reverie.language.meaning import stems
from reverie.language.neighbours import Alike
from reverie.learn.traffic.commands import command_of, forms_of
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import traces

NEAREST = 12  # lines that a pattern is compared with
TOLD = 0.6  # of the words of a pattern stand in a line that says it
AGAIN = 3  # sessions in which it had to be said although it stood there

_RE = patterns("dreams.txt", "instructions")


class Instructions:
    """The lines that the instructions of each project hold."""

    def __init__(self, night: Night) -> None:
        self._lines: defaultdict[str, dict[str, frozenset[str]]] = defaultdict(dict)
        self._shown: dict[str, tuple[str, str]] = {}  # line → when first, and the file
        if night.reach is not None:
            for row in traces(Chosen(night.reach.database, night.sessions), "instructed"):
                shown = row.trace.at, row.trace.key
                for line in row.trace.data:
                    self._lines[named_once(row.project)].setdefault(line, _forms(line))
                    self._shown[line] = min(shown, self._shown.get(line, shown))
        self._near: dict[str, Alike[str]] = {}
        for project, lines in self._lines.items():
            index = self._near[project] = Alike[str]()
            for line in lines:
                index.add(line, stems(line))

    def tell(self, pattern: Pattern, title: str) -> str:
        """The line that says what a pattern does; "" when there is none."""
        calls, word_stems = _forms(title), stems(title)
        for project in sorted({named_once(name) for name in pattern.group.projects}):
            lines = self._lines.get(project, {})
            if len(calls) > 1:
                near = (line for line, forms in lines.items() if calls <= forms)
            else:
                index = self._near.get(project)
                near = index.near(word_stems, NEAREST) if index else ()
                near = (line for line in near if calls <= lines[line] and says_most(line, title))
            if nearest := next(iter(near), ""):
                return nearest
        return ""

    def unheeded(self, pattern: Pattern, line: str) -> str:
        """That people had to say it although agents were shown the line; "" when few had to."""
        at, file = self._shown[line]
        again = {each.session for each in pattern.group.members if each.trust == "user"}
        again -= {each.session for each in pattern.group.members if each.at <= at}
        if pattern.group.source != "said" or len(again) < AGAIN:
            return ""
        file = file or "the instructions"
        return f"it stands in {file}, and was said again in {len(again)} sessions"


def says_most(line: str, title: str) -> bool:
    """Whether a line says the same, or most of it."""
    word_stems = stems(_RE.code.sub(" ", title))  # the commands are looked at by themselves
    covered = len(word_stems & stems(line)) >= TOLD * len(word_stems) and says(line, title)
    return covered or relation(line, title) == "same"


def _forms(text: str) -> frozenset[str]:
    """The forms of the commands that a text names."""
    named = (command_of(code) for code in _RE.code.findall(text) if _RE.command.match(code))
    return frozenset(form for command in named for form in forms_of(command))
