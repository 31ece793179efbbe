"""A whole check of one text, with what it takes handed in, and opened from the settings."""

from pathlib import Path

from tests.factcheck.fakes import Pairs, ToldTracer, opened, verdict
from tests.scripted_model import ScriptedModel
from wellsourced import config
from wellsourced.api import check
from wellsourced.factcheck.check import CheckContext, CheckOptions, check_document, text_to_document
from wellsourced.factcheck.pairing import JudgingOptions
from wellsourced.judges.llm import LlmJudge
from wellsourced.prompts.verification import (
    CleanUp,
    CleanUpReply,
    SplitStatements,
    StandaloneStatement,
    StatementsReply,
    StatementVerdict,
    VerificationReply,
    VerifyStatements,
)
from wellsourced.types import Gap

FLARE = "Colchicine shortened gout flares by two days in adults."
NAUSEA = "Nausea was seen in 13% of the patients who took colchicine."
TEXT = f"# Gout\n\n{FLARE} [1]\n\n{NAUSEA} [2]\n\n## References\n\n1. https://example.org/a\n2. https://example.org/b\n"
TRACER = ToldTracer(opened("1", FLARE), opened("2", fetched="dead"))


def stores(folder: Path) -> int:
    return len([*folder.glob("*.sqlite")])


async def test_a_text_is_taken_apart_judged_and_kept(tmp_path: Path) -> None:
    gap = Gap(source="notes", status="failed", reason="it is damaged")
    tools = CheckContext(TRACER, Pairs({(FLARE, FLARE): verdict("supports")}), tmp_path, missing=(gap,))
    done = await check_document(text_to_document(TEXT), tools, CheckOptions(repair=True))
    assert [one.status for one in done.verdicts] == ["verbatim", "unjudged"]
    assert [(one.claim, one.source, one.own) for one in done.pairings if one.own] == [(0, "1", True), (1, "2", True)]
    assert "notes was not asked: it is damaged" in done.notes
    assert done.edits == ()
    assert stores(tmp_path) == 1


class Reader(ScriptedModel):
    """Splits the text as it stands, and finds in a source the sentence that begins with the same word as a claim."""

    def __init__(self) -> None:
        edits = CleanUpReply(action="edit", text="Colchicine shortened gout flares by two days.", excerpt=FLARE)
        super().__init__({SplitStatements: self.split, VerifyStatements: self.verify, CleanUp: edits})

    def split(self, prompt: SplitStatements) -> StatementsReply:
        lines = [line.rpartition(" [")[0] for line in prompt.answer.splitlines() if "[" in line]
        return StatementsReply(statements=tuple(StandaloneStatement(text=line, span=line) for line in lines))

    def verify(self, prompt: VerifyStatements) -> VerificationReply:
        first = prompt.source.split()[0]
        return VerificationReply(
            items=tuple(
                StatementVerdict(
                    key=one.key,
                    label="contradicts" if "prolonged" in one.text else "supports",
                    excerpt=prompt.source,
                    reason="it says the opposite" if "prolonged" in one.text else "it says so",
                )
                if one.text.startswith(first)
                else StatementVerdict(key=one.key, label="silent", reason="it speaks of something else")
                for one in reversed(prompt.claims)
            )
        )


async def test_with_a_language_model_three_statements_and_three_sources_take_four_calls(tmp_path: Path) -> None:
    opposite = "Colchicine prolonged gout flares by two days in adults."
    text = TEXT.replace("## References", f"{opposite} [3]\n\n## References") + "3. https://example.org/c\n"
    tracer = ToldTracer(opened("1", FLARE), opened("2", NAUSEA), opened("3", "Rest helps people who have an attack."))
    model = Reader()
    judging = JudgingOptions(window=40_000, any_language=True)
    done = await check_document(text_to_document(text), CheckContext(tracer, LlmJudge(model), tmp_path, model, judging))
    assert [type(one).__name__ for one in model.prompts] == ["SplitStatements", *["VerifyStatements"] * 3]
    assert [one.status for one in done.verdicts] == ["verbatim", "verbatim", "contradicted"]
    assert done.verdicts[2].reason.startswith("it says the opposite")
    repaired = await check_document(
        text_to_document(text),
        CheckContext(tracer, LlmJudge(model), tmp_path, model, judging),
        CheckOptions(repair=True),
    )
    assert [(one.claim, one.after, one.reversed) for one in repaired.edits] == [
        (2, "Colchicine shortened gout flares by two days.", True)
    ]


async def test_another_judge_or_another_way_of_reading_is_another_run(tmp_path: Path) -> None:
    for name in ("one", "other"):
        judge = Pairs({})
        judge.name = name
        await check_document(text_to_document(TEXT), CheckContext(TRACER, judge, tmp_path))
    assert stores(tmp_path) == 2


async def test_a_check_needs_nothing_but_a_text(home: Path) -> None:
    settings = config.load({"encoder": "none", "network.offline": "true"})
    done = await check(TEXT, settings=settings)
    assert [one.fetched for one in done.traced] == ["offline", "offline"]
    assert all(one.status == "unjudged" for one in done.verdicts)
    assert stores(home / "checkups") == 1
