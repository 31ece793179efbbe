"""Ask for a recommendation for each case of a file, and count those whose first sentences say what they must.

    python benchmarks/clinical_cases/recommended_first.py [recommended_first.jsonl] [--home FOLDER] [--show]

`first` is a pattern that a leading statement must match; a case without one is covered by no digest, and has to be
refused. `record` is what is given with --patient: "" where the question tells of the patient itself.
"""

import argparse
import asyncio
import json
import re
from pathlib import Path
from typing import Any

from wellsourced import config
from wellsourced.recommend.recommendation import recommend
from wellsourced.types import Answer, Question

HERE = Path(__file__).parent


async def main() -> None:
    """Score the cases of a file, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="?", type=Path, default=HERE / "recommended_first.jsonl")
    parser.add_argument("--home", type=Path, help="folder of the libraries, as for wellsourced --home")
    parser.add_argument("--library", action="append", default=[], help="search this library alone; repeatable")
    parser.add_argument("--show", action="store_true", help="print what leads, and the first warning")
    given = parser.parse_args()
    cases = [json.loads(line) for line in given.cases.read_text("utf-8").splitlines()]
    settings = config.load({"home": given.home, "network.offline": True} if given.home else {})
    right = 0
    async with config.open_context(settings, libraries=tuple(given.library)) as context:
        for case in cases:
            answer = await recommend(Question(text=case["question"], patient=case["record"]), context)
            is_right = is_as_wanted(case, answer)
            right += is_right
            print(
                f"{case['id']}: {'right' if is_right else 'WRONG'}{' (refused)' if answer.abstained else ''}",
                flush=True,
            )
            if given.show:
                show_answer(answer)
    print(f"first recommendation right: {right} of {len(cases)}")


def is_as_wanted(case: dict[str, Any], answer: Answer) -> bool:
    """Whether what leads says what it must, or nothing is recommended where nothing should be."""
    leads = "\n".join(one.text for one in answer.statements if one.lead)
    return bool(re.search(case["first"], leads, re.IGNORECASE)) if case["first"] else answer.abstained


def show_answer(answer: Answer) -> None:
    """Print what leads, how much follows, and the first warning."""
    print(f"    searched: {answer.question.text}")
    for one in answer.statements or answer.found_instead:
        print(f"    {'*' if one.lead else '-'} [{one.topic}] {' '.join(one.text.split())[:300]}")
    if answer.abstained:
        print(f"    reason: {answer.reason}")
    if (made := answer.recommendation) is not None:
        print(
            f"    strength {made.strength}, certainty {made.certainty}; {len(made.warnings)} warnings; fit {made.fit}"
        )
        for told in made.warnings[:2]:
            print(f"    ! {told.severity} {', '.join(told.drugs)} asked={told.is_asked}: {told.sentence[:200]}")


if __name__ == "__main__":
    asyncio.run(main())
