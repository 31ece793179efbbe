"""Questions to a library that speaks of their disease and not of their drug, or of it in other words."""

from pathlib import Path

import pytest

from wellsourced import Answer, ask, config
from wellsourced.sources.library import Library
from wellsourced.types import Document, Question, Reference

ABSTRACTS = {
    "lithium": "Lithium in amyotrophic lateral sclerosis (ALS) was compared with placebo. "
    "CONCLUSIONS: Lithium delayed no progression of ALS and is not effective for it.",
    "minocycline": "Minocycline was given to 412 patients with ALS. "
    "CONCLUSIONS: Minocycline is harmful and not effective in patients with ALS.",
    "anaemia": "Erythropoietin raised haemoglobin in patients on dialysis who had anaemia.",
    "life": "We asked 90 patients about health-related quality of life after hip fracture. "
    "CONCLUSIONS: Exercise improved health-related quality of life after hip fracture.",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


async def answer(home: Path, question: str) -> Answer:
    """What a library of these abstracts answers, beside the guidelines."""
    root = home / "libraries"
    if not (root / "abstracts").exists():
        Library.create(root, "abstracts", "research")
        library = Library.at(root, "abstracts", write=True)
        await library.add(
            [
                Document(reference=Reference(id=name, title=name, kind="research", published="2015"), text=text)
                for name, text in ABSTRACTS.items()
            ]
        )
        library.close()
    settings = config.load({"home": str(home), "encoder": "none", "network.offline": True})
    async with config.open_context(settings) as context:
        return await ask(Question(text=question), context)


async def test_a_drug_of_which_nothing_on_the_disease_speaks_is_named_in_the_refusal(home: Path) -> None:
    refused = await answer(home, "Is metformin effective for amyotrophic lateral sclerosis?")
    assert refused.abstained
    assert "not mentioned in them" in refused.reason


async def test_the_drug_of_which_a_study_speaks_is_answered(home: Path) -> None:
    answered = await answer(home, "Is lithium effective for ALS?")
    assert not answered.abstained
    assert "Lithium" in answered.tldr


async def test_an_outcome_in_short_is_answered_by_one_that_is_written_out(home: Path) -> None:
    answered = await answer(home, "Does exercise improve HRQoL after hip fracture?")
    assert not answered.abstained
    assert "quality of life" in answered.tldr
