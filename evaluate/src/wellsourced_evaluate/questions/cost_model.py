"""What reading in parts costs, foretold by an arm that reads at once (BriefContext, formula 5).

In tokens. Of passages C, instructions I, a reply O and M parts, reading at once takes C + I in and O out; in parts
C + M·I, then the reducer's own I + M·O, in, and (M + 1)·O out. The paper leaves out what the reducer reads. C and I
are estimated from the words, and scaled to what the model counted of reading at once.
"""

from collections.abc import Sequence
from functools import cache
from statistics import fmean
from typing import NamedTuple

from wellsourced.models.prompt_rendering import render_schema
from wellsourced.models.providers.engine import estimate_tokens
from wellsourced.policy import CondensePolicy
from wellsourced.prompts.instructions import list_prompts
from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun

AT_ONCE = ("WriteAnswer", "Synthesise", "Recommend", "ExplainPlainly")
IN_PARTS = ("TakeNotes", "MergeNotes")
"""Kinds of prompts that read passages, or notes of them."""


class Tokens(NamedTuple):
    """Of one question, or the mean of several."""

    tokens_in: float
    tokens_out: float


class CostPrediction(NamedTuple):
    """An arm that reads in parts where its preflight says so, and what was to be expected of it.

    base        the arm that it is predicted from; cases: that both answered
    invoked     share of these that were read in parts
    at_once, in_parts   of a question, as the base measured it and as it predicts it
    expected    invoked · in_parts + (1 − invoked) · at_once, question by question; measured: what it took
    """

    arm: str
    base: str
    cases: int
    invoked: float
    at_once: Tokens
    in_parts: Tokens
    expected: Tokens
    measured: Tokens


def predict_in_parts(context: float, notes: float, reducer: float, reply: float, parts: int) -> Tokens:
    """Of passages with so many tokens, read in so many parts.

    notes, reducer   tokens of what the model is told of a part, and of the notes
    reply            tokens of a reply
    """
    return Tokens(context + parts * notes + reducer + parts * reply, (parts + 1) * reply)


def _predict_case(record: AnswerRecord, read: Tokens, parts: int) -> Tokens:
    """What a question that was read at once would take in parts."""
    question = estimate_tokens(" ".join((record.question, *record.choices.values())))
    own = sum(_estimate_instruction(name) for name in AT_ONCE if name in record.by_prompt)
    notes, reducer = map(_estimate_instruction, IN_PARTS)
    scale = read.tokens_in / (record.context_tokens + question + own)
    told = scale * (question + notes), scale * (question + reducer)
    return predict_in_parts(scale * record.context_tokens, *told, read.tokens_out, parts)


@cache
def _estimate_instruction(prompt: str) -> int:
    """Tokens of what a kind of prompt says, whatever it shows, and of the form of its reply."""
    kind = list_prompts()[prompt]
    return estimate_tokens(kind.instruction()) + estimate_tokens(render_schema(kind.reply))


def predict_costs(runs: Sequence[AnswerRun]) -> list[CostPrediction]:
    """Every arm that read a case in parts, from the first arm that never did."""
    base = next((run for run in runs if _reads(run, AT_ONCE) and not _reads(run, IN_PARTS)), None)
    return [found for run in runs if base and _reads(run, IN_PARTS) and (found := _predict_arm(run, base))]


def _reads(run: AnswerRun, prompts: Sequence[str]) -> bool:
    return any(_take(record, prompts) for record in run.records.values())


def _take(record: AnswerRecord, prompts: Sequence[str]) -> Tokens | None:
    """The tokens of these kinds of prompts; None where none was sent."""
    found = [record.by_prompt[name] for name in prompts if name in record.by_prompt]
    return Tokens(*map(float, map(sum, zip(*(one[1:] for one in found), strict=True)))) if found else None


def _predict_arm(run: AnswerRun, base: AnswerRun) -> CostPrediction | None:
    parts = int(run.header.settings.get("condense.parts", CondensePolicy().parts))
    cases = [
        (one, whole, took)
        for id, one in base.records.items()
        if (whole := _take(one, AT_ONCE)) and id in run.records and (took := _take(run.records[id], IN_PARTS + AT_ONCE))
    ]
    if not cases:
        return None
    in_parts = [_predict_case(one, whole, parts) for one, whole, _ in cases]
    is_mapped = [bool(_take(run.records[one.case], IN_PARTS)) for one, _, _ in cases]
    expected = [
        split if mapped else whole for split, mapped, (_, whole, _) in zip(in_parts, is_mapped, cases, strict=True)
    ]
    return CostPrediction(
        run.arm,
        base.arm,
        len(cases),
        fmean(is_mapped),
        _average([whole for _, whole, _ in cases]),
        _average(in_parts),
        _average(expected),
        _average([took for _, _, took in cases]),
    )


def _average(tokens: Sequence[Tokens]) -> Tokens:
    return Tokens(*(fmean(column) for column in zip(*tokens, strict=True)))
