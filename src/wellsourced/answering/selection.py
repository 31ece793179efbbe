"""Of scored sections those that are shown, shortened in whole lines, and the lines in them that are marked."""

from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from wellsourced.answering.scoring import ScoredSection, ScoredUnit
from wellsourced.answering.sections import LaidOutSection
from wellsourced.medicine.doses import has_dose
from wellsourced.medicine.measurements import (
    ADULT_AGE,
    AGE,
    Figure,
    Limit,
    extract_age,
    find_figures,
    find_limits,
    find_named_limits,
)
from wellsourced.medicine.names import find_names, mentions
from wellsourced.patients.record import read_patient_record
from wellsourced.question.required_entities import (
    RequiredEntity,
    find_required_entities,
    list_missing_terms,
    list_populations,
)
from wellsourced.question.word_rarity import word_beginnings
from wellsourced.types import Question

MAX_WORDS = 350
"""Words that are shown of all sections together."""

PARTS = (200, 90, 60)
"""Words of them that each section has, best first; what one leaves goes to the next ones."""

MAX_SECTIONS = 4
"""Sections that are shown, if they are so short that a fourth still has room."""

MIN_PART_WORDS = 15
"""Words that have to be left for a section to be begun."""

MAX_MARKED_WORDS = 120
"""Words that are marked, at most."""

MAX_CLOSEST = 2
"""Sections that are shown where they do not answer."""

MAX_MARKED_UNITS = 4

MIN_UNIT_SHARE = 0.6
"""Share of the nearest unit's score that a unit has which is marked beside it."""

SECTION_SHARE = 0.5
"""How much of its section's score, beside the best one's, counts for a unit that is marked."""

MIN_SECTION_SHARE = 0.6
"""Share of the best section's score that a section has which is shown without a mark.

Of 534 questions as many have all deciding words among what is shown as without it, in 230 words in place of 330.
"""

MAX_TABLE_WORDS = 150
"""Words of a table, or of steps with their branches, up to which all of it is shown or nothing."""

MAX_GROWN_WORDS, MAX_WHOLE_WORDS = 60, 100
"""Words of a list, a table or a labelled part up to which all of it is marked where one line of it answers: at once,
and where that leaves no other unit out."""


OF_SECTION_KINDS = frozenset({"population", "qualifier", "circumstance"})
"""Kinds of things that a section has to speak of, and not only its document: a child, a pregnancy, an overdose."""


DOSED_APART = frozenset({"children", "newborns", "pregnancy", "breastfeeding", "dialysis"})
"""Populations whose doses are not those of others."""


class ShownSection(NamedTuple):
    """A section, its lines that are shown, and of these the units that are marked, the nearest first.

    is_caution   it stands first for a line that speaks against a drug which the question names
    """

    section: LaidOutSection
    lines: tuple[int, ...]
    marked: tuple[tuple[int, ...], ...] = ()
    is_caution: bool = False

    @property
    def is_shortened(self) -> bool:
        """Whether it has lines that are not shown."""
        return len(self.lines) < len(self.section.lines)

    @property
    def words(self) -> int:
        """Words that are shown, with those of its heading."""
        return len(self.section.heading.split()) + sum(self.section.sizes[place] for place in self.lines)


def choose_sections(
    question: Question, scored: Sequence[ScoredSection], words: int = MAX_WORDS, cautions: Sequence[ScoredUnit] = ()
) -> list[ShownSection]:
    """The sections that are shown, best first, with their marks, of all together at most so many words.

    cautions   units that are marked before any other; their sections stand first, unless they are the best one
    """
    left, shown = words, list[ShownSection]()
    others = {id(one) for one in find_doses_of_others(question, scored)}
    scored = _leave_out_others(question, [one for one in scored if id(one) not in others])
    marked = choose_marked(scored[: len(PARTS)], cautions)
    best = scored[0].section if scored else None
    first = {id(one.section): ScoredSection(one.section, 0.0) for one in cautions if one.section is not best}
    telling = _leave_out_beside(question, scored, [section for section, _ in marked])
    further = [one for one in telling if id(one.section) not in first][: MAX_SECTIONS - len(first)]
    for rank, one in enumerate((*first.values(), *further), -len(first)):
        most = left - sum(PARTS[max(rank + 1, 0) : len(further)]) * words // MAX_WORDS
        if most < MIN_PART_WORDS and rank >= 0:
            continue
        marks = [places for section, places in marked if section is one.section]
        lines = shorten(one, most, [place for places in marks for place in places])
        if not lines:
            continue
        shown.append(ShownSection(one.section, tuple(lines), tuple(marks), is_caution=rank < 0))
        left -= shown[-1].words
    return shown


def _leave_out_others(question: Question, scored: Sequence[ScoredSection]) -> list[ScoredSection]:
    """Sections without the units under a heading or step for other values than the question has ("LVEF 41-49 %" for an
    EF of 30 %, or for HFrEF), and without those that have no other units."""
    age = extract_age(question.text)
    figures = [*find_figures(question.text), *([] if age is None else [Figure(AGE, age, "")])]
    given: dict[str, list[Limit]] = {}
    for one in (*find_named_limits(question.text), *(figure.as_limit() for figure in figures)):
        given.setdefault(one.measure, []).append(one)
    if not given:
        return list(scored)

    # The rows of a table stand under the same headings: these are read once.
    @cache
    def is_on_others(headings: str) -> bool:
        limits = [*find_limits(headings), *find_named_limits(headings)]
        return any(limit.measure in given and not any(map(limit.overlaps, given[limit.measure])) for limit in limits)

    kept = [one._replace(units=tuple(unit for unit in one.units if not is_on_others(unit.headings))) for one in scored]
    return [one for one, before in zip(kept, scored, strict=True) if one.units or not before.units]


def find_doses_of_others(question: Question, scored: Sequence[ScoredSection]) -> list[ScoredSection]:
    """The sections that have doses for others than the child or the pregnancy that is asked about, with their title."""
    people = [one for one in _find_people(question, "population") if one.name in DOSED_APART]
    return [
        one for one in scored if _is_dose_of_others(one.section, people, f"{one.section.document.reference.title}\n")
    ]


def _is_dose_of_others(section: LaidOutSection, people: Sequence[RequiredEntity], title: str = "") -> bool:
    """Whether it has a dose and does not speak of these people: a dose for somebody else is worse than none."""
    text = section.text_under_heading
    return bool(list_missing_terms(people, title + text)) and has_dose(text)


def _leave_out_beside(
    question: Question, scored: Sequence[ScoredSection], marked: Sequence[LaidOutSection]
) -> list[ScoredSection]:
    """Sections but for those beside the point: far behind the best one; of another document, and without what is named.

    marked   those that have marked lines, which stay
    """
    if not scored:
        return []
    named, best = find_required_entities(question), scored[0]

    def is_telling(one: ScoredSection) -> bool:
        if any(one.section is section for section in (best.section, *marked)):
            return True
        is_near = one.score >= MIN_SECTION_SHARE * best.score
        is_of_best = one.section.document is best.section.document
        return is_near and (is_of_best or not list_missing_terms(named, one.section.text_under_heading))

    return [one for one in scored if is_telling(one)]


def choose_closest(question: Question, shown: Sequence[ShownSection]) -> list[ShownSection]:
    """Of sections that do not answer those of the first one's document, unmarked, at most two.

    One that has a dose has to be on something that is asked about, and to speak itself of the child, the pregnancy or
    the overdose that is asked for.
    """
    people = _find_people(question, "population", "circumstance")
    names = [one for one in find_names(question.text) if not any(who.is_covered_by(one.words) for who in people)]
    asked = {one for one in word_beginnings(question.text) if not any(who.is_covered_by(one) for who in people)}
    closest = []
    for one in shown:
        text, title = one.section.text_under_heading, one.section.document.reference.title
        is_on = not asked.isdisjoint(word_beginnings(title)) or any(mentions(text, name) for name in names)
        is_safe = (is_on or not has_dose(text)) and not _is_dose_of_others(one.section, people)
        if one.section.document is shown[0].section.document and is_safe:
            closest.append(one._replace(marked=()))
    return closest[:MAX_CLOSEST]


def shorten(one: ScoredSection, most: int, first: Sequence[int] = ()) -> list[int]:
    """Its lines, all where they have at most so many words; else the units nearest to the question, whole, as many as
    fit, after those that have to stay."""
    section = one.section
    sizes = section.sizes
    left = most - len(section.heading.split())
    if sum(sizes) <= left:
        return list(range(len(section.lines)))
    kept = set[int]()
    for lines in (first, *(_list_whole(unit) for unit in one.units)):
        new = {*section.complete(lines)} - kept
        cost = sum(sizes[place] for place in new)
        if cost <= left or lines is first:
            kept |= new
            left -= cost
    return sorted(kept)


def _list_whole(one: ScoredUnit) -> Collection[int]:
    """The lines of a unit; of a row all of its table, and of a step all of the way that is decided step by step, where
    these are short enough: one branch alone would hold for anybody."""
    is_branch = one.section.lines[one.unit.own].kind in ("row", "step")
    return grow(one, MAX_TABLE_WORDS) if is_branch else one.unit.lines


def choose_marked(
    scored: Sequence[ScoredSection], cautions: Sequence[ScoredUnit] = ()
) -> list[tuple[LaidOutSection, tuple[int, ...]]]:
    """The units that answer, nearest first, each with its section: whole lists and tables where they are short.

    What speaks against a drug that is asked for comes first.
    """
    units = [(unit.score + SECTION_SHARE * one.score, unit) for one in scored for unit in one.units]
    least = MIN_UNIT_SHARE * max((unit.score for _, unit in units), default=0.0)
    ranked = [*cautions, *(unit for _, unit in sorted(units, key=lambda pair: -pair[0]) if unit.score >= least)]
    found: list[tuple[ScoredUnit, list[int]]] = []
    seen = set[tuple[int, int]]()
    left = MAX_MARKED_WORDS
    for one in ranked:
        if len(found) == MAX_MARKED_UNITS:
            break
        if (id(one.section), one.unit.own) in seen:
            continue
        for places in (grow(one), one.unit.lines):
            lines = one.section.complete(places)
            words = _count_new(one.section, lines, seen)
            if words <= left or (not found and places is one.unit.lines):
                left -= words
                seen |= {(id(one.section), place) for place in lines}
                found.append((one, lines))
                break
    # What is left of the words makes lists whole of which only a part is marked.
    whole = []
    for one, lines in found:
        grown = one.section.complete({*lines, *grow(one, MAX_WHOLE_WORDS)})
        words = _count_new(one.section, grown, seen)
        if words <= left:
            left, lines = left - words, grown
            seen |= {(id(one.section), place) for place in grown}
        whole.append((one.section, tuple(lines)))
    return whole


def _find_people(question: Question, *kinds: str) -> list[RequiredEntity]:
    """Whom a question is on: a child, a pregnancy or another population; somebody in a circumstance; the patient."""
    asked = [one for one in find_required_entities(question) if one.kind in kinds]
    return list({one.name: one for one in (*asked, *_find_patient_populations(question.patient))}.values())


@lru_cache(maxsize=16)
def _find_patient_populations(patient: str) -> tuple[RequiredEntity, ...]:
    """Whose doses a patient does not share with others, by the record: a child's, in pregnancy, breastfeeding."""
    if not patient:
        return ()
    record = read_patient_record(patient)
    names = {"children"} if record.age is not None and record.age < ADULT_AGE else set[str]()
    return tuple(list_populations(names | (DOSED_APART & record.conditions.keys())))


def _count_new(section: LaidOutSection, lines: Collection[int], seen: Collection[tuple[int, int]]) -> int:
    return sum(section.sizes[place] for place in lines if (id(section), place) not in seen)


def grow(one: ScoredUnit, most: int = MAX_GROWN_WORDS) -> set[int]:
    """The largest list, table or labelled part that a unit stands in and that is short enough; what it hangs on."""
    section, best = one.section, set(one.unit.lines)
    for top in (one.unit.own, *reversed(section.find_above(one.unit.own))):
        above, below = section.find_above(top), section.find_below(top)
        # What has more lines than words are allowed is not counted: a table may have thousands.
        if len(below) > most or sum(section.sizes[place] for place in (top, *above, *below)) > most:
            break
        best |= {top, *above, *below}
    return best
