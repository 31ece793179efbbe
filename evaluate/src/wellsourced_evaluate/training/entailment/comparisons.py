"""What sentences of trials say about two arms and an outcome, and claims by template about it."""

import re
from random import Random
from typing import Literal, NamedTuple

Direction = Literal["more", "less", "same"]


class Comparison(NamedTuple):
    """What was found: of `outcome` there was more, less, or no significant difference with `one` than with `two`."""

    outcome: str
    direction: Direction
    one: str
    two: str


_UP = r"higher|greater|more|longer|larger|better|increased|elevated|improved"
_DOWN = r"lower|smaller|less|shorter|worse|fewer|decreased|reduced|diminished"
_PHRASE = r"[^,;.()]{2,70}?"
_SET_AGAINST = r"(?:than|compared with|compared to|versus|relative to|when compared with)"
_END = r"(?=$|[,;.(]|\s+(?:and|at|after|during|but|while|with)\b)"
_ARM_WORDS = re.compile(
    r"^(?:the|those|that|in|with|receiving|patients (?:receiving|in|with|treated with)|subjects in)\s+"
    r"|\s+(?:groups?|arms?|alone)$"
)
_HIGHER = re.compile(
    rf"^(?P<outcome>{_PHRASE}) (?:was|were|is|are) "
    rf"(?:statistically |significantly |markedly |substantially |also )*(?P<how>{_UP}|{_DOWN}) "
    rf"(?:in|for|with|among) (?P<one>{_PHRASE}) {_SET_AGAINST} (?P<two>{_PHRASE}){_END}",
    re.IGNORECASE,
)
_DID = re.compile(
    rf"^(?P<one>{_PHRASE}) (?:(?:also|significantly|markedly|was associated with|led to|resulted in|showed|had) )*"
    r"(?:an? )?(?:significantly |significant )?"
    r"(?P<how>increased?|reduced|decreased?|improved|lowered|raised|higher|lower|greater|reduction in|increase in) "
    rf"(?P<outcome>{_PHRASE}) {_SET_AGAINST} (?P<two>{_PHRASE}){_END}",
    re.IGNORECASE,
)
_SAME = re.compile(
    r"(?:^|: |that )(?:there (?:was|were) |we found )?no (?:statistically )?(?:significant )?differences? "
    r"(?:(?:was|were) (?:found|seen|observed) )?"
    rf"(?:in|of|for) (?P<outcome>{_PHRASE}) between (?P<one>{_PHRASE}) and (?P<two>{_PHRASE}){_END}",
    re.IGNORECASE,
)
_ALIKE = re.compile(
    rf"^(?P<outcome>{_PHRASE}) (?:did not (?:significantly )?differ(?: significantly)?"
    r"|(?:was|were) (?:not (?:significantly|statistically) different|similar|comparable)) "
    rf"(?:between|in|for) (?P<one>{_PHRASE}) and (?:in |for )?(?P<two>{_PHRASE}){_END}",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"\b(?:two|both|these|groups|they|it|we|this|either|other|significantly|modestly|there|that|showed|observed"
    r"|displayed|found|was|were|has|had|is|are|for|by|significant|differences?|compared)\b",
    re.IGNORECASE,
)
_EFFECT = re.compile(
    r"^(?:The )?(?:effects?|impact|influence|efficacy) of (?P<one>[^:;,.()]{3,60}?) (?:on|upon) "
    r"(?P<outcome>[^:;,.()]{3,70}?)(?: (?:in|among|after|during|of patients)\b.*|[:.].*)?$",
    re.IGNORECASE,
)


def _arm(words: str) -> str:
    for _ in range(3):
        words = _ARM_WORDS.sub("", words.strip())
    return words


def compared(sentence: str) -> Comparison | None:
    """What the sentence says about two arms, or None; only what these patterns are sure of."""
    for pattern in (_HIGHER, _DID, _SAME, _ALIKE):
        if not (match := pattern.search(sentence)):
            continue
        one, two, outcome = _arm(match["one"]), _arm(match["two"]), match["outcome"].strip()
        outcome = re.sub(r"^(?:the|a|an|that) ", "", outcome, flags=re.IGNORECASE)
        if (
            min(len(one), len(two), len(outcome)) < 3
            or _VAGUE.search(f"{one} {two} {outcome}")
            or one.lower() == two.lower()
        ):
            return None
        if re.search(r"\b(?:not|no|nor)\b", match[0]) and pattern in (_HIGHER, _DID):
            return None
        direction: Direction = "same" if pattern in (_SAME, _ALIKE) else "more"
        if direction == "more" and re.match(rf"{_DOWN}|lowered|reduc|decreas", match["how"], re.IGNORECASE):
            direction = "less"
        return Comparison(outcome, direction, one, two)
    return None


def studied(title: str, random: Random) -> Comparison | None:
    """The intervention and the outcome of a title "Effect of A on B", set against a usual comparator."""
    if match := _EFFECT.match(title):
        two = random.choice(["placebo", "control", "usual care", "no treatment", "standard care", "control group"])
        return Comparison(match["outcome"], "same", match["one"], two)
    return None


def turned(comparison: Comparison) -> Comparison:
    """The same finding told from the other arm."""
    other: dict[Direction, Direction] = {"more": "less", "less": "more", "same": "same"}
    return Comparison(comparison.outcome, other[comparison.direction], comparison.two, comparison.one)


def claim(comparison: Comparison, random: Random) -> str:
    """The comparison as a claim, in one of several wordings."""
    outcome, direction, one, two = comparison
    low = outcome if outcome[1:2].isupper() else outcome[0].lower() + outcome[1:]
    verb = {"more": ["increased", "raised", "increased"], "less": ["decreased", "reduced", "lowered"]}
    if direction == "same":
        ways = [
            f"Compared with {two}, {one} made no significant difference to {low}.",
            f"Compared with {two}, {one} had no significant effect on {low}.",
            f"{one} did not change {low} compared with {two}.",
            f"There was no significant difference in {low} between {one} and {two}.",
        ]
    else:
        did = random.choice(verb[direction])
        ways = [
            f"Compared with {two}, {one} significantly {did} {low}.",
            f"Compared with {two}, {one} significantly {did} {low}.",
            f"{one} {did} {low} compared with {two}.",
            f"{outcome} was {'higher' if direction == 'more' else 'lower'} with {one} than with {two}.",
        ]
    said = random.choice(ways)
    return said[0].upper() + said[1:]


def against(comparison: Comparison, random: Random) -> Comparison:
    """A finding that cannot be true together with this one."""
    others: list[Direction] = [d for d in ("more", "less", "same") if d != comparison.direction]
    return comparison._replace(direction=random.choice(others))


def _numbers(direction: Direction, random: Random) -> tuple[str, str, str]:
    """Two values with a common unit in the direction given, and a p-value that fits."""
    base = random.uniform(1, 100)
    ratio = random.uniform(1.15, 2.5) if direction != "same" else random.uniform(1.0, 1.12)
    high, low = base * ratio, base
    one, two = (high, low) if direction == "more" or (direction == "same" and random.random() < 0.5) else (low, high)
    places = random.choice([0, 1, 1, 2])
    unit = random.choice(["", "", "%", "%", " mg/dL", " mmHg", " days", " mmol/L", " points"])
    small = random.choice(["P < 0.001", "p = 0.02", "P = .003", "p<0.05", "P=0.01", "p < 0.0001", "P = 0.046"])
    large = random.choice(["P = 0.34", "p = 0.57", "NS", "p > 0.05", "P=0.8", "p = .12", "not significant", "P = 0.21"])
    return f"{one:.{places}f}{unit}", f"{two:.{places}f}{unit}", large if direction == "same" else small


def _ratio(direction: Direction, random: Random) -> str:
    """A ratio with an interval that holds 1 only where nothing differs."""
    middle = {"more": random.uniform(1.3, 3.0), "less": random.uniform(0.3, 0.8), "same": random.uniform(0.9, 1.12)}[
        direction
    ]
    low, high = {"more": (1.05, middle * 1.6), "less": (middle * 0.6, 0.96), "same": (middle * 0.7, middle * 1.4)}[
        direction
    ]
    name = random.choice(["odds ratio", "OR", "relative risk", "RR", "hazard ratio", "HR", "adjusted OR"])
    return f"{name} {middle:.2f}, 95% CI {low:.2f}{random.choice(['-', ' to ', '–'])}{high:.2f}"


def reported(comparison: Comparison, random: Random) -> str:
    """The comparison as an article reports it, with numbers drawn at random that fit."""
    outcome, direction, one, two = comparison
    x, y, p = _numbers(direction, random)
    group = random.choice(["{} group", "{} arm", "{} group", "{}"])
    a, b = (group.format(one), group.format(two))
    how = {
        "more": ["higher", "greater", "increased"],
        "less": ["lower", "smaller", "reduced"],
        "same": ["not significantly different"],
    }[direction]
    word = random.choice(how)
    did = {"more": "increased", "less": "decreased", "same": "did not change"}[direction]
    change = f"{did} {outcome}" if direction != "same" else f"did not significantly change {outcome}"
    link = f"in the {a} than in the {b}" if direction != "same" else f"in the {a} and the {b}"
    ways = [
        f"{outcome} was {x} in the {a} and {y} in the {b} ({p}).",
        f"{outcome} was {x} in the {a} versus {y} in the {b} ({p}).",
        f"Mean {outcome} in the {a} was {x}, compared with {y} in the {b}; {p}.",
        f"{outcome} was {word} {link} ({x} vs. {y}, {p}).",
        f"{outcome} was {word} {link} ({p}).",
        f"{one} {change} compared with {two} ({x} versus {y}; {p}).",
        f"{outcome}: {x} ({one}) vs {y} ({two}), {p}.",
        f"For {outcome}, the {a} had {x} and the {b} had {y} ({p}).",
    ]
    if direction == "same":
        ways += [f"There was no significant difference in {outcome} between the {a} and the {b} ({x} vs {y}, {p})."] * 2
        ways += [f"{outcome} did not differ between groups ({p})."]
    if not re.search(r"level|score|time|length|pressure|dose|mean|duration|concentration", outcome):
        ways += [f"{one} versus {two}: {_ratio(direction, random)} for {outcome}."]
    said = random.choice(ways)
    return said[0].upper() + said[1:]
