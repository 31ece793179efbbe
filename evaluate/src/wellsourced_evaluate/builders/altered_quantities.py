"""Alterations of what is counted and measured: numbers, units, doses, shares, intervals, bounds, times."""

import random
import re

from wellsourced_evaluate.builders.alteration_rules import (
    change_last_digit,
    change_number,
    exchange_words,
    first_applicable,
    replace_once,
)


def _change_digits(match: re.Match[str], chance: random.Random) -> str:
    return change_number(match.group(), chance)


def _change_share(match: re.Match[str], chance: random.Random) -> str:
    """Another percentage, which lies below 100 if the first one does: no judge should need more than its text."""
    changed = change_number(match.group(), chance)
    return changed if float(changed) <= max(100.0, float(match.group())) else change_last_digit(match.group(), chance)


_DECIMAL = r"\d+(?:\.\d+)?"
_NUMBER_START = r"(?<![\w.,:/·‐–-])"
_NUMBER_END = r"(?![\w%,/·‐–-]|[.:]\d)"
_TIMES = r"(?:years?|months?|weeks?|days?|hours?|h|hrs?|min|minutes?|seconds?)"

NUMBER = replace_once(
    rf"{_NUMBER_START}(?<!\()(?<![<>=≥≤±] )(?<![<>=≥≤±]){_DECIMAL}{_NUMBER_END}(?! ?(?:%|mg|µg|μg|mcg|ng|g|kg|ml"
    rf"|mL|l|IU|{_TIMES}|to \d|percent|CI)\b)(?! ?%)",
    _change_digits,
)

_UNITS = {
    **{"mg": "g", "g": "mg", "kg": "g", "mL": "L", "ml": "L", "µg": "mg", "μg": "mg", "mm": "cm", "cm": "mm"},
    **{"mmol/L": "mg/dL", "mmol/l": "mg/dl", "mg/dL": "mmol/L", "mg/dl": "mmol/l", "ng/mL": "mg/mL", "m": "km"},
    **{"mmHg": "kPa", "mm Hg": "kPa", "nM": "mM", "µM": "mM", "μM": "mM", "nm": "mm", "µm": "mm", "μm": "mm"},
    **{"ng/ml": "mg/ml", "g/dL": "mg/dL", "g/dl": "mg/dl", "kcal": "kJ", "kg/m2": "g/m2", "IU": "mg"},
}
_BY_LENGTH = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
UNIT = replace_once(
    rf"(?<=\d )(?:{_BY_LENGTH})(?![\w/]|[.·]\w)|(?<=\d)(?:{_BY_LENGTH})(?![\w/]|[.·]\w)", lambda m, _: _UNITS[m.group()]
)

_DOSED = r"(?:mg|µg|μg|mcg|g|IU|mg/kg|mg/day|mg/d|µg/kg|g/day|mL|ml|units|Gy)"
_AMOUNT = replace_once(rf"{_NUMBER_START}(?<![<>≥≤])(?<![<>≥≤] ){_DECIMAL}(?= ?{_DOSED}(?![\w/]))", _change_digits)
_REGIMEN = first_applicable(
    exchange_words([("twice daily", "once daily"), ("orally", "intravenously")]),
    exchange_words(
        [("oral", "intravenous")], behind=r"(?= (?:administration|dos|supplement|treatment|therapy|morphine|iron))"
    ),
)
_ADMINISTRATION = re.compile(
    r"\b(?:dos(?:e|es|ed|age)|daily|received?|administ\w+|treated|given|oral|infusion|injected|supplement\w*|twice)\b"
)


def alter_dose(sentence: str, chance: random.Random) -> str:
    """Another amount of what is given, or another way or rhythm of giving it."""
    return first_applicable(_AMOUNT, _REGIMEN)(sentence, chance) if _ADMINISTRATION.search(sentence) else ""


PERCENTAGE = replace_once(
    rf"{_NUMBER_START}{_DECIMAL}(?= ?(?:%|percent))(?! ?% ?(?:CI|confidence|credible))", _change_share
)

_BOUND = r"(?:\bCIs?\b|confidence intervals?)[^.;)\]]{0,16}?"
INTERVAL = first_applicable(
    replace_once(
        rf"(?P<before>{_BOUND}[-−–]?)(?P<low>{_DECIMAL})(?= ?(?:-|–|−|to|,|and|;) ?[-−–]?\d)",
        lambda m, chance: m["before"] + change_last_digit(m["low"], chance),
    ),
    replace_once(
        rf"(?P<before>{_BOUND}[-−–]?{_DECIMAL} ?(?:-|–|−|to|,|and|;) ?[-−–]?)(?P<high>{_DECIMAL})(?!\.?\d)",
        lambda m, chance: m["before"] + change_last_digit(m["high"], chance),
    ),
)

_OTHER_P_VALUES = {"0.001": "0.1", "0.01": "0.1", "0.05": "0.5", ".05": ".5", ".001": ".1", ".01": ".1"}
P_VALUE = first_applicable(
    replace_once(
        r"(?P<before>\b[pP](?:-value)? ?[=<>] ?)(?P<value>0?\.\d+)",
        lambda m, chance: m["before"] + (_OTHER_P_VALUES.get(m["value"]) or change_number(m["value"], chance)),
    ),
    replace_once(r"(?<=\b[pP])(?P<sign> ?[<>] ?)(?=0?\.\d)", lambda m, _: m[0].translate(str.maketrans("<>", "><"))),
)

_SIGNS = str.maketrans("<>≤≥", "><≥≤")
COMPARATOR = first_applicable(
    replace_once(r"(?<![pP])(?<![pP] )[<>≤≥](?= ?=? ?\d)", lambda m, _: m.group().translate(_SIGNS)),
    exchange_words(
        [("at least", "at most"), ("more than", "less than"), ("greater than", "less than")], behind=r"(?= \d)"
    ),
    exchange_words([("above", "below"), ("older than", "younger than")], behind=r"(?= (?:age )?\d)"),
    # "Over 12 weeks" is a time and no bound.
    exchange_words(
        [("over", "under")], behind=rf"(?= (?:age )?\d)(?! \d+(?:[ -]\w+)? (?!years (?:of age|old)){_TIMES}\b)"
    ),
    replace_once(
        r"(?<=\d )or (?:more|older|greater)\b", lambda m, _: "or " + {"older": "younger"}.get(m[0][3:], "less")
    ),
    replace_once(
        r"(?<=years )or (?P<more>older|younger)\b", lambda m, _: "or younger" if m["more"] == "older" else "or older"
    ),
)

TIME = first_applicable(
    replace_once(
        rf"{_NUMBER_START}\d+(?= {_TIMES}\b(?! of age| old))",
        lambda m, chance: chance.choice([str(2 * int(m[0]) + 1), str(int(m[0]) + 3), str(int(m[0]) * 10 or 4)]),
    ),
    replace_once(
        r"(?<=\d )(?:weeks|months|years|days|hours|week|month|year|day|minutes)\b(?! of age| old)",
        lambda m, _: {
            **{"weeks": "months", "months": "years", "years": "months", "days": "weeks", "hours": "days"},
            **{"week": "month", "month": "year", "year": "month", "day": "week", "minutes": "hours"},
        }[m[0]],
    ),
    exchange_words([("before", "after"), ("preoperative", "postoperative"), ("morning", "evening")]),
    exchange_words([("daily", "weekly")], behind=r"(?! (?:living|life|lives|activit\w*|basis|practice|routine)\b)"),
    exchange_words([("prior to", "following"), ("short-term", "long-term"), ("pre-treatment", "post-treatment")]),
)
