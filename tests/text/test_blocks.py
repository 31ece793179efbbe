"""A text as it is laid out, of the kinds that guidelines are written in."""

from tests.tables import each_row
from wellsourced.text.blocks import ancestors, find_blocks, is_introduction

LISTS = """Men:

- CHA2DS2-VASc = 0: No therapy.
- CHA2DS2-VASc = 1: OAC may be considered.

DOAC dosing:

- Apixaban: Standard dose is 5 mg BID.
  - Dose Reduction: Reduce to 2.5 mg BID.
- Dabigatran: Standard dose is 150 mg BID.
  - Dose Reduction: Reduce to 75 mg BID.
    1. If CrCl is 15–30 mL/min.
  No data below that.

Bleeding is another matter.
"""

TABLE = """Classification | LVEF | Description
HFrEF | ≤ 40% | Systolic dysfunction
HFpEF | ≥ 50% |

I | No limitation
"""

ALGORITHM = """Patient with HFrEF on GDMT
  → LVEF still ≤ 35%?
      → YES → Life expectancy > 1 year?
          → YES → ICD
          → NO → no ICD
      → NO → no ICD for primary prevention
"""


def chains(text: str) -> list[str]:
    """Every block with what it hangs on before it."""
    blocks = find_blocks(text)
    lines = []
    for position in range(len(blocks)):
        chain = [*reversed([*ancestors(blocks, position)]), position]
        lines.append(" / ".join(text[blocks[one].span.start : blocks[one].span.end].split(":")[0] for one in chain))
    return lines


def test_an_item_hangs_on_the_item_above_it_and_on_what_introduces_its_list() -> None:
    assert chains(LISTS) == [
        "Men",
        "Men / CHA2DS2-VASc = 0",
        "Men / CHA2DS2-VASc = 1",
        "DOAC dosing",
        "DOAC dosing / Apixaban",
        "DOAC dosing / Apixaban / Dose Reduction",
        "DOAC dosing / Dabigatran",
        "DOAC dosing / Dabigatran / Dose Reduction",
        "DOAC dosing / Dabigatran / Dose Reduction / If CrCl is 15–30 mL/min.",
        "DOAC dosing / Dabigatran / No data below that.",
        "Bleeding is another matter.",
    ]


def test_a_row_hangs_on_the_first_row_of_its_own_table_and_empty_cells_stay() -> None:
    blocks = find_blocks(TABLE)
    assert [(block.kind, block.parent) for block in blocks] == [("row", None), ("row", 0), ("row", 0), ("row", None)]
    assert [TABLE[start:end] for start, end in blocks[1].cells] == ["HFrEF", "≤ 40%", "Systolic dysfunction"]
    assert [TABLE[start:end] for start, end in blocks[2].cells] == ["HFpEF", "≥ 50%", ""]


def test_a_step_hangs_on_the_steps_that_lead_to_it() -> None:
    assert chains(ALGORITHM)[-1].split(" / ") == [
        "Patient with HFrEF on GDMT",
        "LVEF still ≤ 35%?",
        "NO → no ICD for primary prevention",
    ]
    assert chains(ALGORITHM)[3].endswith("Life expectancy > 1 year? / YES → ICD")


@each_row("text", ["", "\n\n", " \t\n", "-", "|", " | ", "→", "a |", "- - - x", "\u2028", "1. "])
def test_a_text_that_has_hardly_anything_in_it_has_blocks_within_it_or_none(text: str) -> None:
    assert all(0 <= block.span.start <= block.span.end <= len(text) for block in find_blocks(text))


def test_a_line_that_ends_with_a_colon_introduces_and_a_row_never_does() -> None:
    blocks = find_blocks("Do not use:\n- aspirin\nDrug | Dose:\n")
    assert [is_introduction("Do not use:\n- aspirin\nDrug | Dose:\n", block) for block in blocks] == [
        True,
        False,
        False,
    ]


def test_part_of_a_text_has_the_blocks_of_that_part() -> None:
    start = LISTS.index("DOAC")
    assert [LISTS[one.span.start : one.span.end] for one in find_blocks(LISTS, start, start + 12)] == ["DOAC dosing:"]


def test_a_drawn_algorithm_is_read_as_its_steps() -> None:
    text = "Suspected infection\n  |\n  +--> SEPSIS\n  |     Septic shock: 90 %\n  |\n  +--> NO SEPSIS\n"
    blocks = find_blocks(text)
    assert [text[block.span.start : block.span.end] for block in blocks] == [
        "Suspected infection", "SEPSIS", "Septic shock: 90 %", "NO SEPSIS"
    ]  # fmt: skip
    assert [block.parent for block in blocks] == [None, 0, 1, 0]


def test_a_step_that_runs_over_its_line_goes_on_there() -> None:
    text = "VTE\n  → Start LMWH for 5 days\n       then dabigatran\n  → Prefer a DOAC\n"
    assert [text[block.span.start : block.span.end].split() for block in find_blocks(text)][1] == [
        "Start", "LMWH", "for", "5", "days", "then", "dabigatran"
    ]  # fmt: skip


def test_a_line_before_a_table_leads_into_it() -> None:
    text = "Diagnosis requires both:\n\nCriterion | Threshold\npH | < 7.3\n | 18 mmol/L\n"
    blocks = find_blocks(text)
    assert [block.parent for block in blocks] == [None, 0, 1, 1]
