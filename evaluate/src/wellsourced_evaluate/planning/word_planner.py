"""A planner without a language model, measured beside the rules: which source to ask, by the words of a question.

A logistic regression for each source says whether it holds an answer; queries go where they add most in training.
Beside it is a floor that knows only which set a question is of: a planner that wins by less than that has learned to
recognise the data set.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from wellsourced.text.tokens import content_stems, tokenize
from wellsourced_evaluate.beir import SEED, Qrels
from wellsourced_evaluate.planning.comparison import count_recall
from wellsourced_evaluate.planning.exploration import Exploration, ExploredQuestion, RecordedSearch
from wellsourced_evaluate.statistics import ArmContrast, contrast_values
from wellsourced_evaluate.tables import Block, Chance, Heading, Interval, Signed, Table, Text

FOLDS = 10
MAX_WORDINGS = 4
"""Queries of one source that a plan may hold."""

RULES, WORDS, FLOOR = "rules", "by words", "by set alone (floor)"

Questions = Sequence[ExploredQuestion]
Gold = Mapping[str, set[str]]

Chances = Mapping[str, float]
"""Source → probability that it holds an answer."""


class WordPlannerResult(NamedTuple):
    """Recall of a planner at as many queries as the rules make, beside theirs."""

    trained_on: str
    set: str
    planner: str
    contrast: ArmContrast


class WordPlanner:
    """Fitted on explored questions with gold documents."""

    def __init__(
        self, questions: Sequence[ExploredQuestion], sources: Sequence[str], gold: Mapping[str, set[str]]
    ) -> None:
        self.sources = sources
        counts = Counter(word for one in questions for word in list_features(one))
        self._places = {word: place for place, word in enumerate(word for word, n in counts.items() if n > 1)}
        features = np.array([self._vectorize(one) for one in questions])
        homes = [find_sources(one, gold[one.id]) for one in questions]
        self._models: dict[str, LogisticRegression | float] = {}
        for source in sources:
            holds = np.array([source in home for home in homes])
            is_constant = holds.all() or not holds.any()
            self._models[source] = (
                float(holds.mean()) if is_constant else LogisticRegression(max_iter=300).fit(features, holds)
            )
        known = list(zip(questions, homes, strict=True))
        self.gains = {
            source: _measure_gains([one for one, home in known if source in home], source, gold) for source in sources
        }
        by_set: defaultdict[str, list[set[str]]] = defaultdict(list)
        for one, home in zip(questions, homes, strict=True):
            by_set[one.set].append(home)
        self.of_set = {
            name: {source: fmean(source in home for home in its) for source in sources} for name, its in by_set.items()
        }

    def _vectorize(self, question: ExploredQuestion) -> NDArray[np.float64]:
        vector = np.zeros(len(self._places))
        vector[[self._places[word] for word in list_features(question) if word in self._places]] = 1.0
        return vector

    def find_chances(self, question: ExploredQuestion) -> Chances:
        """The probability of each source, by the words of the question."""
        features = [self._vectorize(question)]
        return {
            source: model if isinstance(model, float) else float(model.predict_proba(features)[0, 1])
            for source, model in self._models.items()
        }

    def plan(self, question: ExploredQuestion, chances: Chances, queries: int) -> list[RecordedSearch]:
        """So many of the recorded queries, those first that are likely to add most."""
        worths = [
            (-chances[source] * gain, place, source)
            for source in self.sources
            for place, gain in enumerate(self.gains[source])
        ]
        by_source = group_searches(question)
        chosen = [(source, place) for _, place, source in sorted(worths) if place < len(by_source[source])]
        return [by_source[source][place] for source, place in chosen[:queries]]


def list_features(question: ExploredQuestion) -> set[str]:
    """The stems of its words, and with which words it begins."""
    opening = tokenize(question.question)[:2]
    return {*content_stems(question.question), f"^{' '.join(opening[:1])}", f"^{' '.join(opening)}"}


def group_searches(question: ExploredQuestion) -> dict[str, list[RecordedSearch]]:
    """Source → its searches in order."""
    by_source: defaultdict[str, list[RecordedSearch]] = defaultdict(list)
    for search in question.searches:
        by_source[search.source].append(search)
    return by_source


def find_sources(question: ExploredQuestion, gold: set[str]) -> set[str]:
    """The sources in which some query found a gold document."""
    return {search.source for search in question.searches if gold.intersection(search.documents)}


def _measure_gains(questions: Questions, source: str, gold: Gold) -> list[float]:
    """What the first, second … query of a source adds to recall, where it holds an answer."""
    reached = [
        fmean([count_recall(group_searches(one)[source][:size], gold[one.id]) for one in questions] or [0.0])
        for size in range(1, MAX_WORDINGS + 1)
    ]
    return [float(gain) for gain in np.diff([0.0, *reached])]


def measure_word_planner(exploration: Exploration, qrels: Qrels) -> list[WordPlannerResult]:
    """By groups of questions left out, and on sets that training never saw; the base is one query of every source."""
    gold = {id: {doc for doc, grade in grades.items() if grade > 0} for id, grades in qrels.items()}
    questions = [one for one in exploration.questions.values() if gold.get(one.id)]
    sets = list(dict.fromkeys(one.set for one in questions))
    groups = sorted({one.group for one in questions})
    random.Random(SEED).shuffle(groups)  # noqa: S311
    fold = {group: place % FOLDS for place, group in enumerate(groups)}
    splits = {"other questions": [[one for one in questions if fold[one.group] == part] for part in range(FOLDS)]}
    if len(sets) > 1:
        splits |= {f"all sets but {name}": [[one for one in questions if one.set == name]] for name in sets}
    results: list[WordPlannerResult] = []
    for title, tests in splits.items():
        recalls: defaultdict[str, dict[str, float | None]] = defaultdict(dict)
        for test in filter(None, tests):
            left_out = {one.id for one in test}
            for planner, id, recall in _measure_fold(exploration, questions, left_out, gold):
                recalls[planner][id] = recall
        for name in sets:
            base = {one.id: recalls[RULES][one.id] for one in questions if one.set == name and one.id in recalls[RULES]}
            for planner, values in recalls.items():
                its = {id: value for id, value in values.items() if id in base}
                if base and planner != RULES and len(its) == len(base):
                    results.append(WordPlannerResult(title, name, planner, contrast_values(base, its)))
    return results


def _measure_fold(
    exploration: Exploration, questions: Questions, left_out: set[str], gold: Gold
) -> Iterator[tuple[str, str, float]]:
    """Planner, question and recall, of the questions that training did not see."""
    sources = [card.name for card in exploration.header.cards]
    planner = WordPlanner([one for one in questions if one.id not in left_out], sources, gold)
    for one in questions:
        if one.id in left_out:
            by_source = group_searches(one)
            ruled = [its[0] for its in by_source.values()]
            yield RULES, one.id, count_recall(ruled, gold[one.id])
            chances = {WORDS: planner.find_chances(one), FLOOR: planner.of_set.get(one.set)}
            for name, its in chances.items():
                if its is not None:
                    yield name, one.id, count_recall(planner.plan(one, its, len(ruled)), gold[one.id])


def word_planner_blocks(results: Sequence[WordPlannerResult]) -> Iterator[Block]:
    """Each planner beside the rules, at as many queries."""
    yield Heading(2, "Without a language model, at as many queries as the rules make")
    header = ("trained on", "set", "planner", "rules", "recall", "difference", "95 %", "p")
    rows = []
    for one in results:
        gain = one.contrast.difference
        figures = (one.contrast.base, one.contrast.other, Signed(gain.mean), Interval(gain.low, gain.high, True))
        rows.append((one.trained_on, one.set, one.planner, *figures, Chance(one.contrast.p)))
    yield Table(header, rows)
    yield Text("The floor knows which set a question is of and nothing else: what is not above it recognises the set.")
