"""The options of one command that are known to be harmless, and the check of a word list.

One rule carries the weight: every word that begins with a dash, wherever it stands, must be an
option of the table. So it does not matter whether a tool stops at the first operand, permutes, or
takes `--` as the value of the option before it.
"""

import re
from dataclasses import dataclass, field

from reverie.errors import Refused
from reverie.guard.words import UNKNOWN, Word

_NUMBER = re.compile(r"-[0-9]+")
# A shell that expands these makes nothing of them that would be an address.
_BRACED = re.compile(r"[\w./{}-]+")
_NAMED = re.compile(r"--[a-z0-9][a-z0-9-]*=", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Flags:
    """Harmless options; anything else is refused.

    `short` letters take no value. `valued` letters take the rest of their word or the next one.
    `long` names may carry `=value`; `long_valued` names take the next word when there is no `=`.
    The value of a `seen` name must be plain text, in the same word or the next.
    `pattern` letters take a value that may begin with a dash, and the tool is known to take
    everything behind `--` as it stands. Without `dashes` not even expansions are safe there,
    because an option that takes several words could have swallowed the `--`. With `most` operands
    there is no `--` at all: behind it a dash would begin an operand that is not counted. With fewer
    than `least` operands the command takes one from the folder.
    `needs` is an option without which the command does more than read. `operand` is what every
    operand must look like, and `values` what the value of a letter or name must look like, where
    one could name a place or a program. Without `attached` no value stands in the word of its
    letter: to some verb the letter takes none, and the rest of the word is letters.
    """

    short: str = ""
    valued: str = ""
    long: frozenset[str] = field(default_factory=frozenset[str])
    long_valued: frozenset[str] = field(default_factory=frozenset[str])
    seen: frozenset[str] = field(default_factory=frozenset[str])
    pattern: str = ""
    number: bool = False
    dashes: bool = True
    least: int = 0
    most: int | None = None
    attached: bool = True
    needs: str = ""
    operand: str = ""
    values: tuple[tuple[str, str], ...] = ()

    def operands(self, command: str, words: tuple[Word, ...]) -> list[Word]:
        """Check `words`; what is left is the operands.

        Raises:
            Refused: an option is not in the table, could come out of an expansion, or there are
                more operands than the command may have.
        """
        rest: list[Word] = []
        after_dashes = takes_value = takes_pattern = False
        before: Word | None = None
        for word in words:
            if takes_pattern and word.single:
                before, takes_value, takes_pattern = None, False, False
                continue
            if before is not None and before.text[2:] in self.seen and not word.static:
                raise Refused(f"the value of `{command} {before.text}` is not plain text")
            if word.static and word.text == "--":
                if self.most is not None:
                    raise Refused(f"`{command}` with `--` is not understood")
                after_dashes = self._ends_options(before, takes_value=takes_value)
                takes_value, before = False, word
                continue
            if not (word.static or word.safe_start or _is_named(word) or after_dashes):
                raise Refused(
                    f"a word of `{command}` could become an option when it is expanded;"
                    " begin it with ./ or put `--` before it"
                )
            if not word.single and self.most is not None:
                raise Refused(f"the number of words given to `{command}` is not known")
            takes_pattern = False
            if word.is_option and not (self.pattern and after_dashes and word.static):
                takes_value = self._check(command, word)
                takes_pattern = not after_dashes and word.text in self._pattern_options()
            elif takes_value:
                takes_value = False
                self._check_value(command, before, word.text)
            else:
                rest.append(word)
            before = word
        if self.needs and Word(self.needs) not in words:
            raise Refused(f"`{command}` does more than read without {self.needs}")
        self._check_operands(command, rest)
        return rest

    def _check_operands(self, command: str, operands: list[Word]) -> None:
        if self.most is not None and len(operands) > self.most:
            raise Refused(
                f"`{command}` may have {self.most} operands here, as it could write to more"
            )
        if len(operands) < self.least:
            raise Refused(f"`{command}` goes by the folder at hand unless something is named")
        for word in operands:
            known = word.static or _BRACED.fullmatch(word.text)
            if self.operand and not (known and re.fullmatch(self.operand, word.text)):
                raise Refused(f"`{command} {word.text}` could name another place or program")

    def after(self, command: str, words: tuple[Word, ...]) -> tuple[Word, ...]:
        """Check the options at the beginning; what is left begins with the first operand.

        Raises:
            Refused: an option is not in the table, or it is not plain text.
        """
        at = 0
        while at < len(words) and words[at].is_option:
            at += 2 if self._check(command, words[at]) else 1
        if not all(word.static for word in words[:at]):
            raise Refused(f"the options of `{command}` are not plain text")
        self.operands(command, words[:at])
        return words[at:]

    def _ends_options(self, before: Word | None, *, takes_value: bool) -> bool:
        """Whether a `--` behind `before` is surely no value of it."""
        if before is None or not before.is_option:
            return self.dashes
        return bool(self.pattern) and not before.text.startswith("--") and not takes_value

    def _pattern_options(self) -> set[str]:
        return {f"-{letter}" for letter in self.pattern}

    def _check(self, command: str, word: Word) -> bool:
        """Whether the option takes the next word as its value."""
        text = word.text
        if text.startswith("--"):
            name, equals, value = text[2:].partition("=")
            if name in self.seen and not word.static:
                raise Refused(f"the value of `{command} --{name}` is not plain text")
            if name in self.long_valued:
                if equals:
                    self._check_value(command, Word(f"--{name}"), value)
                return not equals
            if name in self.long:
                return False
            raise Refused(f"`{command} --{name}` is not known to be read-only")
        if not word.static:
            raise Refused(f"an option of `{command}` is not plain text")
        if self.number and _NUMBER.fullmatch(text):
            return False
        for at, letter in enumerate(text[1:], start=1):
            if letter in self.valued + self.pattern:
                self._check_attached(command, letter, text[at + 1 :])
                return at == len(text) - 1
            if letter not in self.short:
                raise Refused(f"`{command} -{letter}` is not known to be read-only")
        return False

    def _check_attached(self, command: str, letter: str, value: str) -> None:
        if value and not self.attached:
            raise Refused(f"`{command} -{letter}` must stand apart from its value")
        if value:
            self._check_value(command, Word(f"-{letter}"), value)

    def _check_value(self, command: str, option: Word | None, value: str) -> None:
        name = option.text if option is not None else ""
        for known, pattern in self.values:
            fits = name == f"--{known}" if len(known) > 1 else not name.startswith("--")
            if fits and name.endswith(known) and not re.fullmatch(pattern, value):
                raise Refused(f"`{command} {name}` may not be `{value}`")


def _is_named(word: Word) -> bool:
    """Whether the option's name is certain, though its value is not; a split makes more words."""
    return _NAMED.match(word.text) is not None and (word.single or UNKNOWN not in word.text)


def names(text: str) -> frozenset[str]:
    """A set of names from one readable string."""
    return frozenset(text.split())
