"""What is never stored: secrets, `<private>` parts, and what the user told us to leave out."""

from reverie.privacy.ignored import Ignored
from reverie.privacy.key import KEY_FILE, SEAL_FILE, redactor_for, seal_key
from reverie.privacy.redactor import Finding, Redactor, has_mark

__all__ = [
    "KEY_FILE",
    "SEAL_FILE",
    "Finding",
    "Ignored",
    "Redactor",
    "has_mark",
    "redactor_for",
    "seal_key",
]
