"""The page's words for what files and tables name shortly."""

from collections.abc import Mapping

WORDS: Mapping[str, Mapping[str, str]] = {
    "type": {
        "user": "about you",
        "feedback": "how to work",
        "project": "about the project",
        "reference": "where to look",
    },
    "kind": {
        "error": "mistake to avoid",
        "best-practice": "good practice",
        "data-quirk": "quirk of the data",
        "decision": "decision",
        "command": "command",
    },
    "trust": {
        "user": "your words",
        "agent": "an agent’s words",
        "tool": "from a program’s output",
        "web": "from the web",
    },
    "author": {
        "user": "you",
        "agent": "an agent",
        "key": "a key",
        "dream": "a dream",
        "filesystem": "a file on disk",
    },
    "verb": {
        "create": "New memory",
        "corroborate": "More evidence",
        "refine": "Reworded",
        "correct": "Corrected",
        "supersede": "Replaced",
        "archive": "To the archive",
    },
    "verdict": {
        "accept": "Your agent would accept it",
        "reword": "Your agent would word it differently",
        "reject": "Your agent would reject it",
    },
    "role": {"human": "you", "agent": "agent", "tool": "failure"},
    "turn": {
        "reject_feedback": "refused a call",
        "interrupt": "interrupted",
        "command": "command",
        "shell": "shell",
    },
    "form": {"rule": "rule", "command": "slash command", "test": "idea for a test"},
    "operation": {"created": "written", "modified": "changed", "deleted": "deleted"},
    "access": {"read_only": "may read", "read_write": "may read and write"},
    "part": {"rule": "Always told", "found": "Found for this prompt", "session": "From sessions"},
    "surface": {
        "cli": "the command line", "mcp": "an agent, asking", "hook": "a session’s start",
        "page": "this page", "python": "a program", "http": "the server",
    },
}  # fmt: skip


def word(value: str, of: str) -> str:
    """What people call a value of that sort; the value itself, readable, if nobody named it."""
    return WORDS[of].get(value) or value.replace("_", " ").replace("-", " ")
