"""What a command says, where another command gets it as words: `git diff $(git merge-base a b)`.

The text is as hostile as the repository: a branch or file named `--output=x` would be an option to
the next command. So only what cannot hold one is told apart here; the rest is `ANY`.
"""

import re
from enum import Enum, auto
from typing import TYPE_CHECKING

from reverie.guard.git import split_global
from reverie.guard.words import TRACKED, UNKNOWN, Command, Word

if TYPE_CHECKING:
    from tree_sitter import Node


class Output(Enum):
    """What every line that is said looks like; there may be none at all."""

    ANY = auto()
    # Words of which none begins with a dash and none holds a blank: the names of objects.
    PLAIN = auto()
    # One word without blanks, which may begin with a dash: the name of a branch.
    BRANCH = auto()
    # Begins with no dash, but may hold blanks.
    PATH = auto()
    # A path in this folder, which may begin with a dash.
    TRACKED = auto()

    def word(self, *, quoted: bool) -> Word:
        """The word that the shell makes of it."""
        match self:
            case Output.PLAIN:
                return Word(UNKNOWN, static=False, single=quoted, plain=True)
            case Output.BRANCH:
                return Word(UNKNOWN, static=False, safe_start=False, single=quoted, plain=True)
            case Output.PATH if quoted:
                return Word(UNKNOWN, static=False)
            case _:
                return Word(UNKNOWN, static=False, safe_start=False, single=quoted)

    def line(self) -> Word | None:
        """What `read` makes of each line, if anything is known of it."""
        return {Output.PLAIN: self.word(quoted=True), Output.TRACKED: TRACKED}.get(self)


# What hands on whole lines of its input, and only of that.
_FILTERS = {
    "head": r"(?:-n ?|-)[0-9]+|",
    "tail": r"(?:-n ?|-)[0-9]+|",
    "sort": r"(?:-[rnuV]+ ?)*",
    "grep": r"(?:-[vEiF]+ )?(?!-)[^\0 ]+",
    "uniq": "",
    "tac": "",
}
_PROGRAM = r"\w[\w.+-]*"
# Of these the words are joined by blanks.
_SAYS = {
    "pwd": ((r"(?:-[LP])?", Output.PATH),),
    "which": ((_PROGRAM, Output.PATH),),
    "docker": ((r"(?:ps|images) (?:-[alq]+ )*-[al]*q[al]*", Output.PLAIN),),
    "kubectl": ((r"get [a-z]+(?: -n [\w-]+| -A)?(?: -l [\w=-]+)? -o[ =]?name", Output.PLAIN),),
}
_REVISION = r"(?!-)[\w.@^][\w./@^~{}:+-]*"
# `--boundary` would put a dash in front, `--objects` and other formats say more than names.
_WALK = (
    r"(?!-).*|-n?[0-9]+|-n|--(?:all|branches|tags|reverse|merges|no-merges|first-parent|topo-order"
    r"|date-order|count|follow|abbrev-commit)"
    r"|--(?:max-count|skip|since|until|after|before|author|committer|grep|m(?:ax|in)-parents"
    r"|diff-filter)=.*"
)
_FORMAT = r"--(?:format|pretty)=(?:t?format:)?%[hHtT]"
# Two names would be two lines, and the second could begin with a dash.
_SAYS_BRANCH = (
    ["branch", "--show-current"],
    ["rev-parse", "--abbrev-ref", "HEAD"],
    ["symbolic-ref", "--short", "HEAD"],
)
# Of git's each word must look like this, up to `--`.
_GIT_SAYS = {
    "merge-base": ((r".*", Output.PLAIN),),
    "rev-list": ((_WALK, Output.PLAIN),),
    "log": ((f"{_WALK}|{_FORMAT}", Output.PLAIN),),
    # What it does not know it says again, so it must be seen.
    "rev-parse": (
        (rf"--verify|--short(?:=[0-9]+)?|-q|--quiet|{_REVISION}", Output.PLAIN),
        (r"--show-toplevel|--git-dir|--git-common-dir|--absolute-git-dir", Output.PATH),
    ),
    "ls-files": ((r"(?!-).*|--cached|--modified|--deleted", Output.TRACKED),),
}


def said_by(parts: list["Node"], source: bytes, commands: list[Command]) -> Output:
    """What a pipeline of `parts` says, which runs `commands`, each checked elsewhere."""
    stages = [stage for part in parts for stage in _stages(part)]
    # Another redirection could bring other text in, and `|&` brings what goes wrong.
    redirected = re.search(rb"[<>]|[|]&", re.sub(rb"2> ?/dev/null", b"", source))
    # What runs inside the words of a command comes before it.
    commands = commands[-1:] if len(stages) == 1 else commands
    if redirected or len(commands) != len(stages) or any(part.type != "command" for part in stages):
        return Output.ANY
    for command in commands[1:]:
        form = _FILTERS.get(command.name)
        if form is None or not re.fullmatch(form, _joined(command.words)):
            return Output.ANY
    name, words = commands[0].name, commands[0].words
    if name == "git":
        return _said_by_git([word.text for word in split_global(words)[1]])
    for form, output in _SAYS.get(name, ()):
        if re.fullmatch(form, _joined(words)):
            return output
    return Output.ANY


def _stages(node: "Node") -> list["Node"]:
    """The commands of a pipeline."""
    if node.type == "redirected_statement" and (body := node.child_by_field_name("body")):
        return _stages(body)
    if node.type == "pipeline":
        return [stage for child in node.named_children for stage in _stages(child)]
    return [node]


def _joined(words: tuple[Word, ...]) -> str:
    return " ".join(word.text for word in words)


def _said_by_git(texts: list[str]) -> Output:
    if texts in _SAYS_BRANCH:
        return Output.BRANCH
    name, arguments = (texts[0], texts[1:]) if texts else ("", [])
    before = (
        arguments[: arguments.index("--")]
        if "--" in arguments and name != "rev-parse"
        else arguments
    )
    if name == "log" and not any(re.fullmatch(_FORMAT, text) for text in before):
        return Output.ANY
    for form, output in _GIT_SAYS.get(name, ()):
        if all(re.fullmatch(form, text, re.DOTALL) for text in before):
            return output
    return Output.ANY
