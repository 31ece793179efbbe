"""What a question names that an answer has to speak of: a drug, a population, a route, an edition.

A guideline is near every question on its disease. Whether it answers one hangs on words that it lacks: the dose of
another drug, or of the same drug in adults, is no answer.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.claims.guard.entities import is_disease_name, is_entity_name
from wellsourced.clinical.asked_quantities import detect_asked_quantities
from wellsourced.clinical.drugs import list_class_expressions
from wellsourced.clinical.word_forms import known_abbreviations, word_beginnings
from wellsourced.text.tables import read_rows
from wellsourced.types import Question

_WORD = re.compile(r"[^\W\d_][\w'-]+")
_CHILD_AGE = re.compile(r"\b(?:\d{1,2}[- ](?:day|week|month)s?|(?:1[0-7]|\d)[- ]years?)[- ]old\b", re.IGNORECASE)
_EDITION = re.compile(
    r"\b(?:(?:19|20)\d\d)\b(?=[^?.]{0,60}\b(?:guid|edition|update|recommendation|consensus|standards))"
)
_PURPOSE = re.compile(
    r"\bfor (?!how\b|the first|me\b|what\b)(?P<what>[\w' -]{4,60}?)"
    r"(?=$|[?.,:;()]| (?:in|with|and|or|before|after|at|on|is|if)\b)"
)
_ALTERNATIVES = re.compile(r"\bor\b|\bversus\b|\bvs\b|\bthan\b|\bcompar", re.IGNORECASE)

_PARTS_OF_NAMES = frozenset({"coli"})
_MEASURES = frozenset({"eGFR", "GFR", "CrCl", "BP", "SBP", "LVEF", "EF", "BMI", "HR"})
_ACID = re.compile(r"\b[a-z]{4,}ic acid\b", re.IGNORECASE)

NAME_LENGTH = 7
"""Letters by which a name is known in another form: "osteoporosis", "osteoporotic"."""


class AskedTerm(NamedTuple):
    """Something that is named.

    name      as it is told to a reader
    kind      "name", "condition", "population", "route", "property", "analyte", "qualifier" or "edition"
    pattern   how a text speaks of it
    wider     how a text speaks of the classes that a drug belongs to
    """

    name: str
    kind: str
    pattern: re.Pattern[str]
    wider: re.Pattern[str] | None = None

    def is_in(self, text: str) -> bool:
        """Whether a text speaks of it."""
        return self.pattern.search(text) is not None

    def is_covered_by(self, text: str) -> bool:
        """Whether a text speaks of it or of its class."""
        return self.is_in(text) or (self.wider is not None and self.wider.search(text) is not None)


class _TermRow(NamedTuple):
    kind: str
    name: str
    asked: re.Pattern[str]
    said: re.Pattern[str]


@cache
def _load_rows() -> tuple[_TermRow, ...]:
    return tuple(
        _TermRow(kind, name, re.compile(asked, re.IGNORECASE), re.compile(said, re.IGNORECASE))
        for kind, name, asked, said in read_rows("wellsourced.claims", "asked_terms.tsv")
    )


def find_asked_terms(question: Question) -> tuple[AskedTerm, ...]:
    """What the question names, each once."""
    text = question.text
    found = [AskedTerm(row.name, row.kind, row.said) for row in _load_rows() if row.asked.search(text)]
    if _CHILD_AGE.search(text):
        found += [AskedTerm(row.name, row.kind, row.said) for row in _load_rows() if row.name == "children"]
    found += [*_find_names(question), *_find_acids(text), *_find_purposes(text)]
    found += [AskedTerm(year[0], "edition", re.compile(year[0])) for year in _EDITION.finditer(text)]
    return tuple({term.name.casefold(): term for term in reversed(found)}.values())[::-1]


def _find_names(question: Question) -> Iterator[AskedTerm]:
    """Drugs, germs, procedures and diseases, as the question names them, or as it is understood.

    What is said of a class is said of its drugs, but for figures: a dose is of one drug.
    """
    asks_figure = bool(detect_asked_quantities(question.text))
    meant = {one.said.casefold(): one.meant for one in question.expansions}
    for match in _WORD.finditer(question.text):
        word = match[0]
        if word in _MEASURES:
            continue
        if long := known_abbreviations().get(word):
            yield AskedTerm(word, "condition", _pattern_of_any([word], _words_in_order(long)))
        elif word.endswith("therapy") or word.isupper() or word in _PARTS_OF_NAMES:
            continue
        elif is_entity_name(word):
            forms = [word, *filter(None, [meant.get(word.casefold())])]
            classes = [] if asks_figure else list_class_expressions(word)
            wider = re.compile("|".join(classes), re.IGNORECASE) if classes else None
            yield AskedTerm(word, "name", _pattern_of_any(forms), wider)
        elif is_disease_name(word):
            yield AskedTerm(word, "condition", re.compile(rf"\b{re.escape(_americanize(word)[:NAME_LENGTH])}", re.I))


def _find_acids(question: str) -> Iterator[AskedTerm]:
    """Drugs that are called acids: "bempedoic acid"."""
    for match in _ACID.finditer(question):
        yield AskedTerm(match[0], "name", _pattern_of_any([match[0]]))


def _find_purposes(question: str) -> Iterator[AskedTerm]:
    """What something is asked for ("for anaphylaxis"): a text has to have one of its telling words."""
    for match in _PURPOSE.finditer(question):
        words = word_beginnings(match["what"])
        shorts = [short for short, long in known_abbreviations().items() if words.intersection(word_beginnings(long))]
        if words:
            forms = "|".join(sorted(map(re.escape, words)))
            yield AskedTerm(match["what"].strip(), "condition", _pattern_of_any(shorts, rf"\b(?:{forms})"))


def _pattern_of_any(names: Sequence[str], *expressions: str) -> re.Pattern[str]:
    told = [rf"\b{re.escape(name)}" for name in names]
    return re.compile("|".join((*told, *expressions)), re.IGNORECASE)


def _words_in_order(long: str) -> str:
    """The words of a long form as far as their endings do not matter, a word at most between them."""
    return r"\b" + r"\w*\W+(?:\w+\W+)?".join(re.escape(word[:NAME_LENGTH]) for word in re.findall(r"\w+", long))


def _americanize(word: str) -> str:
    return word.lower().replace("aemi", "emi").replace("oede", "ede")


def asks_of_alternatives(question: str) -> bool:
    """Whether it names several things to choose among, which need not all stand in one place."""
    return _ALTERNATIVES.search(question) is not None


def list_missing_terms(terms: Sequence[AskedTerm], text: str) -> list[AskedTerm]:
    """Those that a text does not speak of."""
    return [term for term in terms if not term.is_covered_by(text)]
