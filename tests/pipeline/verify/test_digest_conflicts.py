"""A line that is cited, and another of the same digest that contradicts it."""

from hashlib import sha256

from tests.tables import each_row
from wellsourced.pipeline.verify.contradictions import MAX_DIGEST_CONFLICTS, find_digest_conflicts
from wellsourced.readers.guidelines import DigestContradiction, load_digest_contradictions, read_guidelines
from wellsourced.text.sentences import Span
from wellsourced.types import Citation, Document, Evidence, Passage, Reference, Section, Statement, Verdict

OVER_40 = "Hyperbaric oxygen is considered when COHb is over 40 %."
OVER_25 = "Hyperbaric oxygen: COHb over 25 %."
TEXT = f"Table\n\n{OVER_40}\n\nList\n\n{OVER_25}\n"
BURNS = Document(
    reference=Reference(id="doi:burns", title="Burns", kind="guideline"),
    text=TEXT,
    sections=(
        Section(title="Table", start=0, end=TEXT.index("List")),
        Section(title="List", start=TEXT.index("List"), end=len(TEXT)),
    ),
)


def place(words: str) -> Span:
    return Span(TEXT.index(words), TEXT.index(words) + len(words))


KNOWN = DigestContradiction(
    "doi:burns", sha256(TEXT.encode()).hexdigest()[:16], "From 40 % or from 25 %.", (place(OVER_40), place(OVER_25))
)


def cite(words: str) -> Statement:
    span = place(words)
    return Statement(
        text=words,
        citations=(Citation(passage_id=TABLE.passage.id, quote=words, start=span.start, end=span.end),),
        verdict=Verdict(label="supports", score=1.0, basis="verbatim"),
    )


TABLE = Evidence(
    passage=Passage(
        reference=BURNS.reference,
        text=TEXT[: TEXT.index("\n\nList")],
        start=0,
        end=TEXT.index("\n\nList"),
        section="Table",
    ),
    relevance=0.9,
)


def test_the_other_line_is_shown_with_its_section_which_was_not_read() -> None:
    found = find_digest_conflicts([cite(OVER_40)], [TABLE], {"doi:burns": BURNS}, [KNOWN])
    (conflict,), (added,) = found
    assert conflict.about == "From 40 % or from 25 %."
    assert [side.quote for side in conflict.sides] == [OVER_40, OVER_25]
    assert [side.passage_id for side in conflict.sides] == [TABLE.passage.id, added.passage.id]
    assert (added.passage.section, added.relevance) == ("List", 0.0)
    assert BURNS.text[added.passage.start : added.passage.end] == added.passage.text


def test_what_was_read_already_is_not_added() -> None:
    whole = Evidence(
        passage=Passage(reference=BURNS.reference, text=TEXT.rstrip(), start=0, end=len(TEXT.rstrip())), relevance=0.5
    )
    conflicts, added = find_digest_conflicts([cite(OVER_40)], [TABLE, whole], {"doi:burns": BURNS}, [KNOWN])
    assert added == ()
    assert [side.passage_id for side in conflicts[0].sides] == [TABLE.passage.id, whole.passage.id]


@each_row(
    ("statement", "documents", "known"),
    [
        (cite("Hyperbaric"), {"doi:burns": BURNS}, KNOWN),
        (cite(OVER_40), {}, KNOWN),
        (cite(OVER_40), {"doi:burns": BURNS}, KNOWN._replace(sha256="0" * 16)),
        (cite(OVER_40), {"doi:burns": BURNS}, KNOWN._replace(document="doi:other")),
    ],
)
def test_nothing_is_said_where_the_line_is_not_cited_or_not_known(
    statement: Statement, documents: dict[str, Document], known: DigestContradiction
) -> None:
    assert find_digest_conflicts([statement], [TABLE], documents, [known]) == ((), ())


def test_a_row_is_cited_when_its_cells_are() -> None:
    cells = ("Hyperbaric oxygen is considered", "when COHb is over 40 %.")
    said = cite(OVER_40).model_copy(
        update={"citations": tuple(citation for words in cells for citation in cite(words).citations)}
    )
    assert find_digest_conflicts([said], [TABLE], {"doi:burns": BURNS}, [KNOWN])[0]
    assert not find_digest_conflicts([cite(cells[1])], [TABLE], {"doi:burns": BURNS}, [KNOWN])[0]


def test_the_gravest_are_shown_and_no_more() -> None:
    many = [KNOWN._replace(about=str(number)) for number in range(9)]
    conflicts, _ = find_digest_conflicts([cite(OVER_40)], [TABLE], {"doi:burns": BURNS}, many)
    assert [one.about for one in conflicts] == [str(number) for number in range(MAX_DIGEST_CONFLICTS)]


def test_every_known_contradiction_stands_in_the_digest_as_it_is_read_today() -> None:
    documents = {one.reference.id: one for one in read_guidelines()}
    known = load_digest_contradictions()
    assert len(known) >= 15
    for one in known:
        text = documents[one.document].text
        assert sha256(text.encode()).hexdigest().startswith(one.sha256)
        assert len(one.sides) >= 2
        for side in one.sides:
            assert text[side.start - 1] in "\n " and text[side.end : side.end + 1] in ("\n", ""), one.about
            assert "\n" not in text[side.start : side.end]
