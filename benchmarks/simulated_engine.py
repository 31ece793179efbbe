"""A language model that costs time and knows nothing: the fake by which whole presets are run, counted and timed.

What it says is copied from what it is shown, so quotes are verbatim, and the same for the same wording. It is asked in
words, like any engine, and so tells too whether the words are enough to reply to.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, cast

from wellsourced.errors import PromptTooLong, UnsupportedPrompt
from wellsourced.models.base import EngineReply, OnPartialReply, R, RenderedPrompt, Reply
from wellsourced.prompts.evidence import (
    ArticleJudgement,
    ArticlesReply,
    CertaintyReply,
    GuidelineDigest,
    NotesReply,
    PassageNote,
    RelevanceJudgement,
    RelevanceReply,
    UncheckedCard,
)
from wellsourced.prompts.planning import (
    BooleanQuery,
    DecompositionReply,
    EnglishQuestion,
    KeywordsReply,
    PicoReply,
    PlannedQuery,
    PlanScore,
    PseudoDocument,
    SourcePlan,
    SourceQueries,
    StandaloneQuestion,
    TermsReply,
)
from wellsourced.prompts.probing import (
    GeneratedQuestionReply,
    QuestionVariantReply,
    SourcedAnswerReply,
    SourcedStatement,
)
from wellsourced.prompts.verification import (
    ClaimVerdict,
    CleanUpReply,
    ConsistencyReply,
    PlacesReply,
    PlaceVerdict,
    RepairedStatement,
    RepairReply,
    StandaloneStatement,
    StatementsReply,
    StatementVerdict,
    VerificationReply,
)
from wellsourced.prompts.writing import (
    AnswerDraft,
    Draft,
    DraftQuote,
    DraftStatement,
    MemoryDraft,
    MergedDraft,
    PlainDraft,
    RecommendationDraft,
    TermDraft,
    TermDrafts,
)
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tokens import content_stems, stem_coverage, tokenize

FENCED_FIELD = re.compile(
    r"<(?P<name>\w+)-(?P<code>[0-9A-F]{4,64})(?: id=(?P<key>\w+))?>\n(?P<body>.*?)\n</\1-\2>", re.DOTALL
)
"""A field as it is shown, between its tags."""

CHARACTERS_PER_TOKEN = 4
"""Letters of a token: every four of a text are counted as one, and what is left over as one more."""

MAX_STATEMENTS = 8
"""Statements of a draft, at most; the instruction may ask for fewer, and it does not read it."""

CELL_WORDS = 7
"""A claim of fewer words behind its labels is a cell of a table."""

COPIED = 0.75
"""Share of a claim's words in a sentence from which it is a copy of it."""

_FACT = re.compile(r"\d[\d.]*|\b(?:no|not|never|without)\b")
"""A number, or a negation."""

PREFACE = "According to this source, "
"""How a statement begins that is no quote."""

MAX_KEYWORDS = 4
PLAN_SCORE = 5

_NUMBER_LINE = re.compile(r"^(\w+): (-?[\d.]+)$", re.MULTILINE)
_QUOTED_PASSAGE = re.compile(r"passage_id: (\w+)\n(?: *finding: .*\n)? *quote: (.+)")


class PromptMaterial(NamedTuple):
    """Of a wording made by models/prompt_rendering.py.

    fields     name → what stands between its tags
    passages   key → words of the passage; of notes, what was quoted of it
    numbers    name → number, of the fields that are one
    """

    fields: dict[str, str]
    passages: dict[str, str]
    numbers: dict[str, float]


def parse_material(wording: RenderedPrompt) -> PromptMaterial:
    """Everything that it shows."""
    fields = {found["name"]: found["body"] for found in FENCED_FIELD.finditer(wording.material)}
    passages = {key: words for body in fields.values() for key, words in _parse_passages(body)}
    outside = FENCED_FIELD.sub("", wording.material)
    return PromptMaterial(fields, passages, {name: float(number) for name, number in _NUMBER_LINE.findall(outside)})


def _parse_passages(body: str) -> Iterator[tuple[str, str]]:
    for found in FENCED_FIELD.finditer(body):
        if found["key"]:
            yield found["key"], found["body"].partition("text:\n")[2]
    yield from _QUOTED_PASSAGE.findall(body)


class SimulatedEngine:
    """Replies after `seconds` to every kind of reply that prompts of this package ask for; to others UnsupportedPrompt.

    A passage bears on the question when it shares a word with it that means something.

    certain     what it says when it is asked whether it can answer without sources
    paraphrase  whether it says things in other words than its sources, which then have to be checked
    """

    name = "simulated"
    remote = False

    def __init__(
        self,
        seconds: float = 1.0,
        *,
        window: int = 128_000,
        reserved: int = 4_096,
        certain: bool = False,
        paraphrase: bool = False,
    ) -> None:
        self.seconds, self.window, self.reserved = seconds, window, reserved
        self.certain, self.paraphrase = certain, paraphrase
        self.settings = f"certain={certain} paraphrase={paraphrase}"

    def count(self, text: str) -> int:
        """A token for every four letters, rounded up."""
        return -(-len(text) // CHARACTERS_PER_TOKEN)

    async def ask(self, wording: RenderedPrompt, reply: type[R], heard: OnPartialReply | None = None) -> EngineReply[R]:
        """What it makes of what it is shown, once the time has passed."""
        if (tokens := sum(map(self.count, wording))) > self.window - self.reserved:
            raise PromptTooLong(tokens, self.window - self.reserved)
        said = self._build_reply(reply, parse_material(wording))
        await asyncio.sleep(self.seconds)
        told = said.model_dump_json()
        if heard:
            heard(told)
        return EngineReply(cast(R, said), tokens, self.count(told))

    def _build_reply(self, reply: type[Reply], shown: PromptMaterial) -> Reply:
        if reply is CertaintyReply:
            return CertaintyReply(certain=self.certain)
        if reply not in REPLIES:
            raise UnsupportedPrompt(f"nobody said what a simulated model replies when {reply.__name__} is asked for")
        said = REPLIES[reply](shown)
        return _paraphrase_draft(said) if self.paraphrase and isinstance(said, Draft) else said


def _question_text(shown: PromptMaterial) -> str:
    return shown.fields.get("question", "")


def _question_without_options(shown: PromptMaterial) -> str:
    """The question without its options."""
    return _question_text(shown).partition("\noptions:")[0]


def _find_best_sentence(text: str, question: str) -> str:
    """The sentence that shares most words with the question, as it stands; "" when none shares any."""
    found = [text[span.start : span.end] for span in split_sentences(text)]
    best = max(found, key=lambda sentence: stem_coverage(question, sentence), default="")
    return best if stem_coverage(question, best) else ""


def _find_quotes(shown: PromptMaterial) -> dict[str, str]:
    """Key → the words of the passage that bear on the question, of passages that have some, in order."""
    question = _question_without_options(shown)
    found = {key: _find_best_sentence(text, question) for key, text in shown.passages.items()}
    return {key: quote for key, quote in found.items() if quote}


def _judge_passages(shown: PromptMaterial) -> RelevanceReply:
    quotes = _find_quotes(shown)
    return RelevanceReply(
        items=tuple(
            RelevanceJudgement(passage_id=key, bears="yes" if key in quotes else "no", quote=quotes.get(key, ""))
            for key in shown.passages
        )
    )


def _judge_articles(shown: PromptMaterial) -> ArticlesReply:
    quotes = _find_quotes(shown)
    return ArticlesReply(
        items=tuple(
            ArticleJudgement(passage_id=key, bears="yes", quote=quotes[key], card=UncheckedCard(summary=quotes[key]))
            if key in quotes
            else ArticleJudgement(passage_id=key, bears="no")
            for key in shown.passages
        )
    )


def _take_notes(shown: PromptMaterial) -> NotesReply:
    notes = [PassageNote(passage_id=key, finding=quote, quote=quote) for key, quote in _find_quotes(shown).items()]
    return NotesReply(nothing=not notes, notes=tuple(notes), tentative=_first_option(shown) if notes else "")


def _draft_statements(shown: PromptMaterial) -> tuple[DraftStatement, ...]:
    quotes = list(_find_quotes(shown).items())[:MAX_STATEMENTS]
    return tuple(
        DraftStatement(text=quote, quotes=(DraftQuote(passage_id=key, quote=quote),), lead=place == 0)
        for place, (key, quote) in enumerate(quotes)
    )


def _explain_terms(shown: PromptMaterial) -> TermDrafts:
    """For each term the sentence that shares most words with its question, of the passage that has it."""
    drafts = []
    for one in parse_items(shown.fields["terms"]):
        said = {key: _find_best_sentence(text, one["question"]) for key, text in shown.passages.items()}
        key = max(said, key=lambda key: stem_coverage(one["question"], said[key]), default="")
        if key and said[key]:
            quote = DraftQuote(passage_id=key, quote=said[key])
            drafts.append(TermDraft(key=one["key"], statements=(DraftStatement(text=said[key], quotes=(quote,)),)))
    return TermDrafts(drafts=tuple(drafts))


def _paraphrase_draft(draft: Draft) -> Draft:
    """The draft, in which no statement is its source's sentence any more, and each says the same."""
    others = (one.model_copy(update={"text": f"{PREFACE}{one.text}"}) for one in draft.statements)
    return draft.model_copy(update={"statements": tuple(others)})


def _first_option(shown: PromptMaterial) -> str:
    """The first option."""
    options = _question_text(shown).partition("\noptions:\n")[2].strip()
    return options.partition(":")[0]


def _draft_from_memory(shown: PromptMaterial) -> MemoryDraft:
    return MemoryDraft(statements=(f"This was asked: {_question_without_options(shown)}",), choice=_first_option(shown))


def _find_support(claim: str, text: str) -> str:
    """The sentence that shares most words with a claim which stands in the text, a cell beside its label, or says it in
    fewer of its words; "" else, and where its numbers or negations are others, or it is a changed copy."""
    *labels, words = (part.casefold().rstrip(".") for part in claim.removeprefix(PREFACE).split(": "))
    whole = " ".join(text.casefold().split())
    # What is put before a claim may deny it.
    if any("no evidence" in label and label not in whole for label in labels):
        return ""
    is_cell = len(words.split()) < CELL_WORDS and any(label in whole for label in labels)
    lines = text.casefold().splitlines() if is_cell else [whole]
    stands = any(words in line and (not is_cell or any(label in line for label in labels)) for line in lines)
    best = _find_best_sentence(text, words)
    facts, given = (sorted(_FACT.findall(one.casefold())) for one in (words, best))
    is_copy = COPIED <= stem_coverage(words, best) < 1
    is_told = stem_coverage(words, text) == 1 and facts == given and not is_copy and not is_cell
    return (best or _find_best_sentence(text, claim)) if stands or is_told else ""


def _check_claims(shown: PromptMaterial) -> ConsistencyReply:
    """A claim is supported if it stands in a passage that it cites."""
    return ConsistencyReply(
        items=tuple(_check_claim(claim, shown.passages) for claim in parse_items(shown.fields.get("claims", "")))
    )


def _check_claim(claim: Mapping[str, str], passages: Mapping[str, str]) -> ClaimVerdict:
    cited = [key for key in claim.get("cites", "").split("; ") if key in passages]
    for key in cited:
        if quote := _find_support(claim["text"], passages[key]):
            return ClaimVerdict(key=claim["key"], label="supports", passage_id=key, quote=quote)
    return ClaimVerdict(key=claim["key"], label="silent")


def _compare_places(shown: PromptMaterial) -> PlacesReply:
    """Every two places say the same."""
    places = parse_items(shown.fields.get("places", ""))
    return PlacesReply(items=tuple(PlaceVerdict(key=one["key"], same="yes", quote=one["source"]) for one in places))


def _repair_statements(shown: PromptMaterial) -> RepairReply:
    """The best sentences of the passages in the places of the faults, in order."""
    keys = [fault["key"] for fault in parse_items(shown.fields.get("faults", ""))]
    drafted = zip(keys, _draft_statements(shown), strict=False)
    return RepairReply(
        statements=tuple(RepairedStatement(text=one.text, quotes=one.quotes, fault=key) for key, one in drafted)
    )


def _verify_claims(shown: PromptMaterial) -> VerificationReply:
    """A claim is supported if it stands in the source."""
    claims = parse_items(shown.fields.get("claims", ""))
    quotes = {claim["key"]: _find_support(claim["text"], shown.fields.get("source", "")) for claim in claims}
    return VerificationReply(
        items=tuple(
            StatementVerdict(key=key, label="supports" if quote else "silent", excerpt=quote)
            for key, quote in quotes.items()
        )
    )


def _make_question(shown: PromptMaterial) -> GeneratedQuestionReply:
    """About the first sentence of the page that says as much as its title, or anything."""
    said = (
        _find_best_sentence(shown.fields["text"], shown.fields.get("title", ""))
        or shown.fields["text"].partition(".")[0]
    )
    question = f"What is known about {' '.join(_first_keywords(said))}?"
    return GeneratedQuestionReply(question=question, answer=said, excerpt=said)


def _split_statements(shown: PromptMaterial) -> StatementsReply:
    """Every sentence of the answer is a statement."""
    answer = shown.fields["answer"]
    said = (answer[span.start : span.end] for span in split_sentences(answer))
    return StatementsReply(statements=tuple(StandaloneStatement(text=one, span=one) for one in said))


def _clean_up_statement(shown: PromptMaterial) -> CleanUpReply:
    """The sentence of the source that shares words with the statement takes its place, if one does."""
    excerpt = _find_best_sentence(shown.fields["source"], shown.fields["statement"])
    return CleanUpReply(action="edit" if excerpt else "remove", text=excerpt, excerpt=excerpt)


def parse_items(body: str) -> list[dict[str, str]]:
    """The items of a list that a wording shows: names and values."""
    items: list[dict[str, str]] = []
    for line in body.splitlines():
        if line.startswith("- "):
            items.append({})
        name, colon, value = line[2:].partition(": ")
        if items and colon:
            items[-1][name] = value
    return items


def _first_keywords(text: str) -> tuple[str, ...]:
    """The first words that mean something."""
    meaning = [word for word in tokenize(text) if content_stems(word)]
    return tuple(dict.fromkeys(meaning))[:MAX_KEYWORDS]


def _plan_queries(shown: PromptMaterial) -> SourcePlan:
    """One query for every source, which is the question; the name of a concept for those that take names."""
    question = _question_without_options(shown)
    entries = []
    for card in parse_items(shown.fields.get("cards", "")):
        term = next(iter(_first_keywords(question)), question) if card.get("asks", "") == "term" else ""
        entries.append(SourceQueries(source=card["name"], queries=(PlannedQuery(text=question, term=term),)))
    return SourcePlan(entries=tuple(entries))


def _split_question(shown: PromptMaterial) -> DecompositionReply:
    number = int(shown.numbers.get("parts", 2))
    return DecompositionReply(
        questions=tuple(f"{_question_without_options(shown)} Part {place + 1}." for place in range(number))
    )


def _build_pico(shown: PromptMaterial) -> PicoReply:
    question = _question_without_options(shown)
    return PicoReply(population="adults", intervention=" ".join(_first_keywords(question)), question=question)


def _build_draft(shown: PromptMaterial) -> Draft:
    return Draft(statements=_draft_statements(shown), choice=_first_option(shown))


REPLIES: Mapping[type[Reply], Callable[[PromptMaterial], Reply]] = {
    MemoryDraft: _draft_from_memory,
    BooleanQuery: lambda shown: BooleanQuery(query=" AND ".join(_first_keywords(_question_without_options(shown)))),
    ConsistencyReply: _check_claims,
    CleanUpReply: _clean_up_statement,
    AnswerDraft: lambda shown: AnswerDraft(**dict(_build_draft(shown))),
    Draft: _build_draft,
    EnglishQuestion: lambda shown: EnglishQuestion(question=_question_without_options(shown), language="en"),
    GuidelineDigest: lambda shown: GuidelineDigest(
        digest=_find_best_sentence(shown.fields["text"], shown.fields.get("title", ""))
    ),
    RelevanceReply: _judge_passages,
    KeywordsReply: lambda shown: KeywordsReply(keywords=_first_keywords(_question_without_options(shown))),
    GeneratedQuestionReply: _make_question,
    MergedDraft: lambda shown: MergedDraft(**dict(_build_draft(shown))),
    NotesReply: _take_notes,
    PlacesReply: _compare_places,
    RepairReply: _repair_statements,
    DecompositionReply: _split_question,
    PicoReply: _build_pico,
    PlanScore: lambda shown: PlanScore(score=PLAN_SCORE),  # noqa: ARG005 - whatever was tried
    PseudoDocument: lambda shown: PseudoDocument(text=_question_without_options(shown)),
    ArticlesReply: _judge_articles,
    PlainDraft: lambda shown: PlainDraft(**dict(_build_draft(shown))),
    RecommendationDraft: lambda shown: RecommendationDraft(**dict(_build_draft(shown))),
    SourcePlan: _plan_queries,
    StatementsReply: _split_statements,
    StandaloneQuestion: lambda shown: StandaloneQuestion(question=_question_without_options(shown)),
    TermDrafts: _explain_terms,
    TermsReply: lambda shown: TermsReply(terms=_first_keywords(shown.fields["order"])),
    QuestionVariantReply: lambda shown: QuestionVariantReply(
        question=f"Please tell me: {shown.fields['question'].strip()}"
    ),
    SourcedAnswerReply: lambda shown: SourcedAnswerReply(
        statements=(SourcedStatement(text=shown.fields["question"], addresses=("https://example.org/",)),)
    ),
    VerificationReply: _verify_claims,
}
"""What it makes of what it is shown, by the kind of reply."""
