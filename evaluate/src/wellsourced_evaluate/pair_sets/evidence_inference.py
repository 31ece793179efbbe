"""Evidence Inference 2.0 (DeYoung et al., BioNLP 2020) as it was released: annotations_merged.csv, prompts_merged.csv
beside it, and where an annotation has no words txt_files/PMC….txt.

Annotations have `UserID`, `PromptID`, `PMCID`, `Valid Label`, `Valid Reasoning`, `Label`, `Annotations`, `Label Code`
(-1, 0, 1), `In Abstract`, `Evidence Start`, `Evidence End`; prompts have `PromptID`, `PMCID`, `Outcome`,
`Intervention`, `Comparator` (github.com/jayded/evidence-inference, annotations/README.md).

It has no claims, so that these are DERIVED: from each prompt whose accepted annotators agree, the sentence that says
its result (supported), one that says another result (contradicted), both on the annotators' words, and the first on
their words about another outcome of the same trial (not enough).
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import NotFoundError
from wellsourced.readers.decompressed_file import read_whole_text
from wellsourced_evaluate.pair_sets.base import (
    Fields,
    PairLine,
    PairSet,
    RejectedLine,
    SetFile,
    UnusableLine,
    read_numbered_rows,
    require_text,
    translate_label,
)

PROMPT_FILE, ARTICLE_FOLDER = "prompts_merged.csv", "txt_files"

RESULTS = {
    "1": "significantly increased",
    "-1": "significantly decreased",
    "0": "made no significant difference to",
}
"""Label code → what the claim says that the intervention did."""

CODES = {
    **dict.fromkeys(("significantly increased", "significantly increase"), "1"),
    **dict.fromkeys(("significantly decreased", "significantly decrease"), "-1"),
    "no significant difference": "0",
}
"""The label of an annotation, as it stands there in both spellings → its code."""

MAX_SPANS = 3
"""Pieces of an article that are the text of a pair, at most: annotators mark the same sentence again and again."""

YES = ("1", "true")


class TrialPrompt(NamedTuple):
    """What was asked of a trial."""

    article: str
    outcome: str
    intervention: str
    comparator: str


class TrialResult(NamedTuple):
    """What annotators found of a prompt: its code, their words, and the row that said so first."""

    prompt: TrialPrompt
    code: str
    words: tuple[str, ...]
    row: int


def read_evidence_inference(file: SetFile) -> Iterator[PairLine]:
    """Three pairs for each prompt; two where the trial has no other outcome. Raises NotFoundError for no prompts."""
    prompts = _read_prompts(file)
    results: dict[str, TrialResult] = {}
    disputed: dict[str, int] = {}
    for row, fields in file.rows:
        try:
            id, found = _read_result(fields, row, prompts, file.path.parent / ARTICLE_FOLDER)
        except UnusableLine as bad:
            file.reject(row, str(bad))
            continue
        known = results.setdefault(id, found)
        if known.code != found.code:
            disputed.setdefault(id, row)
        elif found.words[0] not in known.words and len(known.words) < MAX_SPANS:
            results[id] = known._replace(words=(*known.words, *found.words))
    for id, row in disputed.items():
        file.reject(row, f"annotators disagree on prompt {id}, which is left out")
    agreed = {id: one for id, one in results.items() if id not in disputed}
    for id, one in agreed.items():
        yield from (PairLine(file.path.name, one.row, pair) for pair in _derive_pairs(id, one, agreed))


def _read_prompts(file: SetFile) -> Mapping[str, TrialPrompt]:
    path = file.corpus or file.path.with_name(PROMPT_FILE)
    if not path.is_file():
        raise NotFoundError(f"{path} is not there: what was asked stands in it. Name it with --corpus.")
    file.others.append(path)
    found: dict[str, TrialPrompt] = {}
    for row, fields in read_numbered_rows(path, file.rejected):
        try:
            words = [require_text(fields, name) for name in ("PMCID", "Outcome", "Intervention", "Comparator")]
            if (id := require_text(fields, "PromptID")) in found:
                raise UnusableLine(f"the PromptID {id} stands in an earlier row")
            found[id] = TrialPrompt(*words)
        except UnusableLine as bad:
            file.rejected.append(RejectedLine(path.name, row, str(bad)))
    return found


def _read_result(
    fields: Fields, row: int, prompts: Mapping[str, TrialPrompt], articles: Path
) -> tuple[str, TrialResult]:
    id, label = require_text(fields, "PromptID"), require_text(fields, "Label")
    if any(str(fields.get(name)).strip().casefold() not in YES for name in ("Valid Label", "Valid Reasoning")):
        raise UnusableLine("its label or its reasoning was not accepted")
    if label.casefold() == "invalid prompt":
        raise UnusableLine("the annotator calls the prompt invalid")
    code = translate_label(label.casefold(), CODES)
    if id not in prompts:
        raise UnusableLine(f"its PromptID {id} is in no row of the prompts")
    words = str(fields.get("Annotations") or "").strip() or _cut_words(fields, prompts[id], articles)
    return id, TrialResult(prompts[id], code, (words,), row)


def _cut_words(fields: Fields, prompt: TrialPrompt, articles: Path) -> str:
    """What stands at the offsets of an annotation in the article. Raises UnusableLine."""
    path = articles / f"PMC{prompt.article}.txt"
    start, end = (str(fields.get(name) or "").strip() for name in ("Evidence Start", "Evidence End"))
    words = (
        read_whole_text(path)[int(start) : int(end)].strip()
        if start.isdigit() and end.isdigit() and path.is_file()
        else ""
    )
    if not words:
        raise UnusableLine("it has no Annotations, and none can be cut from its article")
    return words


def _derive_pairs(id: str, one: TrialResult, agreed: Mapping[str, TrialResult]) -> Iterator[Fields]:
    evidence, common = " ".join(one.words), {"group": f"PMC{one.prompt.article}"}
    claim = _say_result(one.prompt, one.code)
    others: Sequence[str] = [code for code in RESULTS if code != one.code]
    # Either of the two other results, the same one each time.
    wrong = _say_result(one.prompt, others[sum(id.encode()) % 2])
    yield {**common, "id": f"ei-{id}-s", "claim": claim, "evidence": evidence, "label": "supported"}
    yield {**common, "id": f"ei-{id}-c", "claim": wrong, "evidence": evidence, "label": "contradicted"}
    elsewhere = _find_other_outcome(one, agreed)
    if elsewhere:
        yield {**common, "id": f"ei-{id}-n", "claim": claim, "evidence": elsewhere, "label": "not_enough"}


def _say_result(prompt: TrialPrompt, code: str) -> str:
    return f"Compared with {prompt.comparator}, {prompt.intervention} {RESULTS[code]} {prompt.outcome}."


def _find_other_outcome(one: TrialResult, agreed: Mapping[str, TrialResult]) -> str:
    """The words on the first other outcome of the trial that are not among the words on this one; "" for none."""
    for other in agreed.values():
        if (
            other.prompt.article == one.prompt.article
            and other.prompt.outcome.casefold() != one.prompt.outcome.casefold()
        ):
            words = [some for some in other.words if some not in one.words]
            if words:
                return " ".join(words)
    return ""


EVIDENCE_INFERENCE = PairSet(
    "evidence_inference",
    "Evidence Inference's annotations_merged.csv with prompts_merged.csv beside it; claims are derived",
    (frozenset({"PromptID", "PMCID", "Label", "Annotations"}),),
    read_evidence_inference,
)
