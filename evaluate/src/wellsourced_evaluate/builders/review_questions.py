"""Questions from systematic reviews that ask one in their title, as PubMedRS-200 has them (Lozano et al., PSB 2024).

Each has the review as its source, which should not answer it, the last day before the review was public, the works that
the review cites, and the findings of its conclusion as the answer that people gave.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.text.sentences import is_prose, split_sentences
from wellsourced.text.tables import read_rows
from wellsourced_evaluate.builders.built_set import BuildHeader, LeftOut, Row, SetRecipe, answered_row
from wellsourced_evaluate.builders.review_search import ReviewRecord, ReviewSearch

BATCH = 100
"""Records that are asked for at a time: a review with its references has about 100 KB."""


CONCLUSION_LABELS = lazy_regex(
    r"\b(?:conclusions?|interpretation|implications?|summary|significance|key (?:points|messages?))\b", re.IGNORECASE
)


class ReviewOptions(NamedTuple):
    """Which reviews are looked for.

    topic         an expression in PubMed's language; "" for any
    specialties   names of SPECIALTIES, each searched for apart; none: all of medicine in one search
    records       looked at for each specialty, at most
    """

    topic: str = ""
    specialties: tuple[str, ...] = ()
    records: int = 500
    since: date | None = None
    until: date | None = None


class FetchedReview(NamedTuple):
    """A review of a specialty, or why it cannot be read."""

    review: ReviewRecord | None
    missing: str
    specialty: str


@cache
def load_specialties() -> dict[str, str]:
    """Name → what PubMed is asked for it: headings of MeSH, of which those below them count too."""
    rows = read_rows("wellsourced_evaluate.builders", "specialties.tsv")
    return {row[0]: row[1] for row in rows}


def review_recipe(options: ReviewOptions, finder: ReviewSearch, service: str = "") -> SetRecipe[FetchedReview]:
    """How questions are made of the reviews that PubMed, at the address `service`, has: no record is asked for twice.

    Building raises as a live source does.
    """
    notes: list[str] = []

    async def find_reviews() -> Mapping[str, str]:
        """Key → specialty; of a review of two specialties the first counts."""
        wanted: dict[str, str] = {}
        for specialty in options.specialties or ("",):
            parts = (options.topic, load_specialties().get(specialty, ""))
            term = " AND ".join(f"({part})" for part in parts if part)
            for pmid in await finder.find_reviews(term, options.records, options.since, options.until):
                wanted.setdefault(f"pubmed:{pmid}", specialty)
        return wanted

    async def fetch_reviews(batch: Mapping[str, str]) -> Mapping[str, FetchedReview]:
        pmids = {key: key.removeprefix("pubmed:") for key in batch}
        fetched = await finder.fetch_reviews(list(pmids.values()))
        notes.extend(fetched.notes)
        return {
            key: FetchedReview(fetched.reviews.get(pmid), fetched.missing.get(pmid, ""), batch[key])
            for key, pmid in pmids.items()
        }

    settings = options._asdict() | {"since": str(options.since or ""), "until": str(options.until or "")}
    return SetRecipe(
        BuildHeader(builder="review-questions", seed=0, settings=settings, inputs={f"PubMed ({service})": ""}),
        find_reviews,
        _ask_of_review,
        "Looked through {done:,} of {every:,} records",
        together=BATCH,
        prepare=fetch_reviews,
        count_by=("specialty",),
        notes=notes,
    )


async def _ask_of_review(fetched: FetchedReview) -> Sequence[Row]:
    review = fetched.review
    if review is None:
        raise LeftOut(fetched.missing)
    reference, abstract = review.record
    title = reference.title
    question = read_title_question(title)
    concluded = [part.text for part in abstract if CONCLUSION_LABELS.search(part.label)]
    findings = list_findings(concluded)
    if any(notice.kind == "retraction" for notice in reference.retraction.notices):
        raise LeftOut("it was retracted", title)
    if not any(part.text for part in abstract):
        raise LeftOut("it has no abstract", title)
    if not concluded:
        raise LeftOut("its abstract has no part that is called a conclusion", title)
    if not findings:
        raise LeftOut("its conclusion says no finding", title)
    if review.public is None:
        raise LeftOut("it does not say when it was published", title)
    sources = [f"pubmed:{reference.pmid}", *([f"doi:{reference.doi}"] if reference.doi else [])]
    row: Row = answered_row(f"review-{reference.pmid}", question, sources, findings, title) | {
        "as_of": (review.public - timedelta(days=1)).isoformat(),
        "published": review.public.isoformat(),
        "conclusion": " ".join(concluded),
        "gold_ref_pmids": list(review.cited.pmids),
        "gold_ref_dois": list(review.cited.dois),
        "references_listed": review.cited.entries,
        "mesh": list(reference.mesh),
        "specialty": fetched.specialty,
    }
    return [row | ({} if review.cited.entries else {"flag": "no_references"})]


# --- titles ---------------------------------------------------------------------------------------------------------

MIN_WORDS = 5
"""Of a question: what is shorter names too little of what it is about."""

MIN_WORDS_ALONE = 8
"""Of a question behind a colon: what is shorter rests on what stands before the colon."""

_TAG = lazy_regex(r"</?(?:sup|sub|i|b|u|em|strong)>", re.IGNORECASE)
_SPACE_BEFORE_STOP = lazy_regex(r"\s+(?=[?,;])")

_AUXILIARY = (
    r"(?:is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had)(?:n['’]t| not)?"
)
_ASKING = (
    rf"(?:{_AUXILIARY}|what|which|who|whom|whose|when|where|why|how|"
    r"(?:in|for|at|by|to|on|with|under|from|after|of) (?:what|which|whom|how))"
)
_OPENS_QUESTION = lazy_regex(rf"(?:and |but |so,? )?{_ASKING}\b", re.IGNORECASE)
_CLAUSE_END = lazy_regex(r"(?:[:;.!?]|\s[-–—]|—|,(?= (?:is|are|do|does|can|should|what|which|how|when)\b))\s+")
_CHOICE = lazy_regex(r"\b(?:or|versus|vs\.?)\b(?=.*\b(?:for|in|to|after|during|with|among)\b)", re.IGNORECASE)

_SPEAKS_OF_ANOTHER = lazy_regex(
    r"\b(?:it|its|they|them|their|he|she|this|these|that bridge|those|there yet|so far|the same|such)\b", re.IGNORECASE
)
"""Words whose meaning stands before a colon."""

_RHETORICAL = lazy_regex(
    r"\b(?:what(?:['’]s| is| are) (?:new|next|known|(?:the )?(?:current |latest |available )?(?:evidence"
    r"|state of the art"
    r"|status|literature|science|news))(?: so far| to date| say| tell us)?\s*\?"
    r"|where (?:are|do|did) we\b|are we (?:there|ready|missing|asking|doing)|what do we (?:really |already "
    r"|actually )?know"
    r"|what (?:have|did) we learn|what does (?:the |current )?(?:evidence|literature|science|research"
    r"|data) (?:say|tell|show)"
    r"|myths? or|fact or fiction|friends? or foes?|hype or|fad or|(?:ready )?for prime ?time|time (?:to"
    r"|for) (?:a )?(?:change|act"
    r"|re)|quo vadis|much ado|more than meets|(?:a )?missing link|old wine|new kid|chicken or|one size fits all"
    r"|game[- ]changer"
    r"|double[- ]edged|does (?:it|size) matter|what lies|so what|what now|how (?:far|long) have we"
    r"|do we (?:really )?need"
    r"|a (?:new|novel|promising|potential|forgotten|useful) \w+(?: \w+)?\s*\?)",
    re.IGNORECASE,
)
"""Questions that ask for a survey, or for nothing."""

_ON_METHODS = lazy_regex(
    r"\b(?:systematic reviews?|meta-?analys[ei]s|scoping reviews?|literature|reporting (?:quality|guideline)"
    r"|PRISMA|CONSORT"
    r"|publication bias|risk of bias|authors?|journals?|citations?|research (?:agenda|priorit\w+|gaps?)"
    r"|randomi[sz]ed trials"
    r"|protocols?|outcome reporting|methodolog\w+)\b",
    re.IGNORECASE,
)
"""Reviews of reviews: what they ask is of research, and not of people and their care."""

PROTOCOL = lazy_regex(
    r"\b(?:study |review )?protocols?\b(?: (?:for|of)\b|[.:]?\s*$)|\b(?:a|an|the) protocol\b", re.IGNORECASE
)
"""A title of a review that is still to be done."""


def read_title_question(title: str) -> str:
    """The first question of a title that stands alone. Raises LeftOut."""
    plain = " ".join(_SPACE_BEFORE_STOP.sub("", _TAG.sub("", title)).split()).strip('[]. "“”‘')
    before, mark, behind = plain.partition("?")
    asked = _cut_question(f"{before.strip()}?")
    clause = _last_clause(asked)
    is_asking = _OPENS_QUESTION.match(asked) or _OPENS_QUESTION.match(clause) or _CHOICE.search(clause)
    flaws = {
        "its title asks nothing": not mark,
        "it is a protocol: nothing was found yet": PROTOCOL.search(behind or before),
        "its title asks for a survey, or to no purpose": _RHETORICAL.search(asked),
        "its title asks about research itself": _ON_METHODS.search(asked),
        "its title has a question mark and is not a question": not is_asking,
        "its question is too short to be complete by itself": len(asked.split()) < MIN_WORDS,
        "its question is not complete by itself": clause == asked and _SPEAKS_OF_ANOTHER.search(clause),
    }
    if reason := next((flaw for flaw, is_there in flaws.items() if is_there), ""):
        raise LeftOut(reason, title)
    return asked[0].upper() + asked[1:]


def _cut_question(text: str) -> str:
    """The clause that asks, where it says enough; else all that stands before the question mark."""
    clause = _last_clause(text)
    is_alone = len(clause.split()) >= MIN_WORDS_ALONE and not _SPEAKS_OF_ANOTHER.search(clause)
    return clause if is_alone and _OPENS_QUESTION.match(clause) else text


def _last_clause(text: str) -> str:
    ends = list(_CLAUSE_END.finditer(text))
    return text[ends[-1].end() :] if ends else text


# --- conclusions: their sentences without what they say of the article and of research to come ------------------------

MIN_SENTENCE_WORDS = 4
"""Of a sentence: what is shorter is a heading or a number of a register."""


_ON_RESEARCH = lazy_regex(
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
_ON_THE_ARTICLE = lazy_regex(
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


_CLAUSE_START = lazy_regex(
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
