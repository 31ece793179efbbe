"""A guideline that was found is opened, and its sections are read side by side."""

from dataclasses import replace

from tests.tables import each_row
from tests.world import TRIAL, context, passages, source
from wellsourced.context import Context
from wellsourced.pipeline.read.document_passages import admit_slices, group_siblings, open_guidelines
from wellsourced.pipeline.retrieve.search import Candidate
from wellsourced.policy import Policy, ReadPolicy
from wellsourced.sources.fake import FakeSource
from wellsourced.text.passages import cut_passages
from wellsourced.types import Document, Evidence, Reference, Section


def guideline(name: str, *sections: str) -> Document:
    """A guideline of these sections."""
    text, made = "", []
    for number, words in enumerate(sections, start=1):
        made.append(Section(title=f"Section {number}", start=len(text), end=len(text) + len(words)))
        text += f"{words}\n"
    return Document(
        reference=Reference(id=f"doi:{name}", title=name, kind="guideline"), text=text, sections=tuple(made)
    )


GOUT = guideline("gout", *(f"Of gout, part {number} says this. " * 30 for number in range(1, 6)))
PAIN = guideline("pain", *(f"Of pain, part {number} says that. " * 30 for number in range(1, 4)))
SLEEP = guideline("sleep", "Of sleep, nothing.")
GUIDELINES = source("guidelines", GOUT, PAIN, SLEEP, kind="guideline")


def found(*documents: Document, source: str = "guidelines") -> list[Candidate]:
    """The last passage of each document, as a search brings it up."""
    return [Candidate(passages(one)[-1], source) for one in documents]


def reading(*sources: FakeSource, slices: int = 8, guidelines: int = 2) -> Context:
    usual = context(*sources, policy=Policy(passages=guidelines))
    return replace(usual, read=ReadPolicy(guideline_slices=slices))


async def test_every_section_of_the_guidelines_that_stand_first_takes_the_place_of_what_was_found() -> None:
    opened = await open_guidelines(found(GOUT, GOUT, PAIN, SLEEP), reading(GUIDELINES))
    assert [one.passage.id for one in opened] == [one.id for one in (*cut_passages(GOUT), *cut_passages(PAIN))]
    assert {one.source for one in opened} == {"guidelines"}


async def test_what_is_no_guideline_stays_as_it_was_found() -> None:
    trials = found(TRIAL, source="trials")
    assert await open_guidelines(trials, reading(GUIDELINES, source("trials", TRIAL))) == trials


async def test_a_guideline_that_cannot_be_opened_stays_as_it_was_found() -> None:
    away = FakeSource("guidelines", [], passages(GOUT), "guideline")
    candidates = found(GOUT)
    assert await open_guidelines(candidates, reading(away)) == candidates


@each_row(("candidates", "wanted"), [(found(GOUT, PAIN), (6, 3)), (found(TRIAL), (2, 8))])
def test_room_is_made_for_the_slices_of_each_guideline_and_for_nothing_else(
    candidates: list[Candidate], wanted: tuple[int, int]
) -> None:
    policy = admit_slices(candidates, reading(GUIDELINES, slices=3)).policy
    assert (policy.passages, policy.per_document) == wanted


def test_siblings_stand_together_in_their_own_order_the_best_guideline_first() -> None:
    gout, pain = cut_passages(GOUT), cut_passages(PAIN)
    ranked = [Evidence(passage=one, relevance=0.5) for one in (gout[3], pain[1], gout[0], pain[0])]
    assert [item.passage.id for item in group_siblings(ranked)] == [gout[0].id, gout[3].id, pain[0].id, pain[1].id]
