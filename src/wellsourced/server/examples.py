"""Examples in the description of the API: one question on gout, from end to end."""

from typing import Any

from wellsourced import types
from wellsourced.explain.explanation import ExplainedTerm, Explanation
from wellsourced.explain.terms import PrescribingSign

EXAMPLE_QUESTION = "What is first-line drug therapy for heart failure with reduced ejection fraction?"
EXAMPLE_TEXT = "Low-dose colchicine is used in gout flares [1].\n\n1. ACR guideline. doi:10.1002/art.41247"
EXAMPLE_ORDER = "Furosemide 40 mg PO BID"
EXAMPLE_RUN_ID = "3f9a2c07d1e4"
EXAMPLE_KEY = "8e03978e-40d5-43e8-bc93-6894a57f9324"
EXAMPLE_TIME = "2026-11-27T17:31:00+00:00"

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

# What is null is left out of the description: the day of the text is given so that its year is there.
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
    order=EXAMPLE_ORDER,
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

DOCUMENT_EXCERPT = types.DocumentExcerpt(
    reference=LISTED_REFERENCE,
    sections=(types.Section(title="Flare Management in Gout", start=6400, end=9100),),
    length=24_310,
    start=_PASSAGE.start,
    end=_PASSAGE.end,
    text=_WORDS,
)

CHAT_COMPLETION = {
    "id": "chatcmpl-5f2b8c1d9e0a",
    "object": "chat.completion",
    "created": 1_795_800_660,
    "model": "wellsourced",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": f"{_WORDS} [1]",
                "refusal": None,
                "annotations": [
                    {
                        "type": "url_citation",
                        "url_citation": {
                            "start_index": len(_WORDS) + 1,
                            "end_index": len(_WORDS) + 4,
                            "url": LISTED_REFERENCE.url,
                            "title": LISTED_REFERENCE.title,
                        },
                    }
                ],
            },
            "finish_reason": "stop",
            "logprobs": None,
        }
    ],
    "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    "wellsourced": ANSWER.model_dump(mode="json"),
}


def example_of(shown: object) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route whose description shows this answer."""
    content = shown.model_dump(mode="json") if isinstance(shown, types.Value) else shown
    return {200: {"content": {"application/json": {"example": content}}}}


def example_of_events(last: str) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route of server-sent events, the last of which is of this kind."""
    shown = f'event: Progress\ndata: {{"task": "verifying", "done": 1}}\n\nevent: {last}\ndata: {{…}}\n\n'
    content = {"text/event-stream": {"example": shown}}
    return {200: {"content": content, "description": f"Server-sent events, {last} last"}}
