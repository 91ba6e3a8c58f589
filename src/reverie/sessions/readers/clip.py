"""Long machine text is kept by its two ends: a command says what at the start, why at the end."""

LIMIT = 4_000
_HEAD = 2_500
_TAIL = 1_400


def clip(text: str) -> str:
    """At most `LIMIT` characters of a text, its middle left out."""
    if len(text) <= LIMIT:
        return text
    return f"{text[:_HEAD]}\n[… {len(text) - _HEAD - _TAIL} characters …]\n{text[-_TAIL:]}"
