"""A result of each kind: one question on gout, from end to end."""

from wellsourced import types
from wellsourced.orders.explanation import ExplainedTerm, Explanation
from wellsourced.orders.terms import PrescribingSign

EXAMPLE_TEXT = "Low-dose colchicine is used in gout flares [1].\n\n1. ACR guideline. doi:10.1002/art.41247"

_WORDS = "Low-dose colchicine is strongly recommended over high-dose colchicine for gout flares (Strong, High)."
LISTED_REFERENCE = types.Reference(
    id="doi:10.1002/art.41247",
    title="2020 ACR Guideline for the Management of Gout",
    url="https://doi.org/10.1002/art.41247",
    kind="guideline",
    organisation="ACR",
    published="2020",
    doi="10.1002/art.41247",
)
_PASSAGE = types.Passage(reference=LISTED_REFERENCE, text=_WORDS, start=6883, end=6883 + len(_WORDS))
_VERBATIM = types.Verdict(label="supports", score=1.0, reason="the source's own words", basis="verbatim")

ANSWER = types.Answer(
    question=types.Question(text="Which dose of colchicine is used in a gout flare?"),
    statements=(
        types.Statement(
            text=_WORDS,
            citations=(types.Citation(passage_id=_PASSAGE.id, quote=_WORDS, start=_PASSAGE.start, end=_PASSAGE.end),),
            verdict=_VERBATIM,
            lead=True,
        ),
    ),
    evidence=(types.Evidence(passage=_PASSAGE, relevance=0.98, quotes=(_WORDS,)),),
)

RECOMMENDATION = ANSWER.model_copy(
    update={
        "question": types.Question(text="Which dose of colchicine should he take?", patient="54, first gout flare"),
        "recommendation": types.Recommendation(strength="strong", certainty="high"),
    }
)

CHECKUP = types.Checkup(
    submitted=types.SubmittedText(
        document=types.Document(reference=types.Reference(id="the text", published="2026-11-27"), text=EXAMPLE_TEXT),
        claims=(types.Claim(number=0, text=EXAMPLE_TEXT[:43], start=0, end=43, cites=("1",)),),
        sources=(
            types.CitedSource(
                key="1", written=EXAMPLE_TEXT[49:], start=49, end=len(EXAMPLE_TEXT), doi="10.1002/art.41247"
            ),
        ),
    ),
    traced=(types.SourceResolution(key="1", fetched="ok", standing="found", reference=LISTED_REFERENCE),),
    pairings=(
        types.ClaimSourceVerdict(
            claim=0,
            source="1",
            verdict=types.Verdict(label="supports", score=0.93),
            quote=_WORDS,
            start=_PASSAGE.start,
            end=_PASSAGE.end,
            own=True,
        ),
    ),
    verdicts=(types.Verdict(label="supports", score=0.93),),
)

EXPLANATION = Explanation(
    order="Furosemide 40 mg PO BID",
    signs=(PrescribingSign(sign="BID", start=20, end=23, meaning="twice a day"),),
    terms=(
        ExplainedTerm(
            term="Furosemide", start=0, end=10, answer=types.Answer(question=types.Question(text="Furosemide?"))
        ),
    ),
)

SEARCH_FINDINGS = types.SearchFindings(
    question=ANSWER.question,
    passages=(types.FoundPassage(source="guidelines", **_PASSAGE.model_dump(exclude={"id"})),),
)
