"""How questions are answered, as numbers and choices: a class for each step. Every one is a setting."""

from typing import Any, Literal

from pydantic import Field, field_validator

from wellsourced.types import Value


class Policy(Value):
    """How much is searched, read and said, and how sure one has to be. Every number can be set.

    tiers                  what is asked together, in order of authority: kinds or names of sources, "*" for all others
    candidates             passages asked of each source, and judged in each tier after fusion
    per_query              of each search, so many, the nearest to its own query; then all of them count, however many
                           they are together, and nothing is ranked again; 0: the searches are fused, then ranked
    rerank                 candidates that the reranker judges, from the top; the others keep their places
    passages               passages read closely in each tier: the best of those that are relevant
    per_document           of these, at most so many of one work
    min_relevance          probability from which a passage counts as relevant to the question
    min_certainty          probability that the best passage must reach, or nothing is said
    sufficient_works       works, or passages of guidelines, at or above `min_certainty` that close the next tier
    statements             statements in an answer, at most
    leads                  of these, statements that make the TL;DR, at most; where it is more than one and the sources'
                           own sentences answer, a short sentence of a study that names what is asked for comes on top;
                           lines that answer an expected question all lead, in as many statements as they make
    rrf_k                  the constant k of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)
    source_seconds         patience with one source on the network, from when it is asked; what lies here takes its time
    concurrent_questions   questions in work at the same time, the others wait in order; 0: 4, with a model 16
    """

    tiers: tuple[tuple[str, ...], ...] = (("guideline",), ("*",), ("web",))
    candidates: int = Field(default=50, ge=1, le=10_000)
    per_query: int = Field(default=0, ge=0, le=1_000)
    rerank: int = Field(default=50, ge=0, le=1_000)
    passages: int = Field(default=16, ge=1, le=200)
    per_document: int = Field(default=8, ge=1)
    min_relevance: float = Field(default=0.4, ge=0, le=1)
    min_certainty: float = Field(default=0.6, ge=0, le=1)
    sufficient_works: int = Field(default=3, ge=1)
    statements: int = Field(default=12, ge=1, le=100)
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
    """What a model may do to a question before it is searched for; without a model none of it is done.

    pico         with a patient's text: state the question as population, intervention, comparison and outcome
    standalone   make a question that follows others stand alone
    translate    state a question in another language in English, and answer it in its own
    """

    pico: bool = True
    standalone: bool = True
    translate: bool = True


class ReadPolicy(Value):
    """How a model reads what was found; without a model the judge of relevance decides alone.

    relevance           who says what is relevant: the judge alone; the model too, once, when all tiers are
                        read; the model too, tier by tier: a tier counts only if the model accepts something; none: the
                        model writes from all that was found, or says that it does not answer
    keep_unsure         whether passages of which the model is unsure are written from; else they are left out
    cards               whether the model makes a card of each article in the same call
    batch               passages shown in one call; all calls are made at once
    guideline_slices    sections read of each guideline that is found, the nearest to the question, of as many
                        guidelines as `policy.passages`; 0: the passages that were found
    whole_work_length   characters up to which a work is read whole, as abstracts are: studies always, all else
                        where a model reads; 0: never
    self_knowledge      when nothing is relevant: ask whether the model can answer for certain without sources
    decompose           when nothing is relevant: parts of the question that are searched for, at most; 0: never
    decompose_levels    how often parts may be split again
    rerank_above        with more relevant passages than this, only the best are written from; 0: never
    rerank_keep         of these, so many
    """

    relevance: Literal["judge", "model", "tier", "none"] = "model"
    keep_unsure: bool = True
    cards: bool = True
    batch: int = Field(default=4, ge=1, le=64)
    guideline_slices: int = Field(default=0, ge=0, le=64)
    whole_work_length: int = Field(default=4_000, ge=0)
    self_knowledge: bool = False
    decompose: int = Field(default=0, ge=0, le=4)
    decompose_levels: int = Field(default=1, ge=1, le=2)
    rerank_above: int = Field(default=35, ge=0)
    rerank_keep: int = Field(default=20, ge=1)


class CondensePolicy(Value):
    """When passages are read in parts, notes taken of each, and the answer written from the notes (BriefContext).

    mode        never; when they do not fit the model's window; when two rankings disagree (preflight) or they do not
                fit; always
    parts       parts of equal size, in rank order
    top         of the preflight: passages at the top of each ranking that are compared
    delta       of the preflight: the rankings agree if the IoU of these is greater
    """

    mode: Literal["never", "fit", "preflight", "always"] = "fit"
    parts: int = Field(default=2, ge=1, le=64)
    top: int = Field(default=3, ge=1)
    delta: float = Field(default=0.2, ge=0, lt=1)


class WritePolicy(Value):
    """What a model writes. Without a model statements are the sources' own sentences, whatever stands here.

    style       an answer in statements; a synthesis of article cards; a recommendation for a patient; plain language
    reasoning   whether it writes down its reasons before it chooses an option
    memory      whether it may answer from its own knowledge: never; when it said that it is certain and no source
                has a relevant passage; always, without reading any
    drafts      drafts that are written at once; the one that its sources support best is taken
    """

    style: Literal["answer", "synthesis", "recommendation", "plain"] = "answer"
    reasoning: bool = False
    memory: Literal["never", "certain", "always"] = "never"
    drafts: int = Field(default=1, ge=1, le=8)


class CheckPolicy(Value):
    """What becomes of a draft.

    consistency   whether a model says of every statement what its passages say of it, all in one wave
    repair        whether statements that do not stand are written anew, once, and checked again
    conflicts     what becomes of a statement that its passages contradict even then: drop it, or show it as such
    """

    consistency: bool = True
    repair: bool = True
    conflicts: Literal["drop", "show"] = "drop"


class Budget(Value):
    """What one question may cost, at most; 0: as much as it takes. Spent in mid-answer, the supported part is given.

    `seconds` count from when it is asked, waiting for its turn included. When they are over no source, tier, model or
    batch of the reranker is begun or waited for; the answer is given from what was found by then.

    calls     to language models
    tokens    read and written
    seconds   until nothing is begun or waited for any more; the answer says what was left out
    dollars   as far as prices are known
    """

    calls: int = Field(default=0, ge=0)
    tokens: int = Field(default=0, ge=0)
    seconds: float = Field(default=0.0, ge=0)
    dollars: float = Field(default=0.0, ge=0)
