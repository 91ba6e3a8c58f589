"""Causes: what kind of deed made a version, as fields. A reason is the sentence they are kept as.

The chain commits to that sentence, and homes and exports of every version hold it, so it is the
stored form; it is written and read here and nowhere else. Other reasons have no cause: they are
what a person or an agent said.
"""

import re
from typing import Literal, NamedTuple

Kind = Literal[
    "", "diary", "daily", "superseded", "unpinned", "imported", "import undone", "gone", "decayed",
    "pruned",
]  # fmt: skip

# How the sentence of each begins, and how it goes on.
BEGINS: dict[Kind, str] = {
    "diary": "diary of ",
    "daily": "daily of ",
    "superseded": "superseded by ",
    "unpinned": "unpinned",
    "imported": "imported from ",
    "import undone": "import undone",
    "gone": "gone from ",
    "decayed": "decayed from ",
    "pruned": "pruned from ",
}
_SUBJECT = r"(?P<subject>.*)"
# Where a project became part of another, the last reasons of its memories say so at their end.
_BATCH = r"\((?P<batch>import_\w+)\)(?P<after>.*)"
# Before the days of work were counted, decay did not say which run it was.
_RUN = r"(?P<subject>.*?)(?: \((?P<batch>decay_\w+)\)(?P<after>.*))?"
_GOES_ON: dict[Kind, str] = {
    "unpinned": f"(?:: )?{_SUBJECT}",
    "imported": rf"(?P<what>.+?): {_SUBJECT} {_BATCH}",
    "import undone": f"(?: {_BATCH}|.*)",
    "gone": rf"(?P<what>.+?): {_SUBJECT}",
    "decayed": _RUN,
    "pruned": _RUN,
}
_SENTENCES: dict[Kind, re.Pattern[str]] = {
    kind: re.compile(begins + _GOES_ON.get(kind, _SUBJECT), re.S) for kind, begins in BEGINS.items()
}


class Cause(NamedTuple):
    """One kind of deed, and what it was about."""

    kind: Kind = ""
    subject: str = ""  # a session, a day, what came instead, why, the source of an import
    what: str = ""  # imports, and what left their source: the kind of source
    batch: str = ""  # imports and decay: which one
    after: str = ""  # what was added to the sentence later

    @property
    def reason(self) -> str:
        """The sentence it is kept as."""
        begins = BEGINS.get(self.kind, "")
        match self.kind:
            case "unpinned":
                return f"{begins}: {self.subject}" if self.subject else begins
            case "imported":
                return f"{begins}{self.what}: {self.subject} ({self.batch}){self.after}"
            case "import undone":
                return f"{begins} ({self.batch}){self.after}"
            case "gone":
                return f"{begins}{self.what}: {self.subject}"
            case _:
                run = f" ({self.batch}){self.after}" if self.batch else ""
                return f"{begins}{self.subject}{run}"


NONE = Cause()


def cause_of(reason: str) -> Cause:
    """The cause that a reason stands for, `NONE` for any other sentence."""
    for kind, sentence in _SENTENCES.items():
        if match := sentence.fullmatch(reason):
            return Cause(kind, **{name: value or "" for name, value in match.groupdict().items()})
    return NONE
