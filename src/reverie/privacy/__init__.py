"""What is never stored: secrets, `<private>` parts, and what the user told us to leave out."""

from reverie.privacy.carried import Carried
from reverie.privacy.ignored import Ignored
from reverie.privacy.key import KEY_FILE, SEAL_FILE, passing_redactor, redactor_for, seal_key
from reverie.privacy.redactor import (
    Finding,
    Redactor,
    has_mark,
    unkeyed,
    without_marks,
)
from reverie.privacy.replaced import in_as_many_lines
from reverie.privacy.structured import Redact, redact_parts, redact_value
from reverie.privacy.told import Told

__all__ = [
    "KEY_FILE",
    "SEAL_FILE",
    "Carried",
    "Finding",
    "Ignored",
    "Redact",
    "Redactor",
    "Told",
    "has_mark",
    "in_as_many_lines",
    "passing_redactor",
    "redact_parts",
    "redact_value",
    "redactor_for",
    "seal_key",
    "unkeyed",
    "without_marks",
]
