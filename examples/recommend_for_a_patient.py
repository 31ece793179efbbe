"""Ask for a recommendation for one patient, whose text stays here, and print in what the evidence does not fit."""

import asyncio

import wellsourced
from wellsourced.recommend.recommendation import recommend

PATIENT = "78-year-old woman with chronic kidney disease stage 4. Allergic to ibuprofen."


async def main() -> None:
    question = wellsourced.Question(text="How should an acute gout flare be treated?", patient=PATIENT)
    async with wellsourced.open_context() as context:
        answer = await recommend(question, context)
    print(answer.tldr)
    if answer.recommendation:
        print(answer.recommendation.strength, "/", answer.recommendation.certainty)
        for misfit in answer.recommendation.fit:
            print("-", misfit)


if __name__ == "__main__":
    asyncio.run(main())
