"""What a record says of its patient, as far as rules read it, and what it does not say or says twice."""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple

from wellsourced.medicine.ages import extract_age
from wellsourced.medicine.conditions import ConditionName, find_conditions, wider_conditions
from wellsourced.medicine.drugs import DrugMention, extract_allergies, find_prescribed_drugs
from wellsourced.medicine.measurements import Figure, find_figures, measure_unit
from wellsourced.medicine.record_lines import unwrap_lines
from wellsourced.medicine.scope import blank_others, find_regions, find_scope, is_own
from wellsourced.recommend.event_times import find_days_ago, find_recent_surgery
from wellsourced.recommend.implied_conditions import (
    LIMITED_EXERTION,
    Person,
    derive_conditions,
    estimate_kidney_function,
    find_gestational_age,
    find_limited_exertion,
    is_after_birth,
)
from wellsourced.recommend.patient_fit import parse_patient
from wellsourced.text.languages import detect_language, language_name

MAX_RECORD_CHARS = 20_000
"""Characters of a record that are read; what comes behind is said not to be."""

_NOT_TAKEN = re.compile(
    r"\b(?:allerg\w+|intoleran\w+|anaphyla\w+|swelling|rash|angio-?o?edema|reaction|attack|has taken"
    r"|without (?:trouble|problems?)|tolerat\w+|last time|worked|whether|optimi[sz]e|fourth missing)\b",
    re.IGNORECASE,
)
"""Words beside a drug that tell what came of it, and not that it is taken."""

_REFUSED = re.compile(r"\b(?:afraid|friend|than|against|refus\w+|declin\w+|allerg\w+)\b", re.IGNORECASE)
_STARTED = re.compile(r"\b(?:start\w*|begun|since|on|taking|takes|for|increased|titrated)\b", re.IGNORECASE)
_SEVERITY = re.compile(
    r"\b(?:severe|life-threatening|near-fatal|decompensated|acute|advanced|end-stage|ICU|ITU|intubated|brittle"
    r"|step 5"
    r"|stage [345])\b",
    re.IGNORECASE,
)
_PAST_FERTILITY = re.compile(
    r"post-?menopaus|menopausal|hysterectomy|oophorectomy|sterili[sz]|tubal ligation", re.IGNORECASE
)
_OF_WOMEN = frozenset({"pregnancy", "breastfeeding", "post-menopausal", "women of child-bearing age"})
"""What a record of a man may name, and he does not have."""

MAX_OVER_DISTANCE = 14
"""Characters between a condition and the words that say that it is over."""

MIN_PAST_DAYS = 14.0
"""Days after which a drug that was given then, and not begun, is one of the past."""

_REACTION = (
    r"(?:anaphyla\w+|rash|hives|urticaria|angio-?o?edema|blister\w*|(?:lips?|tongue|face|facial)[^.;]{0,12} swell\w+"
    r"|(?-i:SJS|TEN|DRESS)\b|Stevens|bronchospasm|collapse)"
)
_DIFFERENCE = {"weight": 0.1, "age": 0.02, "eGFR": 0.35, "creatinine": 0.5}


class PatientFact(NamedTuple):
    """Something that the record says of its patient.

    name       what it is called here: "pregnancy", "eGFR"
    words      the words of the record that say it
    days_ago   of an event, as far as the record says it; None where it does not
    is_past    whether the record says that it was in the past
    """

    name: str
    words: str
    days_ago: float | None = None
    is_past: bool = False


class PatientRecord(NamedTuple):
    """What is known of a patient.

    conditions       name → the fact; wider conditions stand beside the narrower that imply them
    severe           the conditions that the record calls severe, or shows to be so
    current_drugs    what the patient takes; `past_drugs` what is named of the past, or as a plan
    contradictions   what the record says twice and differently, a sentence each
    unchecked        what it does not say, a sentence each
    language_note    which parts of a record in another language could be read; "" for one in English
    family           what relatives of the patient have, by its name
    proposed_drugs   what the patient or somebody else asks for, as the record says
    drug_days        each drug with how many days ago it was given, 0 for one that is taken, None where nothing says so
    """

    age: float | None
    conditions: dict[str, PatientFact]
    severe: frozenset[str]
    current_drugs: tuple[DrugMention, ...]
    past_drugs: tuple[DrugMention, ...]
    allergies: tuple[str, ...]
    figures: tuple[Figure, ...]
    contradictions: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    language_note: str = ""
    drug_days: tuple[tuple[DrugMention, float | None], ...] = ()
    family: Mapping[str, PatientFact] = MappingProxyType({})
    proposed_drugs: tuple[DrugMention, ...] = ()

    def find_figures(self, measure: str) -> list[Figure]:
        """The figures of a measure; of the kidney's function the other one where this one is missing."""
        swapped = {"eGFR": "creatinine clearance", "creatinine clearance": "eGFR"}
        own = [one for one in self.figures if one.measure == measure]
        return own or [one for one in self.figures if one.measure == swapped.get(measure)]


def read_patient_record(text: str, question: str = "") -> PatientRecord:
    """The record, read by rule, with the conditions that the question names; nothing of it leaves this machine."""
    record = unwrap_lines(text[:MAX_RECORD_CHARS])
    current, past = _read_drugs(record)
    own = blank_others(record)
    age = _read_age(own)
    told = _read_conditions(record)
    person = Person(
        age, parse_patient(record).sex, "pregnancy" in told[0], bool(_PAST_FERTILITY.search(record)), (*current, *past)
    )
    figures = (*find_figures(own), *find_gestational_age(record))
    figures = (*figures, *estimate_kidney_function(own, figures, person))
    if age is not None:
        figures = (*figures, Figure("age", age, _age_words(record)))
    conditions, severe = _add_implied(told, figures, person)
    if "heart failure" in conditions and (exertion := find_limited_exertion(record)):
        conditions.setdefault(LIMITED_EXERTION, PatientFact(LIMITED_EXERTION, exertion))
    if person.sex == "male":
        conditions = {name: fact for name, fact in conditions.items() if name not in _OF_WOMEN}
    for name, fact in _read_conditions(question)[0].items():
        conditions.setdefault(name, fact)
    for drug in current:
        if "opioid" in drug.classes:
            conditions.setdefault("opioid use", PatientFact("opioid use", drug.words))
    read = PatientRecord(age, conditions, severe, current, past, _read_allergies(record), figures)
    language = detect_language(record) if record.strip() else "en"
    given = [(one, find_days_ago(record, one.start, one.end)) for one in past if not _sorts(record, one) & {"planned"}]
    return read._replace(
        proposed_drugs=tuple(
            one
            for one in past
            if "planned" in _sorts(record, one) and not _REFUSED.search(_clause_around(record, one.start, one.end))
        ),
        drug_days=(*((one, 0.0) for one in current), *given),
        family={
            one.name: PatientFact(one.name, _record_phrase(record, one.start, one.end))
            for one in find_conditions(record)
            if find_scope(record, one.start, one.end) == "family"
        },
        contradictions=tuple(_find_contradictions(figures)),
        unchecked=tuple(_find_unchecked(record, read, text)),
        language_note=_describe_language(language, read) if language not in ("en", "") else "",
    )


# --- conditions ----------------------------------------------------------------------------------------------------


def _sorts(record: str, one: ConditionName | DrugMention) -> set[str]:
    """The sorts of cues that govern a place of the record."""
    return {region.sort for region in find_regions(record, one.start, one.end)}


def _is_over(record: str, one: ConditionName) -> bool:
    """Whether a condition is one of the past: resolved, of childhood, or a pregnancy that ended."""
    if one.name == "pregnancy" and (
        find_scope(record, one.start, one.end) == "past" or is_after_birth(record, one.start)
    ):
        return True
    # Beside it alone: in "DVT 2017, warfarin for six months, stopped" the drug is no more.
    over = [region for region in find_regions(record, one.start, one.end) if region.sort == "over"]
    gaps = (one.start - region.start if region.cue_start < one.start else region.end - one.end for region in over)
    return any(gap <= MAX_OVER_DISTANCE for gap in gaps)


def _read_conditions(record: str) -> tuple[dict[str, PatientFact], frozenset[str]]:
    """The conditions that a record names, each once, and which of them it calls severe."""
    facts: dict[str, PatientFact] = {}
    severe: set[str] = set()
    for one in find_conditions(record):
        if not is_own(record, one.start, one.end) or _is_over(record, one):
            continue
        before = re.split(r"\.\s|\n", record[max(0, one.start - 25) : one.start])[-1]
        around = before + re.split(r"\.\s|\n", record[one.start : one.end + 50])[0]
        days = find_days_ago(record, one.start, one.end)
        is_past = find_scope(record, one.start, one.end) == "past"
        for name in (one.name, *one.wider):
            _keep_latest(facts, PatientFact(name, _record_phrase(record, one.start, one.end), days, is_past))
            if _SEVERITY.search(around):
                severe.add(name)
    for start, end, days in find_recent_surgery(record):
        if is_own(record, start, end):
            _keep_latest(facts, PatientFact("recent surgery", _record_phrase(record, start, end), days))
    return facts, frozenset(severe)


def _keep_latest(facts: dict[str, PatientFact], fact: PatientFact) -> None:
    """Of several places that say a thing, the first stays, unless another says when, or that it was later."""
    known = facts.get(fact.name)
    is_later = known and fact.days_ago is not None and (known.days_ago is None or fact.days_ago < known.days_ago)
    if known is None or is_later or (known.is_past and not fact.is_past):
        facts[fact.name] = fact


def _add_implied(
    told: tuple[dict[str, PatientFact], frozenset[str]], figures: tuple[Figure, ...], person: Person
) -> tuple[dict[str, PatientFact], frozenset[str]]:
    """The conditions that are named, and those that figures imply; how bad the kidney is, its figure says."""
    facts, severe = dict(told[0]), set(told[1])
    implied = list(derive_conditions(figures, person))
    if any(one.measure in ("eGFR", "creatinine clearance") for one in figures):
        severe.discard("kidney disease")
    for one in implied:
        for name in (one.name, *wider_conditions(one.name)):
            facts.setdefault(name, PatientFact(name, one.figure.words))
        severe |= {one.name} if one.is_severe else set()
    return facts, frozenset(severe)


MAX_PHRASE_BEFORE = 60
"""Characters of a record that are shown before the words that say something, at most; cut at a blank."""


def _record_phrase(record: str, start: int, end: int) -> str:
    """The words of the record around a place, cut at commas and the ends of sentences."""
    marks = (", ", ". ", "; ", "\n", ": ")
    left = max((at + len(mark) for mark in marks if (at := record.rfind(mark, 0, start)) >= 0), default=0)
    if start - left > MAX_PHRASE_BEFORE:
        left = record.find(" ", start - MAX_PHRASE_BEFORE, start) + 1 or start
    right = min((at for mark in (", ", ". ", "; ", "\n") if (at := record.find(mark, end)) >= 0), default=len(record))
    phrase = record[left : min(right, end + 60)].strip(" ,.;:")
    return phrase if len(phrase) <= 140 else record[start:end]


# --- drugs, allergies, age -----------------------------------------------------------------------------------------


def _read_drugs(record: str) -> tuple[tuple[DrugMention, ...], tuple[DrugMention, ...]]:
    current: list[DrugMention] = []
    past: list[DrugMention] = []
    for one in find_prescribed_drugs(record):
        clause = _clause_around(record, one.start, one.end)
        sorts = _sorts(record, one)
        if sorts & {"denied", "family", "other person"}:
            continue
        planned = (
            sorts & {"planned", "hypothetical", "past", "over"}
            or _NOT_TAKEN.search(clause)
            or ((find_days_ago(record, one.start, one.end) or 0.0) >= MIN_PAST_DAYS and not _STARTED.search(clause))
            # Within quotation marks: what somebody said is no entry of the record.
            or record.count('"', 0, one.start) % 2 == 1
            or (not one.drug and not _is_taken(record, one))
        )
        (past if planned else current).append(one)
    return tuple(current), tuple(past)


def _is_taken(record: str, drug: DrugMention) -> bool:
    """Whether words say that a class, and no single drug, is taken: a dose behind it, or "on" before it."""
    before, behind = record[max(0, drug.start - 24) : drug.start], record[drug.end : drug.end + 25]
    return bool(re.search(r"\b(?:on|takes?|taking|using|drugs?:.*|a)\s*$", before, re.IGNORECASE)) or bool(
        re.match(r"[^.;\n]{0,12}\d", behind)
    )


def _clause_around(record: str, start: int, end: int) -> str:
    left = max(record.rfind(mark, 0, start) for mark in (". ", ";", "\n", ": ", ", ")) + 1
    right = min((at for mark in (". ", ";", "\n", ", ") if (at := record.find(mark, end)) >= 0), default=len(record))
    return record[left:right]


def _read_allergies(record: str) -> tuple[str, ...]:
    """Drugs that the record names an allergy to, or a reaction on."""
    reactions = (
        r"\b(?:alergi\w+|allergi\w+|Allergie\w*)\s*(?:a la|al|a|à la|à|gegen|alla"
        r"|to)?\s*:?\s*(?P<drug>[a-záéíóúè-]{4,30})",
        rf"(?P<drug>[A-Za-z][\w-]{{3,24}})(?: (?:19|20)\d\d)?\s?[-–(:,]\s?(?:\w+ ){{0,2}}{_REACTION}",
        r"\b(?:reaction|allergy|anaphylaxis|intolerance) (?:to|on|after|with) (?P<drug>[A-Za-z][\w-]{3,24})",
        r"\b(?:penicillin|\w+cillin|cef\w+|sulfa\w*|NSAIDs?|aspirin|\w+pril|\w+statin)\s*\((?:anaphyla|rash|hives"
        r"|angio)",
    )
    found = list(extract_allergies(record))
    for pattern in reactions:
        for match in re.finditer(pattern, record, re.IGNORECASE):
            drugs = find_prescribed_drugs(match.group())
            if drugs and is_own(record, match.start(), match.end()):
                found += [one.words for one in drugs]
    for match in re.finditer(
        r"\ballerg(?:y|ies"
        r"|ic)\b[^.:\n]{0,60}:\s*(?P<list>[^.\n]{3,160})",
        record,
        re.IGNORECASE,
    ):
        told = re.split(
            r"\bnone\b|\bgiven\b|\badrenaline\b|\bepinephrine\b|\btolerate|\bnil\b", match["list"], maxsplit=1
        )[0]
        found += [one.words for one in find_prescribed_drugs(told) if is_own(told, one.start, one.end)]
    return tuple(dict.fromkeys(name for name in found if find_prescribed_drugs(name)))


def _read_age(record: str) -> float | None:
    age = extract_age(record)
    if age is not None:
        return age
    other = re.search(r"\b(\d{1,3})\s?(?:años|ans|Jahre|anni|anos|jährige?r?)\b", record)
    return float(other[1]) if other and int(other[1]) <= 120 else None


def _age_words(record: str) -> str:
    found = re.search(
        r"\b\d{1,3}[\s-]*(?:years?|yrs?|months?|años|ans|Jahre|jähr\w+|anni|anos|y|M|F)\b(?:[\s-]*old)?", record
    )
    return found.group() if found else "age"


# --- what is missing, contradicted, or in another language -----------------------------------------------------------


def _find_contradictions(figures: tuple[Figure, ...]) -> Iterator[str]:
    for measure, share in _DIFFERENCE.items():
        same = [one for one in figures if one.measure == measure]
        for one, other in combinations(same, 2):
            if abs(one.value - other.value) > share * max(one.value, other.value) and one.words != other.words:
                unit = measure_unit(measure)
                yield (
                    f"The record gives two values for {measure}: {one.value:g} {unit} (“{one.words}”) and "
                    f"{other.value:g} {unit} (“{other.words}”). Settle which is true before a dose is chosen by it."
                )
                break


def _find_unchecked(record: str, read: PatientRecord, whole: str) -> Iterator[str]:
    if read.age is None:
        yield "age: not in the record, not checked"
    estimates = [one.words for one in read.figures if " by CKD-EPI" in one.words or " by Cockcroft" in one.words]
    if estimates:
        yield f"kidney function: estimated, and right only if creatinine is stable ({'; '.join(estimates)})"
    if not read.find_figures("eGFR") and not any(one.measure == "creatinine" for one in read.figures):
        yield "kidney function: not in the record, not checked"
    elif not read.find_figures("eGFR"):
        yield "kidney function: only creatinine is in the record; limits by eGFR or clearance were not checked"
    for measure in ("potassium", "weight"):
        if not read.find_figures(measure):
            yield f"{measure}: not in the record, not checked"
    if not re.search(r"allerg|alergi|NKDA|hypersens|intoleran|anaphyla", record, re.IGNORECASE):
        yield "allergies: not in the record, not checked"
    if not read.current_drugs and not re.search(
        r"\b(?:drugs?|med(?:ication)?s?|medicamentos|medicaci[oó]n|takes)\b[^.]{0,30}\b(?:none|no|nil)\b"
        r"|\b(?:no|nil|on no|without) (?:(?:regular|current|other|daily) )*(?:drugs|med(?:ication)?s?|tablets)\b"
        r"|\bnot on any",
        record,
        re.IGNORECASE,
    ):
        yield "current drugs: none could be read in the record, interactions not checked"
    woman = re.search(r"\b(?:woman|female|she|her|lady|mujer|femme|Frau|donna)\b|\d\s?F\b", record, re.IGNORECASE)
    known = re.search(
        r"pregnan|post-?menopaus|hysterectomy|embaraz|enceinte|schwanger|postpartum"
        r"|weeks after",
        record,
        re.IGNORECASE,
    )
    is_known = bool(known) or "pregnancy" in read.conditions or "post-menopausal" in read.conditions
    if woman and not is_known and (read.age is None or 12 <= read.age <= 55):
        yield "pregnancy: the record does not say, not checked"
    if len(whole) > MAX_RECORD_CHARS:
        yield f"the record after its first {MAX_RECORD_CHARS:,} characters: not read"


def _describe_language(language: str, read: PatientRecord) -> str:
    words = [f"“{fact.words}”" for fact in list(read.conditions.values())[:6]]
    words += [one.words for one in read.current_drugs[:4]]
    parts = f", and of its words only {', '.join(words)}" if words else ", and none of its words"
    return (
        f"the record is in {language_name(language)}: its figures were read{parts}. The rest was not read, so warnings "
        "may be missing. Give it in English as well"
    )
