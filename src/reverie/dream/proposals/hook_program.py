"""A check before a shell command runs. It reads the command as a shell would and goes by its words.

Written beside a project's settings as it stands here, with what it guards at the end, so that who
works on the project needs Python and nothing else, and a replay over the past runs the same code.
A line that cannot be read for certain passes: a check that errs must never be in the way.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from typing import Any

ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
NUMBER = re.compile(r"[\d.]+[smhd]?$")
REDIRECTION = re.compile(r"\d*(?:<<<|<<-?|<>|>>|>\||[<>]&?|&>>?)")
SKIPPED = set("if then elif else fi while until do done time ! { }".split())
HEADS = {"for", "case", "select", "function", "esac", "in"}  # their words are no commands
SHELLS = {"bash", "sh", "zsh", "dash"}
# What starts another command, and its options that take a word of their own.
WRAPPERS = {
    "sudo": "-u -g", "env": "-u -C", "nice": "-n", "timeout": "-s -k", "xargs": "-n -P -I -L -d",
    "nohup": "", "exec": "-a", "command": "",
}  # fmt: skip
LOOKING = {"--help", "-h", "--dry-run"}
GIT_VALUED = {"-C", "-c", "--git-dir", "--work-tree", "--namespace"}
ANY = "…"
Guard = Any  # what is guarded, and what is said about it, as JSON has it


class Unreadable(Exception):
    """The line does not end where a shell would want it to."""


class Reader:
    """Cuts a line into its simple commands, also those inside `$(…)`, `(…)` and backquotes."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\\\n", "")
        self.at = 0
        self.found: list[list[str]] = []
        self.documents: list[tuple[str, bool]] = []

    def read(self, until: str = "") -> None:
        """Read commands up to the end, or to `until`, which is taken."""
        words: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == until:
                self.at += 1
                self.end(words)
                return
            if char == "\n":
                self.at += 1
                self.skip_documents()
                words = self.end(words)
            elif char in " \t\r":
                self.at += 1
            elif char == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif match := REDIRECTION.match(self.text, self.at):
                self.redirect(match[0])
            elif char == "(":
                self.at += 1
                words = self.end(words)
                self.read(")")
            elif char in ";&|)":
                self.at += 1
                words = self.end(words)
            else:
                words.append(self.word())
        if until:
            raise Unreadable
        self.end(words)

    def end(self, words: list[str]) -> list[str]:
        if words:
            self.found.append(words)
        return []

    def redirect(self, operator: str) -> None:
        self.at += len(operator)
        if self.text.startswith("(", self.at):
            self.at += 1
            self.read(")")
            return
        while self.text.startswith((" ", "\t"), self.at):
            self.at += 1
        target = self.word()
        if operator.lstrip("0123456789") in ("<<", "<<-"):
            self.documents.append((target, operator.endswith("-")))

    def skip_documents(self) -> None:
        """Behind a line stand the texts that it gives to its commands."""
        for name, tabs in self.documents:
            while True:
                if self.at >= len(self.text):
                    raise Unreadable
                end = self.text.find("\n", self.at)
                line = self.text[self.at : end if end >= 0 else len(self.text)]
                self.at = len(self.text) if end < 0 else end + 1
                if (line.lstrip("\t") if tabs else line) == name:
                    break
        self.documents = []

    def word(self) -> str:
        parts: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in " \t\r\n;&|()<>":
                break
            if char == "\\":
                parts.append(self.text[self.at + 1 : self.at + 2])
                self.at += 2
            elif char == "'":
                end = self.closing("'")
                parts.append(self.text[self.at + 1 : end])
                self.at = end + 1
            elif char == '"':
                self.at += 1
                parts.append(self.quoted())
            else:
                parts.append(self.expanded())
        return "".join(parts)

    def quoted(self) -> str:
        parts: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == '"':
                self.at += 1
                return "".join(parts)
            if char == "\\":
                kept = self.text[self.at + 1 : self.at + 2]
                parts.append(kept if kept in '$`"\\' else "\\" + kept)
                self.at += 2
            else:
                parts.append(self.expanded())
        raise Unreadable

    def expanded(self) -> str:
        """One character, or all of `$(…)`, `${…}` and backquotes, whose value nobody knows."""
        start = self.at
        if self.text.startswith("$((", self.at):
            end = self.text.find("))", self.at)
            if end < 0:
                raise Unreadable
            self.at = end + 2
        elif self.text.startswith("$(", self.at):
            self.at += 2
            outer, self.documents = self.documents, []
            self.read(")")
            self.documents = outer
        elif self.text.startswith("$'", self.at):
            match = re.compile(r"\$'(?:[^'\\]|\\.)*'", re.S).match(self.text, self.at)
            if not match:
                raise Unreadable
            self.at = match.end()
        elif self.text.startswith("${", self.at):
            self.at = self.closing("}") + 1
        elif self.text[self.at] == "`":
            end = self.closing("`")
            self.found += commands(self.text[self.at + 1 : end].replace("\\`", "`"))
            self.at = end + 1
        else:
            self.at += 1
        return self.text[start : self.at]

    def closing(self, mark: str) -> int:
        end = self.text.find(mark, self.at + 1)
        if end < 0:
            raise Unreadable
        return end


def commands(line: str) -> list[list[str]]:
    """The simple commands of a line as words, without what is set or wrapped around them."""
    reader = Reader(line)
    try:
        reader.read()
    except (Unreadable, RecursionError):
        return []
    return [bare for words in reader.found for bare in unwrapped(words)]


def unwrapped(words: list[str]) -> list[list[str]]:
    """The command itself; of `bash -c "…"` and `eval` what they run."""
    at = 0
    while at < len(words) and (words[at] in SKIPPED or ASSIGNMENT.match(words[at])):
        at += 1
    words = words[at:]
    if not words or words[0] in HEADS:
        return []
    name = words[0].rpartition("/")[2]
    if name in WRAPPERS:
        at = 1
        while at < len(words) and (words[at].startswith("-") or ASSIGNMENT.match(words[at])):
            at += 2 if words[at] in WRAPPERS[name].split() else 1
        if name == "timeout" and at < len(words) and NUMBER.match(words[at]):
            at += 1
        return unwrapped(words[at:])
    if name in SHELLS:
        runs = [at for at, word in enumerate(words[1:-1], 1) if re.match(r"-[a-z]*c$", word)]
        return commands(words[runs[0] + 1]) if runs else [[name, *words[1:]]]
    if name == "eval":
        return commands(" ".join(words[1:]))
    if name == "git":
        while len(words) > 1 and words[1].startswith("-"):
            del words[1 : 3 if words[1] in GIT_VALUED else 2]
    return [[name, *words[1:]]]


def matches(words: list[str], guarded: Guard) -> bool:
    """Whether a simple command is the one that is guarded.

    `call` holds program, subcommands and options, `targets` what a push goes to, `but` what may
    follow. With `exact` the call has these words and no others, `…` standing for one or more.
    """
    call = guarded["call"]
    if guarded.get("exact"):
        return fits(words, call)
    options = [word for word in call[1:] if word.startswith("-")]
    plain = [word for word in call[1:] if not word.startswith("-")]
    given = [word for word in words[1:] if not word.startswith("-")]
    if words[0] != call[0] or given[: len(plain)] != plain:
        return False
    only_looks = LOOKING.intersection(words).difference(call)
    if only_looks or not all(has_option(words, option) for option in options):
        return False
    if given[len(plain) : len(plain) + 1] and given[len(plain)] in guarded.get("but", ()):
        return False
    targets = set(guarded.get("targets", ()))
    aims = {word.lstrip("+").rpartition(":")[2] for word in given[len(plain) :]}
    return not targets or bool(targets & {aim.removeprefix("refs/heads/") for aim in aims})


def fits(words: list[str], call: list[str]) -> bool:
    if not call or not words:
        return not call and not words
    if call[0] == ANY:
        return any(fits(words[at:], call[1:]) for at in range(1, len(words) + 1))
    return words[0] == call[0] and fits(words[1:], call[1:])


def has_option(words: list[str], option: str) -> bool:
    """`--force` as itself or with a value, `-rf` also as `-fr` or `-r -f`."""
    if option.startswith("--"):
        return any(word == option or word.startswith(option + "=") for word in words)
    letters = {char for word in words if re.match("-[A-Za-z]+$", word) for char in word[1:]}
    return set(option[1:]) <= letters or option in words


def fires(line: str, guard: Guard, before: list[str]) -> bool:
    """Whether the guard has something to say about a line; `before` are the lines run so far.

    Where something must come first, it must have run since the guarded call was last made.
    """
    done = False
    for number, text in enumerate([*before, line]):
        for words in commands(text):
            if is_one(words, guard.get("first", [])):
                done = True
            elif is_one(words, guard["calls"]):
                if number == len(before) and not done:
                    return True
                done = False
    return False


def is_one(words: list[str], calls: list[Guard]) -> bool:
    return any(matches(words, call) for call in calls)


def lines_of(transcript: str) -> list[str]:
    """The shell commands of a session so far, out of the client's own log."""
    lines: list[str] = []
    try:
        with open(transcript, encoding="utf-8") as log:
            for row in log:
                if '"Bash"' not in row:
                    continue
                blocks: list[Any] = json.loads(row)["message"]["content"]
                lines += [
                    str(block["input"]["command"])
                    for block in blocks
                    if block["type"] == "tool_use" and block["name"] == "Bash"
                ]
    except (OSError, ValueError, KeyError, TypeError):
        return lines
    return lines


def answer(given: dict[str, Any], guard: Guard) -> str:
    """What a client is told about a call: "" when there is nothing to say."""
    line = str(given.get("tool_input", {}).get("command", ""))
    before = lines_of(str(given.get("transcript_path", ""))) if guard.get("first") else []
    # The call that is asked about may stand in the log already.
    if before and before[-1] == line:
        before.pop()
    # What failed because a program was missing works where it is installed.
    if shutil.which(guard.get("missing", "")) or not fires(line, guard, before):
        return ""
    decision, said = guard["decision"], guard["reason"]
    output = {"hookEventName": "PreToolUse"}
    if decision == "remind":
        output["additionalContext"] = said
    else:
        output |= {"permissionDecision": decision, "permissionDecisionReason": said}
    return json.dumps({"hookSpecificOutput": output})


def main(guard: Guard) -> None:
    """Answer the call on standard input."""
    said = answer(json.load(sys.stdin), guard)
    if said:
        print(said)
