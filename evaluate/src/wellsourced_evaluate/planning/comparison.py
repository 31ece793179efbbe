"""Planners compared by what they ask and find: recall of gold documents, queries, diversity, and what a source adds.

All is read from recorded searches: leaving a source out searches nothing again.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from statistics import fmean
from typing import NamedTuple

from wellsourced.encoders.base import Encoder
from wellsourced.errors import SourceRefused
from wellsourced_evaluate.beir import Qrels
from wellsourced_evaluate.planning.diversity import query_diversity, sweep_diversity
from wellsourced_evaluate.planning.exploration import Exploration, ExploredQuestion, RecordedSearch
from wellsourced_evaluate.statistics import ArmContrast, MetricMean, average_cases, contrast_values
from wellsourced_evaluate.tables import Block, Chance, Heading, Interval, Part, Signed, Table, Text

ALL_SETS = "all"


class PlannerResult(NamedTuple):
    """What a planner asked for the questions of one set, and what of the gold documents that found.

    no_plan     questions for which a model made no plan that could be read: these were searched for as they stand
    recall      of the gold documents among all that its queries found
    contrast    with the first planner, on the same questions; None for that planner itself
    diversity   mean D of the queries of a source; None without an encoder
    """

    planner: str
    set: str
    questions: int
    no_plan: int
    queries: float
    words: float
    diversity: float | None
    recall: MetricMean
    contrast: ArmContrast | None = None


class SourceDrop(NamedTuple):
    """Recall without one source, and the relative drop (all − without) / all, as the paper's table has them."""

    set: str
    source: str
    recall: float | None
    drop: float | None


class PlanComparison(NamedTuple):
    """Planners on the same questions; `drops` are of the first."""

    results: tuple[PlannerResult, ...]
    drops: tuple[SourceDrop, ...]


def count_recall(searches: Sequence[RecordedSearch], gold: set[str]) -> float:
    """Share of the gold documents that any of the searches found."""
    found = {document for search in searches for document in search.documents}
    return len(found & gold) / len(gold)


def compare_planners(
    explorations: Sequence[Exploration], qrels: Qrels, encoder: Encoder | None = None, queries: int = 0
) -> PlanComparison:
    """Compare on the questions that all files hold and that have gold documents; the first file is the base.

    queries   only so many of each plan count; 0: all. Raises SourceRefused where no question is left
    """
    gold = {id: {doc for doc, grade in grades.items() if grade > 0} for id, grades in qrels.items()}
    shared = set.intersection(*(set(one.questions) for one in explorations))
    ids = [id for id in explorations[0].questions if id in shared and gold.get(id)]
    # A search that failed says nothing of a plan: the question is left out for all.
    ids = [id for id in ids if all(_is_whole(one.questions[id]) for one in explorations)]
    if not ids:
        raise SourceRefused("These files share no question with gold documents whose searches were all made.")
    sets = list(dict.fromkeys(explorations[0].questions[id].set for id in ids))
    results: list[PlannerResult] = []
    for name in [*([ALL_SETS] if len(sets) > 1 else []), *sets]:
        its = [id for id in ids if name in (ALL_SETS, explorations[0].questions[id].set)]
        base: dict[str, float | None] = {}
        for exploration in explorations:
            plans = {id: _take(exploration.questions[id], queries) for id in its}
            recalls: dict[str, float | None] = {id: count_recall(plan, gold[id]) for id, plan in plans.items()}
            contrast = contrast_values(base, recalls) if base else None
            base = base or recalls
            results.append(_summarize(exploration, name, plans, recalls, contrast, encoder))
    return PlanComparison(tuple(results), tuple(_drop_sources(explorations[0], sets, ids, gold, queries)))


def _is_whole(question: ExploredQuestion) -> bool:
    return not question.error and all(search.status != "failed" for search in question.searches)


def _take(question: ExploredQuestion, queries: int) -> tuple[RecordedSearch, ...]:
    return tuple(islice(question.searches, queries or None))


def _summarize(
    exploration: Exploration,
    name: str,
    plans: Mapping[str, Sequence[RecordedSearch]],
    recalls: Mapping[str, float | None],
    contrast: ArmContrast | None,
    encoder: Encoder | None,
) -> PlannerResult:
    texts = [search.query.text for plan in plans.values() for search in plan]
    values = [query_diversity(group_queries(plan).values(), encoder) for plan in plans.values()] if encoder else []
    return PlannerResult(
        planner=f"{exploration.path.stem} ({exploration.header.explorer})",
        set=name,
        questions=len(plans),
        no_plan=sum(exploration.questions[id].fell_back for id in plans),
        queries=len(texts) / len(plans),
        words=fmean([len(text.split()) for text in texts] or [0]),
        diversity=average_cases(values).mean,
        recall=average_cases(recalls.values()),
        contrast=contrast,
    )


def group_queries(searches: Sequence[RecordedSearch]) -> dict[str, list[str]]:
    """Source → the words of its queries."""
    by_source: defaultdict[str, list[str]] = defaultdict(list)
    for search in searches:
        by_source[search.source].append(search.query.text)
    return by_source


def _drop_sources(
    exploration: Exploration, sets: Sequence[str], ids: Sequence[str], gold: Mapping[str, set[str]], queries: int
) -> Iterator[SourceDrop]:
    for name in sets:
        its = [exploration.questions[id] for id in ids if exploration.questions[id].set == name]
        whole = fmean(count_recall(_take(one, queries), gold[one.id]) for one in its)
        yield SourceDrop(name, "none left out", whole, None)
        for card in exploration.header.cards:
            kept = [[search for search in _take(one, queries) if search.source != card.name] for one in its]
            recall = fmean(count_recall(plan, gold[one.id]) for plan, one in zip(kept, its, strict=True))
            yield SourceDrop(name, card.name, recall, (whole - recall) / whole if whole else None)


# --- reports ---------------------------------------------------------------------------------------------------------


def comparison_blocks(found: PlanComparison) -> Iterator[Block]:
    """Recall at its cost, with the difference to the first planner, and what each source adds."""
    counted = ("questions", "no plan", "queries", "words", "diversity", "recall", "95 %", "difference", "95 %", "p")
    rows = []
    for one in found.results:
        recall, contrast = one.recall, one.contrast
        gain = (
            (Signed(contrast.difference.mean), Interval(contrast.difference.low, contrast.difference.high, True))
            if contrast
            else (None, None)
        )
        counts = (one.questions, one.no_plan, one.queries, one.words, one.diversity)
        figures = (*counts, recall.mean, Interval(recall.low, recall.high))
        rows.append((one.set, one.planner, *figures, *gain, Chance(contrast.p if contrast else None)))
    yield Table(("set", "planner", *counted), rows)
    yield Heading(2, "Without one source")
    yield Table(SourceDrop._fields, found.drops)
    yield Text(
        "recall: gold documents that any query found; drop: relative, of the first planner. Nothing is searched again."
    )


def exploration_blocks(exploration: Exploration, encoder: Encoder | None = None) -> Iterator[Block]:
    """How many queries each source was asked, how many found nothing or failed, and how unlike they are."""
    questions = list(exploration.questions.values())
    searches = [search for one in questions for search in one.searches]
    yield Text(f"{len(questions):,} questions explored by {exploration.header.explorer}, {len(searches):,} searches.")
    plans, rows = [group_queries(one.searches) for one in questions], []
    for card in exploration.header.cards:
        its = [search for search in searches if search.source == card.name]
        lists = [texts for plan in plans if (texts := plan.get(card.name))]
        others = [{text for name, texts in plan.items() if name != card.name for text in texts} for plan in plans]
        shared = sum(
            text in other for plan, other in zip(plans, others, strict=True) for text in plan.get(card.name, ())
        )
        values = [query_diversity([texts], encoder) for texts in lists] if encoder else []
        words = fmean([len(one.query.text.split()) for one in its] or [0])
        parts = [Part(sum(one.status == status for one in its), len(its)) for status in ("empty", "failed")]
        unasked = Part(len(questions) - len(lists), len(questions))
        figures = unasked, Part(shared, len(its)), average_cases(values).mean
        rows.append((card.name, len(its), words, *parts, *figures))
    counted = "found nothing", "failed", "not asked", "asked of others too", "diversity"
    yield Table(("source", "queries", "words", *counted), rows)
    if encoder and exploration.header.queries > 2:
        lists = [texts for plan in plans for texts in plan.values()]
        sweep = sweep_diversity(lists, encoder, exploration.header.queries)
        yield Table(("queries of a source", "diversity"), [(size, mean.mean) for size, mean in sweep.items()])
    if failed := sum(not _is_whole(one) for one in questions):
        yield Text(f"{failed:,} questions had failed searches. Run the command again to explore them anew.", True)


def plan_blocks(explorations: Sequence[Exploration], id: str) -> Iterator[Block]:
    """The plans for one question side by side: each query of any of them, and who asked it and found how much.

    Raises SourceRefused for a question that a file does not hold.
    """
    if lacking := [one.path.name for one in explorations if id not in one.questions]:
        raise SourceRefused(f"{lacking[0]} holds no question {id}.")
    plans = [one.questions[id].searches for one in explorations]
    yield Heading(2, explorations[0].questions[id].question)
    asked = dict.fromkeys((search.source, search.query.text) for plan in plans for search in plan)
    found = [{(search.source, search.query.text): len(search.documents) for search in plan} for plan in plans]
    rows = [(*key, *(its.get(key) for its in found)) for key in sorted(asked, key=lambda one: one[0])]
    yield Table(("source", "query", *(one.path.stem for one in explorations)), rows)
    yield Text("Figures are documents found; a dash: this planner did not ask it.")
