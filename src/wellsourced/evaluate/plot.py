"""Pictures: a comparison, one bar for each query that changed, the largest gain first; a judge's reliability."""

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from wellsourced.evaluate.contrast import Comparison
from wellsourced.evaluate.scores import Bin

WIDTH, HEIGHT, EDGE = 800, 260, 40
"""Pixels; EDGE is left free on each side for the words."""

SIDE = 320
"""Pixels of the square in which scores are set against shares."""

GAIN, LOSS = "#0072b2", "#d55e00"
"""Blue and orange that the colour-blind tell apart (Okabe and Ito, 2008)."""


def differences(found: Comparison) -> str:
    """SVG: what each query gained or lost by the first measure; a browser shows the query under the pointer."""
    first = found.contrasts[0]
    step = (WIDTH - 2 * EDGE) / max(1, len(found.changes))
    bars = "\n".join(_bar(EDGE + place * step, step, *one) for place, one in enumerate(found.changes.items()))
    title = f"{first.measure}: {first.wins:,} queries better, {first.ties:,} the same, {first.losses:,} worse"
    middle = HEIGHT / 2
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" \
aria-label={quoteattr(title)} font-family="sans-serif" font-size="12">
<text x="{EDGE}" y="20">{escape(title)}</text>
<text x="4" y="{EDGE + 4}">+1</text><text x="4" y="{middle + 4}">0</text><text x="4" y="{HEIGHT - EDGE + 4}">−1</text>
{bars}
<line x1="{EDGE}" x2="{WIDTH - EDGE}" y1="{middle}" y2="{middle}" stroke="#444"/>
</svg>
"""


def _bar(left: float, width: float, query: str, gain: float) -> str:
    height = abs(gain) * (HEIGHT / 2 - EDGE)
    top = HEIGHT / 2 - (height if gain > 0 else 0)
    return (
        f'<rect x="{left:.2f}" y="{top:.2f}" width="{max(0.5, width * 0.9):.2f}" height="{height:.2f}" '
        f'fill="{GAIN if gain > 0 else LOSS}"><title>{escape(query)}: {gain:+.3f}</title></rect>'
    )


def calibration(title: str, bins: Sequence[Bin]) -> str:
    """SVG: how often what was given a score is supported; on the diagonal scores are probabilities."""
    most = max((one.n for one in bins), default=0)
    dots = "\n".join(_dot(one, most) for one in bins if one.n)
    end, whole = EDGE + SIDE, SIDE + 2 * EDGE
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {whole}" role="img" \
aria-label={quoteattr(title)} font-family="sans-serif" font-size="12">
<text x="{EDGE}" y="20">{escape(title)}</text>
<rect x="{EDGE}" y="{EDGE}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#444"/>
<line x1="{EDGE}" y1="{end}" x2="{end}" y2="{EDGE}" stroke="#444" stroke-dasharray="4"/>
<text x="{EDGE}" y="{end + 16}">0</text><text x="{end - 8}" y="{end + 16}">1</text>
<text x="{EDGE + SIDE / 2}" y="{end + 30}" text-anchor="middle">score</text>
<text x="14" y="{EDGE + SIDE / 2}" text-anchor="middle" transform="rotate(-90 14 {EDGE + SIDE / 2})">supported</text>
{dots}
</svg>
"""


def _dot(one: Bin, most: int) -> str:
    """As large as its bin is full, by area."""
    x, y = EDGE + SIDE * one.score, EDGE + SIDE * (1 - one.supported)
    told = f"{one.n:,} pairs, score {one.score:.2f}, supported {one.supported:.2f}"
    radius = 3 + 9 * (one.n / most) ** 0.5
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{GAIN}"><title>{escape(told)}</title></circle>'
