"""What a language model is shown: sections of what was found, whole, nearest first; what is left out is listed."""

from dataclasses import replace
from typing import Any

from tests.world import COLCHICINE, TRIAL, context, passages, source
from wellsourced.context import Context
from wellsourced.expected_questions.matching import ExpectedAnswer
from wellsourced.pipeline.evidence import select_relevant
from wellsourced.pipeline.read.section_reading import ReadingResult, group_siblings, read_candidates
from wellsourced.pipeline.retrieve.search import Candidate, open_named_documents
from wellsourced.policy import Policy, ReadPolicy
from wellsourced.sources.fake import FakeSource
from wellsourced.text.passages import cut_passages
from wellsourced.types import Document, Evidence, Question, Reference, Section, SourceKind

QUESTION = Question(text="Which dose of colchicine is given in a gout flare?")
DOSE = "Give colchicine 1.2 mg at once in a gout flare, and 0.6 mg an hour later."


def sectioned(name: str, *sections: str, kind: SourceKind = "guideline", titles: tuple[str, ...] = ()) -> Document:
    """A document of these sections."""
    text, made = "", []
    for number, words in enumerate(sections):
        title = titles[number] if titles else f"Section {number + 1}"
        made.append(Section(title=title, start=len(text), end=len(text) + len(words)))
        text += f"{words}\n"
    return Document(reference=Reference(id=f"doi:{name}", title=name, kind=kind), text=text, sections=tuple(made))


GOUT = sectioned("gout", *(f"Of gout, part {number} says this. " * 30 for number in range(1, 6)), f"{DOSE} " * 3)
PAIN = sectioned("pain", *(f"Of pain, part {number} says that. " * 30 for number in range(1, 4)))
SLEEP = sectioned("sleep", "Of sleep, nothing.")
GUIDELINES = source("guidelines", GOUT, PAIN, SLEEP, kind="guideline")


def found(*documents: Document) -> list[Candidate]:
    """Every passage of these documents, as a search brings them up."""
    return [Candidate(passage, "guidelines") for one in documents for passage in cut_passages(one)]


def reading(*documents: Document, policy: Policy | None = None, **read: Any) -> Context:
    """A context that holds these guidelines."""
    usual = context(source("guidelines", *documents, kind="guideline"), policy=policy)
    return replace(usual, read=ReadPolicy(**read))


def texts(read: ReadingResult) -> list[str]:
    return [item.passage.text for item in read.evidence]


async def test_the_section_that_answers_stands_first_whole_with_the_words_that_are_nearest() -> None:
    read = await read_candidates(QUESTION, found(GOUT), reading(GOUT))
    best = read.evidence[0]
    assert best.passage.text == GOUT.text[best.passage.start : best.passage.end] == (f"{DOSE} " * 3).strip()
    assert best.quotes == (DOSE,)
    assert [item.relevance for item in read.evidence] == sorted((one.relevance for one in read.evidence), reverse=True)
    assert read.head == "in your sources"
    assert select_relevant(read.evidence, read.head) == read.evidence


async def test_a_section_that_is_too_long_is_split_and_only_what_was_found_of_it_is_read() -> None:
    long = sectioned("long", f"{'Nothing of it matters here. ' * 60}{DOSE} {'Nor does this matter. ' * 60}")
    (hit,) = (one for one in found(long) if DOSE in one.passage.text)
    read = await read_candidates(QUESTION, [hit], reading(long, section_length=1_000))
    (item,) = read.evidence
    assert DOSE in item.passage.text
    assert len(item.passage.text) <= 1_000
    assert item.passage.text == long.text[item.passage.start : item.passage.end]


async def test_no_more_is_read_than_the_policy_says_and_the_rest_is_listed() -> None:
    read = await read_candidates(QUESTION, found(GOUT, PAIN), reading(GOUT, PAIN, policy=Policy(passages=3)))
    assert len(read.evidence) == 3
    assert {one.reason for one in read.dropped} == {"less relevant, not read"}
    listed = {one.id for one in read.dropped}
    assert len(listed) == len(found(GOUT, PAIN)) - 3
    assert not any(item.passage.text in one.text for item in read.evidence for one in read.dropped)


async def test_no_work_has_more_than_its_share_while_others_fill_the_places() -> None:
    policy = Policy(per_document=2, passages=4)
    read = await read_candidates(QUESTION, found(GOUT, PAIN), reading(GOUT, PAIN, policy=policy))
    alone = await read_candidates(QUESTION, found(GOUT), reading(GOUT, policy=policy))
    assert len(alone.evidence) == 4
    works = [item.passage.reference.id for item in read.evidence]
    assert sorted(works) == ["doi:gout", "doi:gout", "doi:pain", "doi:pain"]


async def test_an_abstract_is_read_whole_and_sections_beside_it_where_they_were_found() -> None:
    abstract = ("Abstract › Background", "Abstract › Results")
    study = sectioned(
        "study", "Gout hurts.", COLCHICINE, DOSE, "We thank all.",
        kind="research", titles=(*abstract, "Methods", "Thanks"),
    )  # fmt: skip
    read = await read_candidates(QUESTION, found(study)[:3], reading(study))
    assert sorted(texts(read)) == [DOSE, f"Gout hurts.\n{COLCHICINE}"]


async def test_documents_that_a_question_names_are_read_alone_in_the_order_in_which_they_are_named() -> None:
    asked = QUESTION.model_copy(update={"given": ("doi:pain", "doi:gout")})
    candidates, gaps = await open_named_documents(asked.given, [GUIDELINES])
    read = await read_candidates(asked, candidates, reading(GOUT, PAIN))
    assert gaps == ()
    assert texts(read) == [one.text.strip() for one in (*cut_passages(PAIN), *cut_passages(GOUT))]
    assert read.head == "in your sources"


async def test_what_changed_since_it_was_indexed_is_not_read() -> None:
    changed = GOUT.model_copy(update={"text": GOUT.text.replace("1.2 mg", "9.9 mg")})
    away = replace(reading(), sources=(FakeSource("guidelines", [changed], passages(GOUT), "guideline"),))
    read = await read_candidates(QUESTION, found(GOUT)[-1:], away)
    assert read.evidence == ()
    assert [one.reason for one in read.dropped] == ["its document could not be opened"]


async def test_nothing_near_means_that_nothing_is_written_from() -> None:
    asked = Question(text="Who won the football world cup in Brazil?")
    read = await read_candidates(asked, found(GOUT), reading(GOUT))
    assert read.head == "nothing"
    assert not any(item.quotes for item in read.evidence)
    assert select_relevant(read.evidence, read.head) == ()


async def test_lines_that_answer_an_expected_question_are_read_though_no_search_found_them() -> None:
    start = GOUT.text.index(DOSE)

    class Expecting:
        async def match(self, question: Question, libraries: object) -> tuple[ExpectedAnswer, ...]:
            return (expected,)

    expected = ExpectedAnswer(
        question="Which dose?",
        library="guidelines",
        document_id="doi:gout",
        start=start,
        end=start + len(DOSE),
        agreement=0.9,
        near_miss=0.0,
    )
    the_context = replace(reading(GOUT, PAIN), expected_questions=Expecting())  # type: ignore[arg-type]
    read = await read_candidates(QUESTION, found(PAIN), the_context)
    assert DOSE in read.evidence[0].passage.text


# --- guidelines that are opened --------------------------------------------------------------------------------------


async def test_guidelines_that_are_opened_are_read_in_their_best_sections_the_first_ones_alone() -> None:
    hits = [found(PAIN)[-1], found(GOUT)[0], found(SLEEP)[0], Candidate(passages(TRIAL)[0], "trials")]
    guidelines = reading(GOUT, PAIN, SLEEP, policy=Policy(passages=2), guideline_slices=3)
    both = replace(guidelines, sources=(*guidelines.sources, source("trials", TRIAL)))
    read = await read_candidates(QUESTION, hits, both)
    works = [item.passage.reference.id for item in read.evidence]
    assert (works.count("doi:gout"), works.count("doi:pain"), works.count("doi:sleep")) == (3, 2, 0)
    assert "pubmed:1" in works
    assert DOSE in "".join(texts(read))


def test_siblings_stand_together_in_their_own_order_the_best_guideline_first() -> None:
    gout, pain = cut_passages(GOUT), cut_passages(PAIN)
    ranked = [Evidence(passage=one, relevance=0.5) for one in (gout[3], pain[1], gout[0], pain[0])]
    assert [item.passage.id for item in group_siblings(ranked)] == [gout[0].id, gout[3].id, pain[0].id, pain[1].id]


def test_of_two_readings_the_better_head_counts_and_each_passage_once() -> None:
    first, second = (Evidence(passage=one, relevance=0.5) for one in cut_passages(GOUT)[:2])
    both = ReadingResult((first,), head="closest") + ReadingResult((first, second), head="in your sources")
    assert (len(both.evidence), both.head) == (2, "in your sources")
