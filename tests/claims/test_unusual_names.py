"""Names in a question that neither everyday English nor most medical text has."""

import pytest

from wellsourced.claims.unusual_names import compile_unusual_name, list_unusual_names
from wellsourced.types import Expansion


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("EDACS for chest pain: below what number can I send them home?", ["EDACS"]),
        ("After a Watchman, how long on clopidogrel?", ["Watchman", "clopidogrel"]),
        ("Presepsin - which level points to sepsis?", ["Presepsin"]),
        ("Who qualifies for renal denervation?", ["denervation"]),
        ("Should everybody with sepsis get fluids within three hours on Thursday?", []),
        ("What should I add before the ICU calls me back? What next?", []),
        ("Is a SMART regimen the same as the HEART score?", []),
        ("Vericiguat like in VICTORIA?", ["Vericiguat"]),
        ("MSSA: flucloxacillin/nafcillin?", ["MSSA"]),
        ("He's for home. She doesn't want it.", []),
    ],
)
def test_what_is_a_name_and_no_word_of_everyday_or_of_the_ward(question: str, names: list[str]) -> None:
    assert list_unusual_names(question) == names


@pytest.mark.parametrize(
    ("name", "text", "is_known"),
    [
        ("haemodialysis", "intermittent hemodialysis", True),
        ("urosepsis", "sepsis with a urinary source", True),
        ("bleeder", "a major bleed", True),
        ("CHADS", "CHA2DS2-VASc", True),
        ("B5801", "HLA-B*5801", True),
        ("Anoro", "umeclidinium/vilanterol 62.5/25", True),
        ("Watchman", "aspirin and clopidogrel", False),
        ("EDACS", "HEART score", False),
        ("presepsin", "procalcitonin", False),
    ],
)
def test_a_name_is_known_in_its_other_forms(name: str, text: str, is_known: bool) -> None:
    assert (compile_unusual_name(name, ()).search(text) is not None) is is_known


def test_a_name_is_also_known_as_what_it_is_understood_as() -> None:
    brand = Expansion(said="Libre", meant="continuous glucose monitoring", kind="brand", source="wellsourced")
    assert compile_unusual_name("Libre", (brand,)).search("CGM, time in range: glucose 70-180")
