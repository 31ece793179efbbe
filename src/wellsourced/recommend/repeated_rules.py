"""One rule that several places state, said once: the drug, and what of the record speaks against it."""

from collections.abc import Iterable, Sequence

from wellsourced.clinical.drugs import find_drugs, is_meant
from wellsourced.recommend.warning_rules import FORBIDDING
from wellsourced.types import PatientWarning


def merge_warnings(warnings: Sequence[PatientWarning]) -> list[PatientWarning]:
    """The warnings, of which those of one rule stand once: the first of them, with the others beside it.

    A rule is a drug, or its class, and what of the record speaks against it; a dose or a caution is none of its own
    where the drug is not to be given for the same reason.
    """
    merged: list[PatientWarning] = []
    for one in warnings:
        place = next((at for at, known in enumerate(merged) if _is_same_rule(known, one)), None)
        if place is None:
            merged.append(one)
        elif one.citations[-1].quote != merged[place].citations[-1].quote:
            merged[place] = _join_warnings(merged[place], one)
    return merged


def _join_warnings(known: PatientWarning, other: PatientWarning) -> PatientWarning:
    """Two warnings of one rule as one; the second leads where it is as strong and names more of the record."""
    is_wider = _circumstances(known) < _circumstances(other)
    first, second = (other, known) if is_wider and known.severity == other.severity else (known, other)
    also = (*known.also, second.model_copy(update={"also": ()}))
    return first.model_copy(update={"also": also, "is_asked": known.is_asked})


def _is_same_rule(known: PatientWarning, other: PatientWarning) -> bool:
    if known.citations[-1].quote == other.citations[-1].quote:
        return not drug_keys(known.drugs).isdisjoint(drug_keys(other.drugs)) or not other.drugs
    if known.severity not in FORBIDDING and other.severity in FORBIDDING:
        return False
    if known.severity == "avoid" and other.severity == "dose":
        return False
    theirs, ours = ([one for name in each.drugs for one in find_drugs(name)] for each in (other, known))
    is_same_drug = drug_keys(other.drugs) <= drug_keys(known.drugs) or (
        bool(theirs) and all(any(is_meant(one, two) for one in ours) for two in theirs)
    )
    said, known_said = _circumstances(other), _circumstances(known)
    is_forbidden = known.severity in FORBIDDING and other.severity in FORBIDDING
    return is_same_drug and (said <= known_said or (is_forbidden and known_said < said))


def drug_keys(names: Iterable[str]) -> frozenset[str]:
    """What the drugs of a warning are called here, whatever the words are: the drug and its own class."""
    return frozenset(one.drug or one.own_class for name in names for one in find_drugs(name)) or frozenset(names)


def _circumstances(warning: PatientWarning) -> frozenset[str]:
    """What of the record speaks against the drug; figures and names of one thing are one."""
    pairs = zip(warning.about, warning.record, strict=True)
    return frozenset(
        words.casefold() if about in ("current drug", "earlier drug", "allergy") else _ONE_THING.get(about, about)
        for about, words in pairs
    )


_ONE_THING = {
    **dict.fromkeys(("eGFR", "creatinine clearance", "creatinine", "dialysis"), "kidney disease"),
    **dict.fromkeys(("age", "childhood"), "old age"),
    **dict.fromkeys(("potassium",), "hyperkalaemia"),
    **dict.fromkeys(("QTc",), "long QT"),
    **dict.fromkeys(("pH", "bicarbonate"), "acidosis"),
    **dict.fromkeys(("ketones",), "ketoacidosis"),
    **dict.fromkeys(("weight", "BMI"), "obesity"),
    **dict.fromkeys(
        ("NYHA III or IV", "reduced ejection fraction", "LVEF", "decompensated heart failure"), "heart failure"
    ),
    **dict.fromkeys(("asthma", "aspirin-exacerbated respiratory disease"), "bronchospasm"),
    **dict.fromkeys(("stroke", "coronary disease", "intracranial haemorrhage"), "cardiovascular disease"),
    **dict.fromkeys(("gestational age",), "pregnancy"),
    **dict.fromkeys(("cirrhosis", "liver failure", "hepatitis"), "liver disease"),
}
"""Names of conditions and figures under which a record says one thing."""
