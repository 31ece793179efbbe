"""Questions of strangers on the guideline digests, and which units answer them.

The cases of evaluate/data/clinical_cases say what decides as expressions; here these are held against the units. What
answers are the units that match; what stands in the same section helps. A case that matches none is left out.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.pipeline.read.guideline_sections import MAX_SECTION_LENGTH, build_section_passage
from wellsourced.readers.guidelines import load_digests, read_guidelines
from wellsourced.text.passages import cut_index_passages, words_under_title
from wellsourced.text.quotable_spans import find_quotable_spans
from wellsourced.types import Document, Passage
from wellsourced_evaluate.development_data import find_data, read_rows

CASE_FILES = (
    *(f"questions_blind_{number}" for number in range(1, 9)),
    "facts", "questions_near", "near_misses", "yes_no", "yes_no_particulars",
)  # fmt: skip

MAX_UNITS = 6
"""Units that have the deciding words, and others of their sections that have facts, at most of each."""

MAX_HELPS = 8

MIN_WORDS_OF_QUOTE = 0.7
"""Share of the words of a quote that a unit has which says the same in another layout."""


class DigestUnit(NamedTuple):
    """A unit of a digest.

    text, own   its words, with what it stands under and alone
    ranked      its words under the titles above it
    """

    guideline: str
    section: str
    text: str
    own: str
    ranked: str


class LabelledQuestion(NamedTuple):
    """A question, the units that answer it and those that help, as places; nothing answers a near miss."""

    question: str
    guideline: str
    answers: tuple[int, ...] = ()
    helps: tuple[int, ...] = ()


def list_digest_units() -> list[DigestUnit]:
    """The units of all digests, as they are read for an answer."""
    names = {entry.doi: id for id, entry in load_digests().entries.items()}
    found = []
    for document in read_guidelines():
        guideline = next(name for doi, name in names.items() if doi in document.reference.id)
        for passage in _list_sections(document):
            for unit in find_quotable_spans(passage):
                ranked = words_under_title(passage, _drop_heading(passage, unit.text))
                found.append(DigestUnit(guideline, passage.section, unit.text, unit.own_text, ranked))
    return found


def _drop_heading(passage: Passage, words: str) -> str:
    """Words of a passage without the heading that they stand under: its path says it already."""
    return words.removeprefix(f"{passage.section.rpartition(' › ')[2]}: ")


def _list_sections(document: Document) -> list[Passage]:
    """Its short sections, and passages of its long ones."""
    found: dict[str, Passage] = {}
    for passage in cut_index_passages(document):
        short = (
            one
            for one in document.sections
            if one.start <= passage.start and passage.end <= one.end and one.end - one.start <= MAX_SECTION_LENGTH
        )
        section = next(short, None)
        whole = build_section_passage(passage, section, document) if section else passage
        found.setdefault(whole.id, whole)
    return list(found.values())


def label_cases(units: Sequence[DigestUnit], folder: Path | None = None) -> Iterator[LabelledQuestion]:
    """The cases of every file, those of evaluate/data where no other folder is named."""
    folder = folder or find_data("clinical_cases")
    of_guideline = defaultdict(list)
    for place, unit in enumerate(units):
        of_guideline[unit.guideline].append(place)
    for name in CASE_FILES:
        for row in read_rows(folder / f"{name}.jsonl"):
            guideline = row.get("guideline", "")
            if row.get("missing") or row.get("answerable") is False:
                yield LabelledQuestion(row["question"], guideline)
                continue
            answers, helps = _label_units(row, units, of_guideline[guideline])
            if answers:
                yield LabelledQuestion(row["question"], guideline, answers, helps)


def _label_units(
    row: Mapping[str, Any], units: Sequence[DigestUnit], places: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which of a guideline's units answer and which help; nothing where the case does not say what decides."""
    quote = row.get("quote") or (row.get("near") if row.get("expected") else "") or ""
    lead = row.get("lead") or _match_loosely(quote)
    facts = [one["pattern"] for one in row.get("facts", ())]
    deciding = [place for place in places if lead and re.search(lead, units[place].text, re.IGNORECASE)]
    deciding = deciding or _find_restated(quote, units, places)
    if deciding:
        sections = {units[place].section for place in deciding}
        near = [place for place in places if units[place].section in sections]
        with_facts = [place for place in near if _count_matches(facts, units[place].own)]
    else:
        near, with_facts = [], []
        deciding = _find_most_facts(facts, units, places)
    more = [place for place in with_facts if place not in deciding][:MAX_UNITS]
    answers = (*deciding[:MAX_UNITS], *more)
    return answers, tuple(place for place in near if place not in answers)[:MAX_HELPS]


def _match_loosely(quote: str) -> str:
    """An expression for words of a digest without its marks of layout."""
    return r"[\s|*]+".join(re.escape(word) for word in re.sub(r"[*|]", " ", quote).split())


def _count_matches(patterns: Sequence[str], text: str) -> int:
    return sum(re.search(one, text, re.IGNORECASE) is not None for one in patterns)


def _find_restated(quote: str, units: Sequence[DigestUnit], places: Sequence[int]) -> list[int]:
    """The unit that has most words of a quote, if it has nearly all."""
    wanted = set(re.findall(r"\w+", quote.lower()))
    if not wanted or not places:
        return []
    shares = {place: len(wanted & set(re.findall(r"\w+", units[place].text.lower()))) / len(wanted) for place in places}
    best = max(places, key=shares.__getitem__)
    return [best] if shares[best] >= MIN_WORDS_OF_QUOTE else []


def _find_most_facts(facts: Sequence[str], units: Sequence[DigestUnit], places: Sequence[int]) -> list[int]:
    """The units with most of the facts, if they have half of them."""
    counts = {place: _count_matches(facts, units[place].text) for place in places}
    most = max(counts.values(), default=0)
    if not facts or 2 * most < len(facts):
        return []
    return [place for place in places if counts[place] == most][:4]
