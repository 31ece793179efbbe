"""Altering: how a rule changes one thing of a sentence, at a place drawn by chance."""

import random
import re
from collections.abc import Callable, Iterable

Rule = Callable[[str, random.Random], str]
"""A sentence and a source of chance in, the altered sentence out; "" where the rule finds nothing to alter."""

Swap = Callable[[re.Match[str], random.Random], str]


def replace_once(pattern: str, swap: Swap, flags: int = 0) -> Rule:
    """A change of one match, drawn by chance."""
    compiled = re.compile(pattern, flags)

    def change(sentence: str, chance: random.Random) -> str:
        matches = list(compiled.finditer(sentence))
        if not matches:
            return ""
        match = chance.choice(matches)
        return sentence[: match.start()] + swap(match, chance) + sentence[match.end() :]

    return change


def first_applicable(*rules: Rule) -> Rule:
    """The first of the rules, in an order drawn by chance, that finds something to alter."""

    def change(sentence: str, chance: random.Random) -> str:
        for rule in chance.sample(rules, len(rules)):
            if claim := rule(sentence, chance):
                return claim
        return ""

    return change


def exchange_words(pairs: Iterable[tuple[str, str]], before: str = "", behind: str = "") -> Rule:
    """A word or phrase for its partner, either way, the case of the first letter kept."""
    listed = list(pairs)
    table = {two: one for one, two in listed} | dict(listed)
    words = "|".join(sorted(map(re.escape, table), key=len, reverse=True))
    return replace_once(
        rf"{before}(?<![\w-])(?:{words})(?![\w-]){behind}",
        lambda match, _: match_case(match.group(), table[match.group().lower()]),
        re.IGNORECASE,
    )


def exchange_lone_words(pairs: Iterable[tuple[str, str]], before: str = "", behind: str = "") -> Rule:
    """As `exchange_words`, of pairs that a sentence does not have both of: "male to female" stays as it is."""
    listed = list(pairs)

    def change(sentence: str, chance: random.Random) -> str:
        lowered = sentence.lower()
        lone = [pair for pair in listed if sum(bool(_find_word(word, lowered)) for word in pair) == 1]
        return exchange_words(lone, before, behind)(sentence, chance) if lone else ""

    return change


def _find_word(word: str, lowered: str) -> re.Match[str] | None:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", lowered)


def match_case(before: str, word: str) -> str:
    """The word with a large first letter where it stands in the place of one that has it."""
    return word[:1].upper() + word[1:] if before[:1].isupper() and before[1:2].islower() else word


def change_number(digits: str, chance: random.Random) -> str:
    """The number with another value: one digit exchanged, twice or ten times as much; a year stays one."""
    if len(digits) == 4 and digits.startswith(("19", "20")):
        return change_last_digit(digits, chance)
    # 0.03 is never 5.03: a p-value stays below 1.
    first = 2 if digits.startswith("0.") else 0
    place = chance.choice([at for at, digit in enumerate(digits) if digit.isdigit() and at >= first])
    others = [digit for digit in "123456789" if digit != digits[place]]
    changed = digits[:place] + chance.choice(others) + digits[place + 1 :]
    if "." in digits or "," in digits or len(digits) > 4 or not int(digits):
        return changed
    return chance.choice([changed, str(2 * int(digits)), str(10 * int(digits))])


def change_last_digit(digits: str, chance: random.Random) -> str:
    """A number near the first: its last digit exchanged."""
    return digits[:-1] + chance.choice([digit for digit in "123456789" if digit != digits[-1]])
