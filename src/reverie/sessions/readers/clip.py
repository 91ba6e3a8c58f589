"""Long machine text is kept by its two ends: a command says what at the start, why at the end."""

import string

LIMIT = 4_000
_HEAD = 2_500
_TAIL = 1_400

# What tokens and keys are made of. Secrets are redacted after the cut, so none may be cut in two.
_TOKEN = string.ascii_letters + string.digits + "+/=_-.~"

_LONGEST = 600  # what is longer is data, not a token
_KEY_BEGIN, _KEY_END = "-----BEGIN ", "-----END "


def clip(text: str) -> str:
    """At most `LIMIT` characters of a text, its middle left out, no word of it cut."""
    if len(text) <= LIMIT:
        return text
    head, tail = text[:_HEAD], text[-_TAIL:]
    head = head[: max(len(head.rstrip(_TOKEN)), _HEAD - _LONGEST)]
    tail = tail[min(_TAIL - len(tail.lstrip(_TOKEN)), _LONGEST) :]
    end = tail.find(_KEY_END)
    if end >= 0 and _KEY_BEGIN not in tail[:end]:
        # The rest of a key whose beginning was left out looks like any other text.
        tail = tail[end:]
    return f"{head}\n[… {len(text) - len(head) - len(tail)} characters …]\n{tail}"
