"""Print the events of a run as they happen, as a terminal, a web page or a log would."""

import asyncio

from wellsourced import stream
from wellsourced.events import AnswerCompleted, PassagesRead, SourceSearched


async def main() -> None:
    async for event in stream("How is hypertension treated in adults with chronic kidney disease?"):
        match event:
            case SourceSearched(attempt=attempt):
                search = attempt.search
                print(f"{search.source}, “{search.query.text}”: {attempt.status}, {attempt.found} passages")
            case PassagesRead(tier=tier, evidence=evidence):
                print(f"{tier}: {len(evidence)} passages bear on the question")
            case AnswerCompleted(answer=answer):
                print(answer.tldr or answer.reason)


asyncio.run(main())
