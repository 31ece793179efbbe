"""Ask a question for one patient, whose text stays here, and print the lines of sources to check for them."""

import asyncio

import wellsourced
from wellsourced.recommendation import recommend

PATIENT = "78-year-old woman with chronic kidney disease stage 4. Allergic to ibuprofen."


async def main() -> None:
    question = wellsourced.Question(text="How should an acute gout flare be treated?", patient=PATIENT)
    async with wellsourced.open_context() as context:
        answer = await recommend(question, context)
    print(answer.tldr)
    if answer.recommendation:
        for line in answer.recommendation.lines:
            print("-", line.sentence)


if __name__ == "__main__":
    asyncio.run(main())
