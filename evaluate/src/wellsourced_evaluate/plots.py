"""Pictures of reports, by matplotlib, as SVG that a page takes in: no script, no font, the same bytes each time."""

import re
from collections.abc import Callable, Mapping, Sequence
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


class Estimate(NamedTuple):
    """A named value with its 95 % interval, and its floor where it has one."""

    name: str
    value: float
    low: float
    high: float
    floor: float | None = None


class Point(NamedTuple):
    """A value at a place of the axis, with its interval where it has one.

    weight   how much it stands for; dots are as large, by area, where any has one
    """

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    weight: float | None = None


def draw_estimates(title: str, rows: Sequence[Estimate]) -> str:
    """SVG: shares below each other, each a dot with its interval, and a broken orange line where its floor is."""

    def draw(axes: "Axes") -> None:
        for place, row in enumerate(reversed(rows)):
            axes.plot((row.low, row.high), (place, place), color=GAIN_COLOUR)
            axes.plot(row.value, place, "o", color=GAIN_COLOUR)
            if row.floor is not None:
                axes.plot((row.floor, row.floor), (place - 0.35, place + 0.35), "--", color=LOSS_COLOUR)
        axes.set_yticks(range(len(rows)), [row.name for row in reversed(rows)])
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.6, len(rows) - 0.4))
        axes.grid(axis="x", color="#dddddd")

    return _draw(title, (8, 1 + 0.35 * len(rows)), draw)


def draw_series(
    title: str,
    axis_names: tuple[str, str],
    series: Mapping[str, Sequence[Point]],
    *,
    levels: Mapping[str, float] | None = None,
    line: bool = False,
    diagonal: bool = False,
    x_range: tuple[float, float] | None = None,
) -> str:
    """SVG: shares against what is on the other axis, a colour for each series.

    levels     names and heights of broken lines across
    line       the points of a series are joined
    diagonal   a broken line on which both axes say the same
    """
    most = max((point.weight or 0 for points in series.values() for point in points), default=0)

    def draw(axes: "Axes") -> None:
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
        axes.set(xlabel=axis_names[0], ylabel=axis_names[1], ylim=(-0.02, 1.02), xlim=x_range)
        axes.grid(color="#dddddd")
        if len(series) + len(levels or {}) > 1:
            axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)

    return _draw(title, (8, 4.5), draw)


def _draw(title: str, size: tuple[float, float], draw: "Callable[[Axes], None]") -> str:
    # matplotlib takes half a second to load, and most reports have no picture.
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": title, "text.parse_math": False}):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.add_subplot(title=title))
        drawn = StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    return _for_page(drawn.getvalue(), title)


def _for_page(svg: str, title: str) -> str:
    """Only the element, named for who cannot see it; several on one page share no id."""
    element = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    used = set(re.findall(r"#([\w-]+)", element))
    element = re.sub(r' id="([\w-]+)"', lambda match: match[0] if match[1] in used else "", element)
    element = element.replace("xlink:href", "href").replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "")
    return element.replace("<svg ", f'<svg role="img" aria-label="{escape(title)}" ', 1)
