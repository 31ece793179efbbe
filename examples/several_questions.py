"""Open the context once for several questions, and set how much is read and written."""

import asyncio

from wellsourced import Question, ask, open_context
from wellsourced.config import load

QUESTIONS = (
    "When is anticoagulation recommended in atrial fibrillation?",
    "Which statin intensity is recommended after myocardial infarction?",
    "Who won the football world cup in 1954?",
)


async def main() -> None:
    settings = load({"policy.passages": 8, "policy.statements": 3})
    async with open_context(settings) as ours:
        for text in QUESTIONS:
            answer = await ask(Question(text=text, exclude=("pubmed:31234567",)), ours)
            print(f"{text}\n    {answer.tldr or answer.reason}")


asyncio.run(main())
