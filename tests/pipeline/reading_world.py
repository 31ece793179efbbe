"""What the tests of long context share: passages on gout, notes on them, and a context whose model reads in parts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from tests import world
from tests.fake_judge import FakeJudge
from tests.scripted_model import ScriptedModel
from wellsourced.context import Context
from wellsourced.errors import UnsupportedPrompt
from wellsourced.judges.base import Judge
from wellsourced.models.base import Model, Prompt, R
from wellsourced.policy import CondensePolicy
from wellsourced.prompts.evidence import NotesReply, SourcedNote, TakeNotes
from wellsourced.prompts.writing import Draft, DraftQuote, DraftStatement, MergedDraft, MergeNotes, WriteAnswer
from wellsourced.types import Evidence, Passage, Question, Reference, Verdict

QUESTION = Question(text="Does colchicine shorten a gout flare?")
CHOICE = QUESTION.model_copy(update={"options": {"A": "yes", "B": "no", "C": "maybe"}})
SILENT = Verdict(label="silent", score=0.1)
CONTRADICTS = Verdict(label="contradicts", score=0.8, reason="the direction differs")


def evidence(*texts: str) -> tuple[Evidence, ...]:
    """A passage of a work of its own for each text, best first."""
    made = []
    for place, text in enumerate(texts, start=1):
        passage = Passage(reference=Reference(id=f"pubmed:{place}"), text=text, start=100, end=100 + len(text))
        made.append(Evidence(passage=passage, relevance=1 - place / 100))
    return tuple(made)


def numbered(count: int) -> tuple[Evidence, ...]:
    """Passages that each say something else; none has a word of the question."""
    return evidence(*(f"Trial {place} counted flares of {place} adults." for place in range(1, count + 1)))


def note(item: Evidence, finding: str = "", quote: str = "") -> SourcedNote:
    """A note on a passage, by the key that a model is shown; by default of all of its words."""
    return SourcedNote(passage_id=item.passage.key, finding=finding, quote=quote or item.passage.text)


def noting(*notes: SourcedNote, tentative: str = "") -> Any:
    """What a model does that notes these things wherever it is shown their passages, and nothing elsewhere."""

    def reply(prompt: TakeNotes) -> NotesReply:
        shown = {passage.key for passage in prompt.passages}
        its = tuple(one for one in notes if one.passage_id in shown)
        return NotesReply(nothing=not its, notes=its, tentative=tentative if its else "")

    return reply


def context(
    model: Model,
    policy: CondensePolicy | None = None,
    support: Mapping[str, Verdict] | Judge | None = None,
    assistant: Model | None = None,
) -> Context:
    """A context that reads in parts; its judge of support was told of texts, or finds nothing in any."""
    judge = FakeJudge(support) if isinstance(support, Mapping) else support or Silent()
    usual = replace(world.context(), model=model, assistant=assistant, has_model=True, support_judge=judge)
    return replace(usual, condense=policy or CondensePolicy(mode="always"))


class Silent:
    """A judge that finds that nothing bears on anything."""

    name = "silent"

    async def judge(self, pairs: Sequence[Any]) -> list[Verdict]:
        return [SILENT for _ in pairs]


EDGE = 3
FACT = re.compile(r"The dose that was given is \d+ mg\.")


class EdgeReader:
    """A model that sees only the first three and the last three passages of a prompt, and says what dose they name.

    Lost in the middle as Liu et al. (TACL 2024) describe it, made certain.
    """

    name = "edge reader"

    def __init__(self, window: int = 0) -> None:
        self.window = window

    async def complete(self, prompt: Prompt[R]) -> R:
        if isinstance(prompt, TakeNotes):
            found = self._seen(prompt.passages)
            notes = tuple(
                SourcedNote(passage_id=passage.key, finding="the dose", quote=words) for passage, words in found
            )
            return cast(R, NotesReply(nothing=not notes, notes=notes))
        if isinstance(prompt, WriteAnswer):
            found = self._seen([item.passage for item in prompt.evidence])
            return cast(R, Draft(statements=tuple(drafted(passage.key, words) for passage, words in found)))
        if isinstance(prompt, MergeNotes):
            notes = tuple(one for part in prompt.parts for one in part.notes)
            return cast(R, MergedDraft(statements=tuple(drafted(one.passage_id, one.quote) for one in notes)))
        raise UnsupportedPrompt(type(prompt).__name__)

    def context_left(self, prompt: Prompt[Any]) -> int:
        return ScriptedModel({}, window=self.window).context_left(prompt)

    def _seen(self, passages: Sequence[Passage]) -> list[tuple[Passage, str]]:
        edges = [one for place, one in enumerate(passages) if place < EDGE or place >= len(passages) - EDGE]
        return [(passage, found.group()) for passage in edges if (found := FACT.search(passage.text))]


def drafted(key: str, words: str) -> DraftStatement:
    """A statement in the words that it quotes."""
    return DraftStatement(text=words, quotes=(DraftQuote(passage_id=key, quote=words),))
