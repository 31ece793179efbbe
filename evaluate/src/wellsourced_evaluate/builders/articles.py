"""Articles that questions and statements are made from: the documents of files, and what their parts say."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.late import compile_late
from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.worker.pool import read_file_items
from wellsourced.text.sentences import is_prose, split_sentences
from wellsourced.types import Document, SourceKind
from wellsourced_evaluate.beir import hash_file

OBJECTIVE_LABELS = compile_late(
    r"\b(?:objectives?|aims?|purpose|goals?|hypothes[ie]s|question|introduction|background|context|importance)\b",
    re.IGNORECASE,
)
CONCLUSION_LABELS = compile_late(
    r"\b(?:conclusions?|interpretation|implications?|summary|significance|key (?:points|messages?))\b", re.IGNORECASE
)

_HEADED = compile_late(
    r"(?:^|(?<=[.!?])\s+|\n)(?P<label>(?:(?:Objectives?|Aims?|Purpose|Background|Introduction|Methods?|Design|Setting"
    r"|Patients|Participants|Interventions?|Measurements?|Results?|Findings?|Conclusions?(?:/Significance)?|Interpretation|Discussion"
    r"|Trial registration|Significance)(?=:))|OBJECTIVES?|AIMS?|PURPOSE|BACKGROUND(?:/AIMS?)?|INTRODUCTION|METHODS?"
    r"|PATIENTS AND METHODS|MATERIALS? AND METHODS|DESIGN|SETTING|PARTICIPANTS|INTERVENTIONS?|MAIN OUTCOME MEASURES?"
    r"|RESULTS?|FINDINGS?|CONCLUSIONS?|INTERPRETATION|DISCUSSION|TRIAL REGISTRATION(?: NUMBER)?|FUNDING):?\s+(?=[A-Z])"
)
"""The labels of an abstract that stand in its text, in capitals."""


MIN_SENTENCE_WORDS = 4
"""Of a sentence: what is shorter is a heading or a number of a register."""


class ArticlePart(NamedTuple):
    """A labelled part of an article; "" for what has no label."""

    label: str
    text: str


class ArticleFiles(NamedTuple):
    """What files hold.

    documents   in the order of the files, each id once
    inputs      name → sha256
    faults      what cannot be read: "trials.jsonl, line 17", and why
    """

    documents: tuple[Document, ...]
    inputs: dict[str, str]
    faults: tuple[tuple[str, str], ...]


def read_articles(paths: Sequence[Path], kind: SourceKind = "research") -> ArticleFiles:
    """The documents of all files. Raises UnreadableFile for a file that gives none."""
    documents: dict[str, Document] = {}
    faults: list[tuple[str, str]] = []
    for path in paths:
        before = len(documents)
        for item in read_file_items(path, kind):
            if isinstance(item, Document):
                documents.setdefault(item.reference.id, item)
            elif isinstance(item, UnreadablePart):
                faults.append((f"{path.name}, {item.where}", item.reason))
        if len(documents) == before:
            raise UnreadableFile(path, "it holds no article", "Name a file that `wellsourced library add` would take.")
    return ArticleFiles(tuple(documents.values()), {path.name: hash_file(path) for path in paths}, tuple(faults))


def list_parts(document: Document) -> tuple[ArticlePart, ...]:
    """Its labelled parts: sections, or what follows labels in capitals within the text."""
    if any(section.title for section in document.sections):
        return tuple(ArticlePart(one.title, document.text[one.start : one.end]) for one in document.sections)
    text = "\n".join(document.text[one.start : one.end] for one in document.sections) or document.text
    marks = list(_HEADED.finditer(text))
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(text)]
    labels = ["", *(mark["label"] for mark in marks)]
    parts = (ArticlePart(label, text[a:b].strip()) for label, a, b in zip(labels, starts, ends, strict=True))
    return tuple(part for part in parts if part.text)


def list_sentences(text: str) -> list[str]:
    """The sentences of a text that have some words, each on one line."""
    sentences = (" ".join(text[span.start : span.end].split()) for span in split_sentences(text))
    return [one for one in sentences if len(one.split()) >= MIN_SENTENCE_WORDS]


_ON_RESEARCH = compile_late(
    r"\b(?:further|future|more|additional|larger|well-designed|high(?:er)?[- ]quality|prospective|ongoing)\b[^.;]{0,60}"
    r"\b(?:research|stud(?:y|ies)|trials?|investigations?|work|evidence|data|RCTs?)\b[^.;]{0,60}"
    r"\b(?:needed|required|warranted|necessary|should|must|will|are to|recommended|essential|encouraged|help|validate"
    r"|confirm|clarify|investigate|examine|focus|determine)\b"
    r"|\b(?:needs?|requires?|warrants?|deserves?|merits?)\b[^.;]{0,30}\b(?:further|future|more|additional)\b[^.;]{0,30}"
    r"\b(?:research|stud(?:y|ies)|trials?|investigations?|evaluation|exploration|confirmation|work)\b"
    r"|^(?:[\w-]+ ){0,2}(?:studies|trials|research|RCTs|investigations)\b[^.;]{0,80}\b(?:needed|required|warranted)\b"
    r"|\bfuture (?:[\w-]+ )?(?:stud|research|trial|evaluation|investigation|work)"
    r"|\bto be (?:further )?(?:confirmed|investigated|evaluated|explored|validated|elucidated)\b"
    r"|\b(?:research|studies|trials) (?:should|must|needs? to|ought to)\b",
    re.IGNORECASE,
)
_ON_THE_ARTICLE = compile_late(
    r"^(?:(?:in|for) (?:this|our|the present|the current) (?:systematic |meta-|scoping |narrative )?"
    r"(?:review|study|analysis|article|paper|meta-analysis|manuscript),? )?"
    r"(?:we|the authors?|this|the present|our|the current) (?:aim|aims|aimed|sought|will|plan|planned|intend"
    r"|systematically|describe[sd]?|discuss(?:es)?|limited|searched|registered|protocol"
    r"|(?:article|paper|study|review) (?:reviews|aim\w*|describes|discusses|protocol))\b|\bwe review(?:ed)?\b"
    r"|\b(?:registration|registered|PROSPERO|ClinicalTrials\.gov|ISRCTN|NCT\d{8}|CRD\d+|copyright)\b|©"
    r"|\blevel of evidence:? (?:level )?[IV1-5]"
    r"|\b(?:trial|study|review|results|findings|project|data|research|intervention|it|we)\b[^.;]{0,60}\bwill\b"
    r"|\b(?:results|findings|implications) (?:are|were|will be) (?:discussed|presented|described|disseminated)\b"
    r"|\blinked comment|\binstitutional review board|\bfunding:|\bconflicts? of interest|\bwe discussed\b"
    r"|\b(?:strengths?|limitations?) (?:of (?:this|our|the)|(?:include|included|were|was)\b)"
    r"|\b(?:we|authors?) (?:suggest|recommend|propose|encourage|call for)\b[^.;]{0,60}"
    r"\b(?:research|stud(?:y|ies)|trials?)\b",
    re.IGNORECASE,
)


_CLAUSE_START = compile_late(
    r"[,;] (?=(?:but|and|although|though|however|yet|so|with|whereas|therefore|thus|while|which|requiring"
    r"|warranting)\b)"
    r"| (?=(?:but|although|however) )",
    re.IGNORECASE,
)
MIN_FINDING_WORDS = 5
"""Of the head of a sentence: what is shorter is no finding of its own."""


def is_finding(sentence: str) -> bool:
    """Whether a sentence of a conclusion speaks of its subject alone, and not of the article or of research to come."""
    return not (_ON_RESEARCH.search(sentence) or _ON_THE_ARTICLE.search(sentence))


def trim_to_finding(sentence: str) -> str:
    """The sentence as far as it says a finding: "X reduces pain, but more trials are needed" as "X reduces pain."."""
    if is_finding(sentence):
        return sentence
    for end in reversed(list(_CLAUSE_START.finditer(sentence))):
        head = sentence[: end.start()]
        finding = f"{head.rstrip(' ,;')}."
        if len(head.split()) >= MIN_FINDING_WORDS and is_finding(finding) and is_prose(finding):
            return finding
    return ""


def find_conclusion(parts: Iterable[ArticlePart]) -> tuple[str, ...]:
    """What the sentences of the parts called conclusions say of findings; () when no part is called so."""
    sentences = (
        trim_to_finding(sentence)
        for part in parts
        if CONCLUSION_LABELS.search(part.label)
        for sentence in list_sentences(part.text)
    )
    return tuple(filter(None, sentences))
