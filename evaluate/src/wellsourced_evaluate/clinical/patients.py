"""Ask for a recommendation for each patient of a file of cases, and count the warnings that are said.

    python benchmarks/clinical_cases/patients.py [patients.jsonl] [--home FOLDER]

For each case: warnings said of those that must be, whether each stands among those shown whole, recommendations that
may not stand without their warning and do, and all warnings about what was asked. In a case without `must_warn` every
warning about what is asked is a false alarm.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SHOWN_WHOLE = 8
"""Warnings that the screen shows with their words."""


def main() -> None:
    """Score the cases of a file, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="?", type=Path, default=HERE / "patients.jsonl")
    parser.add_argument("--home", default="", help="folder of the libraries, as for wellsourced --home")
    given = parser.parse_args()
    scores = [score_case(json.loads(line), given.home) for line in given.cases.read_text("utf-8").splitlines()]
    wanted, said, shown = (sum(one[name] for one in scores) for name in ("wanted", "said", "shown"))
    print(f"\nwarnings said: {said} of {wanted}, shown whole: {shown} of {wanted}")
    print(f"recommendations without their warning: {sum(one['bare'] for one in scores)}")
    fine = [one for one in scores if not one["wanted"] and not one["beyond"]]
    print(f"false alarms: {sum(one['asked'] for one in fine)} in {len(fine)} patients in whom nothing conflicts")
    limited = [one["asked"] for one in scores if one["wanted"]]
    print(f"warnings about what was asked, per patient with a conflict: {sum(limited) / max(len(limited), 1):.1f}")


def score_case(case: dict[str, Any], home: str) -> dict[str, int]:
    """Ask, and print one line of what came of it."""
    answer = ask_recommendation(case, home)
    made = answer.get("recommendation") or {}
    warnings = made.get("warnings", [])
    quotes = [list_quotes(one) for one in warnings]
    others = [list_quotes(other) for one in warnings for other in one.get("also", ())]
    asked = [one for one in warnings if one["is_asked"]]
    missing = [one for one in case["must_warn"] if not find_quotes(one["pattern"], [*quotes, *others])]
    first = quotes[: min(len(asked), SHOWN_WHOLE)]
    unshown = [one for one in case["must_warn"] if not find_quotes(one["pattern"], first)]
    statements = [one["text"] for one in answer["statements"]]
    forbidden = [pattern for pattern in case["must_not"] if find_quotes(pattern, statements)]
    wanted = len(case["must_warn"])
    print(
        f"{case['id']}: {wanted - len(missing)}/{wanted} said, {wanted - len(unshown)} shown whole, "
        f"{len(asked)} asked, "
        f"{len(warnings) - len(asked)} others, {len(forbidden)} limited recommendations stand"
        + "".join(f"\n    missing: {one['about']}" for one in missing)
    )
    bare = len(forbidden) if missing else 0
    said, shown = wanted - len(missing), wanted - len(unshown)
    counts = {"wanted": wanted, "said": said, "shown": shown, "asked": len(asked), "bare": bare}
    return counts | {"beyond": len(case.get("beyond", ()))}


def list_quotes(warning: dict[str, Any]) -> str:
    """The drugs and the words of a warning."""
    return " ".join((*warning["drugs"], *(one["quote"] for one in warning["citations"])))


def find_quotes(pattern: str, texts: list[str]) -> bool:
    """Whether one of the texts matches."""
    return any(re.search(pattern, text, re.IGNORECASE) for text in texts)


def ask_recommendation(case: dict[str, Any], home: str) -> dict[str, Any]:
    """The answer as JSON, from the program as a user runs it."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.txt"
        record.write_text(case["record"], "utf-8")
        where = ("--home", home) if home else ()
        command = (sys.executable, "-m", "wellsourced", *where, "recommend", "--json", "--patient", str(record))
        run = subprocess.run([*command, case["question"]], capture_output=True, text=True, check=False)
    try:
        answer: dict[str, Any] = json.loads(run.stdout)
    except ValueError:
        sys.exit(f"{case['id']}: no answer ({run.stderr.strip() or run.stdout[:200]})")
    return answer


if __name__ == "__main__":
    main()
