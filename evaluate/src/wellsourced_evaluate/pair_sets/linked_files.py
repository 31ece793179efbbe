"""Sets of pairs whose texts are in further files: SciFact, and Evidence Inference 2.0.

SciFact (Wadden et al., EMNLP 2020), claims_*.jsonl with corpus.jsonl beside it: `id`, `claim`, `cited_doc_ids`,
`evidence` {document: [{`sentences`: places, `label`}]}; `doc_id`, `abstract` (sentences). A claim and a document with
evidence are a pair; a document that it cites without evidence has not enough. The title is no part of the text: no
rationale is in it. Claims that share documents over any number of steps, in all files of claims that lie together, are
a group.

Evidence Inference (DeYoung et al., BioNLP 2020), annotations_merged.csv, and beside it prompts_merged.csv and, where an
annotation has no words, txt_files/PMC….txt. It has no claims, so that these are DERIVED: from each prompt on which the
accepted annotators agree, the sentence that says its result (supported), one that says another result (contradicted),
both on the annotators' words, and the first on their words about another outcome of the same trial (not enough).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.readers.decompressed_file import read_whole_text
from wellsourced_evaluate.pair_sets.base import (
    Fields,
    Row,
    SetFile,
    UnusableLine,
    join_rows,
    read_numbered_rows,
    require_text,
    translate_label,
)

Abstracts = Mapping[str, Sequence[str]]


def read_scifact(file: SetFile) -> Iterator[Row]:
    """A pair for each claim and each document that it cites or has evidence in. Raises NotFoundError for no corpus."""
    abstracts = dict(file.use_beside("corpus.jsonl", "SciFact's abstracts stand", _read_abstract))
    documents = defaultdict[int, list[str]](list)
    for path in sorted({file.path, *file.path.parent.glob("claims_*.jsonl")}):
        for _, fields in read_numbered_rows(path, []):
            if isinstance(id := fields.get("id"), int):
                documents[id] += _list_documents(fields)
    claims = sorted(documents)
    first = join_rows([documents[id] for id in claims])
    groups = {str(id): f"sfc-{claims[place]}" for id, place in zip(claims, first, strict=True)}
    for number, pairs in file.use_rows(lambda fields: _list_claim_pairs(fields, abstracts, groups)):
        yield from ((number, pair) for pair in pairs)


def _list_documents(fields: Fields) -> list[str]:
    """The documents of a claim, those with evidence first."""
    evidence, cited = fields.get("evidence"), fields.get("cited_doc_ids")
    named = [*(evidence if isinstance(evidence, dict) else ()), *(cited if isinstance(cited, list) else ())]
    return list(dict.fromkeys(map(str, named)))


def _read_abstract(fields: Fields) -> tuple[str, list[str]]:
    sentences = fields.get("abstract")
    if fields.get("doc_id") is None or not isinstance(sentences, list):
        raise UnusableLine("it has no doc_id or no abstract")
    return str(fields["doc_id"]), [str(one).strip() for one in sentences]


def _list_claim_pairs(fields: Fields, abstracts: Abstracts, groups: Mapping[str, str]) -> list[Fields]:
    """All pairs of a claim; none of them counts when one cannot be used."""
    claim, number, evidence = require_text(fields, "claim"), fields.get("id"), fields.get("evidence")
    if number is None:
        raise UnusableLine("it has no id")
    if not isinstance(evidence, dict):
        raise UnusableLine("it has no evidence: the labels of the test part were not released")
    documents = _list_documents(fields)
    if not documents:
        raise UnusableLine("it names no document")
    common = {"claim": claim, "group": groups.get(str(number), f"sfc-{number}")}
    return [
        {**common, "id": f"sf-{number}-{id}", **_read_evidence(id, evidence.get(id) or [], abstracts)}
        for id in documents
    ]


def _read_evidence(id: str, rationales: Any, abstracts: Abstracts) -> Fields:
    """What a document says of a claim. Raises UnusableLine."""
    if id not in abstracts:
        raise UnusableLine(f"its document {id} is not in the corpus")
    sentences = abstracts[id]
    try:
        labels = {translate_label(one.get("label")) for one in rationales}
        marked = [[sentences[place] for place in one["sentences"]] for one in rationales]
    except (AttributeError, IndexError, KeyError, TypeError) as bad:
        raise UnusableLine(f"its evidence in document {id} cannot be read") from bad
    if len(labels) > 1:
        raise UnusableLine(f"its evidence in document {id} has two labels")
    return {
        "doc_id": id,
        "evidence": " ".join(sentences),
        "evidence_sentences": marked,
        "label": labels.pop() if labels else "not_enough",
    }


# --- Evidence Inference ----------------------------------------------------------------------------------------------

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


class TrialPrompt(NamedTuple):
    """What was asked of a trial."""

    article: str
    outcome: str
    intervention: str
    comparator: str

    def say(self, code: str) -> str:
        """The claim that this was the result."""
        return f"Compared with {self.comparator}, {self.intervention} {RESULTS[code]} {self.outcome}."


class TrialResult(NamedTuple):
    """What annotators found of a prompt: its code, their words, and the row that said so first."""

    prompt: TrialPrompt
    code: str
    words: list[str]
    row: int


def read_evidence_inference(file: SetFile) -> Iterator[Row]:
    """Three pairs for each prompt; two where the trial has no other outcome. Raises NotFoundError for no prompts."""
    prompts: dict[str, TrialPrompt] = {}

    def read_prompt(fields: Fields) -> None:
        words = [require_text(fields, name) for name in ("PMCID", "Outcome", "Intervention", "Comparator")]
        if (id := require_text(fields, "PromptID")) in prompts:
            raise UnusableLine(f"the PromptID {id} stands in an earlier row")
        prompts[id] = TrialPrompt(*words)

    for _ in file.use_beside("prompts_merged.csv", "what was asked stands", read_prompt):
        pass
    results: dict[str, TrialResult] = {}
    disputed: dict[str, int] = {}
    for row, (id, code, words) in file.use_rows(lambda fields: _read_result(fields, prompts, file.path.parent)):
        known = results.setdefault(id, TrialResult(prompts[id], code, [], row))
        if known.code != code:
            disputed.setdefault(id, row)
        elif words not in known.words and len(known.words) < MAX_SPANS:
            known.words.append(words)
    for id, row in disputed.items():
        file.reject(row, f"annotators disagree on prompt {id}, which is left out")
    agreed = {id: one for id, one in results.items() if id not in disputed}
    for id, one in agreed.items():
        yield from ((one.row, pair) for pair in _derive_pairs(id, one, agreed))


def _read_result(fields: Fields, prompts: Mapping[str, TrialPrompt], folder: Path) -> tuple[str, str, str]:
    """The prompt of an annotation, the code of its label, and its words, or those at its offsets in the article."""
    id, label = require_text(fields, "PromptID"), require_text(fields, "Label").casefold()
    checks = [str(fields.get(name)).strip().casefold() for name in ("Valid Label", "Valid Reasoning")]
    if not {*checks} <= {"1", "true"}:
        raise UnusableLine("its label or its reasoning was not accepted")
    if label == "invalid prompt":
        raise UnusableLine("the annotator calls the prompt invalid")
    code = translate_label(label, names=CODES)
    if id not in prompts:
        raise UnusableLine(f"its PromptID {id} is in no row of the prompts")
    words = str(fields.get("Annotations") or "").strip()
    if not words:
        path = folder / "txt_files" / f"PMC{prompts[id].article}.txt"
        start, end = (str(fields.get(name) or "").strip() for name in ("Evidence Start", "Evidence End"))
        if start.isdigit() and end.isdigit() and path.is_file():
            words = read_whole_text(path)[int(start) : int(end)].strip()
    if not words:
        raise UnusableLine("it has no Annotations, and none can be cut from its article")
    return id, code, words


def _derive_pairs(id: str, one: TrialResult, agreed: Mapping[str, TrialResult]) -> Iterator[Fields]:
    prompt, evidence = one.prompt, " ".join(one.words)
    others = [code for code in RESULTS if code != one.code]
    # Either of the two other results, the same one each time.
    wrong = prompt.say(others[sum(id.encode()) % 2])
    # The words on the first other outcome of the trial that are not among the words on this one.
    outcome = prompt.outcome.casefold()
    elsewhere = (
        [some for some in other.words if some not in one.words]
        for other in agreed.values()
        if other.prompt.article == prompt.article and other.prompt.outcome.casefold() != outcome
    )
    silent = " ".join(next(filter(None, elsewhere), ()))
    for part, claim, text, label in (
        ("s", prompt.say(one.code), evidence, "supported"),
        ("c", wrong, evidence, "contradicted"),
        ("n", prompt.say(one.code), silent, "not_enough"),
    ):
        if text:
            yield {
                "id": f"ei-{id}-{part}",
                "group": f"PMC{prompt.article}",
                "claim": claim,
                "evidence": text,
                "label": label,
            }
