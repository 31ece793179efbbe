"""Pictures of reports, by matplotlib, as SVG that a page takes in: no script, no font, the same bytes each time."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAIN_COLOUR, LOSS_COLOUR, LEVEL_COLOUR = "#0072b2", "#d55e00", "#666666"
COLOURS = (GAIN_COLOUR, LOSS_COLOUR, "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Colours that the colour-blind tell apart (Okabe and Ito, 2008)."""

LARGEST_DOT = 140
"""Area of the dot that stands for most, in points²."""


class Point(NamedTuple):
    """A value at a place of the axis, with its interval where it has one.

    weight   how much it stands for; dots are as large, by area, where any has one
    """

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    weight: float | None = None


def draw_series(
    title: str,
    axis_names: tuple[str, str],
    series: Mapping[str, Sequence[Point]],
    *,
    levels: Mapping[str, float] | None = None,
    line: bool = False,
    diagonal: bool = False,
    is_logarithmic: bool = False,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = (-0.02, 1.02),
) -> str:
    """SVG: shares, or values of any range, against what is on the other axis, a colour for each series.

    levels     names and heights of broken lines across
    line       the points of a series are joined
    diagonal   a broken line on which both axes say the same
    is_logarithmic   both axes are, so that what grows as a power is a straight line
    """
    most = max((point.weight or 0 for points in series.values() for point in points), default=0)
    with _drawing(title) as (axes, drawn):
        if is_logarithmic:
            axes.set(xscale="log", yscale="log")
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter("{x:,.6g}")
                axis.set_minor_formatter("")
        for number, (name, points) in enumerate(series.items()):
            colour = COLOURS[number % len(COLOURS)]
            for point in points:
                if point.low is not None and point.high is not None:
                    axes.plot((point.x, point.x), (point.low, point.high), color=colour, alpha=0.5)
            sizes = [25 + LARGEST_DOT * (point.weight or 0) / most if most else 25 for point in points]
            places, heights = [point.x for point in points], [point.y for point in points]
            axes.scatter(places, heights, sizes, color=colour, label=name)
            if line:
                axes.plot(places, heights, color=colour)
        for name, height in (levels or {}).items():
            axes.axhline(height, color=LEVEL_COLOUR, linestyle="--", label=name)
        if diagonal:
            axes.plot((0, 1), (0, 1), color=LEVEL_COLOUR, linestyle="--")
        axes.set(xlabel=axis_names[0], ylabel=axis_names[1], ylim=y_range, xlim=x_range)
        axes.grid(color="#dddddd")
        if len(series) + len(levels or {}) > 1:
            axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    return _for_page(drawn.getvalue(), title)


class Bar(NamedTuple):
    """How many are between two values."""

    low: float
    high: float
    height: int


def draw_histogram(
    title: str, axis_names: tuple[str, str], stacks: Mapping[str, Sequence[Bar]], cuts: Mapping[str, float]
) -> str:
    """SVG: how many are in each range of values, what is of one range one above the other; `cuts` are lines upwards."""
    with _drawing(title) as (axes, drawn):
        below = [0] * max(map(len, stacks.values()), default=0)
        for number, (name, bars) in enumerate(stacks.items()):
            widths = [bar.high - bar.low for bar in bars]
            lows, heights = [bar.low for bar in bars], [bar.height for bar in bars]
            axes.bar(lows, heights, widths, below, align="edge", color=COLOURS[number], label=name, edgecolor="white")
            below = [under + height for under, height in zip(below, heights, strict=True)]
        for name, place in cuts.items():
            axes.axvline(place, color=LEVEL_COLOUR, linestyle="--", label=name)
        axes.set(xlabel=axis_names[0], ylabel=axis_names[1])
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    return _for_page(drawn.getvalue(), title)


@contextmanager
def _drawing(title: str) -> "Iterator[tuple[Axes, StringIO]]":
    """Axes to draw on; what was drawn is in the second when it ends."""
    # matplotlib takes half a second to load, and most reports have no picture.
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    drawn = StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": title, "text.parse_math": False}):
        figure = Figure(figsize=(8, 4.5), layout="constrained")
        FigureCanvasSVG(figure)
        yield figure.add_subplot(title=title), drawn
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})


def _for_page(svg: str, title: str) -> str:
    """Only the element, named for who cannot see it; several on one page share no id."""
    element = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    used = set(re.findall(r"#([\w-]+)", element))
    element = re.sub(r' id="([\w-]+)"', lambda match: match[0] if match[1] in used else "", element)
    element = element.replace("xlink:href", "href").replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "")
    return element.replace("<svg ", f'<svg role="img" aria-label="{escape(title)}" ', 1)
