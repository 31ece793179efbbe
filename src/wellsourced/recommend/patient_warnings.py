"""Guidelines read whole for what speaks of one patient: contraindications, limits, doses, interactions, by rule.

A line warns when its words, or those that it hangs on, say so; when it is about a drug that is asked for, recommended
or taken; and when the record has what it names. A limit that the record does not reach is no warning.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from wellsourced.medicine.conditions import find_conditions, wider_conditions
from wellsourced.medicine.drugs import DrugMention, covers_drug, find_drugs, is_meant
from wellsourced.recommend.guideline_lines import (
    GuidelineLine,
    GuidelineSubject,
    drug_keys,
    find_alternatives,
    find_limited_drugs,
    merge_warnings,
    read_lines,
)
from wellsourced.recommend.patient_record import PatientRecord
from wellsourced.recommend.warning_rules import (
    FORBIDDING,
    SEVERITIES,
    Finding,
    find_allergy,
    find_circumstances,
    find_exposures,
    find_interactions,
    find_partners,
    find_severity,
    find_worsened,
    forbids_alone,
    is_relative_contraindication,
    lacks_companion_drug,
    may_worsen,
)
from wellsourced.text.lexicon import name_set
from wellsourced.types import Citation, Document, Passage, PatientWarning, Section, WarningSeverity

MAX_CONTEXT_CHARS = 220
"""Characters of a line that another hangs on, beyond which it is not shown with it."""

_WARNING_LABEL = re.compile(
    r"\W*(?:absolute |relative )?(?:(?:contraindications?|caveats?|cautions?|hold|prerequisites?"
    r"|precautions?)\b[^:.]{0,30}:"
    r"|contraindications?\b|(?:avoid|hold|contraindicated|do not use|withhold|stop) (?:if|in|with|when|during)\b)",
    re.IGNORECASE,
)
_WARNING_HEADING = re.compile(
    r"contraindicat|avoid|caution|precaution|not recommended|harmful|do not|not have any|hold if|exclusion|stop"
    r"|discontinu|\binitiating\b",
    re.I,
)
_COMMON_CONDITIONS = name_set("""
    diabetes, hypertension, depression, atrial fibrillation, venous thrombosis, gout, osteoporosis, smoking, pneumonia,
    heart failure, asthma, COPD, urinary tract infection, rheumatoid arthritis
""")
"""What is treated: having it speaks against a drug only where the line says "contraindicated"."""

_START_ONLY = frozenset({"systolic blood pressure", "heart rate", "coronary disease", "cardiovascular disease", "LVEF"})
"""What speaks against starting a drug, and not against one that is taken."""

_WHOSE_LIST = re.compile(
    r"\bcontraindications? (?:to|of|for)\b|\bdo not have any\b|\bnot have any of\b|\bcontraindications?\b[^.]{0,20}:?$",
    re.I,
)
"""Begins a list of what speaks against the drug that it names: the drugs in that list are not limited themselves."""

_LIMITATIONS = re.compile(r"\W*(?:limitations|evidence gaps|research gaps|gaps in (?:the )?evidence)\b", re.IGNORECASE)
"""Headings over what a guideline says of itself."""

_INITIATION = re.compile(r"\binitiat\w*|\bstart\w*|\bbefore\b|\badd\b|\bswitch\w*", re.IGNORECASE)
_OWN_CONDITION = re.compile(r"\W*(?:if|when|for|in (?:patients|adults|those|women|people)|yes|no)\b", re.IGNORECASE)
_ANSWER = re.compile(r"\W*(?:yes|no)\b", re.IGNORECASE)
_REFERRAL = re.compile(
    r"\brefer(?:ral|red)?\b[^.]{0,90}\b(?:when|if|for|indicated)\b[^.]{0,30}:\s*$|\burgent\b[^.]{0,40}referral",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(
    r"\b(?:if|before|prior to|unless|when|during|in patients|for patients|planned)\b", re.IGNORECASE
)
_FIGURES = frozenset({"age", "old age", "eGFR", "creatinine clearance", "kidney disease", "weight", "creatinine"})
"""What is weighed against the disease: a limit in a guideline on another one tells nothing of this."""

_FOR_PURPOSE = re.compile(
    r"\b(?:recommended|used|given|avoid\w*|indicated)\b[^.;]{0,60}\b(?:(?<!due )to \w+|for \w+|as \w+|after)\b"
    r"|\b(?:routine\w*|combin\w+|first[- ]line|prophyla\w+|in addition to|in this setting)\b|\bfor severe\b",
    re.IGNORECASE,
)
"""Forbids something of a drug, and not the drug."""

_INDICATION = re.compile(
    r"\W*(?:when to use|indications?|preferred (?:in|for)|use (?:in|for)|consider (?:in|for))\b[^.]{0,40}:?$", re.I
)
"""Introduces whom a drug is for."""

_INTERACTING = re.compile(r"\binteract(?:s|ions?|ing)?\b", re.IGNORECASE)
_CAUSED_BY = re.compile(r"\w-(?:associated|induced|related)\b", re.IGNORECASE)
_ALONE = re.compile(r"\bmonotherapy\b|\balone\b", re.IGNORECASE)

_AVOIDED_IN = re.compile(
    r"\b(?:not recommended|avoid\w*|should not be used|do not use|not be used)(?: for use)? (?:in|with|if|by)\b",
    re.IGNORECASE,
)

_DOSED_BY = name_set("""
    pregnancy, breastfeeding, old age, childhood, kidney disease, dialysis, liver disease, cirrhosis, eGFR,
    creatinine clearance, potassium, sodium, creatinine, weight, age, platelets, QTc, long QT, hepatitis B,
    current drug, haemoglobin, bilirubin, neutrophils, INR, liver failure
""")
"""What a dose hangs on; having the disease that is treated does not."""

MAX_NAMED_DRUGS = 5
"""Drugs that are named as limited by one line."""


class PatientDrugs(NamedTuple):
    """The drugs that a warning may be about.

    asked   the question or the answer speaks of them
    taken   the patient takes them
    named   of those that are asked, the ones in the question itself
    """

    asked: tuple[DrugMention, ...]
    taken: tuple[DrugMention, ...]
    named: tuple[DrugMention, ...] = ()

    def matching_drugs(self, named: Sequence[DrugMention]) -> "PatientDrugs":
        """Those that a text which names these drugs speaks of; of a class that is asked for, the members it names."""
        return PatientDrugs(
            tuple(dict.fromkeys(one for drug in self.asked for one in _narrow_to(drug, named))),
            tuple(drug for drug in self.taken if any(is_meant(one, drug) for one in named)),
            self.named,
        )

    def leave_out(self, recommended: Sequence[DrugMention], limited: Sequence[DrugMention]) -> "PatientDrugs":
        """Those that are not recommended, by their name or their class, unless they are limited by their name too."""

        def is_kept(drug: DrugMention) -> bool:
            by_name = any(one.drug and is_meant(one, drug) for one in limited)
            return by_name or not any(covers_drug(one, drug) for one in recommended)

        return PatientDrugs(tuple(filter(is_kept, self.asked)), tuple(filter(is_kept, self.taken)), self.named)

    def is_named(self, drug: DrugMention) -> bool:
        """Whether what is asked names a drug, and not only a wider class of it."""
        return any(
            one.own_class == drug.own_class if not (one.drug and drug.drug) else is_meant(one, drug)
            for one in (*self.asked, *self.named)
            if is_meant(one, drug) and (one.drug or not drug.drug or one in self.named)
        )

    @property
    def all(self) -> tuple[DrugMention, ...]:
        """All of them, those that are asked about first."""
        return (*self.asked, *self.taken)


def _narrow_to(drug: DrugMention, named: Sequence[DrugMention]) -> Sequence[DrugMention]:
    """The drug where a text means it; where the drug is a class, the members of it that the text names."""
    meant = [one for one in named if is_meant(one, drug)]
    narrower = [one for one in meant if one.drug or one.own_class != drug.own_class]
    is_whole = any(not one.drug and one.own_class in drug.classes for one in meant)
    return narrower if not drug.drug and narrower and not is_whole else [drug] if meant else []


def find_warnings(
    documents: Iterable[Document], record: PatientRecord, drugs: PatientDrugs, cited: frozenset[str] = frozenset()
) -> list[PatientWarning]:
    """What documents say against the drugs for this patient: what is asked first, then the strongest.

    cited   ids of the documents that the answer rests on; those on the patient's conditions come first, then these. Of
            several warnings with the same words, the first is kept.
    """
    found: list[tuple[int, PatientWarning]] = []
    documents = tuple(documents)
    # What the cited guidelines treat with a drug does not speak against it in others.
    treated = frozenset(
        one.name
        for document in documents
        if document.reference.id in cited
        for one in find_conditions(document.reference.title)
    )
    for document in documents:
        subjects = frozenset(one.name for one in find_conditions(document.reference.title))
        is_own = not subjects.isdisjoint(record.conditions)
        is_relevant = document.reference.id in cited or is_own
        is_cited = not cited or document.reference.id in cited
        about = GuidelineSubject(subjects if is_own else subjects | treated, is_relevant, is_cited)
        warnings = [one for part in document.sections for one in _read_section(document, part, record, drugs, about)]
        if any(one.is_asked for one in warnings):
            warnings += [one for part in document.sections for one in _read_referrals(document, part, record, about)]
        found += [(2 - is_own if is_relevant else 3, one) for one in warnings]
    named = frozenset(name for one in drugs.named for name in drug_keys((one.words,)))
    found.sort(
        key=lambda one: (
            not one[1].is_asked,
            SEVERITIES.index(one[1].severity),
            named.isdisjoint(drug_keys(one[1].drugs)),
            one[0],
            _names_class_alone(one[1]),
        )
    )
    return merge_warnings([one for _, one in found])


def _names_class_alone(warning: PatientWarning) -> bool:
    """Whether the words of a warning name the class of its drug, and not the drug."""
    own = [one for name in warning.drugs for one in find_drugs(name) if one.drug]
    named = [one for one in find_drugs(warning.citations[-1].quote) if any(is_meant(one, drug) for drug in own)]
    return bool(named) and not any(one.drug for one in named)


def _read_section(
    document: Document, section: Section, record: PatientRecord, drugs: PatientDrugs, about: GuidelineSubject
) -> Iterator[PatientWarning]:
    for line in read_lines(document, section, about):
        if warning := _judge_line(document, section, line, record, drugs):
            yield warning


def _read_referrals(
    document: Document, section: Section, record: PatientRecord, about: GuidelineSubject
) -> Iterator[PatientWarning]:
    """Whom a guideline refers to somebody else, in lists that say when."""
    for line in read_lines(document, section, about):
        if any(_REFERRAL.search(level) for level in line.levels[:1]) and not find_drugs(line.text):
            found, _ = find_circumstances(line.text, record, line.subjects)
            if telling := [one for one in found if one.about not in _COMMON_CONDITIONS]:
                yield _build_warning(document, section, line, "caution", (), telling, True)


# --- one line ------------------------------------------------------------------------------------------------------


def _judge_line(
    document: Document, section: Section, line: GuidelineLine, record: PatientRecord, drugs: PatientDrugs
) -> PatientWarning | None:
    severity, is_listed = _find_line_severity(line)
    told = (line.text, *line.levels[:2])
    if severity is None and not any("allerg" in level.lower() for level in told) and not may_worsen(told):
        return None
    if any(_LIMITATIONS.match(level) for level in line.levels):
        return None
    meant = _find_targets(line, drugs, is_listed)
    if not meant.all or _answers_otherwise(line, record):
        return None
    findings, severity = _find_line_findings(line, meant, record, severity, is_listed)
    findings = [one for one in findings if not _is_exchanged(one, meant, drugs, record)]
    if severity == "caution" and any(_INDICATION.match(level) for level in line.levels[:2]):
        return None
    if not findings or severity is None or _is_of_others(line, record):
        return None
    if all(one.about == "allergy" for one in findings) and find_severity(line.text) is None:
        # "Penicillin allergy: doxycycline" warns of penicillin, and names what is given in its place.
        meant = _keep_allergens(meant, findings)
    names = _name_limited(meant, findings)
    if not names:
        return None
    # What is only a member of the class that is asked for may still be chosen: its doses are no answer yet, nor is what
    # is said of a member where the answer alone names the class.
    is_asked = any(
        drugs.is_named(one) or (severity in FORBIDDING and any(is_meant(two, one) for two in drugs.named))
        for one in meant.asked
    )
    return _build_warning(document, section, line, severity, names, findings, is_asked)


def _answers_otherwise(line: GuidelineLine, record: PatientRecord) -> bool:
    """Whether a line is what a step of a decision says to "yes", and the record has nothing of what the step asks for;
    or to "no", and it has.
    """
    answer = _ANSWER.match(line.text)
    asked = line.levels[0] if answer and line.levels and line.levels[0].rstrip().endswith("?") else ""
    found, names_any = find_circumstances(asked, record, line.subjects)
    return names_any and bool(found) != ("yes" in answer[0].lower() if answer else False)


def _is_of_others(line: GuidelineLine, record: PatientRecord) -> bool:
    """Whether a line, or the one that it hangs on, is about patients with the disease of its guideline, and the record
    has no such disease: what is said of patients with a STEMI is not said of one with atrial fibrillation.
    """
    subjects = {one.name for one in find_conditions(line.title)}
    return any(
        one.name in subjects and one.name not in record.conditions and _WITH_DISEASE.search(level[: one.start])
        for level in (line.text, *line.levels[:1])
        for one in find_conditions(level)
    )


_WITH_DISEASE = re.compile(r"\b(?:patients|adults|people|those|women|men) with (?:\w+ ){0,2}$", re.IGNORECASE)


def _is_exchanged(finding: Finding, meant: PatientDrugs, drugs: PatientDrugs, record: PatientRecord) -> bool:
    """Whether a drug that is taken, and may be exchanged for what is asked, is all that speaks against it.

    Who asks which antihypertensive to take does not ask to add one to the ramipril; who names the drug may.
    """
    if finding.about != "current drug" or not meant.asked or any(drugs.is_named(one) for one in meant.asked):
        return False
    partners = [one for one in record.current_drugs if one.words == finding.words]
    return any(is_meant(asked, one) for asked in drugs.asked for one in partners)


def _keep_allergens(meant: PatientDrugs, findings: Sequence[Finding]) -> PatientDrugs:
    """Those that the allergies of the record name, or are members of a class that they name."""
    allergens = [drug for one in findings for drug in find_drugs(one.words)]

    def is_allergen(drug: DrugMention) -> bool:
        return any(is_meant(one, drug) or covers_drug(one, drug) for one in allergens)

    return PatientDrugs(tuple(filter(is_allergen, meant.asked)), tuple(filter(is_allergen, meant.taken)), meant.named)


def _name_limited(meant: PatientDrugs, findings: Sequence[Finding]) -> tuple[str, ...]:
    """The drugs that are limited, each once; what is taken stands beside the class that was asked for.

    A drug that is taken and speaks against the one that is asked for is not the one that is limited.
    """
    first: dict[str, str] = {}
    partners = {one.words for one in findings if one.about == "current drug"}
    for one in (*meant.asked, *(drug for drug in meant.taken if not meant.asked or drug.words not in partners)):
        name = one.drug or one.own_class
        is_plain = find_drugs(one.words) or name.casefold() in one.words.casefold()
        first.setdefault(name, one.words if is_plain else f"{one.words} ({name})")
    return tuple(first.values())[:MAX_NAMED_DRUGS]


def _find_line_severity(line: GuidelineLine) -> tuple[WarningSeverity | None, bool]:
    """How strongly the line warns by its own words, else by those that it hangs on; and whether by the latter."""
    own = find_severity(line.text)
    if own and (own != "caution" or is_relative_contraindication(line.text)):
        return own, bool(_WARNING_LABEL.match(line.text))
    for level in line.levels[:3]:
        if _WARNING_HEADING.search(level) and (above := find_severity(level)):
            return above, True
    return own, False


def _find_targets(line: GuidelineLine, drugs: PatientDrugs, is_listed: bool) -> PatientDrugs:
    """What a line limits: the drugs that it names, else those of the nearest line or heading that names any.

    In a list of what speaks against a drug, the drugs in its lines are not limited themselves; nor are those that a
    line recommends instead, whatever it hangs on.
    """
    own = find_limited_drugs(_find_forbidding_bracket(line.text) or line.text)
    recommended = find_alternatives(line.text)
    drugs = drugs.leave_out(recommended, own)
    mine = drugs.matching_drugs(own)
    named = next((found for level in line.levels if (found := find_limited_drugs(level))), ())
    above = drugs.matching_drugs(named).leave_out(recommended, own)
    is_of_named = any(_WHOSE_LIST.search(level) and find_drugs(level) for level in line.levels[:3])
    if _CAUSED_BY.search(line.text) and mine.all:
        return mine
    if is_listed and named and (_WARNING_LABEL.match(line.text) or is_of_named):
        return above
    if line.is_row and own:
        first = find_drugs(line.text.partition(" | ")[0])
        return drugs.matching_drugs(first) if first else mine
    if mine.asked or (own and not is_listed):
        return mine
    return above if above.all else mine


def _find_forbidding_bracket(text: str) -> str:
    """What stands in brackets, where it alone forbids: "interactions of urate-lowering drugs (azathioprine with
    allopurinol is contraindicated)" forbids no other of them.
    """
    for match in _BRACKETED.finditer(text):
        inside, outside = match[1], f"{text[: match.start()]} {text[match.end() :]}"
        if find_severity(inside) in FORBIDDING and find_severity(outside) not in FORBIDDING and find_drugs(inside):
            return inside
    return ""


_BRACKETED = re.compile(r"\(([^()]{15,300})\)")


def _find_line_findings(
    line: GuidelineLine, meant: PatientDrugs, record: PatientRecord, severity: WarningSeverity | None, is_listed: bool
) -> tuple[list[Finding], WarningSeverity | None]:
    """What the record has of what the line names, else of what it hangs on, and how strongly that warns."""
    allergy = _find_line_allergy(line, record) if meant.asked else []
    if allergy and not (severity in FORBIDDING and find_circumstances(line.text, record, line.subjects)[0]):
        return allergy, severity or "caution"
    worsened = find_worsened(line.text, record) if meant.asked and severity not in FORBIDDING else []
    if worsened and may_worsen((line.text, *line.levels[:2])):
        return worsened, "caution"
    # A list after a label ("Contraindications: …") speaks of one thing a clause; each is judged for its own companion.
    is_list = is_listed and _WARNING_LABEL.match(line.text)
    if severity is None or (not is_list and lacks_companion_drug(line.text, (*meant.all, *record.current_drugs))):
        return [], None
    found, names_any = find_circumstances(line.text, record, line.subjects)
    if _INTERACTING.search(line.text):
        found = [*find_partners(line.levels, meant.asked, record), *found]
    if severity in ("contraindicated", "avoid"):
        found = [*find_exposures(line.text, meant.asked, record), *found]
    own = meant.matching_drugs(find_limited_drugs(line.text)).all
    if is_listed or (own and severity in ("contraindicated", "avoid")):
        found = [*find_interactions(line.text, meant.asked or meant.taken, record, is_listed and not own), *found]
    may_inherit = line.is_relevant or is_listed or bool(own)
    if not found and not names_any and severity != "caution" and may_inherit and not _OWN_CONDITION.match(line.text):
        found, names_any = _find_inherited(line, record)
    if not found and not names_any:
        found = _find_in_title(line, meant, record)
    return [one for one in dict.fromkeys(found) if _is_telling(one, line, meant, severity)], severity


def _find_inherited(line: GuidelineLine, record: PatientRecord) -> tuple[list[Finding], bool]:
    """What the nearest line or heading names that names any circumstance but the subject of the guideline."""
    for level in line.levels:
        found, names_any = find_circumstances(level, record, line.subjects)
        told = [
            one
            for one in found
            if one.about not in _START_ONLY and line.subjects.isdisjoint(wider_conditions(one.about))
        ]
        if names_any:
            return told, bool(told) or not found
    return [], False


def _find_line_allergy(line: GuidelineLine, record: PatientRecord) -> list[Finding]:
    levels = (line.text, *line.levels) if line.is_relevant else (line.text,)
    found = next((found for level in levels if (found := find_allergy(level, record))), [])
    return found if line.is_relevant or find_severity(line.text) else []


def _is_telling(finding: Finding, line: GuidelineLine, meant: PatientDrugs, severity: WarningSeverity) -> bool:
    """Whether a finding makes a warning: a dose or a caution hangs on more than having the disease that is treated."""
    if not meant.asked and (
        finding.about in _START_ONLY or _INITIATION.search(" ".join((line.text, *line.levels[:1])))
    ):
        return False
    if severity != "contraindicated" and not line.is_relevant and finding.about in _FIGURES:
        return False
    if severity == "avoid" and not line.is_cited and finding.about in ("age", "old age"):
        return False
    if severity == "contraindicated":
        return bool(meant.asked) or finding.about not in _COMMON_CONDITIONS
    if severity == "avoid":
        is_said = forbids_alone(line.text, meant.all) or _AVOIDED_IN.search(line.text)
        return finding.about not in _COMMON_CONDITIONS or bool(is_said)
    if severity == "dose":
        return finding.about in _DOSED_BY and line.is_relevant
    return bool(meant.asked) and finding.about not in _COMMON_CONDITIONS


def _find_in_title(line: GuidelineLine, meant: PatientDrugs, record: PatientRecord) -> list[Finding]:
    """What the guideline itself is about, for a line that forbids a drug as such that is asked for or taken.

    A step "Yes: avoid X" answers the question above it, and forbids nothing as such.
    """
    named = [one for one in meant.asked if any(is_meant(two, one) for two in meant.named)]
    if (named or meant.taken) and (found := _find_own_subject(line, record)):
        return found
    is_named = any(bool(one.drug and two.drug) and is_meant(one, two) for one in meant.asked for two in meant.named)
    is_of_purpose = not is_named and bool(_FOR_PURPOSE.search(line.text))
    has_condition = any(_OWN_CONDITION.match(level) for level in line.levels[:2])
    is_partial = is_of_purpose or has_condition or bool(_CONDITIONAL.search(line.text) or _ANSWER.match(line.text))
    # That a drug is not given alone speaks against one that is asked for or taken, not against one of a combination.
    single = _ALONE.search(line.text) and not (is_named or meant.taken)
    if not forbids_alone(line.text, meant.all) or is_partial or single:
        return []
    known = (record.conditions.get(one.name) for one in find_conditions(line.title))
    return [Finding(fact.name, fact.words) for fact in known if fact]


def _find_own_subject(line: GuidelineLine, record: PatientRecord) -> list[Finding]:
    """The guideline's own subject, where a line says that a drug is not for it: "contraindicated in COPD"."""
    named = [one for one in find_conditions(line.text) if one.name in line.subjects and one.name in record.conditions]
    told = [one for one in named if _NOT_FOR.search(line.text[max(0, one.start - 60) : one.start])]
    return [Finding(one.name, record.conditions[one.name].words) for one in told]


_NOT_FOR = re.compile(
    r"(?:contraindicated|not (?:recommended|be (?:used|given|started|initiated))|avoid(?:ed)?)"
    r" (?:for use )?(?:in|with|on|for|during) (?:(?:patients|adults|people|those) (?:with|who have) )?(?:\w+ ){0,2}$",
    re.IGNORECASE,
)


# --- the warning ---------------------------------------------------------------------------------------------------


def _build_warning(
    document: Document,
    section: Section,
    line: GuidelineLine,
    severity: WarningSeverity,
    drugs: tuple[str, ...],
    findings: Sequence[Finding],
    is_asked: bool,
) -> PatientWarning:
    shown = [(start, end) for start, end in line.above[:2] if end - start <= MAX_CONTEXT_CHARS]
    spans = sorted({*shown, (line.start, line.end)})
    first, last = spans[0][0], max(end for _, end in spans)
    passage = Passage(
        reference=document.reference,
        text=document.text[first:last],
        start=first,
        end=last,
        section=section.title,
        page=document.page(first, last),
    )
    return PatientWarning(
        severity=severity,
        drugs=drugs,
        about=tuple(one.about for one in findings),
        record=tuple(one.words for one in findings),
        is_asked=is_asked,
        passage=passage,
        citations=tuple(
            Citation(passage_id=passage.id, quote=document.text[start:end], start=start, end=end)
            for start, end in spans
        ),
    )
