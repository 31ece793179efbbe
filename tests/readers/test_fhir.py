import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row
from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.registry import reader_for
from wellsourced.types import Document


def attachment(content: bytes, type: str = "text/plain", **more: str) -> dict[str, Any]:
    return {"attachment": {"contentType": type, "data": base64.b64encode(content).decode(), **more}}


def reference(*content: object, **more: object) -> dict[str, Any]:
    return {
        "resourceType": "DocumentReference",
        "id": "note-1",
        "status": "current",
        "type": {"coding": [{"system": "http://loinc.org", "code": "18842-5", "display": "Discharge summary"}]},
        "subject": {"reference": "Patient/7", "display": "Jane Roe"},
        "author": [{"display": "Dr A. Who"}],
        "custodian": {"display": "St Example"},
        "date": "2026-05-03T10:00:00Z",
        "content": list(content),
        **more,
    }


def read(tmp_path: Path, value: object) -> list[object]:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return list(reader_for(path)(path, "own"))


def test_a_text_is_read_and_its_patient_is_not_in_its_reference(tmp_path: Path) -> None:
    [document] = read(tmp_path, reference(attachment("Denies chest pain. eGFR ≥ 60.".encode())))
    assert isinstance(document, Document)
    assert document.text == "Denies chest pain. eGFR ≥ 60."
    assert document.reference.id == "fhir:DocumentReference/note-1"
    assert (document.reference.title, document.reference.published) == ("Discharge summary", "2026-05-03")
    assert (document.reference.organisation, document.reference.authors) == ("St Example", ("Dr A. Who",))
    assert "Roe" not in document.reference.model_dump_json()


def test_documents_of_a_bundle_are_read_and_the_others_are_told(tmp_path: Path) -> None:
    markdown = attachment(b"# Plan\n\nStart allopurinol 100 mg.", "text/markdown; charset=utf-8", title="Plan of care")
    entries = [
        {"resource": {"resourceType": "Patient", "id": "7"}},
        {"resource": reference(attachment(b"First note."), markdown)},
        {"resource": reference({"attachment": {"contentType": "text/plain", "url": "Binary/9"}}, id="note-2")},
        {"resource": reference(attachment(b"\x00\x01", "image/png"), id="note-3")},
        {"resource": reference({"attachment": {"contentType": "text/plain", "data": "%%%"}}, id="note-4")},
        {"resource": reference({}, id="note-5")},
    ]
    first, plan, *faults = read(tmp_path, {"resourceType": "Bundle", "entry": entries})
    assert isinstance(first, Document) and isinstance(plan, Document)
    assert (plan.reference.id, plan.reference.title) == ("fhir:DocumentReference/note-1/2", "Plan of care")
    assert "Start allopurinol 100 mg." in plan.text
    reasons = [fault.reason for fault in faults if isinstance(fault, UnreadablePart)]
    assert reasons == [
        "its text is not in the file but at Binary/9",
        "documents of type image/png are not read",
        "its data is not base64",
        "it has no attachment",
    ]


@each_row("value", [{"resourceType": "Patient"}, {"resourceType": "Bundle"}])
def test_a_resource_without_documents_is_refused(value: object, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="carries no document"):
        read(tmp_path, value)
