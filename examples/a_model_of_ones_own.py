"""Use a language model of your own: an engine takes words and a schema, and `LanguageModel` makes a model of it.

The engine here writes the first sentence of each passage that it is shown; put your own in its place.
"""

import asyncio
import re
from dataclasses import replace

import wellsourced
from wellsourced.budget import current_cost_tracker
from wellsourced.errors import UnsupportedPrompt
from wellsourced.models.base import EngineReply, OnPartialReply, R, RenderedPrompt
from wellsourced.models.language_model import LanguageModel
from wellsourced.prompts.writing import Draft

PASSAGE = re.compile(r"<passage-\w+ id=(\w+)>.*?\btext:\n(.*?\.)\s", re.DOTALL)


class CopyingEngine:
    """Replies to what asks for a draft; an answer goes on without whatever else a model could have said."""

    name = "copying"
    settings = ""
    window, reserved = 128_000, 4_096
    remote = False

    def count(self, text: str) -> int:
        return len(text) // 4 + 1

    async def ask(self, wording: RenderedPrompt, reply: type[R], heard: OnPartialReply | None = None) -> EngineReply[R]:
        if not issubclass(reply, Draft):
            raise UnsupportedPrompt(f"this engine writes drafts, and no {reply.__name__}")
        found = PASSAGE.findall(wording.material)[:8]
        statements = [{"text": text, "quotes": [{"passage_id": key, "quote": text}]} for key, text in found]
        draft = reply.model_validate({"statements": statements})
        if heard:
            heard(draft.model_dump_json())
        return EngineReply(draft, sum(map(self.count, wording)), self.count(draft.model_dump_json()))


async def main() -> None:
    model = LanguageModel(CopyingEngine(), tracker=current_cost_tracker)
    async with wellsourced.open_context() as context:
        with_model = replace(context, model=model, assistant=model, has_model=True)
        answer = await wellsourced.ask("What is first-line therapy for a gout flare?", with_model)
    print(answer.tldr)
    print(f"{answer.spent.calls} calls, {answer.spent.depth} after one another")


if __name__ == "__main__":
    asyncio.run(main())
