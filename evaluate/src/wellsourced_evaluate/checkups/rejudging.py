"""The words that a check read, put to a judge once more (SourceCheckup: other evaluators, merged sources).

By another judge, both side by side; or by the same, with the sources of a statement put together.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from wellsourced.errors import SourceRefused
from wellsourced.factcheck.load.decomposition import decompose_by_worker
from wellsourced.factcheck.load.model_decomposition import decompose_by_model
from wellsourced.factcheck.pairing import DocumentVerdict, DocumentWindows, JudgingOptions, judge_document
from wellsourced.factcheck.verdicts import build_pairing, has_retraction, was_read
from wellsourced.judges.base import Judge
from wellsourced.models.base import Model
from wellsourced.text.sanitization import deduplicate_texts, fold_case
from wellsourced.types import Checkup, Claim, Document, Reference, Verdict, VerdictLabel
from wellsourced_evaluate.checkups.agreement import PairAgreement, compare_raters
from wellsourced_evaluate.checkups.stored_runs import NamedCheckup, score_again
from wellsourced_evaluate.statistics import mcnemar_p


async def judge_again(one: NamedCheckup, judge: Judge, options: JudgingOptions) -> NamedCheckup:
    """The checkup as another judge has it: the same statements, sources and words. Raises ModelError.

    A pair of a source without words stays as it is; edits are left out, since they were made for the first judge.
    """
    checkup = one.checkup
    claims, resolutions = checkup.submitted.claims, {found.key: found for found in checkup.traced}
    wanted: dict[str, list[str]] = defaultdict(list)
    for pair in checkup.pairings:
        if pair.source in one.documents:
            wanted[pair.source].append(claims[pair.claim].text)
    said: dict[tuple[str, str], DocumentVerdict] = {}
    for source, texts in wanted.items():
        found = await judge_document(one.documents[source], deduplicate_texts(texts), judge, options)
        said |= {(source, fold_case(text)): verdict for text, verdict in found.items()}
    pairings = tuple(
        build_pairing(claims[pair.claim], pair.source, verdict, resolutions[pair.source])
        if (verdict := said.get((pair.source, fold_case(claims[pair.claim].text))))
        else pair
        for pair in checkup.pairings
    )
    again = checkup.model_copy(update={"pairings": pairings, "judge": judge.name, "edits": (), "complete": True})
    return one._replace(checkup=score_again(again))


async def take_apart_again(one: NamedCheckup, model: Model | None) -> NamedCheckup:
    """The checkup with statements as the model words them, by rule without one, each still to be judged.

    A statement is put to all sources where the check did so, else to those whose marks it bears. Raises SourceRefused
    where the text names other sources than the check found in it.
    """
    checkup = one.checkup
    former, resolutions = checkup.submitted, {found.key: found for found in checkup.traced}
    submitted = await decompose_by_worker(former.document)
    if [cited.key for cited in submitted.sources] != [cited.key for cited in former.sources]:
        raise SourceRefused(f"The sources of {one.name} were found by another version: check the text once more.")
    submitted = await decompose_by_model(model, submitted) if model else submitted
    to_all = len(checkup.pairings) == len(former.claims) * len(former.sources)
    unread = DocumentVerdict(verdict=Verdict(label="unjudged", score=0.0, reason="it was not judged yet"))
    pairings = tuple(
        build_pairing(claim, cited.key, unread if cited.key in one.documents else None, resolutions[cited.key])
        for claim in submitted.claims
        for cited in former.sources
        if to_all or cited.key in claim.cites
    )
    notes = (*former.notes, *submitted.notes)
    stated = former.model_copy(update={"claims": submitted.claims, "other": submitted.other, "notes": notes})
    return one._replace(checkup=checkup.model_copy(update={"submitted": stated, "pairings": pairings}))


# --- side by side ------------------------------------------------------------------------------------------------


class PairVerdicts(NamedTuple):
    """A pair of a statement, by its number in a text, and a source, as two judges have it."""

    text: str
    statement: int
    claim: str
    source: str
    one: Verdict
    other: Verdict


class JudgeComparison(NamedTuple):
    """Two judges on the same pairs.

    agreement         over the pairs that both judged
    unjudged          pairs that one of them could not judge; unread: pairs whose source had no words to be judged
    table             (label by the one, label by the other) → pairs
    pairs_supported   by `one` and by `other`, and `mcnemar_p`: how often chance alone would part them as far (McNemar)
    statements        of these, how many are supported by some source, by `one` and by `other`
    differences       pairs of which they say different things, in the order of the texts
    """

    agreement: PairAgreement
    unjudged: int
    unread: int
    table: Mapping[tuple[VerdictLabel, VerdictLabel], int]
    pairs_supported: Mapping[str, float]
    statements: int
    statements_supported: Mapping[str, int]
    differences: tuple[PairVerdicts, ...]

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        table = [{"one": one, "other": other, "pairs": n} for (one, other), n in sorted(self.table.items())]
        return {**self._asdict(), "table": table}


def compare_judges(ours: Sequence[NamedCheckup], again: Sequence[NamedCheckup]) -> JudgeComparison:
    """The same checkups as two judges have them, in the same order."""
    read = [
        PairVerdicts(
            one.name, mine.claim, one.checkup.submitted.claims[mine.claim].text, mine.source, mine.verdict, its.verdict
        )
        for one, other in zip(ours, again, strict=True)
        for mine, its in zip(one.checkup.pairings, other.checkup.pairings, strict=True)
        if was_read(mine)
    ]
    both = [pair for pair in read if "unjudged" not in (pair.one.label, pair.other.label)]
    our_judge, their_judge = (", ".join(dict.fromkeys(one.checkup.judge for one in side)) for side in (ours, again))
    first = {str(place): pair.one.label for place, pair in enumerate(both)}
    second = {str(place): pair.other.label for place, pair in enumerate(both)}
    one, other = (list(labels.values()).count("supports") for labels in (first, second))
    table = Counter((pair.one.label, pair.other.label) for pair in both)
    agreed = table["supports", "supports"]
    return JudgeComparison(
        compare_raters(our_judge, their_judge, first, second),
        len(read) - len(both),
        sum(len(one.checkup.pairings) for one in ours) - len(read),
        table,
        {"one": one, "other": other, "mcnemar_p": mcnemar_p(one - agreed, other - agreed)},
        sum(len(one.checkup.verdicts) for one in ours),
        {"one": _count_supported(ours), "other": _count_supported(again)},
        tuple(pair for pair in both if pair.one.label != pair.other.label),
    )


def _count_supported(side: Sequence[NamedCheckup]) -> int:
    return sum(verdict.label == "supports" for one in side for verdict in one.checkup.verdicts)


# --- sources put together ----------------------------------------------------------------------------------------
# A check never adds sources up: one of them alone has to say what a statement says. How much that rule costs is
# measured here, and the verdicts of the check stay as they are.

PART_SEPARATOR = "\n\n"

MIN_ROOM = 600
"""Characters of each source, at least: a few sentences, however many sources there are."""


class MergedVerdict(NamedTuple):
    """What the sources of a statement say together that none of them supports alone.

    text, statement   the name of the text, and the number of the statement
    sources           the keys of those that have words
    alone             as the check has it
    together          None of fewer than two sources: nothing can be merged
    quote             the words that decide; "" when they are silent
    """

    text: str
    statement: int
    claim: str
    sources: tuple[str, ...]
    alone: Verdict
    together: Verdict | None
    quote: str


async def judge_merged_sources(one: NamedCheckup, judge: Judge, options: JudgingOptions) -> list[MergedVerdict]:
    """Each statement that is not supported, put to its sources together. Raises ModelError.

    A statement that bears marks is put to the sources that these name, any other to all that it was put to. Of each
    source the judge is shown the parts that have most of the statement's words, so that all fit where one does.
    """
    merged = []
    for claim, verdict in zip(one.checkup.submitted.claims, one.checkup.verdicts, strict=True):
        if verdict.label == "supports":
            continue
        keys = tuple(key for key in _mergeable_sources(one.checkup, claim) if key in one.documents)
        together, quote = None, ""
        if len(keys) > 1:
            found = await _judge_together(claim.text, [one.documents[key] for key in keys], judge, options)
            together, quote = found.verdict, found.quote
        merged.append(MergedVerdict(one.name, claim.number, claim.text, keys, verdict, together, quote))
    return merged


def _mergeable_sources(checkup: Checkup, claim: Claim) -> list[str]:
    """The sources of a claim; a work that was retracted supports nothing, together with others neither."""
    retracted = {one.key for one in checkup.traced if has_retraction(one)}
    put = [one for one in checkup.pairings if one.claim == claim.number and one.source not in retracted]
    own = [one.source for one in put if one.own]
    return own or [one.source for one in put]


async def _judge_together(
    claim: str, documents: Sequence[Document], judge: Judge, options: JudgingOptions
) -> DocumentVerdict:
    room = max(MIN_ROOM, options.window // len(documents))
    text = PART_SEPARATOR.join(
        document.text[span.start : span.end]
        for document in documents
        for span in DocumentWindows(document, room, 1).best_parts(claim)
    )
    merged = Document(reference=Reference(id="merged:", title=""), text=text)
    whole = options._replace(window=max(options.window, len(text)))
    return (await judge_document(merged, [claim], judge, whole))[claim]
