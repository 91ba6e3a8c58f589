"""A curve over weeks or months as SVG: axes that can be read, a number for whoever points at it."""

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from markupsafe import Markup

WIDTH, HEIGHT = 560.0, 240.0
LEFT, RIGHT, TOP, BOTTOM = 40.0, 34.0, 12.0, 28.0
_STEPS = 4
_LABELS = 5  # spans named, at most


class Curve(NamedTuple):
    """Values over spans of time."""

    spans: Sequence[str]
    values: Sequence[float]
    unit: str
    span: str  # "month", "week of"


def curve(shown: Curve) -> Markup:
    """The drawing; nothing for less than two spans, which draw no curve."""
    if len(shown.spans) < 2:
        return Markup("")
    top = _round_up(max(shown.values))
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(place: int) -> float:
        return LEFT + wide * place / (len(shown.spans) - 1)

    def y(value: float) -> float:
        return TOP + high * (1 - value / top)

    parts: list[str] = []
    for step in range(_STEPS + 1):
        value = top * step / _STEPS
        parts.append(f'<path class="grid" d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 8}" y="{y(value) + 4:.1f}">{value:g}</text>')
    every = math.ceil(len(shown.spans) / _LABELS)
    for place, span in enumerate(shown.spans):
        if place % every == 0:
            parts.append(
                f'<text class="span" x="{x(place):.1f}" y="{HEIGHT - 8}">{escape(span)}</text>'
            )
    line = "L".join(f"{x(place):.1f} {y(value):.1f}" for place, value in enumerate(shown.values))
    floor = f"{y(0):.1f}"
    ends = f"L{x(len(shown.spans) - 1):.1f} {floor}L{x(0):.1f} {floor}Z"
    parts.append(f'<path class="area" d="M{line}{ends}"/><path class="line" d="M{line}"/>')
    for place, (span, value) in enumerate(zip(shown.spans, shown.values, strict=True)):
        title = escape(f"{span}: {value:.4g} {shown.unit}")
        parts.append(f'<g class="point"><title>{title}</title>')
        parts.append(f'<circle cx="{x(place):.1f}" cy="{y(value):.1f}" r="9" class="near"/>')
        parts.append(f'<circle cx="{x(place):.1f}" cy="{y(value):.1f}" r="3"/>')
        above = max(y(value) - 10, 12.0)
        parts.append(
            f'<text class="value" x="{x(place):.1f}" y="{above:.1f}">{value:.4g}</text></g>'
        )
    drawn = "".join(parts)
    return Markup(  # noqa: S704  (every text in it is escaped)
        f'<svg class="curve" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img"'
        f' aria-label="{escape(shown.unit)} by {shown.span.partition(" ")[0]}">{drawn}</svg>'
    )


def _round_up(value: float) -> float:
    """The next number that four steps divide well."""
    if value < 1e-6:  # nothing, as far as anybody sees
        return 4.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 6, 8, 10, 20) if step * power >= value)
