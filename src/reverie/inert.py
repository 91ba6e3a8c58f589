"""Words of others, made to show and not to act, before they stand between words of ours.

A line that went through here holds no break, no character that steers a terminal or hides text,
and nothing that could be read as the beginning or the end of a frame.
"""

import re
import unicodedata

# `<` before a letter, `/`, `!`, `?` or `|` could be read as markup or as the frame of a turn.
_TAG = re.compile(r"<(?=[/!?|a-zA-Z])")
# In a file that people read, generics and elements stay; comments and the frames of agents do not.
_FRAME = re.compile(
    r"<(?=!--|[?|]|/?(?:system|user|human|assistant|function|tool|antml|reverie|memory|private)\b)",
    re.IGNORECASE,
)
# Tag characters spell letters no eye sees; only the flags of some regions are made of them.
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
_SMUGGLED = re.compile(rf"({_FLAG})|[\U000e0001\U000e0020-\U000e007f]+")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Letters and marks to Unicode, nothing to the eye.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


def inert(line: str) -> str:
    """One line without breaks, markup or characters that act instead of showing."""
    return _TAG.sub("&lt;", line) if "<" in (line := visible(line)) else line


def readable(text: str) -> str:
    """What was made inert, for a person's eyes: nothing on a screen takes a `<` for markup."""
    return text.replace("&lt;", "<")


def unframed(line: str) -> str:
    """One line for a Markdown file of somebody's: `List<int>` stays, comments and frames go."""
    return _FRAME.sub("&lt;", visible(line))


def visible(line: str) -> str:
    """One line in which every character shows; those that would act are shown by number."""
    if line.isascii() and line.isprintable():
        return line
    line = _SMUGGLED.sub(_counted, " ".join(line.splitlines()))
    return "".join(c if c == "\t" or not _acts(c) else f"\\u{ord(c):04x}" for c in line)


def smuggled(text: str) -> list[str]:
    """What a text says in characters that show nowhere: a program wrote them."""
    if text.isascii():
        return []
    runs = (run[0] for run in _SMUGGLED.finditer(text) if not run[1])
    return ["".join(chr(ord(c) & 0x7F) for c in run if c > "\U000e001f") for run in runs]


def _counted(run: re.Match[str]) -> str:
    # Not what it says: whoever hid it wants it to be read.
    return run[1] or f"[{len(run[0])} hidden characters]"


def _acts(char: str) -> bool:
    # The joiner of emoji and the letters of a flag are format characters too, and harmless.
    if char == "\u200d" or "\U000e0030" <= char <= "\U000e007f":
        return False
    invisible = char in _BLANK or "\U000e0100" <= char <= "\U000e01ef"
    return invisible or unicodedata.category(char) in _HIDDEN
