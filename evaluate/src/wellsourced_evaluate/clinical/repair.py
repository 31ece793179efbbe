"""Repair 140 faulty drafts and print what became of each, to be read.

    python -m benchmarks.written_statements.repair [--judge weighed|honest|played] [--only NAME …]

--judge   weighed: the judge of a new machine without a language model; honest: one that is believed and knows the
          truth of each statement, so that everything that a source contradicts has to go; both repair without a
          language model. played: the language model of played_editor.py takes apart, judges and edits, on those drafts
          for which replies were written
The last lines count what became of right and of faulty statements.
"""

import argparse
import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.written_statements.faulty_drafts import Draft, build_drafts, reference_passage
from benchmarks.written_statements.played_editor import load_replies, serve_editor
from wellsourced import config
from wellsourced.config.factcheck import open_check_context
from wellsourced.config.judges import open_judge
from wellsourced.factcheck.check import CheckContext, CheckOptions, run_checkup, text_to_document
from wellsourced.factcheck.edited_text import apply_edits
from wellsourced.factcheck.load.decomposition import decompose_text
from wellsourced.factcheck.load.model_decomposition import decompose_by_model
from wellsourced.factcheck.pairing import JudgingOptions
from wellsourced.factcheck.resolve.base import TracedSource
from wellsourced.factcheck.run_store import RunStore
from wellsourced.judges.base import Judge, Pair
from wellsourced.models.base import Model
from wellsourced.text.sentences import split_sentences
from wellsourced.types import Checkup, CitedSource, Verdict

LABELS = {"supported": "supports", "contradicted": "contradicts", "not_enough": "silent"}


class PassageTracer:
    """Finds the passages that a draft cites."""

    name = "passages"

    def __init__(self, draft: Draft) -> None:
        self.draft = draft

    async def trace(self, cited: CitedSource) -> TracedSource:
        """The passage that an entry of its list names."""
        return TracedSource(*reference_passage(cited, self.draft))


class HonestJudge:
    """Says of each claim of a draft what is true of it, and is believed; a claim that is not of it is silent."""

    name = "honest"

    def __init__(self, draft: Draft) -> None:
        claims = decompose_text(text_to_document(draft.text)).claims
        self.truths = {claim.text: draft.truth_of(claim.text, claim.start, claim.end) for claim in claims}

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """The truth, with the nearest sentence of the passage."""
        return [self._judge_pair(pair) for pair in pairs]

    def _judge_pair(self, pair: Pair) -> Verdict:
        label = LABELS[self.truths.get(pair.claim, "not_enough")]
        return Verdict.model_validate({"label": label, "score": 0.9, "basis": "model"})


async def repair_draft(
    draft: Draft, judge: Judge, model: Model | None = None, manner: JudgingOptions | None = None
) -> Checkup:
    """The checkup of a draft, with what becomes of each sentence."""
    submitted = decompose_text(text_to_document(draft.text))
    if model:
        submitted = await decompose_by_model(model, submitted)
    store = RunStore()
    try:
        tools = CheckContext(PassageTracer(draft), judge, Path(), model, manner or JudgingOptions())
        return await run_checkup(submitted, tools, CheckOptions(scope="own", repair=True), store)
    finally:
        store.close()


def print_repair(draft: Draft, done: Checkup) -> None:
    """The text, the repaired text, and what was done to each sentence."""
    print(f"{'=' * 20} {draft.name} ({', '.join(draft.passages)})\n{draft.text.partition('## References')[0].rstrip()}")
    print(f"{'-' * 8} repaired\n{apply_edits(done.submitted, done.edits).rstrip()}\n{'-' * 8} done")
    for claim, verdict in zip(done.submitted.claims, done.verdicts, strict=True):
        truth = draft.truth_of(claim.text, claim.start, claim.end)
        edit = next((one for one in done.edits if claim.number in one.claims), None)
        action = edit.action if edit else "as it stands"
        print(f"  {claim.number} {truth}, {verdict.status}, {action}: {claim.text}")


def count_outcomes(draft: Draft, done: Checkup) -> Counter[tuple[str, str]]:
    """How many statements of each truth were edited, removed, marked, or stand as they did."""
    counts: Counter[tuple[str, str]] = Counter()
    for one in draft.statements:
        numbers = {claim.number for claim in done.submitted.claims if claim.start < one.end and one.start < claim.end}
        action = next((edit.action for edit in done.edits if numbers.intersection(edit.claims)), "as it stands")
        counts["right" if one.truth == "supported" else "faulty", action] += 1
    return counts


async def repair_by_played_model(draft: Draft) -> Checkup:
    """The checkup of a draft that a language model on loopback judges and edits, as the command would open it."""
    with serve_editor(draft) as (editor, named), tempfile.TemporaryDirectory() as home:
        settings = config.load({**named, "models.cache": "false", "home": home, "guidelines": "false"})
        async with open_check_context(settings) as tools:
            done = await repair_draft(draft, tools.judge, tools.model, tools.manner)
    for statement, reason in editor.unanswered:
        print(f"no reply: {json.dumps({'draft': draft.name, 'statement': statement, 'reason': reason})}")
    return done


async def repair_all(drafts: Sequence[Draft], judge_name: str) -> None:
    """Repair one draft after the other, print each, and the counts."""
    counts: Counter[tuple[str, str]] = Counter()
    settings = config.load({"network.offline": True})
    async with open_judge("weighed", settings) as weighed:
        for draft in drafts:
            if judge_name == "played":
                done = await repair_by_played_model(draft)
            else:
                done = await repair_draft(draft, HonestJudge(draft) if judge_name == "honest" else weighed)
            print_repair(draft, done)
            counts += count_outcomes(draft, done)
    sentences = sum(len(split_sentences(draft.text.partition("## References")[0])) for draft in drafts)
    print(f"{len(drafts)} drafts, {sentences} sentences")
    for (truth, action), number in sorted(counts.items()):
        print(f"{truth} statements, {action}: {number}")


def main() -> None:
    """Read the arguments and repair."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", choices=("weighed", "honest", "played"), default="weighed")
    parser.add_argument("--only", nargs="*", default=[], help="names of drafts")
    given = parser.parse_args()
    names = given.only or ([one["draft"] for one in load_replies()] if given.judge == "played" else [])
    drafts = [draft for draft in build_drafts() if not names or draft.name in names]
    asyncio.run(repair_all(drafts, given.judge))


if __name__ == "__main__":
    main()
