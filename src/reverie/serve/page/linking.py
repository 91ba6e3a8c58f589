"""What links to a memory and where it leads, as a small drawing whose boxes are links."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from markupsafe import Markup

WIDTH, BOX, HIGH, GAP = 330.0, 96.0, 26.0, 10.0
MOST = 6  # on each side
_LETTERS = 14


class Node(NamedTuple):
    """A memory in the drawing."""

    name: str
    place: str


def drawing(name: str, linking: Sequence[Node], leading: Sequence[Node]) -> Markup:
    """Who links here on the left, the memory in the middle, where it leads on the right."""
    if not linking and not leading:
        return Markup("")
    rows = min(MOST, max(len(linking), len(leading), 1))
    high = rows * (HIGH + GAP) + 18
    middle = 18 + (high - 18 - GAP) / 2
    parts = [
        f'<text class="head" x="{BOX / 2}" y="10">links here</text>' if linking else "",
        f'<text class="head" x="{WIDTH - BOX / 2}" y="10">leads to</text>' if leading else "",
    ]
    for nodes, left in ((linking[:MOST], True), (leading[:MOST], False)):
        first = middle - (len(nodes) * (HIGH + GAP) - GAP) / 2
        for place, node in enumerate(nodes):
            top = first + place * (HIGH + GAP)
            x = 0.0 if left else WIDTH - BOX
            begin, end = (BOX, (WIDTH - BOX) / 2) if left else ((WIDTH + BOX) / 2, WIDTH - BOX)
            from_y, to_y = (top + HIGH / 2, middle) if left else (middle, top + HIGH / 2)
            half = (begin + end) / 2
            parts.append(f'<path d="M{begin} {from_y:.1f}C{half} {from_y:.1f} {half} {to_y:.1f}'
                         f' {end} {to_y:.1f}"/>')  # fmt: skip
            parts.append(f'<a href="{escape(node.place)}">{_box(node.name, x, top)}</a>')
    parts.append(f'<g class="self">{_box(name, (WIDTH - BOX) / 2, middle - HIGH / 2)}</g>')
    summary = f"{len(linking)} link here, {len(leading)} are linked from it"
    return Markup(  # noqa: S704  (every text in it is escaped)
        f'<svg class="links" viewBox="0 0 {WIDTH:g} {high:g}" role="group"'
        f' aria-label="{summary}">{"".join(parts)}</svg>'
    )


def _box(name: str, x: float, y: float) -> str:
    shown = name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"
    return (
        f"<title>{escape(name)}</title>"
        f'<rect x="{x + 0.5:g}" y="{y:.1f}" width="{BOX - 1:g}" height="{HIGH:g}" rx="6"/>'
        f'<text x="{x + BOX / 2:g}" y="{y + 17:.1f}">{escape(shown)}</text>'
    )
