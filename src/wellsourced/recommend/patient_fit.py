"""In what a patient differs from what the cited evidence is about, each difference in the words of its source.

By rule, so it is said with and without a model: ages, sex and pregnancy of those who were studied, conditions for which
people were excluded or are warned, and allergies to what a statement names. Where the source says nothing, nothing is
said: silence of this list is no proof that the evidence fits.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.medicine.ages import extract_age, extract_age_ranges
from wellsourced.medicine.conditions import ConditionMention, extract_conditions, extract_patient_conditions
from wellsourced.medicine.drugs import extract_allergies, find_related_drug
from wellsourced.medicine.scope import blank_others
from wellsourced.medicine.study_design import extract_certainties, extract_strengths, single_wording
from wellsourced.text.sentences import sentences_at, split_sentences
from wellsourced.types import NOT_REPORTED, Evidence, Passage, Pico, Statement, cited_passage_ids, quotes_of_passage

MAX_MISFITS = 12
"""Things that are said of one patient, at most."""

MAX_QUOTE_CHARS = 240
"""Characters of a source's sentence that are shown; of a longer one the part around what counts."""

MIN_SENTENCE_WORDS = 6
"""Words of a quote that is more than a heading: what names a drug there says something of it."""

_STUDIED_PEOPLE = re.compile(
    r"\b(?:includ|enrol|recruit|eligib|randomi[sz]|participants?\b|were (?:assigned|studied)|inclusion criteria"
    r"|this (?:trial|study|guideline) (?:\w+ )?(?:in|of|for|covers|applies))",
    re.IGNORECASE,
)
_PEOPLE = r"(?:patients?|people|persons?|individuals?|participants?|those|subjects?|adults?|children|women|men|anyone)"
_EXCLUSIONS = (
    re.compile(
        rf"\b(?:{_PEOPLE}\s+)?(?:with|who|having|on|taking|receiving|aged|older|younger)\b(?P<whom>[^.;]*?(?<!\d)\s|\s)"
        r"(?:were|was|are|being)\s+(?:also\s+)?(?:excluded|ineligible|not (?:eligible|included|enrolled|studied))\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:exclud(?:ed|es|ing|e)|exclusion criteria)\b(?!\s*(?:because|due|from|for|by|after|the possibility))"
        r"(?P<whom>[^.;]*)",
        re.IGNORECASE,
    ),
    re.compile(rf"\b{_PEOPLE}\s+(?:without|free of)\s+(?P<whom>[^.,;]*)", re.IGNORECASE),
)
_WARNING = re.compile(
    r"\b(?:contraindicat\w+|should not be (?:used|given|taken|started|administered|prescribed)|must not be|avoid(?:ed)?"
    r"|do not (?:use|give|take|start)|not recommended|(?:with|use) caution|dose (?:reduction|adjustment))\b",
    re.IGNORECASE,
)
_DOSE_RULE = re.compile(
    r"\b(?:dose reduction|reduced? (?:the )?(?:dose|to)|if (?:at least|any|\d|age|aged|body|weight))\b", re.I
)
"""Says for whom it is another dose: whoever is not meant by that is still one of those that it is about."""

_CODED = r"\b\d{1,3}\s?(?:y(?:ears?|rs?)?(?:/?o)?\s)?"
_FEMALE = re.compile(rf"\b(?:woman|women|female|girls?|lady|Mrs|Ms|she)\b|{_CODED}F\b|\bpregnan", re.IGNORECASE)
_MALE = re.compile(rf"\b(?:man|men|male|boys?|gentleman|Mr|he)\b|{_CODED}M\b", re.IGNORECASE)
_ONLY_WOMEN = re.compile(r"\b(?:women|girls|female (?:patients|participants)|mothers)\b", re.IGNORECASE)
_ONLY_MEN = re.compile(r"\b(?:men|boys|male (?:patients|participants))\b", re.IGNORECASE)
_PREGNANT = re.compile(
    r"\b(?:pregnant (?:women|people|patients|participants)|(?:in|during) pregnancy)\b", re.IGNORECASE
)


class PatientProfile(NamedTuple):
    """What a text says of a patient, as far as rules can read it.

    age   in years; None when it is not said
    sex   "female", "male", or "" when it is not said
    """

    age: float | None
    sex: str
    conditions: tuple[ConditionMention, ...]
    allergies: tuple[str, ...]


def find_misfits(
    patient: str, pico: Pico | None, statements: Sequence[Statement], evidence: Sequence[Evidence]
) -> tuple[str, ...]:
    """What of the patient the passages that statements cite do not fit, a sentence each with the source's words.

    Whoever is meant is told by the patient's text, and where there is none by the population of the PICO.
    """
    told = parse_patient(patient or (pico.population if pico else ""))
    cited = cited_passage_ids(statements)
    found = [
        line
        for item in evidence
        if item.passage.id in cited
        for line in _find_passage_misfits(told, item.passage, quotes_of_passage(item.passage.id, statements))
    ]
    return tuple(dict.fromkeys((*_find_allergy_misfits(told, statements), *found)))[:MAX_MISFITS]


def parse_patient(text: str) -> PatientProfile:
    """Age, sex, conditions and allergies of the patient that a text is about."""
    own = blank_others(text)
    female, male = _FEMALE.search(own), _MALE.search(own)
    sex = "" if not (female or male) else "female" if _match_start(female) < _match_start(male) else "male"
    return PatientProfile(
        extract_age(own), sex, tuple(extract_patient_conditions(text)), tuple(extract_allergies(text))
    )


class StatedGrades(NamedTuple):
    """Strength and certainty of a recommendation, in the words of its sources."""

    strength: str = NOT_REPORTED
    certainty: str = NOT_REPORTED


def find_grades(statements: Sequence[Statement], evidence: Sequence[Evidence]) -> StatedGrades:
    """As the first sentence says that says it, of those that the leading statements are taken from; else as the
    passages say that they cite.

    Both are taken of one sentence: the certainty of another recommendation is not that of this one. Of a passage with
    several recommendations, only the sentence tells which grade is whose: without it none is taken.
    """
    passages = {item.passage.id: item.passage for item in evidence}
    leading = [statement for statement in statements if statement.lead] or statements[:1]
    near = [_sentence_around(passages[one.passage_id].text, one.quote) for said in leading for one in said.citations]
    whole = "\n".join(dict.fromkeys(passages[one.passage_id].text for said in leading for one in said.citations))
    for text in near:
        if extract_strengths(text) or extract_certainties(text):
            return _build_grades(extract_strengths(text)[:1], extract_certainties(text)[:1])
    return _build_grades((single_wording(extract_strengths(whole)),), (single_wording(extract_certainties(whole)),))


def _build_grades(strength: Sequence[str], certainty: Sequence[str]) -> StatedGrades:
    return StatedGrades("".join(strength) or NOT_REPORTED, "".join(certainty) or NOT_REPORTED)


# --- one passage ---------------------------------------------------------------------------------------------------


def _find_passage_misfits(patient: PatientProfile, passage: Passage, quotes: Sequence[str]) -> Iterator[str]:
    all_sentences = [passage.text[span.start : span.end] for span in split_sentences(passage.text)]
    quoted = [sentence for sentence in all_sentences if any(quote in sentence or sentence in quote for quote in quotes)]
    studied = [sentence for sentence in all_sentences if _STUDIED_PEOPLE.search(sentence) and sentence not in quoted]
    spoken_of = [*quoted, *studied]
    yield from _find_age_misfits(patient, passage, spoken_of)
    yield from _find_sex_misfits(patient, passage, spoken_of)
    for sentence in all_sentences:
        yield from _find_exclusion_misfits(patient, passage, sentence)
        yield from _find_warning_misfits(patient, passage, sentence)


def _find_age_misfits(patient: PatientProfile, passage: Passage, spoken_of: Sequence[str]) -> Iterator[str]:
    """Ages that are spoken of, when the patient's is none of them."""
    if patient.age is None:
        return
    told = [sentence for sentence in spoken_of if not (_WARNING.search(sentence) or _DOSE_RULE.search(sentence))]
    meant = [(one, sentence) for sentence in told for one in extract_age_ranges(_remove_exclusions(sentence))]
    if meant and not any(one.contains(patient.age) for one, _ in meant):
        one, sentence = meant[0]
        yield _misfit_sentence(f"The patient is {_format_age(patient.age)}", passage, sentence, one.words)


def _find_sex_misfits(patient: PatientProfile, passage: Passage, spoken_of: Sequence[str]) -> Iterator[str]:
    """One sex, or pregnancy, of which alone is spoken, when the patient is not of it."""
    whole = " ".join(spoken_of)
    women, men, pregnant = _ONLY_WOMEN.search(whole), _ONLY_MEN.search(whole), _PREGNANT.search(whole)
    is_pregnant = bool(_find_condition(patient, "pregnancy"))
    if patient.sex == "male" and women and not men:
        said, found = "The patient is male", women.group()
    elif patient.sex == "female" and men and not women:
        said, found = "The patient is female", men.group()
    elif patient.sex == "female" and pregnant and not is_pregnant and not _WARNING.search(whole):
        said, found = "Nothing says that the patient is pregnant", pregnant.group()
    else:
        return
    sentence = next((sentence for sentence in spoken_of if found in sentence), found)
    yield _misfit_sentence(said, passage, sentence, found)


def _find_exclusion_misfits(patient: PatientProfile, passage: Passage, sentence: str) -> Iterator[str]:
    for pattern in _EXCLUSIONS:
        for match in pattern.finditer(sentence):
            for mention in extract_conditions(match["whom"]):
                if own := _find_condition(patient, mention.condition):
                    yield _misfit_sentence(f"The patient's record says “{own}”", passage, sentence, match.group())
            if patient.age is not None and (
                found := [one for one in extract_age_ranges(match.group()) if one.contains(patient.age)]
            ):
                yield _misfit_sentence(f"The patient is {_format_age(patient.age)}", passage, sentence, found[0].words)


def _find_warning_misfits(patient: PatientProfile, passage: Passage, sentence: str) -> Iterator[str]:
    if _WARNING.search(sentence):
        for mention in extract_conditions(sentence):
            if own := _find_condition(patient, mention.condition):
                yield _misfit_sentence(f"The patient's record says “{own}”", passage, sentence, mention.words)


def _find_allergy_misfits(patient: PatientProfile, statements: Sequence[Statement]) -> Iterator[str]:
    """Of each thing that the patient does not tolerate the first words that name it, unless they warn of just that."""
    quotes = [citation.quote for statement in statements for citation in statement.citations]
    for allergy in patient.allergies:
        for quote in sorted(quotes, key=lambda quote: len(quote.split()) < MIN_SENTENCE_WORDS):
            drug = find_related_drug(allergy, quote)
            if drug and not re.search(r"allerg|hypersens|intoleran|contraindicat", quote, re.IGNORECASE):
                said = _cut_around(quote, drug).rstrip(".")
                yield f"The patient's record names an allergy to “{allergy}”, and the source says: “{said}”."
                break


# --- words ---------------------------------------------------------------------------------------------------------


def _misfit_sentence(patient: str, passage: Passage, sentence: str, around: str) -> str:
    name = passage.reference.title or passage.reference.id
    return f"{patient}, and {name.rstrip('.')} says: “{_cut_around(sentence, around).rstrip('.')}”."


def _cut_around(sentence: str, around: str) -> str:
    """The sentence, or as much of it around these words as is shown, cut between words."""
    if len(sentence) <= MAX_QUOTE_CHARS:
        return sentence
    middle = max(sentence.find(around), 0) + len(around) // 2
    start = max(0, min(middle - MAX_QUOTE_CHARS // 2, len(sentence) - MAX_QUOTE_CHARS))
    part = sentence[start : start + MAX_QUOTE_CHARS]
    part = part if start == 0 else part.partition(" ")[2]
    return part if sentence.endswith(part) else part.rpartition(" ")[0]


def _format_age(age: float) -> str:
    return f"{age:.0f} years old" if age >= 2 else f"{age * 12:.0f} months old"


def _find_condition(patient: PatientProfile, condition: str) -> str:
    return next((mention.words for mention in patient.conditions if mention.condition == condition), "")


def _match_start(match: re.Match[str] | None) -> float:
    return match.start() if match else float("inf")


def _remove_exclusions(sentence: str) -> str:
    for pattern in _EXCLUSIONS:
        sentence = pattern.sub(" ", sentence)
    return sentence


def _sentence_around(text: str, quote: str) -> str:
    """The sentence that a quote stands in, with what stands in brackets behind it."""
    at = text.find(quote)
    start, end = at, at + len(quote)
    spans = sentences_at(text, start, end)
    start, end = min([start, *(span.start for span in spans)]), max([end, *(span.end for span in spans)])
    behind = re.match(r"\s*[(\[][^)\]]{1,80}[)\]]", text[end:])
    return text[start : end + (behind.end() if behind else 0)]
