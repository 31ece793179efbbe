"""Pseudonyms: "[NAME 1]" stands for a name while a text is elsewhere, and is replaced again in the reply."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

from wellsourced.deidentification import Identifier, IdentifierKind, detect_identifiers
from wellsourced.deidentification.identifiers import replace_identifiers

SEPARATOR = "\n\n␞\n\n"
"""Between texts that are looked at together, so that who is named in one is found in all."""

NUMBER_KINDS: frozenset[IdentifierKind] = frozenset({"phone", "email", "ssn", "record", "account", "device"})
"""Kinds that are the same words wherever they stand: one that is announced once is concealed everywhere."""

MIN_REPEATED_LENGTH = 5
"""Characters from which such words are looked for where nothing announces them."""

_KINDS = "|".join(kind.upper() for kind in get_args(IdentifierKind))
_PSEUDONYM = re.compile(rf"\[({_KINDS}) (\d{{1,5}})\]", re.IGNORECASE)


class Pseudonyms(NamedTuple):
    """What stands for what within one call.

    words   "[NAME 1]" → the words that it stands for, character for character
    kinds   how many different identifiers of each kind have one
    """

    words: Mapping[str, str] = {}
    kinds: Mapping[IdentifierKind, int] = {}

    def restore(self, text: str) -> str:
        """The text with the words in place of their pseudonyms; an unknown pseudonym stays."""
        return _PSEUDONYM.sub(lambda found: self.words.get(found.group().upper(), found.group()), text)

    def restore_json(self, text: str) -> str:
        """As `restore`, in JSON that may not be finished."""
        return _PSEUDONYM.sub(
            lambda found: json.dumps(self.words.get(found.group().upper(), found.group()), ensure_ascii=False)[1:-1],
            text,
        )

    def restore_value(self, value: Any) -> Any:
        """As `restore`, in every string of a JSON value."""
        if isinstance(value, str):
            return self.restore(value)
        if isinstance(value, list):
            return [self.restore_value(one) for one in value]
        if isinstance(value, dict):
            return {self.restore(key): self.restore_value(one) for key, one in value.items()}
        return value


NO_PSEUDONYMS = Pseudonyms()


class ConcealedTexts(NamedTuple):
    """Texts as they may be shown, and what stands in them for what."""

    texts: tuple[str, ...]
    pseudonyms: Pseudonyms = NO_PSEUDONYMS


def conceal_texts(texts: Sequence[str], avoid: str = "") -> ConcealedTexts:
    """Texts of one call with a pseudonym for each identifier, numbered by kind in order of appearance.

    The same words have the same pseudonym in all texts, other words have another, so that it can be turned back. The
    same texts give the same pseudonyms. `avoid` is what is shown beside them: its own brackets are not used again.
    """
    found = find_text_identifiers(texts)
    if not any(found):
        return ConcealedTexts(tuple(texts))
    taken = {one.group().upper() for text in (*texts, avoid) for one in _PSEUDONYM.finditer(text)}
    names = _PseudonymSeries(taken)
    concealed = tuple(
        replace_identifiers(text, spans, names.pseudonym) for text, spans in zip(texts, found, strict=True)
    )
    return ConcealedTexts(concealed, Pseudonyms({new: words for (_, words), new in names.given.items()}, names.kinds()))


def find_text_identifiers(texts: Sequence[str]) -> list[list[Identifier]]:
    """The identifiers of each text, in order, looked for in all texts together."""
    whole = SEPARATOR.join(texts)
    spans = _add_repetitions(whole, detect_identifiers(whole))
    parted: list[list[Identifier]] = []
    start, at = 0, 0
    for text in texts:
        end = start + len(text)
        inside = []
        while at < len(spans) and spans[at].start < end:
            one = spans[at]
            if one.end > start:
                inside.append(Identifier(one.kind, max(one.start, start) - start, min(one.end, end) - start))
            if one.end > end:
                break
            at += 1
        parted.append(inside)
        start = end + len(SEPARATOR)
    return parted


def count_kinds(found: Sequence[Identifier]) -> Counter[str]:
    """How many identifiers there are of each kind."""
    return Counter(one.kind for one in found)


def list_kinds(kinds: Mapping[Any, int]) -> str:
    """The kinds and their numbers in words: "date, name (2)"."""
    return ", ".join(f"{kind} ({count})" if count > 1 else str(kind) for kind, count in sorted(kinds.items()))


def _add_repetitions(whole: str, found: list[Identifier]) -> list[Identifier]:
    """With the places where a number stands again that was announced elsewhere."""
    numbers = {whole[one.start : one.end]: one.kind for one in found if one.kind in NUMBER_KINDS}
    numbers = {words: kind for words, kind in numbers.items() if len(words) >= MIN_REPEATED_LENGTH}
    if not numbers:
        return found
    again = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(numbers, key=len, reverse=True)))})(?!\w)")
    others = [Identifier(numbers[one.group()], *one.span()) for one in again.finditer(whole)]
    kept: list[Identifier] = []
    for one in sorted({*found, *others}, key=lambda each: (each.start, -each.end, each.kind)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


class _PseudonymSeries:
    def __init__(self, taken: set[str]) -> None:
        self.given: dict[tuple[IdentifierKind, str], str] = {}
        self._reserved_pseudonyms, self._last = taken, Counter[str]()

    def pseudonym(self, kind: IdentifierKind, words: str) -> str:
        if (kind, words) not in self.given:
            self.given[kind, words] = self._next(kind)
        return self.given[kind, words]

    def kinds(self) -> dict[IdentifierKind, int]:
        return dict(Counter(kind for kind, _ in self.given))

    def _next(self, kind: IdentifierKind) -> str:
        while True:
            self._last[kind] += 1
            new = f"[{kind.upper()} {self._last[kind]}]"
            if new not in self._reserved_pseudonyms:
                return new
