"""Pictures: a comparison, one bar for each query that changed, the largest gain first; a judge's reliability and
precision; a share in several arms, and what they cost for it.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from wellsourced.config.judges import CallPrecision
from wellsourced_evaluate.retrieval_runs import RunComparison
from wellsourced_evaluate.verdict_metrics import ReliabilityBin

WIDTH, HEIGHT, MARGIN = 800, 260, 40
"""Pixels; EDGE is left free on each side for the words."""

PLOT_SIZE = 320
"""Pixels of the square in which scores are set against shares."""

ROW, ARM_NAMES = 32, 300
"""Pixels of height that an arm takes, and of width that its name does."""

GAIN_COLOUR, LOSS_COLOUR = "#0072b2", "#d55e00"
"""Blue and orange that the colour-blind tell apart (Okabe and Ito, 2008)."""


def draw_differences(found: RunComparison) -> str:
    """SVG: what each query gained or lost by the first measure; a browser shows the query under the pointer."""
    measure, first = next(iter(found.contrasts.items()))
    step = (WIDTH - 2 * MARGIN) / max(1, len(found.changes))
    bars = "\n".join(_draw_bar(MARGIN + place * step, step, *one) for place, one in enumerate(found.changes.items()))
    title = f"{measure}: {first.more:,} queries better, {first.equal:,} the same, {first.less:,} worse"
    middle = HEIGHT / 2
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" \
aria-label={quoteattr(title)} font-family="sans-serif" font-size="12">
<text x="{MARGIN}" y="20">{escape(title)}</text>
<text x="4" y="{MARGIN + 4}">+1</text><text x="4" y="{middle + 4}">0</text>
<text x="4" y="{HEIGHT - MARGIN + 4}">−1</text>
{bars}
<line x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{middle}" y2="{middle}" stroke="#444"/>
</svg>
"""


def _draw_bar(left: float, width: float, query: str, gain: float) -> str:
    height = abs(gain) * (HEIGHT / 2 - MARGIN)
    top = HEIGHT / 2 - (height if gain > 0 else 0)
    return (
        f'<rect x="{left:.2f}" y="{top:.2f}" width="{max(0.5, width * 0.9):.2f}" height="{height:.2f}" '
        f'fill="{GAIN_COLOUR if gain > 0 else LOSS_COLOUR}"><title>{escape(query)}: {gain:+.3f}</title></rect>'
    )


def draw_precision(title: str, wanted: float, steps: Mapping[str, Sequence[CallPrecision]]) -> str:
    """SVG: of what a judge calls so from a score on, the share that is right, with its 95 % interval.

    wanted   the share from which it is believed, a broken line
    steps    by what it says: the first in blue, the second in orange
    """
    colours = dict(zip(steps, (GAIN_COLOUR, LOSS_COLOUR), strict=False))
    dots = "\n".join(_draw_step(label, one, colours[label]) for label, some in steps.items() for one in some)
    names = "\n".join(
        f'<text x="{MARGIN + 8}" y="{MARGIN + PLOT_SIZE - 8 - 16 * place}" fill="{colour}">{escape(label)}</text>'
        for place, (label, colour) in enumerate(colours.items())
    )
    line = MARGIN + PLOT_SIZE * (1 - wanted)
    end, whole = MARGIN + PLOT_SIZE, PLOT_SIZE + 2 * MARGIN
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {whole}" role="img" \
aria-label={quoteattr(title)} font-family="sans-serif" font-size="12">
<text x="{MARGIN}" y="20">{escape(title)}</text>
<rect x="{MARGIN}" y="{MARGIN}" width="{PLOT_SIZE}" height="{PLOT_SIZE}" fill="none" stroke="#444"/>
<line x1="{MARGIN}" y1="{line:.1f}" x2="{end}" y2="{line:.1f}" stroke="#444" stroke-dasharray="4"/>
<text x="{MARGIN}" y="{end + 16}">0</text><text x="{end - 8}" y="{end + 16}">1</text>
<text x="{MARGIN + PLOT_SIZE / 2}" y="{end + 30}" text-anchor="middle">score from which it is counted</text>
<text x="14" y="{MARGIN + PLOT_SIZE / 2}" text-anchor="middle"
transform="rotate(-90 14 {MARGIN + PLOT_SIZE / 2})">share that is right</text>
{names}
{dots}
</svg>
"""


def _draw_step(label: str, one: CallPrecision, colour: str) -> str:
    """A dot at the share, and a line over its interval."""
    x = MARGIN + PLOT_SIZE * one.threshold
    y, top, foot = (MARGIN + PLOT_SIZE * (1 - share) for share in (one.precision, one.high, one.low))
    told = f"{label} from {one.threshold:g}: {one.right:,} of {one.calls:,} right"
    return (
        f'<line x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{foot:.1f}" stroke="{colour}"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"><title>{escape(told)}</title></circle>'
    )


class ArmShare(NamedTuple):
    """A share in one arm, with its 95 % interval and its floor; None: there is none."""

    arm: str
    share: float
    low: float
    high: float
    floor: float | None


def draw_arms(title: str, arms: Sequence[ArmShare]) -> str:
    """SVG: a share in each arm, a dot with its interval; an orange line is what is reached without reading anything."""
    rows = "\n".join(_draw_arm(MARGIN + 24 + ROW * place, one) for place, one in enumerate(arms))
    foot = MARGIN + ROW * len(arms) + 8
    ticks = "\n".join(
        f'<line x1="{_share_x(tick):.0f}" x2="{_share_x(tick):.0f}" y1="{MARGIN}" y2="{foot}" stroke="#ddd"/>'
        f'<text x="{_share_x(tick):.0f}" y="{foot + 16}" text-anchor="middle">{tick:g}</text>'
        for tick in (0, 0.25, 0.5, 0.75, 1)
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {foot + 24}" role="img" \
aria-label={quoteattr(title)} font-family="sans-serif" font-size="12">
<text x="{MARGIN}" y="20">{escape(title)}</text>
{ticks}
{rows}
</svg>
"""


def _share_x(share: float) -> float:
    return ARM_NAMES + (WIDTH - ARM_NAMES - MARGIN) * share


def _draw_arm(y: float, one: ArmShare) -> str:
    told = f"{one.arm}: {one.share:.3f} ({one.low:.3f}–{one.high:.3f})"
    low, x, high = (f"{_share_x(share):.1f}" for share in (one.low, one.share, one.high))
    floor = (
        f'<line x1="{_share_x(one.floor):.1f}" x2="{_share_x(one.floor):.1f}" y1="{y - 12}" y2="{y + 12}" '
        f'stroke="{LOSS_COLOUR}" stroke-width="2" stroke-dasharray="4"><title>floor {one.floor:.3f}</title></line>'
        if one.floor is not None
        else ""
    )
    return (
        f'<text x="{ARM_NAMES - 12}" y="{y + 4}" text-anchor="end">{escape(one.arm)}</text>{floor}'
        f'<line x1="{low}" x2="{high}" y1="{y}" y2="{y}" stroke="{GAIN_COLOUR}" stroke-width="2"/>'
        f'<circle cx="{x}" cy="{y}" r="5" fill="{GAIN_COLOUR}"><title>{escape(told)}</title></circle>'
    )


class CostPoint(NamedTuple):
    """What an arm costs, and what it is worth, with its 95 % interval."""

    arm: str
    cost: float
    quality: float
    low: float
    high: float


def draw_cost(title: str, unit: str, points: Sequence[CostPoint]) -> str:
    """SVG: what arms are worth against what they cost; up and to the left is better."""
    most = max((one.cost for one in points), default=0.0) or 1.0
    dots = "\n".join(_draw_point(one, most) for one in points)
    end, right = MARGIN + PLOT_SIZE, MARGIN + PLOT_SIZE
    heights = {tick: end - PLOT_SIZE * tick for tick in (0, 0.25, 0.5, 0.75, 1)}
    lines = "\n".join(
        f'<line x1="{MARGIN}" x2="{right}" y1="{y:.0f}" y2="{y:.0f}" stroke="#ddd"/>'
        f'<text x="{MARGIN - 6}" y="{y + 4:.0f}" text-anchor="end">{tick:g}</text>'
        for tick, y in heights.items()
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {end + MARGIN}" role="img" \
aria-label={quoteattr(title)} font-family="sans-serif" font-size="12">
<text x="{MARGIN}" y="20">{escape(title)}</text>
{lines}
<text x="{MARGIN}" y="{end + 16}">0</text><text x="{right}" y="{end + 16}" text-anchor="end">{most:.3g}</text>
<text x="{MARGIN + PLOT_SIZE / 2}" y="{end + 30}" text-anchor="middle">{escape(unit)} of a case</text>
{dots}
</svg>
"""


def _draw_point(one: CostPoint, most: float) -> str:
    """A dot, a line over its interval, and the name of the arm beside it."""
    x = MARGIN + PLOT_SIZE * one.cost / most
    y, top, foot = (MARGIN + PLOT_SIZE * (1 - share) for share in (one.quality, one.high, one.low))
    told = f"{one.arm}: {one.quality:.3f} ({one.low:.3f}–{one.high:.3f}) for {one.cost:.4g}"
    return (
        f'<line x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{foot:.1f}" stroke="{GAIN_COLOUR}" stroke-width="2"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{GAIN_COLOUR}"><title>{escape(told)}</title></circle>'
        f'<text x="{x + 10:.1f}" y="{y + 4:.1f}">{escape(one.arm)}</text>'
    )


def draw_reliability(
    title: str, bins: Sequence[ReliabilityBin], score: str = "score", so: str = "supported", what: str = "pairs"
) -> str:
    """SVG: how often `what` was given a score is `so`; on the diagonal scores are probabilities."""
    most = max((one.n for one in bins), default=0)
    dots = "\n".join(_draw_dot(one, most, (score, so, what)) for one in bins if one.n)
    end, whole = MARGIN + PLOT_SIZE, PLOT_SIZE + 2 * MARGIN
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {whole}" width="{whole}" role="img" \
aria-label={quoteattr(title)} font-family="sans-serif" font-size="12">
<text x="{MARGIN}" y="20">{escape(title)}</text>
<rect x="{MARGIN}" y="{MARGIN}" width="{PLOT_SIZE}" height="{PLOT_SIZE}" fill="none" stroke="#444"/>
<line x1="{MARGIN}" y1="{end}" x2="{end}" y2="{MARGIN}" stroke="#444" stroke-dasharray="4"/>
<text x="{MARGIN}" y="{end + 16}">0</text><text x="{end - 8}" y="{end + 16}">1</text>
<text x="{MARGIN + PLOT_SIZE / 2}" y="{end + 30}" text-anchor="middle">{escape(score)}</text>
<text x="14" y="{MARGIN + PLOT_SIZE / 2}" text-anchor="middle"
transform="rotate(-90 14 {MARGIN + PLOT_SIZE / 2})">{escape(so)}</text>
{dots}
</svg>
"""


def _draw_dot(one: ReliabilityBin, most: int, words: tuple[str, str, str]) -> str:
    """As large as its bin is full, by area."""
    score, so, what = words
    x, y = MARGIN + PLOT_SIZE * one.score, MARGIN + PLOT_SIZE * (1 - one.supported)
    told = f"{one.n:,} {what}, {score} {one.score:.2f}, {so} {one.supported:.2f}"
    radius = 3 + 9 * (one.n / most) ** 0.5
    place = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'
    return f'<circle {place} fill="{GAIN_COLOUR}"><title>{escape(told)}</title></circle>'
