"""Ask one question and print every statement with the words that it rests on."""

import asyncio

from wellsourced import ask


async def main() -> None:
    answer = await ask("What is first-line drug therapy for heart failure with reduced ejection fraction?")
    if answer.abstained:
        print(answer.reason)
    passages = {item.passage.id: item.passage for item in answer.evidence}
    for statement in answer.statements:
        print(statement.text)
        for citation in statement.citations:
            reference = passages[citation.passage_id].reference
            print(f"    {reference.title}, {reference.year}, characters {citation.start} to {citation.end}")
            print(f"    “{citation.quote}”")


asyncio.run(main())
