"""That the passages lack something is told among the gaps, and is no statement."""

from tests.pipeline.write.test_drafting import drafted, said
from tests.tables import each_row
from wellsourced.pipeline.write.drafting import remove_source_talk


@each_row(
    ("text", "left", "lacking"),
    [
        (
            "In variceal bleeding the target is 7–8 g/dL; the passages give no threshold for other bleeding.",
            "In variceal bleeding the target is 7–8 g/dL.",
            ("threshold for other bleeding",),
        ),
        (
            "The passages do not state a dose, but colchicine is recommended for flares.",
            "Colchicine is recommended for flares.",
            ("a dose",),
        ),
        ("None of the passages gives a dose of colchicine.", "", ("a dose of colchicine",)),
        ("The evidence shows no benefit of zinc.", "The evidence shows no benefit of zinc.", ()),
        ("NICE does not recommend zinc for colds.", "NICE does not recommend zinc for colds.", ()),
        ("The nasal passages do not swell.", "The nasal passages do not swell.", ()),
    ],
)
def test_only_what_is_said_to_be_lacking_in_what_was_shown_is_taken_out(
    text: str, left: str, lacking: tuple[str, ...]
) -> None:
    assert remove_source_talk(text) == (left, lacking)


async def test_what_a_statement_says_is_lacking_is_told_as_not_found() -> None:
    written = await drafted(
        said("Flares were two days shorter; the passages give no dose of colchicine.", lead=True),
        said("No passage gives the duration."),
    )
    assert [one.text for one in written.statements] == ["Flares were two days shorter."]
    assert written.not_found == ("dose of colchicine", "the duration")
    assert [one.text for one in written.dropped] == ["No passage gives the duration."]
