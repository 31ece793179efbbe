"""A question in the other wording that a source may use: "HFrEF" for "heart failure with reduced ejection fraction".

`abbreviations.tsv` lists the abbreviations that clinical writing uses without explaining them, chosen because each
means one thing in medicine; what may mean several ("PT", "AS") is left alone.
"""

import re
from functools import cache
from importlib.resources import files


def wordings(question: str) -> tuple[str, ...]:
    """The question as asked, then with its abbreviations written out or its terms abbreviated, if it has any."""
    other = _written_out(question)
    if other == question:
        other = _abbreviated(question)
    return (question,) if other == question else (question, other)


def _written_out(question: str) -> str:
    short, _ = _patterns()
    return short.sub(lambda found: _by_short()[found.group(1)] + (found.group(2) or ""), question)


def _abbreviated(question: str) -> str:
    _, long = _patterns()
    names = {name.casefold(): short for short, name in _by_short().items()}
    return long.sub(lambda found: names[found.group().casefold()], question)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Abbreviations as they are written, a plural s apart; long forms in any case, the longest first."""
    short = "|".join(sorted(map(re.escape, _by_short()), key=len, reverse=True))
    long = "|".join(sorted(map(re.escape, _by_short().values()), key=len, reverse=True))
    return re.compile(rf"\b({short})(s?)\b"), re.compile(rf"\b(?:{long})\b", re.IGNORECASE)


@cache
def _by_short() -> dict[str, str]:
    content = files("wellsourced.text").joinpath("abbreviations.tsv").read_text(encoding="utf-8")
    return dict(line.split("\t") for line in content.splitlines())
