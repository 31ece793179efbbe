"""The findings of a conclusion: its sentences without what they say of the article and of research to come."""

import re
from collections.abc import Iterable

from wellsourced.late import compile_late
from wellsourced.text.sentences import is_prose, split_sentences

MIN_SENTENCE_WORDS = 4
"""Of a sentence: what is shorter is a heading or a number of a register."""


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


def list_findings(texts: Iterable[str]) -> tuple[str, ...]:
    """What the sentences of conclusions that have some words say of findings, each on one line."""
    sentences = (" ".join(text[span.start : span.end].split()) for text in texts for span in split_sentences(text))
    return tuple(filter(None, (trim_to_finding(one) for one in sentences if len(one.split()) >= MIN_SENTENCE_WORDS)))
