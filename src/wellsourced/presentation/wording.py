"""Counts, sizes and figures as every view words them."""


def format_count(number: int, noun: str) -> str:
    """ "1 passage", "1,204 passages", "2 libraries"."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def format_size(number: float) -> str:
    """Bytes as people say them: "3.1 GB"."""
    for unit in ("bytes", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def format_decimal(value: float | None) -> str:
    """Three decimals; a dash for what is not known (None, NaN)."""
    return "–" if value is None or value != value else f"{value:.3f}"


def format_range(low: float | None, high: float | None) -> str:
    """ "0.712–0.803"."""
    return f"{format_decimal(low)}–{format_decimal(high)}"


CLOSEST_MATCHES = "Closest matches"
"""Over what is nearest to a question, or a claim, and does not settle it."""
