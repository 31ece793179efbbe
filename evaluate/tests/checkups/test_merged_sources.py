"""What no source alone says may be said by several together; the check itself never adds them up."""

from collections.abc import Sequence
from pathlib import Path

from tests.factcheck.fakes import ToldTracer, opened, run_checkup, submitted
from tests.tables import each_row
from wellsourced.factcheck.pairing import JudgingOptions
from wellsourced.factcheck.run_store import open_run_store
from wellsourced.judges.base import Pair
from wellsourced.types import Checkup, Notice, Retraction, SubmittedText, Verdict
from wellsourced_evaluate.checkups.rejudging import MergedVerdict, judge_merged_sources
from wellsourced_evaluate.checkups.stored_runs import NamedCheckup, add_documents

WHOLE = "Colchicine shortens flares and naproxen harms kidneys."
FIRST, SECOND = "Colchicine shortens flares in adults.", "It is known that naproxen harms kidneys."
FILLER = "The weather in the four countries was mild in that year and nobody left before the end. " * 60
RETRACTED = Retraction(status="true", notices=(Notice(kind="retraction", source="PubMed"),))


class AllWords:
    """Supports what has each of its words in the text."""

    name = "all words"

    def __init__(self) -> None:
        self.asked: list[Pair] = []

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.asked += pairs
        return [self._judge_one(pair) for pair in pairs]

    def _judge_one(self, pair: Pair) -> Verdict:
        words = set(pair.claim.lower().strip(".").split()) - {"and"}
        said = words <= set(pair.text.lower().replace(".", "").split())
        return Verdict(label="supports" if said else "silent", score=0.9 if said else 0.1)


async def merged(folder: Path, text: SubmittedText, *sources: object) -> tuple[Checkup, list[MergedVerdict], AllWords]:
    store, judge = open_run_store(folder, text, "told"), AllWords()
    checkup = await run_checkup(text, ToldTracer(*sources), judge, store=store)  # type: ignore[arg-type]
    store.close()
    judge.asked.clear()
    stored = add_documents(NamedCheckup("text", checkup), folder)
    return checkup, await judge_merged_sources(stored, judge, JudgingOptions()), judge


async def test_two_sources_that_hold_half_of_a_statement_each_support_it_only_together(tmp_path: Path) -> None:
    text = submitted(WHOLE, 2)
    checkup, found, _ = await merged(tmp_path, text, opened("1", FIRST), opened("2", SECOND))
    assert [one.label for one in checkup.verdicts] == ["silent"]
    (one,) = found
    assert one.together and (one.together.label, one.sources) == ("supports", ("1", "2"))
    assert one.quote and one.quote in f"{FIRST}\n\n{SECOND}"
    assert checkup.verdicts[0].label == "silent"


async def test_the_parts_of_long_sources_that_speak_of_it_are_put_together(tmp_path: Path) -> None:
    long = (opened("1", f"{FILLER}\n\n{FIRST}\n\n{FILLER}"), opened("2", f"{FILLER}\n\n{SECOND}"))
    _, found, judge = await merged(tmp_path, submitted(WHOLE, 2), *long)
    assert [one.together.label for one in found if one.together] == ["supports"]
    assert max(len(pair.text) for pair in judge.asked) <= JudgingOptions().window + 100


@each_row(
    ("sources", "read"),
    [
        ((opened("1", FIRST), opened("2", fetched="dead")), [("1",)]),
        ((opened("1", fetched="dead"), opened("2", fetched="timeout")), [()]),
        ((opened("1", FIRST), opened("2", SECOND, retraction=RETRACTED)), [("1",)]),
        ((opened("1", f"{FIRST} {SECOND}"), opened("2", SECOND)), []),
    ],
)
async def test_nothing_is_merged_of_one_source_of_none_or_of_what_one_supports(
    tmp_path: Path, sources: tuple[object, ...], read: list[tuple[str, ...]]
) -> None:
    _, found, _ = await merged(tmp_path, submitted(WHOLE, 2), *sources)
    assert [(one.sources, one.together) for one in found] == [(keys, None) for keys in read]


async def test_a_statement_with_marks_is_put_to_the_sources_that_these_name(tmp_path: Path) -> None:
    text = submitted(WHOLE, 3, c0=("1", "3"))
    sources = (opened("1", FIRST), opened("2", SECOND), opened("3", "Naproxen is a drug."))
    _, found, _ = await merged(tmp_path, text, *sources)
    assert [(one.sources, one.together and one.together.label) for one in found] == [(("1", "3"), "silent")]
