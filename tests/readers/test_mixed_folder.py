"""The folder of a new user: of 28 files that can be read at least 24 are, and no file disappears without a word."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.tables import each_row
from wellsourced.app.cli import command_line
from wellsourced.events import Event, FileFailed, FileRead
from wellsourced.ingest import ingest_files
from wellsourced.sources.library import Library

FOLDER = Path(__file__).parents[1] / "data" / "mixed_folder"

# A sentence, or the cells of a row, that nobody else in the folder says.
SENTENCES = {
    "sepsis.pdf": ["Measure lactate within the first hour of suspected sepsis."],
    "stroke.pdf": ["Scan the head within 20 minutes of arrival."],
    "anticoagulation.docx": ["Stop apixaban two days before a hip operation."],
    "pain.docx": ["Give 1 g of paracetamol every six hours before any opioid."],
    "teaching.pptx": ["Compress the chest by five to six centimetres."],
    "electrolytes.xlsx": ["Potassium", "3.5 mmol/L", "5.0 mmol/L"],
    "wards.xlsx": ["Nightingale", "24", "twelve hours"],
    "triage.epub": ["A red card means that a doctor comes at once."],
    "asthma.html": ["Give salbutamol through a spacer, ten puffs in a severe attack."],
    "short.htm": ["Cool a burn for twenty minutes."],
    "ketoacidosis.md": ["Give one litre of saline in the first hour."],
    "wound.txt": ["Change the dressing every third day unless it is wet through."],
    "entlassung.txt": ["Herr Müller nimmt täglich 5 µg Vitamin D für die Knochen."],
    "export.txt": ["The café patient’s fever fell to 37 °C."],
    "antibiotics.csv": ["Amoxicillin", "500 mg, three times daily", "5"],
    "kosten.csv": ["Metformin", "850 mg für Erwachsene", "0,12"],
    "formulary.tsv": ["Bisoprolol", "beta-blocker", "not in asthma"],
    "references.ris": ["Colchicine lowered the risk of a second attack by a quarter in this trial."],
    "library.bib": ["Iron eased tiredness in one of three patients."],
    "zotero.json": ["Walking on the first day shortened the stay by one night."],
    "records.json": ["Offer water to thirsty patients before midnight."],
    "lines.jsonl": ["Lower the bed of a patient who fell twice."],
    "openfda.json": ["Examplin may cause deep sleep in small children."],
    "fhir.json": ["The patient walks with one stick since Monday."],
    "label.xml": ["Examplol is indicated for slow pulse after surgery."],
    "article.nxml": ["Tea after six delayed sleep by eleven minutes."],
    "pubmed.xml": ["Honey eased the cough of 43 children."],
    "audits.zip": ["Nurses washed their hands in nine of ten visits.", "Remove every cannula after three days."],
}
# Read, or named with the reason: no reader of them is promised.
EITHER = {
    "handover.rtf": "Tell the night team which patients may fall.",
    "old letter.doc": "The wound of the left foot has healed in five weeks.",
    "checklist.odt": "Count the swabs before the skin is closed.",
}
UNREADABLE = ["scanned order.pdf", "photo.png", "locked.pdf", "empty.txt", "truncated.docx"]


@dataclass
class Run:
    """What adding the folder to a library did: texts of its documents, files that went in, reasons for the others."""

    texts: list[str] = field(default_factory=list)
    read: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    def says(self, *words: str) -> bool:
        return any(all(part in text for part in words) for text in self.texts)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return asyncio.run(_add_folder(tmp_path_factory.mktemp("mixed")))


async def _add_folder(root: Path) -> Run:
    Library.create(root, "mine", "own")
    library = Library.at(root, "mine", write=True)
    run = Run()

    def hear(event: Event) -> None:
        # A file of an archive may be named behind it.
        if isinstance(event, FileFailed):
            run.reasons[_in_folder(event.path)] = f"{event.reason} {event.remedy}"
        elif isinstance(event, FileRead):
            run.read[_in_folder(event.path)] = run.read.get(_in_folder(event.path), 0) + event.documents

    # Each by its name: of a folder, files of other types are only counted.
    await ingest_files(library, sorted(FOLDER.iterdir()), hear)
    for reference in await library.list_references("", 1000):
        document = await library.open(reference.id)
        run.texts.append(" ".join(document.text.split()))
    library.close()
    return run


def _in_folder(path: Path) -> str:
    return next((part for part in path.parts if (FOLDER / part).is_file()), path.name)


@each_row("name", SENTENCES)
def test_a_file_is_read(name: str, run: Run) -> None:
    missing = [words for words in SENTENCES[name] if not run.says(words)]
    assert not missing, run.reasons.get(name, "no reason")
    # Cells of a table are those of one row.
    assert run.says(*SENTENCES[name]) or name == "audits.zip"


def test_at_least_24_of_28_are_read(run: Run) -> None:
    read = [name for name, words in SENTENCES.items() if all(run.says(part) for part in words)]
    assert len(SENTENCES) == 28
    assert len(read) >= 24, sorted(set(SENTENCES) - set(read))


@each_row("name", [*SENTENCES, *EITHER, *UNREADABLE])
def test_no_file_disappears_without_a_word(name: str, run: Run) -> None:
    read = run.read.get(name, 0) or run.says(EITHER.get(name, "\0"))
    assert read or len(run.reasons.get(name, "").split()) >= 4, run.reasons


@each_row(
    ("name", "word"),
    [
        ("scanned order.pdf", "scan|image|no text|OCR"),
        ("locked.pdf", "password|encrypt|protected"),
        ("empty.txt", "empty|no text|no document"),
        ("truncated.docx", "damaged|broken|truncated|cut|zip|not a"),
        ("photo.png", "type|format|image"),
    ],
)
def test_the_reason_is_the_right_one(name: str, word: str, run: Run) -> None:
    assert run.read.get(name, 0) == 0
    assert any(part.casefold() in run.reasons.get(name, "").casefold() for part in word.split("|")), run.reasons.get(
        name
    )


def test_what_cannot_be_read_is_not_in_the_library(run: Run) -> None:
    assert not run.says("Transfuse two units")
    assert not any("\x00" in text or "PK\x03" in text or "%PDF" in text for text in run.texts)


def test_the_command_names_what_it_did_not_read(run: Run) -> None:
    typed = ["--set", "encoder=none", "library"]
    made = CliRunner().invoke(command_line, [*typed, "create", "mine", "--lexical", "--add", str(FOLDER)])
    errors = CliRunner().invoke(command_line, [*typed, "errors", "mine"])
    said = " ".join((made.output + errors.output).split())
    # Of types that nobody reads, the type is enough.
    unread = {name for name in [*SENTENCES, *EITHER, *UNREADABLE] if not run.read.get(name)}
    assert {name for name in unread if name not in said and f"{Path(name).suffix} (" not in said} == set(), said


def test_files_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 1_500_000
