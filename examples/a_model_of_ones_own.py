"""Use a language model of your own: an engine takes words and a schema, and `LanguageModel` makes a model of it.

The engine here is simulated and copies its sources; put your own in its place.
"""

import asyncio
from dataclasses import replace

import wellsourced
from wellsourced.budget import current_account
from wellsourced.models.language_model import LanguageModel
from wellsourced.models.simulated_engine import SimulatedEngine


async def main() -> None:
    model = LanguageModel(SimulatedEngine(seconds=0.0), account=current_account)
    async with wellsourced.open_context() as context:
        with_model = replace(context, model=model, assistant=model, has_model=True)
        answer = await wellsourced.ask("What is first-line therapy for a gout flare?", with_model)
    print(answer.tldr)
    print(f"{answer.spent.calls} calls, {answer.spent.depth} after one another")


if __name__ == "__main__":
    asyncio.run(main())
