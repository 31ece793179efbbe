"""Questions that people asked elsewhere, taken over as they are, with what has to be known of each before use."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field, ValidationError

from wellsourced.deidentification import detect_identifiers
from wellsourced.factcheck.load.answer_rows import read_rows
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.builders.built_set import BuildHeader, LeftOut, Row, SetRecipe
from wellsourced_evaluate.near_duplicates import NearDuplicateFinder, cut_letters
from wellsourced_evaluate.recorded_rows import RecordedRow, describe_fault

SAME_QUESTION = 0.8
"""Share of runs of five letters that two questions have in common, from which they are nearly one (SourceCheckup)."""

MIN_WORDS, MAX_WORDS = 3, 400
"""Words of a question beyond which it is said to be short, or long."""

OptionalText = Annotated[str, BeforeValidator(lambda given: str(given or "").strip())]


class ImportedQuestion(RecordedRow):
    """A question with a title, a body, or both; `tag` says where it was asked."""

    id: OptionalText = ""
    title: OptionalText = ""
    body: OptionalText = Field("", validation_alias=AliasChoices("body", "question", "text"))
    tag: OptionalText = Field("", validation_alias=AliasChoices("tag", "source_tag", "kind", "group", "dataset"))

    @property
    def text(self) -> str:
        """All of it; the body keeps its lines."""
        return "\n\n".join(filter(None, (self.title, self.body)))


def import_recipe(paths: Sequence[Path]) -> SetRecipe[Row | LeftOut]:
    """How the questions in the files are taken over. Raises UnreadableFile."""

    async def take_over(thing: Row | LeftOut) -> Sequence[Row]:
        if isinstance(thing, LeftOut):
            raise thing
        return [thing]

    header = BuildHeader(builder="imported-questions", seed=0, inputs={path.name: hash_file(path) for path in paths})
    counted = ("group", "is_near_duplicate", "identifiers", "length")
    doing = "Read {done:,} of {every:,} questions"
    return SetRecipe(header, _describe_all(paths), take_over, doing, together=100, count_by=counted)


def _describe_all(paths: Sequence[Path]) -> dict[str, Row | LeftOut]:
    """Every row of the files by its place, as it is taken over, or why it is not."""
    finder, places, things = (
        NearDuplicateFinder(SAME_QUESTION, cut_letters),
        dict[str, str](),
        dict[str, Row | LeftOut](),
    )
    for path in paths:
        for number, fields in read_rows(path):
            place = f"{path.name}, row {number}"
            given = fields if isinstance(fields, str) else _read_question(fields)
            if isinstance(given, str):
                things[place] = LeftOut("it cannot be used", given)
            elif not given.text:
                things[place] = LeftOut("it has neither a title nor a body")
            elif places.setdefault(given.id or place, place) != place:
                things[place] = LeftOut("its id is taken", f"{given.id} is {places[given.id]}")
            else:
                things[place] = _describe_question(given.id or place, given, finder)
    return things


def _read_question(fields: Mapping[str, Any]) -> ImportedQuestion | str:
    try:
        return ImportedQuestion.model_validate(fields)
    except ValidationError as error:
        return describe_fault(error)


def _describe_question(id: str, given: ImportedQuestion, finder: NearDuplicateFinder) -> Row:
    text = given.text
    words, twin = len(text.split()), finder.find(id, text)
    finder.add(id, text)
    kinds = ", ".join(sorted({one.kind for one in detect_identifiers(text)}))
    row: Row = {"id": id, "question": text, "group": given.tag, "identifiers": kinds}
    row["length"] = "short" if words < MIN_WORDS else "long" if words > MAX_WORDS else ""
    if twin:
        row |= {"is_near_duplicate": True, "near_duplicate_of": twin.first, "shared": round(twin.share, 3)}
    return {name: value for name, value in row.items() if value != ""}
