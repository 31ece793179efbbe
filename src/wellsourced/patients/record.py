"""What a record says of its patient, as far as rules read it. The one reader of records.

    name conditions, drugs and figures → keep what the patient has or takes → imply conditions from figures
    → rows in the record's own words, and the statements from which nothing was read

`medicine/` knows the names, and `text/scope.py` what is denied, planned, past or somebody else's. Nothing of a
record leaves this machine, and nothing is decided by it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from types import MappingProxyType
from typing import NamedTuple

from wellsourced.medicine.conditions import ConditionName, find_conditions, wider_conditions
from wellsourced.medicine.drugs import DrugMention, find_prescribed_drugs
from wellsourced.medicine.measurements import Figure, extract_age, find_figures
from wellsourced.medicine.quantities import extract_quantities
from wellsourced.medicine.units import convert
from wellsourced.patients.implied_conditions import (
    Person,
    derive_conditions,
    estimate_kidney_function,
    find_gestational_age,
    is_after_birth,
)
from wellsourced.patients.words import find_words, load_words
from wellsourced.text.languages import detect_language, language_name
from wellsourced.text.record_lines import unwrap_lines
from wellsourced.text.scope import blank_others, find_regions, find_scope, is_own, split_statements
from wellsourced.types import RecordKind, RecordRow

MAX_RECORD_CHARS = 20_000
"""Characters of a record that are read; what comes behind is said not to be."""

MAX_PHRASE_BEFORE, MAX_PHRASE = 60, 60
"""Characters of a record that are shown before the words that say something, and in all."""

MAX_OVER_DISTANCE = 14
"""Characters between a condition and the words that say that it is over."""

MIN_PAST_DAYS = 14.0
"""Days after which a drug that was given then, and not begun, is one of the past."""

RECENT_SURGERY_DAYS = 92.0
"""Days for which an operation is a recent one."""

RENAL = ("eGFR", "creatinine clearance", "creatinine")

_OF_WOMEN = frozenset({"pregnancy", "breastfeeding", "post-menopausal", "women of child-bearing age"})
"""What a record of a man may name, and he does not have."""

_PEOPLE = frozenset({"old age", "childhood", "women of child-bearing age"})
"""What age and sex imply: the rows on age and sex say it."""

_TIME_UNITS = frozenset({"hour", "day", "week", "month", "year"})
MAX_TIME_DISTANCE = 60
"""Characters between an event and its time, at most."""

_SCOPE_WORDS = {"denied": "denied", "family": "family", "other person": "somebody else", "planned": "planned"}


class PatientFact(NamedTuple):
    """Something that the record says of its patient.

    name       what it is called here: "pregnancy", "eGFR"
    words      the words of the record that say it
    time       when it was, in the record's words; `days_ago` as far as they say it; None where they do not
    is_past    whether the record says that it was in the past
    """

    name: str
    words: str
    time: str = ""
    days_ago: float | None = None
    is_past: bool = False


class PatientRecord(NamedTuple):
    """What is known of a patient.

    conditions       name → the fact; wider conditions stand beside the narrower that imply them
    severe           the conditions that the record calls severe, or shows to be so
    current_drugs    what the patient takes; `past_drugs` what was taken; `proposed_drugs` what somebody plans or wants
    family           what relatives of the patient have, by its name
    rows             what was read, as it is shown; `unread` the statements from which nothing was read
    missing          what the record does not say, a phrase each
    """

    age: float | None = None
    sex: str = ""
    conditions: Mapping[str, PatientFact] = MappingProxyType({})
    severe: frozenset[str] = frozenset()
    current_drugs: tuple[DrugMention, ...] = ()
    past_drugs: tuple[DrugMention, ...] = ()
    proposed_drugs: tuple[DrugMention, ...] = ()
    allergies: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    family: Mapping[str, PatientFact] = MappingProxyType({})
    rows: tuple[RecordRow, ...] = ()
    unread: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def find_figures(self, measure: str) -> list[Figure]:
        """The figures of a measure; of the kidney's function the other one where this one is missing."""
        swapped = {"eGFR": "creatinine clearance", "creatinine clearance": "eGFR"}
        own = [one for one in self.figures if one.measure == measure]
        return own or [one for one in self.figures if one.measure == swapped.get(measure)]


def read_patient_record(text: str) -> PatientRecord:
    """The record, read by rule."""
    record = unwrap_lines(text[:MAX_RECORD_CHARS])
    own = blank_others(record)
    drugs = [(one, _sort_drug(record, one)) for one in find_prescribed_drugs(record)]
    current, past, proposed = (
        tuple(drug for drug, kind in drugs if kind == wanted) for wanted in ("now", "before", "planned")
    )
    age, sex = _read_age(own), _read_sex(own)
    told, severe, family = _read_conditions(record, sex)
    person = Person(age, sex, "pregnancy" in told, bool(find_words("past fertility", record)), (*current, *past))
    measured = (*find_figures(own), *find_gestational_age(record))
    if not any(one.measure == "weight" for one in measured) and (bare := find_words("bare weight", own)):
        measured = (*measured, Figure("weight", float(bare["weight"]), bare.group()))
    figures = (*measured, *estimate_kidney_function(own, measured, person))
    if age is not None:
        figures = (*figures, Figure("age", age, _quote("age", own) or "age"))
    conditions, severe = _add_implied(told, severe, figures, person)
    for drug in current:
        if "opioid" in drug.classes:
            conditions.setdefault("opioid use", PatientFact("opioid use", drug.words))
    read = PatientRecord(
        age, sex, conditions, severe, current, past, proposed, _read_allergies(record), figures, family
    )
    rows = tuple(dict.fromkeys(_list_rows(record, own, read, drugs)))
    return read._replace(
        rows=rows, unread=tuple(_list_unread(record, rows, text)), missing=tuple(_list_missing(record, read, text))
    )


# --- conditions ----------------------------------------------------------------------------------------------------


def _read_conditions(record: str, sex: str) -> tuple[dict[str, PatientFact], frozenset[str], Mapping[str, PatientFact]]:
    """The conditions that a record says its patient has, each once; those that it calls severe; those of relatives."""
    facts: dict[str, PatientFact] = {}
    family: dict[str, PatientFact] = {}
    severe: set[str] = set()
    for one in find_conditions(record):
        fact = PatientFact(one.name, _phrase_around(record, one.start, one.end), *find_time(record, one.start, one.end))
        scope = find_scope(record, one.start, one.end)
        if scope == "family":
            family.setdefault(one.name, fact)
        if not is_own(record, one.start, one.end) or _is_over(record, one) or (sex == "male" and one.name in _OF_WOMEN):
            continue
        before = re.split(r"\.\s|\n", record[max(0, one.start - 25) : one.start])[-1]
        is_severe = find_words("severe", before + re.split(r"\.\s|\n", record[one.start : one.end + 50])[0])
        for name in (one.name, *one.wider):
            _keep_latest(facts, fact._replace(name=name, is_past=scope == "past"))
            severe |= {name} if is_severe else set()
    for match in load_words("surgery").finditer(record):
        fact = PatientFact("recent surgery", match.group(), *find_time(record, *match.span()))
        if fact.days_ago is not None and fact.days_ago <= RECENT_SURGERY_DAYS and is_own(record, *match.span()):
            _keep_latest(facts, fact)
    return facts, frozenset(severe), family


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


def _keep_latest(facts: dict[str, PatientFact], fact: PatientFact) -> None:
    """Of several places that say a thing, the first stays, unless another says when, or that it was later."""
    known = facts.get(fact.name)
    is_later = known and fact.days_ago is not None and (known.days_ago is None or fact.days_ago < known.days_ago)
    if known is None or is_later or (known.is_past and not fact.is_past):
        facts[fact.name] = fact


def _add_implied(
    told: Mapping[str, PatientFact], severe: frozenset[str], figures: tuple[Figure, ...], person: Person
) -> tuple[dict[str, PatientFact], frozenset[str]]:
    """The conditions that are named, and those that figures imply; how bad the kidney is, its figure says."""
    facts = dict(told)
    # "CKD stage 3" with its figure is as bad as the figure.
    if any(one.measure in ("eGFR", "creatinine clearance") for one in figures):
        severe -= {"kidney disease"}
    for condition, figure, is_severe in derive_conditions(figures, person):
        for name in (condition, *wider_conditions(condition)):
            facts.setdefault(name, PatientFact(name, figure.words))
        severe |= {condition} if is_severe else set()
    return facts, severe


def find_time(record: str, start: int, end: int) -> tuple[str, float | None]:
    """When what a place names was, in the words of its own clause, and how many days ago; ("", None) if nobody says."""
    behind = load_words("record clause end").split(record[end : end + MAX_TIME_DISTANCE])[0]
    before = load_words("record clause end").split(record[max(0, start - MAX_TIME_DISTANCE) : start])[-1]
    for words, turn in ((before, load_words("since")), (behind, load_words("ago")), (before, load_words("ago"))):
        for one in extract_quantities(words):
            turned = turn.match(words, one.start + len(one.words)) if one.unit in _TIME_UNITS else None
            if turned:
                return words[one.start : turned.end()].strip(), convert(float(one.value), one.unit, "day")
    for words in (behind, before):
        if last := find_words("last", words):
            return last.group(), convert(1.0, last["unit"].lower(), "day")
        if now := find_words("now", words):
            return now.group(), 0.0
        if year := find_words("year", words):
            # A year that is not over tells nothing.
            passed = (date.today() - date(int(year.group()), 12, 31)).days
            return year.group(), float(passed) if passed > 0 else None
    return "", None


# --- drugs, allergies, age, sex ------------------------------------------------------------------------------------


def _sort_drug(record: str, one: DrugMention) -> str:
    """Whether a drug is taken "now", was "before", is "planned", or is none of the patient's: its scope."""
    clause = _phrase_around(record, one.start, one.end)
    sorts = {region.sort for region in find_regions(record, one.start, one.end)}
    if others := [name for name in ("denied", "family", "other person") if name in sorts]:
        return others[0]
    # Within quotation marks: what somebody said is no entry of the record.
    if "planned" in sorts or record.count('"', 0, one.start) % 2 == 1:
        return "planned"
    _, days_ago = find_time(record, one.start, one.end)
    is_given = (days_ago or 0.0) >= MIN_PAST_DAYS and not find_words("started", clause)
    is_class = not one.drug and not _is_taken(record, one)
    is_past = sorts & {"hypothetical", "past", "over"} or find_words("not taken", clause) or is_given or is_class
    return "before" if is_past else "now"


def _is_taken(record: str, drug: DrugMention) -> bool:
    """Whether words say that a class, and no single drug, is taken: a dose behind it, or "on" before it."""
    before, behind = record[max(0, drug.start - 24) : drug.start], record[drug.end : drug.end + 25]
    return bool(re.search(r"\b(?:on|takes?|taking|using|drugs?:.*|a)\s*$", before, re.IGNORECASE)) or bool(
        re.match(r"[^.;\n]{0,12}\d", behind)
    )


def _read_allergies(record: str) -> tuple[str, ...]:
    """Drugs that the record names an allergy to, or a reaction on, as it writes them."""
    places = [match.span() for match in load_words("reaction").finditer(record)]
    for name in ("allergy to", "allergy behind", "allergy list"):
        for match in load_words(name).finditer(record):
            told = load_words("tolerated").split(match["list"], maxsplit=1)[0]
            places.append((match.start("list"), match.start("list") + len(told)))
    return tuple(
        dict.fromkeys(
            one.words
            for start, end in places
            for one in find_prescribed_drugs(record[start:end])
            if is_own(record, start + one.start, start + one.end)
        )
    )


def _read_age(record: str) -> float | None:
    age = extract_age(record)
    if age is None and (other := find_words("foreign age", record)) and int(other[1]) <= 120:
        return float(other[1])
    return age


def _read_sex(record: str) -> str:
    female, male = find_words("female", record), find_words("male", record)
    if not (female and male):
        return "female" if female else "male" if male else ""
    return "female" if female.start() < male.start() else "male"


# --- rows ------------------------------------------------------------------------------------------------------------


def _list_rows(
    record: str, own: str, read: PatientRecord, drugs: Iterable[tuple[DrugMention, str]]
) -> Iterator[RecordRow]:
    """What was read, as it is shown: each thing once, in the words of the record."""
    if read.age is not None:
        yield RecordRow(kind="age", name="age", words=_quote("age", own))
    if read.sex:
        yield RecordRow(
            kind="sex",
            name=read.sex,
            words=_quote(read.sex, own),
        )
    for figure in dict.fromkeys(read.figures):
        kind: RecordKind = "renal function" if figure.measure in RENAL else "measurement"
        if figure.measure != "age":
            yield RecordRow(
                kind="weight" if figure.measure == "weight" else kind, name=figure.measure, words=figure.words
            )
    wider = {name for one in read.conditions for name in wider_conditions(one)}
    for name, fact in read.conditions.items():
        if name not in _PEOPLE and not (
            name in wider and any(fact.words == one.words for one in _narrower(name, read))
        ):
            yield RecordRow(kind="condition", name=name, words=fact.words, time=fact.time or "past" * fact.is_past)
    kinds: dict[str, RecordKind] = {"now": "drug now", "before": "drug before"}
    for drug, sort in drugs:
        if drug.words in read.allergies:
            continue
        words, time = _phrase_around(record, drug.start, drug.end), find_time(record, drug.start, drug.end)[0]
        kind = kinds.get(sort, "not now")
        yield RecordRow(kind=kind, name=drug.drug or drug.own_class, words=words, time=time if sort in kinds else sort)
    for name in read.allergies:
        at = record.find(name)
        yield RecordRow(
            kind="allergy", name=name, words=_phrase_around(record, at, at + len(name)) if at >= 0 else name
        )
    for one in find_conditions(record):
        scope = find_scope(record, one.start, one.end)
        if scope in _SCOPE_WORDS or _is_over(record, one):
            words = _phrase_around(record, one.start, one.end)
            yield RecordRow(kind="not now", name=one.name, words=words, time=_SCOPE_WORDS.get(scope, "over"))


def _narrower(name: str, read: PatientRecord) -> Iterator[PatientFact]:
    return (fact for one, fact in read.conditions.items() if name in wider_conditions(one))


def _list_unread(record: str, rows: Iterable[RecordRow], whole: str) -> Iterator[str]:
    """The statements, and items between commas, of which no words are in a row, as the record has them."""
    words = [" ".join(row.words.partition(": ")[0].split()) for row in rows if row.words]
    for start, end, *_ in split_statements(record):
        for item in re.split(r",\s", record[start:end]):
            line = " ".join(item.split()).strip(" -•*.;")
            is_known = any(word in line or line in word for word in words) or find_words("names allergy", line)
            if re.search(r"[^\W\d]{2}", line) and not is_known and not find_words("no drugs", line):
                yield line
    if len(whole) > MAX_RECORD_CHARS:
        yield f"everything after the first {MAX_RECORD_CHARS:,} characters"


def _list_missing(record: str, read: PatientRecord, whole: str) -> Iterator[str]:
    """What the record does not say, and what was worked out in its place."""
    language = detect_language(whole) if whole.strip() else "en"
    if language not in ("en", ""):
        yield f"the record is in {language_name(language)}, and few of its words were read: give it in English as well"
    if read.age is None:
        yield "age: not in the record"
    if estimates := [one.words for one in read.figures if " by CKD-EPI" in one.words or " by Cockcroft" in one.words]:
        yield f"kidney function: estimated, and right only if creatinine is stable ({len(estimates)} formulas)"
    elif not any(read.find_figures(measure) for measure in RENAL):
        yield "kidney function: not in the record"
    yield from (
        f"{measure}: not in the record" for measure in ("potassium", "weight") if not read.find_figures(measure)
    )
    if not find_words("names allergy", record):
        yield "allergies: not in the record"
    if not read.current_drugs and not find_words("no drugs", record):
        yield "current drugs: none could be read"
    is_said = re.search(r"pregnan|post-?menopaus|hysterectomy|postpartum|weeks after", record, re.IGNORECASE)
    is_fertile = read.sex == "female" and (read.age is None or 12 <= read.age <= 55)
    if is_fertile and not is_said and not {"pregnancy", "post-menopausal"} & read.conditions.keys():
        yield "pregnancy: the record does not say"


# --- words -----------------------------------------------------------------------------------------------------------


def _phrase_around(record: str, start: int, end: int) -> str:
    """The words of the record around a place, cut at commas and the ends of sentences."""
    marks = (", ", ". ", "; ", "\n", ": ")
    left = max((at + len(mark) for mark in marks if (at := record.rfind(mark, 0, start)) >= 0), default=0)
    if start - left > MAX_PHRASE_BEFORE:
        left = record.find(" ", start - MAX_PHRASE_BEFORE, start) + 1 or start
    right = min((at for mark in (", ", ". ", "; ", "\n") if (at := record.find(mark, end)) >= 0), default=len(record))
    phrase = record[left : min(right, end + 60)].strip(" ,.;:")
    return phrase if len(phrase) <= MAX_PHRASE else record[start:end]


def _quote(name: str, text: str) -> str:
    """The first words of a name in a text; "" where there are none."""
    found = find_words(name, text)
    return found.group() if found else ""
