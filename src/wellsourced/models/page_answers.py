"""Answers from pages for patients: the page that is on what is asked, from where it says it, whole and in order.

A page of the National Institutes of Health answers a question from its beginning; sentences that are picked from many
pages by their likeness to the question leave out the very one that answers, and begin with what points at it.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.claims.question_profile import QuestionProfile, asks_for_definition, list_asked_parts
from wellsourced.medicine.word_forms import list_telling_words, word_beginnings
from wellsourced.models.unit_choice import QuoteCandidate, stem_overlap
from wellsourced.question.question_types import (
    QUESTION_TYPES,
    detect_question_types,
    find_other_names,
    list_rare_stems,
    rate_focus,
    share_title,
)
from wellsourced.text.page_parts import PagePart, find_page_parts, join_parts
from wellsourced.text.passages import last_heading
from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import content_stems
from wellsourced.types import Passage

EXCERPT_WORDS = 100
"""Words of a page that are said, about: a list ends with its last item, a thought with its last sentence."""

MAX_EXCERPT_WORDS = 170
"""Words beyond which no further part is taken in."""

MIN_EXCERPT_WORDS = 60
"""Words from which an excerpt ends where a heading begins something else."""

MAX_LEAD_WORDS = 50
"""Words of the short answer, at most, where a sentence that leans on its first is taken in."""

MAX_STATEMENT_WORDS = 60
"""Words of a statement from which the next sentence begins another."""

BEGINNING_SHARE = 0.8
"""Share of the best part's score from which the beginning of a page answers, and is where it is read from."""

BEGINNING_PARTS = 3
"""Parts of a page that are its beginning."""

TYPE_FACTOR = 1.4
"""What a part counts more that offers the sort of thing that is asked for."""

FOCUS_WEIGHT = 3.0
"""How much it counts that a page's title is what is asked about."""

MIN_PAGE_SHARE = 0.6
"""Share of the best page's score from which a second one may say what the first lacks."""

MAX_PAGES = 2
"""Pages that are quoted."""

MAX_REPEATED = 0.6
"""Share of common stems from which a second page says nothing new."""


UNWANTED_FACTOR = 0.3
"""What remains of a part's score that is of what the question wants to do without: "without pills"."""

BEGINNING_WEIGHT = 0.3
"""How much the beginning of a page counts for it, beside its best part."""

BEGINNING_FACTOR = 1.3
"""What a page counts more that begins with the sort of thing that is asked for."""

MAX_WORDS_BEFORE = 130
"""Words between a heading and the best part below it up to which all is said from the heading on."""

MIN_TITLE_SHARE = 0.4
"""Share of a page's title, in rare words above all, that the question has where the page is on what is asked."""

OPEN_FACTOR = 0.4
"""What remains of the score of a part that says that something is not known."""

OPEN_PAGE_FACTOR = 0.7
"""The same of a page that begins with that."""

_LEAVES_OPEN = re.compile(
    r"\b(?:ha(?:s|ve) not (?:been )?(?:found|shown|proven)|not (?:yet )?known|unknown"
    r"|still (?:being )?(?:stud|research)\w+"
    r"|being (?:studied|researched)|more research|depends? on (?:the|your|why|how|what|which|whether|many|several))\b",
    re.IGNORECASE,
)

OTHERS_FACTOR = 0.5
"""What remains of a part's score that stands under a heading for some people only, of whom nobody asked."""

FOLLOWING_PARTS = 3
FOLLOWING_SHARE = 0.3
"""How much the parts after a part count for it."""

MAX_GAIN = 1.5
"""What a part may gain by those after it: one that does not answer does not begin an answer."""

_GROUP_HEADING = re.compile(r"(?:For|In|If|When) (?P<whom>.+)")

LEAD_SHARE = 0.5
"""Share of the best part's score from which the first sentence leads, as it stands in an excerpt."""


class _Page(NamedTuple):
    """A page, its parts and how well each answers, how well the page and its beginning do.

    offering   of each part, whether it offers the sort of thing that is asked for
    """

    passage: Passage
    parts: tuple[PagePart, ...]
    scores: tuple[float, ...]
    offering: tuple[bool, ...]
    score: float
    beginning: float


class PageStatement(NamedTuple):
    """What is said of a page, and whether it leads."""

    choice: QuoteCandidate
    leads: bool


def choose_page_excerpts(asked: QuestionProfile, choices: Sequence[QuoteCandidate]) -> list[PageStatement]:
    """What is said, the best page first: of each page statements in its own order, behind the one that answers.

    Where one thing is asked after the other, each is answered from the page that is best for it.

    choices   the units that may be said, of pages, best first
    """
    parts = list_asked_parts(asked.wordings[0])
    questions = [_narrow(asked, part) for part in parts] if parts else [asked]
    said: list[PageStatement] = []
    known: set[str] = set()
    for question in questions:
        for page, excerpt in _choose_for_one(question, choices, 1 if parts else MAX_PAGES):
            if page.passage.id not in known:
                said += _build_statements(excerpt, page)
                known.add(page.passage.id)
    return said


def _narrow(asked: QuestionProfile, part: str) -> QuestionProfile:
    """What one part of the question asks for."""
    words = tuple(list_telling_words([part]))
    return asked._replace(
        wordings=(part,), words=words, types=detect_question_types(part), is_definition=asks_for_definition(part)
    )


def _choose_for_one(
    asked: QuestionProfile, choices: Sequence[QuoteCandidate], limit: int
) -> list[tuple[_Page, list[PagePart]]]:
    """The pages that answer one question, and what is said of each."""
    pages = _rank_pages(asked, choices)
    if not pages:
        return []
    first = _take_excerpt(pages[0])
    lacking = _list_lacking(asked, pages[0], first)
    near = [page for page in pages[1:] if page.score >= MIN_PAGE_SHARE * pages[0].score]
    others = ((page, _take_excerpt(page)) for page in near)
    added = [(page, excerpt) for page, excerpt in others if _adds(excerpt, first, lacking)]
    return [(pages[0], first), *added[: limit - 1]]


def _rank_pages(asked: QuestionProfile, choices: Sequence[QuoteCandidate]) -> list[_Page]:
    """The pages that have something to say, best first."""
    of_page: dict[str, list[QuoteCandidate]] = defaultdict(list)
    texts: dict[str, list[str]] = defaultdict(list)
    for choice in choices:
        if choice.passage.id not in of_page:
            texts[choice.passage.reference.title].append(choice.passage.text)
        of_page[choice.passage.id].append(choice)
    names = {title: (title, *find_other_names(title, own)) for title, own in texts.items()}
    offers = _list_offers(asked)
    weighed = [_weigh_page(asked, offers, units, names[units[0].passage.reference.title]) for units in of_page.values()]
    pages = [one for one in weighed if one.parts and _is_on(asked, one, names[one.passage.reference.title])]
    return sorted(pages, key=lambda page: (-page.score, page.passage.id))


def _is_on(asked: QuestionProfile, page: _Page, names: Sequence[str]) -> bool:
    """Whether a page is on what is asked: by its title, or since it begins with a rare word of the question.

    A page on sickle cell disease speaks of a child with a fever, and of calling a doctor; it answers nobody else.
    """
    if share_title(asked.wordings, names) >= MIN_TITLE_SHARE:
        return True
    begins = content_stems(" ".join(part.unit.text for part in page.parts[:BEGINNING_PARTS]))
    return not list_rare_stems(asked.wordings).isdisjoint(begins)


def _weigh_page(
    asked: QuestionProfile, offers: Sequence[re.Pattern[str]], units: Sequence[QuoteCandidate], names: Sequence[str]
) -> _Page:
    """How well a page answers.

    offers   how a page speaks that offers what is asked for: `_list_offers`
    """
    passage = units[0].passage
    parts = tuple(find_page_parts(passage))
    offered = [_offers_any(offers, f"{part.heading} {part.unit.text}") for part in parts]
    own = [_score_part(asked, part, units, names, is_of_type=fits) for part, fits in zip(parts, offered, strict=True)]
    scores = tuple(_blend(own, place) for place in range(len(own)))
    focus = rate_focus(asked.wordings, names)
    offering = tuple(not offers or fits for fits in offered)
    begins = max((score for score, fits in zip(scores[:BEGINNING_PARTS], offering, strict=False) if fits), default=0.0)
    if _offers_any(offers, last_heading(passage.section)):
        offering = (True,) * len(parts)
    best = (1 - BEGINNING_WEIGHT) * max(scores, default=0.0) + BEGINNING_WEIGHT * begins
    value = best * (1 + FOCUS_WEIGHT * focus) * (BEGINNING_FACTOR if _begins_with_type(offers, passage, parts) else 1.0)
    value *= OPEN_PAGE_FACTOR if parts and _LEAVES_OPEN.search(parts[0].unit.text) else 1.0
    return _Page(passage, parts, scores, offering, value, begins)


def _begins_with_type(offers: Sequence[re.Pattern[str]], passage: Passage, parts: Sequence[PagePart]) -> bool:
    """Whether the question that a page stands under, or its beginning, is of the sort of thing that is asked for."""
    begins = " ".join((last_heading(passage.section), *(one.unit.text for one in parts[:1])))
    return _offers_any(offers, begins)


def _blend(scores: Sequence[float], place: int) -> float:
    """A part's score, with those of the parts after it: a page that goes on about it answers better."""
    after = scores[place + 1 : place + 1 + FOLLOWING_PARTS] or scores[place : place + 1]
    blended = (1 - FOLLOWING_SHARE) * scores[place] + FOLLOWING_SHARE * sum(after) / len(after)
    return min(blended, MAX_GAIN * scores[place])


def _score_part(
    asked: QuestionProfile, part: PagePart, units: Sequence[QuoteCandidate], names: Sequence[str], *, is_of_type: bool
) -> float:
    """As good as the best unit that it has words of; better with more of the question, or its sort of thing."""
    best = max(
        (
            one.score
            for one in units
            if any(span.start < part.end and part.start < span.end for span in one.unit.spans[one.unit.context :])
        ),
        default=0.0,
    )
    named = word_beginnings(" ".join(names))
    text = f"{part.heading} {part.unit.text}"
    covered = max((_share(words - named, word_beginnings(text)) for words in asked.words), default=0.0)
    type_factor = TYPE_FACTOR if is_of_type else 1.0
    fits = UNWANTED_FACTOR if _is_unwanted(asked, text) else 1.0
    fits *= OPEN_FACTOR if _LEAVES_OPEN.search(part.unit.text) else 1.0
    fits *= OTHERS_FACTOR if _is_for_others(asked, part.heading) else 1.0
    return best * (1 + covered) * type_factor * fits


def _is_for_others(asked: QuestionProfile, heading: str) -> bool:
    """Whether a part stands under "For people who take acarbose", and the question has nothing of that."""
    group = _GROUP_HEADING.match(heading)
    return group is not None and not any(words & word_beginnings(group["whom"]) for words in asked.words)


def _list_offers(asked: QuestionProfile) -> list[re.Pattern[str]]:
    """How a page speaks that offers what is asked for, in a clinician's words or a patient's.

    But for a meaning, where no definition is asked for: "what is" begins any question.
    """
    rows = [row for row in _load_sorts() if any(row.asks.search(one) for one in asked.wordings)]
    named = {need.name for need in asked.types if need.name != "meaning" or asked.is_definition}
    named |= {row.name for row in rows}
    own = [row.offers for row in rows if row.offers.pattern]
    return [*own, *(need.answer_pattern for need in QUESTION_TYPES if need.name in named)]


class _Sort(NamedTuple):
    """A sort of thing, how a patient asks for it, and how a page offers it, where no other table says so."""

    name: str
    asks: re.Pattern[str]
    offers: re.Pattern[str]


@cache
def _load_sorts(*, unwanted: bool = False) -> tuple[_Sort, ...]:
    """What a patient may ask for; or what may not be wanted: "without pills"."""
    rows = read_rows("wellsourced.models", "page_questions.tsv")
    return tuple(
        _Sort(name, re.compile(asks, re.IGNORECASE), re.compile(offers, re.IGNORECASE))
        for name, asks, offers in rows
        if (name == "unwanted") is unwanted
    )


def _offers_any(offers: Sequence[re.Pattern[str]], text: str) -> bool:
    return any(pattern.search(text) for pattern in offers)


def _is_unwanted(asked: QuestionProfile, said: str) -> bool:
    rows = _load_sorts(unwanted=True)
    return any(row.asks.search(asked.wordings[0]) and row.offers.search(said) for row in rows)


def _share(wanted: frozenset[str], said: frozenset[str]) -> float:
    return len(wanted & said) / len(wanted) if wanted else 0.0


def _take_excerpt(page: _Page) -> list[PagePart]:
    """Its parts from where it answers on, as many as are said."""
    taken: list[PagePart] = []
    words = 0
    is_short = _is_short(page)
    for part in page.parts[_find_start(page) :]:
        is_new = not is_short and bool(taken) and part.heading != taken[-1].heading and words >= MIN_EXCERPT_WORDS
        is_enough = words >= EXCERPT_WORDS and not part.leans and not is_short
        if taken and (is_new or is_enough or words + part.words > MAX_EXCERPT_WORDS):
            break
        if part.leans and not (taken and part.follows):
            continue
        taken.append(part)
        words += part.words
    return taken


def _is_short(page: _Page) -> bool:
    """Whether all of a page is said."""
    return sum(part.words for part in page.parts) <= MAX_EXCERPT_WORDS


def _find_start(page: _Page) -> int:
    """The part from which a page is read: its beginning where that answers, or where all of it is short; else where
    what stands under the heading of its best part begins, if that is near; else that part with what it leans on."""
    best = max(range(len(page.parts)), key=lambda place: page.scores[place])
    if _is_short(page) or page.beginning >= BEGINNING_SHARE * page.scores[best]:
        return 0
    start = best
    while start and page.parts[start - 1].heading == page.parts[best].heading:
        start -= 1
    near = MAX_WORDS_BEFORE if start or page.parts[best].heading else MIN_EXCERPT_WORDS
    if sum(part.words for part in page.parts[start:best]) <= near:
        return start
    start = best
    while start and _goes_back(page, start, best):
        start -= 1
    return start


def _goes_back(page: _Page, start: int, best: int) -> bool:
    """Whether an excerpt begins earlier than at a part."""
    part, before = page.parts[start], page.parts[start - 1]
    if part.leans and part.follows:
        return True
    words = sum(one.words for one in page.parts[start:])
    is_near = sum(one.words for one in page.parts[start - 1 : best]) <= MIN_EXCERPT_WORDS
    return words < EXCERPT_WORDS and before.heading == part.heading and is_near


def _list_lacking(asked: QuestionProfile, page: _Page, excerpt: Sequence[PagePart]) -> frozenset[str]:
    """The telling words of the question that neither the excerpt nor the title of its page has."""
    said = word_beginnings(
        " ".join((page.passage.reference.title, *(f"{one.heading} {one.unit.text}" for one in excerpt)))
    )
    return min((words - said for words in asked.words), key=len, default=frozenset())


def _adds(excerpt: Sequence[PagePart], first: Sequence[PagePart], lacking: frozenset[str]) -> bool:
    """Whether a second page says what the first lacks, or the first says little, and it does not say the same."""
    said = " ".join(one.unit.text for one in excerpt)
    known = " ".join(one.unit.text for one in first)
    if not excerpt or stem_overlap(frozenset(content_stems(said)), frozenset(content_stems(known))) >= MAX_REPEATED:
        return False
    return bool(lacking & word_beginnings(said)) or len(known.split()) < MIN_EXCERPT_WORDS


def _build_statements(excerpt: Sequence[PagePart], page: _Page) -> list[PageStatement]:
    """What is said, each list a statement, sentences together that follow one another; what leads comes first."""
    scores = {part.start: score for part, score in zip(page.parts, page.scores, strict=True)}
    offering = {part.start for part, fits in zip(page.parts, page.offering, strict=True) if fits}
    lead = _find_lead(excerpt, [scores[part.start] for part in excerpt], [part.start in offering for part in excerpt])
    groups = [list(excerpt[lead.start : lead.stop])]
    for place, part in enumerate(excerpt):
        if lead.start <= place < lead.stop:
            continue
        if len(groups) > 1 and place != lead.stop and _belongs(part, groups[-1]):
            groups[-1].append(part)
        else:
            groups.append([part])
    units = [join_parts(page.passage.text, group) for group in groups]
    best = [max(scores[part.start] for part in group) for group in groups]
    return [
        PageStatement(QuoteCandidate(unit, page.passage, score), leads=place == 0)
        for place, (unit, score) in enumerate(zip(units, best, strict=True))
    ]


def _find_lead(excerpt: Sequence[PagePart], scores: Sequence[float], offering: Sequence[bool]) -> range:
    """The places of the sentences that lead: the first that answers well, with what it leans on and what does on it;
    or one behind it that answers as well and, unlike it, offers what is asked for."""
    good = [place for place, score in enumerate(scores) if score >= LEAD_SHARE * max(scores)]
    start = next((place for place in good if offering[place] and scores[place] >= scores[good[0]]), good[0])
    first = start
    while start and excerpt[start].leans:
        start -= 1
    stop = first + 1
    words = sum(part.words for part in excerpt[start:stop])
    while stop < len(excerpt) and excerpt[stop].leans and words + excerpt[stop].words <= MAX_LEAD_WORDS:
        words += excerpt[stop].words
        stop += 1
    return range(start, stop)


def _belongs(part: PagePart, group: Sequence[PagePart]) -> bool:
    """Whether a part is said in one statement with those before it."""
    words = sum(one.words for one in group)
    if part.is_list or group[-1].is_list or part.heading != group[-1].heading or not part.follows:
        return part.leans and part.follows
    return part.leans or words + part.words <= MAX_STATEMENT_WORDS
