"""A picture: shares along an axis of places, a line for each arm, with intervals."""

from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from wellsourced_evaluate.plot import GAIN_COLOUR, LOSS_COLOUR

WIDTH, HEIGHT = 640, 340
LEFT, TOP, RIGHT, BOTTOM = 56, 44, 170, 52
"""Pixels; what is free around the plot."""

COLOURS = (GAIN_COLOUR, LOSS_COLOUR, "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Colours that the colour-blind tell apart (Okabe and Ito, 2008)."""


class CurvePoint(NamedTuple):
    """A share at a place between 0 and 100, and its 95 % interval."""

    place: float
    share: float
    low: float
    high: float


class Curve(NamedTuple):
    """The points of one arm, from left to right."""

    name: str
    points: Sequence[CurvePoint]


class Level(NamedTuple):
    """A share that has no place: a floor, or what the document alone gives."""

    name: str
    share: float


def draw_curves(title: str, axis: str, curves: Sequence[Curve], levels: Sequence[Level] = ()) -> str:
    """SVG: the curves from 0 to 100, their intervals as thin lines; levels are broken lines across."""
    parts = [_draw_tick(tick) for tick in (0, 0.25, 0.5, 0.75, 1)]
    places = sorted({one.place for curve in curves for one in curve.points})
    parts += [
        f'<text x="{_x(place):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{place:g} %</text>'
        for place in places
    ]
    names = [*(one.name for one in curves), *(f"{one.name} {one.share:.2f}" for one in levels)]
    colours = [COLOURS[number % len(COLOURS)] for number in range(len(curves))]
    parts += [_draw_curve(curve, colour) for curve, colour in zip(curves, colours, strict=True)]
    parts += [_draw_level(one) for one in levels]
    parts += [
        f'<text x="{WIDTH - RIGHT + 10}" y="{TOP + 8 + 18 * number}" fill="{colour}">{escape(name)}</text>'
        for number, (name, colour) in enumerate(zip(names, [*colours, *["#666"] * len(levels)], strict=True))
    ]
    body = "\n".join(parts)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" \
aria-label={quoteattr(title)} font-family="sans-serif" font-size="12">
<text x="{LEFT}" y="20">{escape(title)}</text>
{body}
<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{escape(axis)}</text>
</svg>
"""


def _x(place: float) -> float:
    return LEFT + 12 + (WIDTH - RIGHT - LEFT - 24) * place / 100


def _y(share: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share)


def _draw_tick(share: float) -> str:
    y = f"{_y(share):.1f}"
    return (
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="#ddd"/>'
        f'<text x="{LEFT - 8}" y="{_y(share) + 4:.1f}" text-anchor="end">{share:g}</text>'
    )


def _draw_curve(curve: Curve, colour: str) -> str:
    line = " ".join(f"{_x(one.place):.1f},{_y(one.share):.1f}" for one in curve.points)
    dots = "".join(_draw_point(curve.name, one, colour) for one in curve.points)
    return f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>{dots}'


def _draw_point(name: str, one: CurvePoint, colour: str) -> str:
    told = f"{name} at {one.place:g} %: {one.share:.3f} ({one.low:.3f}–{one.high:.3f})"
    x, y, low, high = f"{_x(one.place):.1f}", f"{_y(one.share):.1f}", f"{_y(one.low):.1f}", f"{_y(one.high):.1f}"
    return (
        f'<line x1="{x}" x2="{x}" y1="{low}" y2="{high}" stroke="{colour}" stroke-opacity="0.5"/>'
        f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"><title>{escape(told)}</title></circle>'
    )


def _draw_level(one: Level) -> str:
    y = f"{_y(one.share):.1f}"
    return (
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="#666" stroke-dasharray="5">'
        f"<title>{escape(one.name)}: {one.share:.3f}</title></line>"
    )
