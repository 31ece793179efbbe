"""What exact answers, references and quotes of one arm come to: means over cases, each with its interval."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from wellsourced_evaluate.questions.answer_figures import AnswerFigure, CaseMetrics, mean_figures, measure_share
from wellsourced_evaluate.questions.answer_run import AnswerRecord
from wellsourced_evaluate.questions.evidence_spans import score_quotes
from wellsourced_evaluate.questions.exact_answers import score_factoid, score_list

if TYPE_CHECKING:
    from rouge_score_rs.rouge_scorer import RougeScorer

ECHO = "what the question says"
"""The floor of what should be said: how much of it stands in the question."""


def exact_figures(records: Iterable[AnswerRecord]) -> list[AnswerFigure]:
    """Of factoids and of lists: what of the exact answer is said; and BioASQ's measures, over what gives candidates."""
    asked = [one for one in records if one.exact and one.answerable is not False]
    found = []
    for kind, score in (("factoid", score_factoid), ("list", score_list)):
        own = [one for one in asked if one.kind == kind]
        if own:
            found += _said_figures(kind, own)
            names = {"factoid": ("strict_accuracy", "lenient_accuracy", "MRR")}
            named = [_list_candidates(one, any(one.candidates is not None for one in own)) for one in own]
            scored = [{} if some is None else score(one.exact, some) for one, some in zip(own, named, strict=True)]
            found += mean_figures(names.get(kind, ("list_precision", "list_recall", "list_f1")), scored)
    return found


def _list_candidates(record: AnswerRecord, is_usual: bool) -> Sequence[str] | None:
    """Where answers name candidates, who gives no answer names none."""
    return () if is_usual and record.candidates is None and record.status != "answered" else record.candidates


def _said_figures(kind: str, records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    """A factoid is one thing by several names; of a list each member counts."""
    asked, of = _count(records, "asked")
    figures = []
    for name, field in ((f"{kind}_said", "said"), (f"{kind}_in_short", "leads")):
        counts = [_count([one], field) for one in records]
        figures.append(measure_share(name, counts, asked / of, ECHO))
    return figures


def _count(records: Sequence[AnswerRecord], field: str) -> tuple[int, int]:
    """(things of which it is so, things), a factoid as one."""
    found = [[bool(getattr(mark, field)) for mark in one.exact] for one in records]
    counted = [
        (int(any(marks)), 1) if one.kind == "factoid" else (sum(marks), len(marks))
        for one, marks in zip(records, found, strict=True)
    ]
    return sum(part for part, _ in counted), sum(of for _, of in counted)


def snippet_figures(records: Iterable[AnswerRecord]) -> list[AnswerFigure]:
    """How far quotes and the marked evidence overlap, of cases for which any is marked; none if it was excluded."""
    marked = [one for one in records if one.snippets and one.answerable is not False]
    scored = [score_quotes(one.quotes, one.snippets) for one in marked]
    return mean_figures(("snippet_precision", "snippet_recall", "snippet_f1"), scored) if marked else []


def reference_figures(records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    """ROUGE of all statements against the references, the best of several; None without the extra `text-metrics`.

    BioASQ tells ROUGE-2 and ROUGE-SU4: of the second no library that is kept up to date knows how to count it.
    """
    scored = [score_references(one) for one in records]
    return mean_figures(("ROUGE-2", "ROUGE-2-recall", "ROUGE-L"), scored) if records else []


def score_references(record: AnswerRecord) -> CaseMetrics:
    """The scores of one case; 0 where nothing is said, {} where no library counts them."""
    rouge = load_rouge()
    if rouge is None:
        return {}
    if record.status != "answered" or not record.text.strip():
        return {"ROUGE-2": 0.0, "ROUGE-2-recall": 0.0, "ROUGE-L": 0.0}
    scored = [rouge.score(one, record.text) for one in record.references]
    best: Callable[[str, str], float] = lambda name, part: max(float(getattr(one[name], part)) for one in scored)  # noqa: E731
    return {
        "ROUGE-2": best("rouge2", "fmeasure"),
        "ROUGE-2-recall": best("rouge2", "recall"),
        "ROUGE-L": best("rougeL", "fmeasure"),
    }


@cache
def load_rouge() -> "RougeScorer | None":
    """What counts ROUGE, without stemming; None when it is not installed."""
    try:
        from rouge_score_rs.rouge_scorer import RougeScorer
    except ImportError:
        return None
    return RougeScorer(["rouge2", "rougeL"], use_stemmer=False)
