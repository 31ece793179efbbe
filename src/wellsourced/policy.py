"""How questions are answered, as numbers and choices: a class for each step. Every one is a setting."""

from typing import Any, Literal

from pydantic import Field, field_validator

from wellsourced.types import Value


class Policy(Value):
    """How much is searched, read and written.

    tiers                  order of the sources (kinds or names); those of a tier are searched together; *: all others
    candidates             passages requested from each source, and ranked in each tier
    per_query              best passages kept of each search, without fusion or reranking; 0: fuse and rerank all
    rerank                 number of top candidates that are reranked
    passages               number of sections read closely in each tier, the nearest to the question
    per_document           maximum number of sections from one work, while others fill the places
    sufficient_works       with relevance “tier”: number of passages accepted after which no further tier is searched
    statements             maximum number of statements in an answer
    leads                  maximum number of statements in the TL;DR
    rrf_k                  constant k of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)
    source_seconds         timeout of one live source, in seconds
    concurrent_questions   number of questions answered at the same time; 0: 4, or 16 with a model
    """

    tiers: tuple[tuple[str, ...], ...] = (("guideline",), ("*",), ("web",))
    candidates: int = Field(default=50, ge=1, le=10_000)
    per_query: int = Field(default=0, ge=0, le=1_000)
    rerank: int = Field(default=50, ge=0, le=1_000)
    passages: int = Field(default=16, ge=1, le=200)
    per_document: int = Field(default=8, ge=1)
    sufficient_works: int = Field(default=3, ge=1)
    statements: int = Field(default=16, ge=1, le=100)
    leads: int = Field(default=2, ge=1, le=5)
    rrf_k: int = Field(default=60, ge=1)
    source_seconds: float = Field(default=30.0, gt=0)
    concurrent_questions: int = Field(default=0, ge=0, le=1_000)

    @field_validator("tiers", mode="before")
    @classmethod
    def _parse_tiers(cls, given: Any) -> Any:
        """As it is written in one line, where there are no lists: "guideline > *, pubmed > web"."""
        if not isinstance(given, str):
            return given
        return [[name.strip() for name in tier.split(",") if name.strip()] for tier in given.split(">") if tier.strip()]


class FramePolicy(Value):
    """What a model does to a question before the search; without a model, nothing is done.

    pico         with a patient's text: state the question as population, intervention, comparison and outcome
    standalone   rewrite a follow-up question so that it can be understood alone
    translate    translate a question to English, and answer in its own language
    """

    pico: bool = True
    standalone: bool = True
    translate: bool = True


class ReadPolicy(Value):
    """How a model reads the sections that were found.

    With relevance “tier”, a tier counts only if the model accepts something in it; with “none”, the model writes from
    all that was found, or says that it does not answer the question. With “score” it writes from all, too, unless no
    section is near the question.

    relevance           what decides relevance: score; model (once, at the end); tier (the model, after each tier); none
    keep_unsure         also write from passages of which the model is unsure
    cards               have the model note the design of each article in the same call
    batch               passages shown in one call; all calls run in parallel
    guideline_slices    best sections read of each guideline that was found; 0: only the passages found
    section_length      characters of a section above which it is split
    self_knowledge      if nothing is relevant, ask whether the model knows the answer without sources
    decompose           if nothing is relevant, search for this many parts of the question; 0: never
    decompose_levels    how often parts may be split again
    search_again        search once more for each part that the draft found nothing on
    rerank_above        number of relevant passages above which only the best are used; 0: never
    rerank_keep         number of passages used then
    """

    relevance: Literal["score", "model", "tier", "none"] = "model"
    keep_unsure: bool = True
    cards: bool = True
    batch: int = Field(default=16, ge=1, le=64)
    guideline_slices: int = Field(default=0, ge=0, le=64)
    section_length: int = Field(default=4_000, ge=500)
    self_knowledge: bool = False
    decompose: int = Field(default=0, ge=0, le=4)
    decompose_levels: int = Field(default=1, ge=1, le=2)
    search_again: bool = True
    rerank_above: int = Field(default=35, ge=0)
    rerank_keep: int = Field(default=20, ge=1)


class CondensePolicy(Value):
    """When passages are read in parts, and the answer is written from notes (BriefContext).

    mode    when to read in parts: never; fit (too long for the model); preflight (or rankings disagree); always
    parts   number of parts, of equal size and in rank order
    top     preflight: top passages of each ranking that are compared
    delta   preflight: rankings agree if the overlap (IoU) of their top passages is greater
    """

    mode: Literal["never", "fit", "preflight", "always"] = "fit"
    parts: int = Field(default=2, ge=1, le=64)
    top: int = Field(default=3, ge=1)
    delta: float = Field(default=0.2, ge=0, lt=1)


class WritePolicy(Value):
    """What a model writes. Without a model, statements are the sources' own sentences.

    style       form of the answer: answer, synthesis (of article cards), recommendation (for a patient)
    reader      whom it is written for: asker (a patient, if the question is a patient's own), clinician, patient
    reasoning   write down the reasons before choosing an option
    memory      answer from the model's own knowledge: never; certain (if nothing is relevant); always, without reading
    """

    style: Literal["answer", "synthesis", "recommendation"] = "answer"
    reader: Literal["asker", "clinician", "patient"] = "asker"
    reasoning: bool = False
    memory: Literal["never", "certain", "always"] = "never"


class CheckPolicy(Value):
    """How a draft is checked.

    consistency   have a model compare every statement with its passages
    repair        rewrite unsupported statements once, and check them again
    conflicts     statements that their passages still contradict: drop, or show as contradicted
    controls      check the model that checks: plant statements whose verdict is known in each of its calls
    """

    consistency: bool = True
    repair: bool = True
    conflicts: Literal["drop", "show"] = "drop"
    controls: bool = True


class Budget(Value):
    """What one question may cost; 0: no limit. If it runs out, the part supported so far is the answer.

    After the deadline no source, tier, model or batch of the reranker is begun or waited for; the answer is given from
    what was found by then, and says what was left out.

    calls     maximum number of calls to language models for a question; 0: no limit
    tokens    maximum number of tokens read and written for a question; 0: no limit
    seconds   deadline of an answer in seconds, waiting included; 0: none
    dollars   maximum cost of a question in US dollars, as far as prices are known; 0: no limit
    """

    calls: int = Field(default=0, ge=0)
    tokens: int = Field(default=0, ge=0)
    seconds: float = Field(default=0.0, ge=0)
    dollars: float = Field(default=0.0, ge=0)
