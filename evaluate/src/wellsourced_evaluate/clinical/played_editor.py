"""A language model on loopback that takes drafts apart, judges them by the truth, and edits in replies written by hand.

repair_replies.jsonl has a reply for each sentence that it is asked to edit, written by reading the request, as a strong
model would: `draft`, `statement` (as asked), `action`, `text`, `excerpt`. They were not recorded from a provider. A
sentence without a reply is removed, and printed.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.simulated_engine import parse_items, parse_material
from benchmarks.written_statements.faulty_drafts import Draft, Truth, load_passages
from tests.servers.base import Asked, Said, serving
from tests.servers.models.base import Provider, Writes
from tests.servers.models.openai_chat import OpenAIChat
from tests.servers.models.thinking import form_of, wording_of
from wellsourced.models.base import Reply
from wellsourced.prompts.factcheck import CleanUpReply, StandaloneStatement, StatementsReply
from wellsourced.prompts.verification import StatementVerdict, VerificationReply
from wellsourced.text.sanitization import fold_case
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tokens import stem_coverage

REPLIES = Path(__file__).parent / "repair_replies.jsonl"
LABELS: Mapping[Truth, Any] = {"supported": "supports", "contradicted": "contradicts", "not_enough": "silent"}


def load_replies() -> list[dict[str, str]]:
    """The replies written by hand; those with `standalone` say in which words a statement stands alone."""
    return [json.loads(line) for line in REPLIES.read_text("utf-8").splitlines()] if REPLIES.exists() else []


class PlayedEditor:
    """Replies to the three prompts of a check with repair on one draft.

    unanswered   what it was asked to edit and has no reply for: sentence, reason
    """

    def __init__(self, draft: Draft) -> None:
        own = [one for one in load_replies() if one["draft"] == draft.name]
        self.draft, self.passage = draft, " ".join(load_passages()[one] for one in draft.passages)
        self.edits = {fold_case(one["statement"]): one for one in own if one.get("action")}
        self.standalone = {one["span"]: one["standalone"] for one in own if "standalone" in one}
        self.truths = {fold_case(self._reword(words)): truth for words, truth in self._list_statements()}
        self.unanswered: list[tuple[str, str]] = []

    def __call__(self, asked: Asked) -> Said:
        body = json.loads(asked.body)
        return Provider(OpenAIChat(), Writes(self._reply(body).model_dump_json()))(asked)

    def _list_statements(self) -> Iterator[tuple[str, Truth]]:
        for one in self.draft.statements:
            yield self.draft.text[one.start : one.end], one.truth

    def _reword(self, words: str) -> str:
        return self.standalone.get(words, words[:1].upper() + words[1:])

    def _reply(self, body: dict[str, Any]) -> Reply:
        shown = parse_material(wording_of(body)).fields
        match form_of(body):
            case "StatementsReply":
                return self._split(shown["answer"])
            case "VerificationReply":
                return VerificationReply(items=tuple(map(self._judge, parse_items(shown["claims"]))))
            case _:
                return self._edit(shown["statement"], shown.get("reason", ""))

    def _split(self, answer: str) -> StatementsReply:
        """Each statement by the words that state it, be they a part of a sentence."""
        spans = [words for words, _ in self._list_statements() if words in answer]
        return StatementsReply(statements=tuple(StandaloneStatement(text=self._reword(one), span=one) for one in spans))

    def _judge(self, claim: dict[str, str]) -> StatementVerdict:
        words = fold_case(claim["text"])
        made = next((one for one in self.edits.values() if fold_case(one.get("text", "")) == words), None)
        if made:
            return StatementVerdict(key=claim["key"], label="supports", excerpt=made["excerpt"])
        truth = self.truths.get(words) or self.draft.truth_of(claim["text"], 0, len(self.draft.text))
        if truth == "not_enough":
            return StatementVerdict(key=claim["key"], label="silent", reason="the source says nothing of it")
        spans = [self.passage[one.start : one.end] for one in split_sentences(self.passage)]
        nearest = max(spans, key=lambda one: stem_coverage(claim["text"], one))
        reason = "the source says otherwise" if truth == "contradicted" else ""
        return StatementVerdict(key=claim["key"], label=LABELS[truth], excerpt=nearest, reason=reason)

    def _edit(self, statement: str, reason: str) -> CleanUpReply:
        made = self.edits.get(fold_case(statement))
        if made is None:
            self.unanswered.append((statement, reason))
            return CleanUpReply(action="remove")
        return CleanUpReply.model_validate({name: made.get(name, "") for name in ("action", "text", "excerpt")})


@contextmanager
def serve_editor(draft: Draft) -> Iterator[tuple[PlayedEditor, dict[str, str]]]:
    """The model of a draft, and the settings that name it."""
    editor = PlayedEditor(draft)
    with serving(editor) as served:
        yield editor, {"model": "compatible:played", "compatible.url": f"{served.url}/v1", "compatible.key": "x"}
