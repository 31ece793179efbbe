"""A language model that costs time and knows nothing: the fake by which whole presets are run, counted and timed.

What it says is copied from what it is shown, so quotes are verbatim, and the same for the same wording. It is asked in
words, like any engine, and so tells too whether the words are enough to reply to.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import cast

from wellsourced.errors import Overlong, Unanswerable
from wellsourced.models.base import Heard, R, Reply, Said, Wording
from wellsourced.models.shown import Shown, shown_by
from wellsourced.prompts.checking import Checked, Checks, Verification, Verified
from wellsourced.prompts.checkup import OneStatement, Statements
from wellsourced.prompts.checkup_repair import Cleaned
from wellsourced.prompts.framing import EnglishQuestion, PicoMade, StandaloneQuestion, Terms
from wellsourced.prompts.planning import (
    BooleanQuery,
    Entry,
    Keywords,
    Parts,
    PlannedQuery,
    PlanScore,
    PseudoDocument,
    SourcePlan,
)
from wellsourced.prompts.probing import Compared, MadeQuestion, VariedQuestion
from wellsourced.prompts.reading import (
    Card,
    Certainty,
    GuidelineDigest,
    Judgement,
    Judgements,
    Note,
    Notes,
    ReadArticle,
    ReadArticles,
)
from wellsourced.prompts.writing import Alone, Draft, Drafted, Merged, Quoted, Recommended
from wellsourced.text.sentences import sentences
from wellsourced.text.tokens import coverage, stems, words

LETTERS = 4
"""Letters of a token: every four of a text are counted as one, and what is left over as one more."""

MOST = 8
"""Statements of a draft, at most; the instruction may ask for fewer, and it does not read it."""

KEYWORDS = 4
SCORE = 5


class Simulated:
    """Replies after `seconds` to every kind of reply that prompts of this package ask for; to others Unanswerable.

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
        return -(-len(text) // LETTERS)

    async def ask(self, wording: Wording, reply: type[R], heard: Heard | None = None) -> Said[R]:
        """What it makes of what it is shown, once the time has passed."""
        if (tokens := sum(map(self.count, wording))) > self.window - self.reserved:
            raise Overlong(tokens, self.window - self.reserved)
        said = self._reply(reply, shown_by(wording))
        await asyncio.sleep(self.seconds)
        told = said.model_dump_json()
        if heard:
            heard(told)
        return Said(cast(R, said), tokens, self.count(told))

    def _reply(self, reply: type[Reply], shown: Shown) -> Reply:
        if reply is Certainty:
            return Certainty(certain=self.certain)
        if reply not in REPLIES:
            raise Unanswerable(f"nobody said what a simulated model replies when {reply.__name__} is asked for")
        said = REPLIES[reply](shown)
        return _in_other_words(said) if self.paraphrase and isinstance(said, Draft) else said


def _question(shown: Shown) -> str:
    return shown.fields.get("question", "")


def _asked(shown: Shown) -> str:
    """The question without its options."""
    return _question(shown).partition("\noptions:")[0]


def _best(text: str, question: str) -> str:
    """The sentence that shares most words with the question, as it stands; "" when none shares any."""
    found = [text[span.start : span.end] for span in sentences(text)]
    best = max(found, key=lambda sentence: coverage(question, sentence), default="")
    return best if coverage(question, best) else ""


def _quotes(shown: Shown) -> dict[str, str]:
    """Key → the words of the passage that bear on the question, of passages that have some, in order."""
    question = _asked(shown)
    found = {key: _best(text, question) for key, text in shown.passages.items()}
    return {key: quote for key, quote in found.items() if quote}


def _judgements(shown: Shown) -> Judgements:
    quotes = _quotes(shown)
    return Judgements(
        items=tuple(
            Judgement(passage_id=key, bears="yes" if key in quotes else "no", quote=quotes.get(key, ""))
            for key in shown.passages
        )
    )


def _articles(shown: Shown) -> ReadArticles:
    quotes = _quotes(shown)
    return ReadArticles(
        items=tuple(
            ReadArticle(passage_id=key, bears="yes", quote=quotes[key], card=Card(summary=quotes[key]))
            if key in quotes
            else ReadArticle(passage_id=key, bears="no")
            for key in shown.passages
        )
    )


def _notes(shown: Shown) -> Notes:
    notes = [Note(passage_id=key, finding=quote, quote=quote) for key, quote in _quotes(shown).items()]
    return Notes(nothing=not notes, notes=tuple(notes), tentative=_choice(shown) if notes else "")


def _statements(shown: Shown) -> tuple[Drafted, ...]:
    quotes = list(_quotes(shown).items())[:MOST]
    return tuple(
        Drafted(text=quote, quotes=(Quoted(passage_id=key, quote=quote),), lead=place == 0)
        for place, (key, quote) in enumerate(quotes)
    )


def _in_other_words(draft: Draft) -> Draft:
    """The draft, in which no statement is its source's sentence any more, and each says the same."""
    others = (one.model_copy(update={"text": f"According to this source, {one.text}"}) for one in draft.statements)
    return draft.model_copy(update={"statements": tuple(others)})


def _choice(shown: Shown) -> str:
    """The first option."""
    options = _question(shown).partition("\noptions:\n")[2].strip()
    return options.partition(":")[0]


def _alone(shown: Shown) -> Alone:
    return Alone(statements=(f"This was asked: {_asked(shown)}",), choice=_choice(shown))


def _checks(shown: Shown) -> Checks:
    """Every claim is supported if a passage that it cites shares words with it."""
    return Checks(items=tuple(_checked(claim, shown.passages) for claim in _items(shown.fields.get("claims", ""))))


def _checked(claim: Mapping[str, str], passages: Mapping[str, str]) -> Checked:
    cited = [key for key in claim.get("cites", "").split("; ") if key in passages]
    for key in cited:
        if quote := _best(passages[key], claim["text"]):
            return Checked(key=claim["key"], label="supports", passage_id=key, quote=quote)
    return Checked(key=claim["key"], label="silent")


def _verified(shown: Shown) -> Verification:
    """Every claim is supported by the sentence of the source that shares words with it, if one does."""
    claims = _items(shown.fields.get("claims", ""))
    quotes = {claim["key"]: _best(shown.fields.get("source", ""), claim["text"]) for claim in claims}
    return Verification(
        items=tuple(
            Verified(key=key, label="supports" if quote else "silent", excerpt=quote) for key, quote in quotes.items()
        )
    )


def _question_made(shown: Shown) -> MadeQuestion:
    """About the first sentence of the page that says as much as its title, or anything."""
    said = _best(shown.fields["text"], shown.fields.get("title", "")) or shown.fields["text"].partition(".")[0]
    question = f"What is known about {' '.join(_keywords(said))}?"
    return MadeQuestion(question=question, answer=said, excerpt=said)


def _stated(shown: Shown) -> Statements:
    """Every sentence of the answer is a statement."""
    answer = shown.fields["answer"]
    said = (answer[span.start : span.end] for span in sentences(answer))
    return Statements(statements=tuple(OneStatement(text=one, span=one) for one in said))


def _cleaned(shown: Shown) -> Cleaned:
    """The sentence of the source that shares words with the statement takes its place, if one does."""
    excerpt = _best(shown.fields["source"], shown.fields["statement"])
    return Cleaned(action="edit" if excerpt else "remove", text=excerpt, excerpt=excerpt)


def _items(body: str) -> list[dict[str, str]]:
    """The items of a list: names and values."""
    items: list[dict[str, str]] = []
    for line in body.splitlines():
        if line.startswith("- "):
            items.append({})
        name, colon, value = line[2:].partition(": ")
        if items and colon:
            items[-1][name] = value
    return items


def _keywords(text: str) -> tuple[str, ...]:
    """The first words that mean something."""
    meaning = [word for word in words(text) if stems(word)]
    return tuple(dict.fromkeys(meaning))[:KEYWORDS]


def _plan(shown: Shown) -> SourcePlan:
    """One query for every source, which is the question; the name of a concept for those that take names."""
    question = _asked(shown)
    entries = []
    for card in _items(shown.fields.get("cards", "")):
        term = next(iter(_keywords(question)), question) if card.get("asks", "") == "term" else ""
        entries.append(Entry(source=card["name"], queries=(PlannedQuery(text=question, term=term),)))
    return SourcePlan(entries=tuple(entries))


def _parts(shown: Shown) -> Parts:
    number = int(shown.numbers.get("parts", 2))
    return Parts(questions=tuple(f"{_asked(shown)} Part {place + 1}." for place in range(number)))


def _pico(shown: Shown) -> PicoMade:
    question = _asked(shown)
    return PicoMade(population="adults", intervention=" ".join(_keywords(question)), question=question)


def _draft(shown: Shown) -> Draft:
    return Draft(statements=_statements(shown), choice=_choice(shown))


REPLIES: Mapping[type[Reply], Callable[[Shown], Reply]] = {
    Alone: _alone,
    BooleanQuery: lambda shown: BooleanQuery(query=" AND ".join(_keywords(_asked(shown)))),
    Checks: _checks,
    Cleaned: _cleaned,
    Compared: lambda shown: Compared(label="equal" if shown.fields["known"] == shown.fields["answer"] else "less"),
    Draft: _draft,
    EnglishQuestion: lambda shown: EnglishQuestion(question=_asked(shown), language="en"),
    GuidelineDigest: lambda shown: GuidelineDigest(digest=_best(shown.fields["text"], shown.fields.get("title", ""))),
    Judgements: _judgements,
    Keywords: lambda shown: Keywords(keywords=_keywords(_asked(shown))),
    MadeQuestion: _question_made,
    Merged: lambda shown: Merged(**dict(_draft(shown))),
    Notes: _notes,
    Parts: _parts,
    PicoMade: _pico,
    PlanScore: lambda shown: PlanScore(score=SCORE),  # noqa: ARG005 - whatever was tried
    PseudoDocument: lambda shown: PseudoDocument(text=_asked(shown)),
    ReadArticles: _articles,
    Recommended: lambda shown: Recommended(**dict(_draft(shown))),
    SourcePlan: _plan,
    Statements: _stated,
    StandaloneQuestion: lambda shown: StandaloneQuestion(question=_asked(shown)),
    Terms: lambda shown: Terms(terms=_keywords(shown.fields["order"])),
    VariedQuestion: lambda shown: VariedQuestion(question=f"Please tell me: {shown.fields['question'].strip()}"),
    Verification: _verified,
}
"""What it makes of what it is shown, by the kind of reply."""
