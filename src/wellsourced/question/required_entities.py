"""What a question names that an answer has to speak of: a drug, a population, a route, an edition.

A guideline is near every question on its disease. Whether it answers one hangs on words that it lacks: the dose of
another drug, or of the same drug in adults, is no answer.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine import word_forms
from wellsourced.medicine.conditions import extract_conditions, list_wider_expressions
from wellsourced.medicine.drugs import known_drug_words, list_class_expressions
from wellsourced.medicine.measurements import ADULT_AGE, extract_age
from wellsourced.medicine.name_forms import compile_disease, is_disease_name, is_entity_name, is_listed_disease
from wellsourced.medicine.names import find_names, list_names
from wellsourced.question import word_rarity
from wellsourced.question.requested_quantity import detect_requested_quantities
from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import content_stems, tokenize
from wellsourced.types import Expansion, Question

_WORD = lazy_regex(r"[^\W\d_][\w'-]+")
_EDITION = lazy_regex(
    r"\b(?:(?:19|20)\d\d)\b(?=[^?.]{0,60}\b(?:guid|edition|update|recommendation|consensus|standards))"
)
_PURPOSE = lazy_regex(
    r"(?<!waiting )(?<!wait )\bfor (?!how\b|the first|me\b|what\b)(?P<what>[\w' -]{4,60}?)"
    r"(?=$|[?.,:;()]| (?:in|with|and|or|before|after|at|on|is|if)\b)"
)
_DISEASE_WORD = lazy_regex(
    r"(?:axis|shock|arrest|failure|syndrome|disease|disorder|infection|injur(?:y|ies)|fractures?|ulcers?|flares?|attacks?"
    r"|seizures?|bleeding|bleeds?|exacerbations?|withdrawal|poisoning|overdose|stones?|clots?)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[?!])\s+|(?<=[^\W_]{2}\.)\s+|(?<=\d\.)\s+(?=[A-Z])|\n+")
"""Where a sentence ends, whether the next one begins with a capital or not: who asks in haste writes few."""

_BARE_EVENTS = frozenset(
    one for word in ("attack", "flare", "bleed", "episode", "event") for one in word_rarity.word_beginnings(word)
)
"""What "the attack" is of, the question says elsewhere."""

_WANTED = lazy_regex(
    r"\b(?:wants?|wanted|asks? (?:for|about)|asking (?:for|about)|(?:only|just) (?:has|have|got)|go(?:es)? on"
    r"|(?:put|start) (?:him|her|them) on|start(?:ed|ing)|add(?:ed|ing)|considering|thinking of|suggest(?:s|ed|ing)"
    r"|switch(?:ed|ing)? to|offer(?:s|ed|ing)|propos(?:es|ed|ing)|prescrib(?:es|ed|ing))\b(?P<what>[^.;?!]*)",
    re.IGNORECASE,
)
"""What somebody wants, before it is asked how much of it."""


_NOT_NAMES = ("coli", "surgery", "post-", "pre-", "peri-")
"""How words begin that are like names: a part of one, an operation that has many, and what only says when."""

_MEASURES = frozenset({"eGFR", "GFR", "CrCl", "BP", "SBP", "LVEF", "EF", "BMI", "HR"})
_ACID = lazy_regex(r"\b[a-z]{4,}ic acid\b", re.IGNORECASE)

MEANT_KINDS = frozenset({"name", "condition"})
"""Kinds of terms that other words may stand for."""


MIN_ASKING_STEMS = 2
"""Content words from which sentences that ask say what is asked about."""

MIN_TELLING_WORDS = 4
"""Telling words from which they do without the sentence before them: "Starting dose?" does not."""

NAME_LENGTH = 7
"""Letters by which a name is known in another form: "osteoporosis", "osteoporotic"."""


class RequiredEntity(NamedTuple):
    """Something that is named.

    name      as it is told to a reader
    kind      "name", "condition", "population", "setting", "site", "route", "test", "property", "analyte", "qualifier",
              "circumstance" or "edition"
    pattern   how a text speaks of it, or of the class that it belongs to
    """

    name: str
    kind: str
    pattern: re.Pattern[str]

    def is_covered_by(self, text: str) -> bool:
        """Whether a text speaks of it or of its class."""
        return self.pattern.search(text) is not None


@cache
def _load_rows() -> tuple[tuple[RequiredEntity, re.Pattern[str]], ...]:
    """The terms of the table, each with how a question asks for it."""
    return tuple(
        (RequiredEntity(name, kind, lazy_regex(said, re.IGNORECASE)), lazy_regex(asked, re.IGNORECASE))
        for kind, name, asked, said in read_rows("wellsourced.question", "required_entities.tsv")
    )


def find_required_entities(question: Question) -> tuple[RequiredEntity, ...]:
    """What the question names, each once.

    What stands in a story before what is asked ("Neither naltrexone nor acamprosate suited him. Which …?") says of
    whom it is asked, not what an answer has to speak of: only people are taken from it, and its diseases where what
    asks names none ("Severe pre-eclampsia at 33 weeks. Which dose of magnesium?"), of which one has to stand.
    """
    return _find_entities(question.text, question.expansions)


@lru_cache(maxsize=64)
def _find_entities(whole: str, expansions: tuple[Expansion, ...]) -> tuple[RequiredEntity, ...]:
    text = find_asking_part(whole)
    found = [term for term, asked in _load_rows() if asked.search(whole if term.kind == "population" else text)]
    age = extract_age(whole)
    if age is not None and age < ADULT_AGE:
        found += list_populations({"children"})
    found += _find_names(whole, text, expansions)
    # Drugs that are called acids: "bempedoic acid".
    found += [RequiredEntity(match[0], "name", _compile(_begins(match[0]))) for match in _ACID.finditer(text)]
    found += _find_purposes(text, expansions)
    if not any(term.kind == "condition" for term in found):
        found += _find_story_diseases(whole)
    found += [RequiredEntity(year[0], "edition", re.compile(year[0])) for year in _EDITION.finditer(text)]
    if text == whole and len(_SENTENCE_END.split(text)) > 1:
        found = _join_conditions(found)
    found = [_add_meanings(term, expansions) for term in found]
    return tuple({term.name.casefold(): term for term in reversed(found)}.values())[::-1]


def list_populations(names: Collection[str]) -> list[RequiredEntity]:
    """The populations of these names: "children", "pregnancy"."""
    return [term for term, _ in _load_rows() if term.kind == "population" and term.name in names]


def _join_conditions(terms: Sequence[RequiredEntity]) -> list[RequiredEntity]:
    """The terms with all diseases as one, since a story tells more of them than it asks about."""
    diseases = [term for term in terms if term.kind == "condition"]
    if len(diseases) < 2:
        return list(terms)
    joined = diseases[0]._replace(pattern=_compile(*(term.pattern.pattern for term in diseases)))
    return [*(term for term in terms if term.kind != "condition"), joined]


def _add_meanings(term: RequiredEntity, expansions: Sequence[Expansion]) -> RequiredEntity:
    """A name or a disease that may also be put as it is understood, or by another of its names: "CSF rhinorrhoea", a
    cerebrospinal fluid leak; "tPA", alteplase."""
    if term.kind not in MEANT_KINDS:
        return term
    meanings = [one.meant for one in expansions if term.name.casefold() in tokenize(one.said)]
    meanings += (other for one in find_names(term.name) if one.words == term.name for other in list_names(one))
    others = [
        _words_in_order(one) if len(one) > NAME_LENGTH and len(tokenize(one)) > 1 else _express_abbreviation(one)
        for one in meanings
    ]
    return term._replace(pattern=_compile(term.pattern.pattern, *others)) if others else term


def find_asking_part(question: str) -> str:
    """From the first sentence that asks on; all of it where none does, or hardly anything is asked ("What now?").

    Where that tells little ("Starting dose?"), with what the sentence before says is wanted: "She asks for nadolol."
    """
    sentences = _SENTENCE_END.split(question)
    first = next((number for number, one in enumerate(sentences) if one.rstrip().endswith("?")), 0)
    asking = " ".join(sentences[first:])
    names_drug = any(word.lower() in known_drug_words() for word in _WORD.findall(asking))
    tells_little = len(word_rarity.word_beginnings(asking)) < MIN_TELLING_WORDS and not names_drug
    if first and tells_little and (wanted := _WANTED.search(sentences[first - 1])):
        return f"{wanted['what'].strip()} {asking}"
    return asking if len(content_stems(asking)) >= MIN_ASKING_STEMS else question


def _find_names(question: str, text: str, expansions: Sequence[Expansion]) -> Iterator[RequiredEntity]:
    """Drugs, germs, procedures and diseases in a text, as the question names them, or as it is understood.

    What is said of a class is said of its drugs, but for the dose of one: each is of one drug. Of several, all but one
    are around it ("a bleed on warfarin: how many units of Octaplex?").
    """
    words = [match[0] for match in _WORD.finditer(text)]
    asking = " ".join(one for one in _SENTENCE_END.split(question) if one.rstrip().endswith("?"))
    asks_dose = any(one.name == "dose" for one in detect_requested_quantities(asking or question))
    is_strict = asks_dose and sum(word.lower() in known_drug_words() for word in words) < 2
    meant = {one.said.casefold(): one.meant for one in expansions}
    for word in words:
        if word in _MEASURES:
            continue
        if is_listed_disease(word):
            yield from _name_disease(word)
        elif long := word_forms.read_abbreviation(word, question):
            expressions = [*map(_express_abbreviation, word_forms.list_abbreviations(long)), _words_in_order(long)]
            yield RequiredEntity(word, "condition", _compile(*expressions))
        elif word.endswith("therapy") or word.removesuffix("s").isupper() or word.lower().startswith(_NOT_NAMES):
            continue
        elif is_entity_name(word) or word.lower() in known_drug_words():
            forms = [word, *filter(None, [meant.get(word.casefold())])]
            classes = [] if is_strict else [one for form in forms for one in list_class_expressions(form)]
            yield RequiredEntity(word, "name", _compile(*map(_begins, forms), *classes, *list_wider_expressions(word)))
        elif is_disease_name(word):
            yield _name_by_ending(word)


def _name_disease(word: str) -> Iterator[RequiredEntity]:
    """The term of a disease whose name is listed, unless the table has it in more ways."""
    if not _is_in_table(word):
        yield RequiredEntity(word, "condition", _compile(compile_disease(word).pattern, *_list_shorts_of(word)))


def _is_in_table(text: str) -> bool:
    return any(term.kind == "condition" and asked.search(text) for term, asked in _load_rows())


def _list_shorts_of(word: str) -> list[str]:
    """Expressions for the abbreviations in whose long form a word stands: "DKA" of ketoacidosis."""
    return [
        rf"\b{one}\b" for one, long in word_forms.known_abbreviations().items() if word.lower() in long.lower().split()
    ]


def _find_story_diseases(text: str) -> Iterator[RequiredEntity]:
    """The diseases of a whole question as one term: a text has to speak of one of them."""
    found = [term for word in _WORD.findall(text) if is_listed_disease(word) for term in _name_disease(word)]
    found += [_name_by_ending(word) for word in _WORD.findall(text) if is_disease_name(word)]
    if found and not _is_in_table(text):
        names = [term.pattern.pattern for term in found]
        wider = [expression for term in found for expression in list_wider_expressions(term.name)]
        yield RequiredEntity(found[0].name, "condition", _compile(*names, *wider))


def _name_by_ending(word: str) -> RequiredEntity:
    """The term of a disease that is told by its ending, which changes: "cirrhosis", "cirrhotic"; no root is cut, since
    bronchiolitis is no bronchitis."""
    name = word.lower().replace("aemi", "emi").replace("oede", "ede")
    length = len(name) - 3 if name.endswith(("osis", "oses")) else max(NAME_LENGTH, len(name.removesuffix("itis")))
    return RequiredEntity(word, "condition", _compile(_begins(name[:length]), *_list_shorts_of(word)))


def _find_purposes(question: str, expansions: Sequence[Expansion]) -> Iterator[RequiredEntity]:
    """What disease something is asked for ("for anaphylaxis"): a text has to have one of its telling words.

    expansions   what words of it are understood as: "a clot on the lung"
    """
    for match in _PURPOSE.finditer(word_forms.write_out_abbreviations(question)):
        if not _names_disease(match["what"]):
            continue
        meant = [one.meant for one in expansions if one.said in match["what"]]
        words = word_rarity.word_beginnings("\n".join((match["what"], *meant))) - _BARE_EVENTS
        shorts = [
            short
            for short, senses in word_forms.load_senses().items()
            if any(words.intersection(word_rarity.word_beginnings(one.meaning)) for one in senses)
        ]
        if words:
            forms = "|".join(sorted(map(re.escape, words)))
            expressions = (*map(_express_abbreviation, shorts), rf"\b(?:{forms})")
            yield RequiredEntity(match["what"].strip(), "condition", _compile(*expressions))


def _names_disease(words: str) -> bool:
    return bool(_DISEASE_WORD.search(words) or extract_conditions(words)) or any(
        is_disease_name(word) or word in word_forms.known_abbreviations() for word in _WORD.findall(words)
    )


def _compile(*expressions: str) -> re.Pattern[str]:
    return re.compile("|".join(expressions), re.IGNORECASE)


def _begins(name: str) -> str:
    return rf"\b{re.escape(name)}"


def _express_abbreviation(short: str) -> str:
    """An abbreviation: one of capitals alone only in these, since "AF" is not the beginning of "after"."""
    return f"(?-i:{_begins(short)})" if short.isalpha() and short.isupper() else _begins(short)


def _words_in_order(long: str) -> str:
    """The words of a long form as far as their endings do not matter, a word at most between them."""
    words = (re.escape(word[:NAME_LENGTH]) for word in re.findall(r"\w+", long))
    return r"\b" + r"\w*\W+(?:\w+\W+)?".join("(?:pulmona|lung)" if word == "pulmona" else word for word in words)


def list_missing_terms(terms: Sequence[RequiredEntity], text: str) -> list[RequiredEntity]:
    """Those that a text does not speak of."""
    return [term for term in terms if not term.is_covered_by(text)]
