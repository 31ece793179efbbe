"""Which units are said, and in which order: whole sections of guidelines, single units of everything else."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from wellsourced.claims.required_entities import RequiredEntity
from wellsourced.medicine.word_forms import word_beginnings
from wellsourced.text.passages import SEPARATOR, branch_below, is_below, last_heading, text_under_titles
from wellsourced.text.quotable_spans import QuotableSpan, find_heading, join_units
from wellsourced.text.sentences import Span
from wellsourced.text.tokens import content_stems
from wellsourced.types import Passage

MAX_OVERLAP = 0.6
"""Share of common content stems from which two units say the same and the better one stays."""

MAX_COMMON_STEMS = 0.9
"""The same share for units of guidelines, where two sentences may differ by a drug or an age alone."""

MAX_SHORT_SECTION_WORDS = 80
"""Words of a section up to which all of it is said."""

MAX_ANSWER_WORDS = 220
"""Words of an answer in the sources' own sentences."""

MIN_SECTION_SHARE = 0.72
"""Share of the best section's score from which another is shown too."""

MAX_STATEMENT_WORDS = 70
"""Words of a section that are one statement; where more is said, its prose, its lists and its tables are one each."""

MIN_ANSWER_WORDS = 100
"""Words below which an answer is short, and takes in a section that is a little further off."""

MIN_SECTION_SHARE_OF_SHORT = 0.55
"""The same share while the answer is short."""

COMPLETE_COVERAGE = 0.85
"""Share of the question's telling words from which the best section answers it by itself."""

MIN_SECTION_SHARE_OF_COMPLETE = 0.85
"""The same share beside a section that does."""

MIN_SECTION_SHARE_OF_SIBLING = 0.6
"""The same share, however long the answer is, of a section under the same heading: they answer together."""

MIN_UNIT_SHARE = 0.4
"""Share of its section's best unit from which a unit is shown with it."""


class QuoteCandidate(NamedTuple):
    """A unit that may be said, and how well it would serve.

    parts       the units that it was joined of
    likeness    probability that the unit, under its title, bears on the question
    relevance   probability that its passage does
    answers     probability that it answers, or belongs to the answer, as expected questions say; 0: none does
    expected    those questions: they name what it is about in words that it may not have
    is_beside   whether it belongs beside the answer, and is none of it
    near_miss   probability that what is asked is one of the questions that no guideline answers, as is known
    """

    unit: QuotableSpan
    passage: Passage
    score: float
    parts: tuple[QuotableSpan, ...] = ()
    likeness: float = 1.0
    relevance: float = 1.0
    answers: float = 0.0
    expected: tuple[str, ...] = ()
    is_beside: bool = False
    near_miss: float = 0.0


class SectionCandidate(NamedTuple):
    """A section of a guideline, or a unit of anything else, with its units that may be said, best first."""

    path: str
    units: tuple[QuoteCandidate, ...]

    @property
    def score(self) -> float:
        """The best unit counts most, and the next two how far the section goes on about it."""
        best = [choice.score for choice in self.units[:3]]
        return 0.7 * best[0] + 0.3 * sum(best) / len(best)

    @property
    def passage(self) -> Passage:
        """The passage of its best unit."""
        return self.units[0].passage


def group_sections(choices: Sequence[QuoteCandidate]) -> list[SectionCandidate]:
    """The sections of what may be said, best first."""
    sections: dict[tuple[str, str], list[QuoteCandidate]] = defaultdict(list)
    for number, choice in enumerate(choices):
        path = choice.passage.section if choice.passage.reference.kind == "guideline" else str(number)
        sections[choice.passage.reference.id, path].append(choice)
    found = [SectionCandidate(path, tuple(units)) for (_, path), units in sections.items()]
    return sorted(found, key=lambda section: -section.score)


def choose_sections(
    choices: Sequence[QuoteCandidate],
    limit: int,
    chapter: str = "",
    names: Sequence[RequiredEntity] = (),
    wordings: Sequence[frozenset[str]] = (),
    is_whole: bool = False,
) -> list[QuoteCandidate]:
    """Whole sections, best first, as far as the words reach; of what says the same twice, the better one.

    The best unit of the best section comes first, since it answers; the others follow as they stand in their section.

    names     what the question names
    wordings  the telling words of each wording of the question: beside a section that has them, less else is said
    chapter   path of a chapter that as a whole answers: each of its parts is opened before any is gone into
    is_whole  nothing of a section is left out, however little it is like the question: its reader finds the answer
    """
    ranked = group_sections(choices)
    answer = GrowingAnswer()
    for opener in list_openers(ranked, chapter) if chapter else ():
        answer.add([opener])
    is_outlined = bool(answer.chosen)
    for section in ranked:
        least = MIN_SECTION_SHARE if answer.words >= MIN_ANSWER_WORDS else MIN_SECTION_SHARE_OF_SHORT
        if not chapter and answer.chosen and section.path != ranked[0].path and _covers(ranked[0], wordings):
            least = MIN_SECTION_SHARE_OF_COMPLETE
        if answer.chosen and section.score < least * ranked[0].score:
            if section.score < MIN_SECTION_SHARE_OF_SIBLING * ranked[0].score:
                break
            if not _are_siblings(ranked[0], section):
                continue
        if not is_outlined or is_below(section.path, chapter):
            answer.add(section.units if is_whole else _select_units(section, names))
    return join_neighbours(answer.chosen)[:limit]


def _are_siblings(one: SectionCandidate, other: SectionCandidate) -> bool:
    """Whether two sections of a guideline stand under one heading below its title."""
    parent = one.path.rpartition(SEPARATOR)[0]
    is_of_same = one.passage.reference.id == other.passage.reference.id
    return is_of_same and SEPARATOR in parent and parent == other.path.rpartition(SEPARATOR)[0]


def _covers(section: SectionCandidate, wordings: Sequence[frozenset[str]]) -> bool:
    """Whether a guideline's section has, with its heading, nearly all telling words of a wording of the question."""
    if section.passage.reference.kind != "guideline":
        return False
    said = word_beginnings(" ".join((last_heading(section.path), *(one.unit.text for one in section.units))))
    return any(len(words & said) >= COMPLETE_COVERAGE * len(words) for words in wordings)


def _select_units(section: SectionCandidate, names: Sequence[RequiredEntity]) -> Sequence[QuoteCandidate]:
    """All of a short section, of a longer one what is nearly as good as its best unit.

    Of a table the rows on what the question names; where it names none of them, all rows or none.
    """
    units = section.units
    if sum(map(_count_words, units)) > MAX_SHORT_SECTION_WORDS:
        units = tuple(one for one in units if one.score >= MIN_UNIT_SHARE * section.score)
    chosen = {id(one) for one in units}
    rows = [one for one in section.units if one.unit.layout == "row"]
    if any(id(one) in chosen for one in rows):
        named = [one for one in rows if any(name.is_in(one.unit.own_text) for name in names if name.kind == "name")]
        fits = sum(map(_count_words, rows)) <= MAX_SHORT_SECTION_WORDS
        chosen = chosen.difference(map(id, rows)) if named or fits else chosen
        chosen |= {id(one) for one in named or (rows if fits else ())}
    return [one for one in section.units if id(one) in chosen]


def _count_words(choice: QuoteCandidate) -> int:
    return len(choice.unit.own_text.split())


class GrowingAnswer:
    """What was chosen so far, and the words that it takes."""

    def __init__(self) -> None:
        self.chosen: list[QuoteCandidate] = []
        self._said: list[tuple[str, frozenset[str]]] = []
        self._above: set[tuple[str, tuple[Span, ...]]] = set()
        self.words = 0

    def add(self, units: Sequence[QuoteCandidate]) -> None:
        """Take of these, best first, what there is room for and nothing says yet; of a table all rows or none."""
        rows = [one for one in units if one.unit.layout == "row"]
        if self.words + sum(map(_count_words, rows)) > MAX_ANSWER_WORDS:
            units = [one for one in units if one.unit.layout != "row"] or rows[:1]
        for choice in units:
            its_words = frozenset(content_stems(choice.unit.own_text))
            above = (choice.passage.id, choice.unit.spans[: choice.unit.context])
            length = len((choice.unit.own_text if above in self._above else choice.unit.text).split())
            is_chosen = any(one.passage.id == choice.passage.id and one.unit is choice.unit for one in self.chosen)
            if is_chosen or (self.chosen and self.words + length > MAX_ANSWER_WORDS):
                continue
            is_guideline = choice.passage.reference.kind == "guideline"
            most = MAX_COMMON_STEMS if is_guideline else MAX_OVERLAP
            others = (words for home, words in self._said if home != choice.passage.id or not is_guideline)
            if not any(stem_overlap(its_words, words) >= most for words in others):
                self.chosen.append(choice)
                self._said.append((choice.passage.id, its_words))
                self._above.add(above)
                self.words += length


def list_openers(ranked: Sequence[SectionCandidate], chapter: str) -> list[QuoteCandidate]:
    """What each part of a chapter says first, in the chapter's order; nothing where it has one part only."""
    parts: dict[str, SectionCandidate] = {}
    below = [one for one in ranked if one.path == chapter or is_below(one.path, chapter)]
    for section in sorted(below, key=lambda one: one.passage.start):
        parts.setdefault(branch_below(section.path, chapter), section)
    return [_opener(part) for part in parts.values()] if len(parts) > 1 else []


def _opener(section: SectionCandidate) -> QuoteCandidate:
    """The first thing that a section says, in a sentence if it says one."""
    sentences = [one for one in section.units if one.unit.layout == "paragraph"]
    return min(sentences or section.units, key=lambda one: one.unit.spans[one.unit.context :])


def join_neighbours(picked: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    """The units, best first; of a guideline's section those that stand under the same lines as one."""
    sections: dict[tuple[object, ...], list[QuoteCandidate]] = defaultdict(list)
    for number, choice in enumerate(picked):
        is_alone = choice.passage.reference.kind != "guideline"
        sections[choice.passage.id, _lines_above(choice), number if is_alone else 0].append(choice)
    return [joined for group in sections.values() for joined in _join_section(group)]


def _lines_above(choice: QuoteCandidate) -> tuple[Span, ...]:
    """What a unit stands under, but for the heading of its section."""
    heading = find_heading(choice.passage)
    return tuple(span for span in choice.unit.spans[: choice.unit.context] if span != heading)


def _join_section(group: Sequence[QuoteCandidate]) -> Iterator[QuoteCandidate]:
    """One candidate of several, or one of each layout where together they are long."""
    if sum(_count_words(one) for one in group) <= MAX_STATEMENT_WORDS:
        yield join_choices(group)
        return
    layouts: dict[str, list[QuoteCandidate]] = defaultdict(list)
    for choice in group:
        layouts[choice.unit.layout].append(choice)
    yield from (join_choices(alike) for alike in layouts.values())


def read_titled(choices: Sequence[QuoteCandidate]) -> str:
    """The passages of candidates under their titles, each once, and the questions that they were expected to answer."""
    passages = {one.passage.id: one.passage for one in choices}
    expected = dict.fromkeys(question for one in choices for question in one.expected)
    return "\n".join((*map(text_under_titles, passages.values()), *expected))


def join_choices(group: Sequence[QuoteCandidate]) -> QuoteCandidate:
    """One candidate of several, as good as the best of them, in the order in which they stand."""
    units = sorted((choice.unit for choice in group), key=lambda unit: unit.spans[-1])
    return group[0]._replace(unit=join_units(group[0].passage.text, units), parts=tuple(units))


def leave_out(choice: QuoteCandidate, unit: QuotableSpan) -> QuoteCandidate | None:
    """A candidate without one of the units that it was joined of; None where it is made of nothing else."""
    parts = choice.parts or (choice.unit,)
    kept = [one for one in parts if one.own_text != unit.own_text]
    if len(kept) == len(parts):
        return choice
    return join_choices([choice._replace(unit=one) for one in kept]) if kept else None


def stem_overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Common stems as a share of the smaller set, so that a part of what was said counts as said."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 1.0


def order_for_reading(chosen: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    """Source by source, the source of the best unit first.

    Within a source as it says them itself, but from its best passage on: what stands before that one comes last.
    """
    groups: dict[str, list[QuoteCandidate]] = defaultdict(list)
    for choice in chosen:
        groups[choice.passage.reference.id].append(choice)
    return [
        choice
        for group in groups.values()
        for choice in sorted(group, key=partial(_reading_position, group[0].passage))
    ]


def _reading_position(best: Passage, choice: QuoteCandidate) -> tuple[bool, int]:
    return choice.passage.start < best.start, choice.passage.start + choice.unit.spans[-1].start
