"""Digests of guidelines that a model writes: beside the file, once, and found when the library is filled."""

from dataclasses import replace
from pathlib import Path

from tests import world
from tests.scripted_model import ScriptedModel
from wellsourced.context import Context
from wellsourced.errors import ModelError, UnparsableReply
from wellsourced.ingest.guideline_digests import write_digest
from wellsourced.prompts.evidence import GuidelineDigest, WriteDigest
from wellsourced.readers.registry import reader_for
from wellsourced.types import Document

SAID = GuidelineDigest(digest="Gout in adults:\n  flares, prophylaxis.")


def context_with(reply: GuidelineDigest | ModelError, window: int = 0) -> Context:
    return replace(world.context(), model=ScriptedModel({WriteDigest: reply}, window=window), has_model=True)


def guideline(folder: Path, paragraphs: int = 3) -> Path:
    path = folder / "gout.md"
    path.write_text("# Gout\n\n" + "\n\n".join(f"Paragraph {one} on colchicine." for one in range(paragraphs)))
    return path


async def test_a_digest_lies_beside_its_file_and_the_reader_takes_it_from_there(tmp_path: Path) -> None:
    made = await write_digest(guideline(tmp_path), context_with(SAID))
    assert (made.outcome, made.digest) == ("written", tmp_path / "gout.digest.md")
    (document,) = reader_for(made.path)(made.path, "guideline")
    assert isinstance(document, Document)
    assert document.digest == "Gout in adults: flares, prophylaxis."


async def test_a_digest_that_is_there_is_kept_and_costs_no_call(tmp_path: Path) -> None:
    context = context_with(SAID)
    await write_digest(guideline(tmp_path), context)
    assert (await write_digest(guideline(tmp_path), context)).outcome == "kept"
    assert len(context.model.prompts) == 1  # type: ignore[attr-defined]
    assert (await write_digest(guideline(tmp_path), context, anew=True)).outcome == "written"


async def test_a_model_that_fails_leaves_no_file_and_says_why(tmp_path: Path) -> None:
    made = await write_digest(guideline(tmp_path), context_with(UnparsableReply("{", "it was cut off")))
    assert (made.outcome, made.reason) == ("failed", "the model's reply could not be read (it was cut off)")
    assert not made.digest.exists()


async def test_of_a_guideline_longer_than_the_window_only_as_much_is_shown_as_fits(tmp_path: Path) -> None:
    context = context_with(SAID, window=200)
    await write_digest(guideline(tmp_path, paragraphs=400), context)
    (prompt,) = context.model.prompts  # type: ignore[attr-defined]
    assert context.model.context_left(prompt) >= 0
    assert "Paragraph" in prompt.text


async def test_a_file_of_several_documents_has_no_digest(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"_id": "1", "text": "One thing."}\n{"_id": "2", "text": "Another."}\n')
    made = await write_digest(path, context_with(SAID))
    assert (made.outcome, made.reason) == ("failed", "it contains 2 documents; a digest covers one")
