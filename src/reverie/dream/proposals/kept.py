"""Kept: what was taken of the answers to a piece, for whoever asks the same again.

An answer is sent back once, with all that is wrong with it. Until the second one comes, what was
sent back waits; then the second answer takes its place, and what is still wrong is left out. What
instructions say already does not wait: it stands only if it is handed in again.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import msgspec

Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kept:
    """Parts of answers as they were handed in; what is wrong with one is seen when it is read."""

    patterns: tuple[Item, ...] = ()
    changes: tuple[Item, ...] = ()
    waiting: tuple[Item, ...] = ()  # patterns that were sent back
    held: dict[str, str] = field(default_factory=dict[str, str])  # text → what says it already
    sent_back: bool = False

    @classmethod
    def of(cls, text: str) -> "Kept":
        """What `text` of one says; none for ""."""
        return msgspec.convert(json.loads(text or "{}"), cls)

    @property
    def text(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @property
    def all_patterns(self) -> list[Item]:
        """Those that were taken, and those that wait, which stand as far as they can."""
        return [*self.patterns, *self.waiting]

    def answered(self, given: Sequence[Item]) -> list[Item]:
        """What a second answer adds: what is new in it, and what of the first it left alone.

        Who mends a pattern keeps its text or its evidence.
        """
        known = [_told(item) for item in self.patterns]
        fresh = [item for item in given if _told(item) not in known]
        mended = [_told(item) for item in fresh], [item.get("evidence") for item in fresh]
        return [
            *fresh,
            *(
                item
                for item in self.waiting
                if _told(item) not in mended[0] and item.get("evidence") not in mended[1]
            ),
        ]

    def plus(
        self,
        patterns: Sequence[Item],
        changes: Sequence[Item],
        back: Collection[int],
        *,
        held: Mapping[int, str],
        sent_back: bool,
    ) -> "Kept":
        """With the parts of another answer, of which some patterns, by number, are sent back, and
        some are held by instructions."""
        numbered = [row for row in enumerate(patterns, 1) if row[0] not in held]
        return replace(
            self,
            patterns=(*self.patterns, *(item for number, item in numbered if number not in back)),
            changes=(*self.changes, *changes),
            waiting=tuple(item for number, item in numbered if number in back),
            held=self.held | {str(patterns[number - 1]["text"]): held[number] for number in held},
            sent_back=self.sent_back or sent_back,
        )


def _told(item: Item) -> str:
    return " ".join(str(item.get("text")).lower().split())
