"""Whether a sentence of a guideline warns, how strongly, and whether what it names is so in a patient's record."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.medicine.conditions import ConditionName, find_conditions
from wellsourced.medicine.drugs import DrugMention, find_drugs, find_prescribed_drugs, is_meant, matching_drugs
from wellsourced.medicine.measurements import Limit, find_limits
from wellsourced.recommend.event_times import find_window
from wellsourced.recommend.patient_record import PatientFact, PatientRecord
from wellsourced.text.lexicon import name_set
from wellsourced.types import WarningSeverity

SEVERITIES: tuple[WarningSeverity, ...] = ("contraindicated", "avoid", "dose", "caution")
"""The strongest first."""

FORBIDDING = frozenset({"contraindicated", "avoid"})
"""Warnings under which something is not given."""

_NO_CUE = re.compile(
    r"unless (?:otherwise )?contraindicated|(?:no|without|not an?|not|absence of(?: \w+)?"
    r"|any) (?:\w+ )?contraindicat\w+"
    r"|\b(?:if|when|where|whom) [^.;]{0,60}(?:contraindicated|not tolerated|ineffective)"
    r"(?! \((?:e\.g|i\.e|such as))"
    r"(?:,? (?:or |and )?(?:poorly |not )?(?:tolerated|contraindicated|ineffective))*"
    r"|\b(?:do|does) not (?:cross|appear|increase|affect|differ|interact|require|need|cause|alter|worsen|impair)\b"
    r"|contraindicated,? (?:or )?(?:not tolerated|ineffective)|ineffective, [^.;]{0,30}contraindicated"
    r"|\b(?:do(?:es)? not|should not|never|cannot|not a reason to) (?:be )?(?:omit|skip|miss|stop|withhold"
    r"|withheld|delay"
    r"|discontinu|withdraw"
    r"|defer|contraindicate|substitute)\w*(?:,? or \w+)?|without (?:stopping|delay\w*)"
    r"|abrupt\w* (?:discontinuation|withdrawal)"
    r"|stop(?:ping)? rules?"
    r"|(?:no|not (?:require|need)\w*(?: any)?) (?:(?:specific|hepatic|renal|dos(?:e|age|ing)) ){0,3}"
    r"(?:adjustment|reduction|modification)s?(?: (?:is |are )?(?:required|needed|necessary))?"
    r"|\breduced (?:renal|kidney|hepatic|liver|LV\w*|ejection|eGFR|GFR|function|risk|efficacy|blood loss|mortality)"
    r"|\b(?:low|lower|lowest|reduced|less) (?:\w+ )?bleeding risk|recently stopped|(?:any|if|>|longer"
    r"|anticipated) delay"
    r"|delay\w* (?:>|of|in|anticipated|is)\b|stop\w* (?:\w+ ){0,2}after (?:primary|initial|the|\d)"
    r"|benefits? (?:are|is) reduced|not (?:recommend|favou?r) one\b|no washout|no (?:hepatic|renal) dos\w+"
    r"|not (?:routinely|solely|be (?:a )?(?:cause|reason)|be used in isolation|generally indicated)|regardless of"
    r"|reduc(?:e|es|ed|ing)(?: the)? (?:mortality|morbidity|risk|hospitali[sz]ation|LDL|exacerbation"
    r"|cardiovascular)\w*",
    re.IGNORECASE,
)
_CUES: tuple[tuple[WarningSeverity, re.Pattern[str]], ...] = (
    (
        "contraindicated",
        re.compile(r"\bcontra-?indicat\w+|\bmust not\b|\bIII:? ?(?:—|-)* ?Harm|\bnever\b", re.IGNORECASE),
    ),
    (
        "avoid",
        re.compile(
            r"\bavoid(?:ed|ance|s)?\b|\bdo not\b|\bshould not\b|\bnot be (?:used|given|started|offered|prescribed"
            r"|combined)\b"
            r"|\bnot recommended\b|\bdiscontinu(?:e|ed)\b|\bstop(?:ped)?\b|\bwithh(?:old|eld)\b|\bhold\b"
            r"|\bdelay\b"
            r"|\bdefer\b|\brefer(?:ral)?\b|\bswitch(?:ing)? from\b|\bineligible\b|\bharmful\b|\bif no\b|\bonly if\b"
            r"|\bunsafe\b|\bnot safe\b|\bnot for\b|\bnot indicated\b|\bcontra\b",
            re.IGNORECASE,
        ),
    ),
    (
        "dose",
        re.compile(
            r"\breduc(?:e|ed|tion)\b|\bmaximum\b|\bmax\b|\blimit(?:ed)? to\b|\blower(?: starting| initial)? doses?\b"
            r"|\badjust\w*|\b(?:patients|those|adults) (?:initiating|starting)\b[^.:]{3,60}\bwho (?:are|have|had)\b"
            r"|\bnot (?:to )?exceed|\bhalf (?:the )?dose|\bhalve\b|\bprerequisites?\b|\brequires?\b",
            re.IGNORECASE,
        ),
    ),
    (
        "caution",
        re.compile(
            r"\bcautio\w*|\bcareful\w*|\bmonitor for\b|\bincreased? (?:the )?risk|\brisk (?:is )?increased"
            r"|\blimited (?:\w+ ){0,3}data\b|\bbleeding risk|\bclosely\b",
            re.I,
        ),
    ),
)
_RELATIVE = re.compile(r"\brelative(?:ly)? (?:contra-?indications?|contra-?indicated)\b", re.IGNORECASE)
"""What is weighed, and does not forbid."""

_ADJUSTED_OR_AVOIDED = re.compile(r"\b(?:dose-?)?adjust\w* (?:\w+ )?or avoid\b", re.IGNORECASE)
"""Leaves a choice, and does not forbid either."""

_CANCER_SITES = (
    re.compile(r"\b(?:intra-?cranial|brain|cerebral|CNS|glio\w+|meningioma)\b", re.IGNORECASE),
    re.compile(r"\b(?:bones?|skeletal|osseous|osteosarcoma)\b", re.IGNORECASE),
    re.compile(r"\b(?:liver|hepatic|hepatocellular|HCC)\b", re.IGNORECASE),
    re.compile(r"\b(?:skin|cutaneous|melanoma)\b", re.IGNORECASE),
    re.compile(r"\b(?:GI|gastrointestinal|gastric|colorectal|colon|bowel|stomach|o?esophageal)\b", re.IGNORECASE),
)
"""Where a cancer is: what is said of one in the skull is not said of one elsewhere."""

_REQUIREMENT = re.compile(r"\bprerequisites?\b|\brequir(?:e|es|ed|ement)\b|\bmust (?:be|have)\b", re.IGNORECASE)
_CLAUSE_REQUIREMENT = re.compile(r"\buntil\b|\bonly (?:if|when|in)\b|\bprovided\b", re.IGNORECASE)
_EFFECT_BEFORE = re.compile(
    r"\b(?:due to|because of|(?:increased |high(?:er)? |the )?risks? (?:of|for)|causes?|caused|causing"
    r"|precipitate|lead(?:s|ing)? to"
    r"|prevent(?:s|ion of)?|to reduce|reduces|treatment of|treat|treating|reducing|lowering|decreasing"
    r"|manage\w*|indicated (?:for|in)"
    r"|effective (?:for|in)"
    r"|to avoid|avoid(?:ing)?|resulting in|signs? of|worsen\w*|develop\w*|screen(?:ing)? for|monitor for"
    r"|no longer)\s+(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
_AT_RISK = re.compile(
    r"\bat (?:very |particularly )?(?:high|higher|increased|elevated) risk (?:of|for)\s+(?:[\w-]+[\s,]+){0,4}$",
    re.IGNORECASE,
)
"""Whoever had something is at high risk of it."""

_RISK_BEHIND = re.compile(r"^\s+(?:risk|prevention|prophylaxis|history should|scores?)\b", re.IGNORECASE)
_ABSENCE = re.compile(r"\b(?:no|not have)\s+(?:\w+\s+){0,3}$", re.IGNORECASE)
_WITHOUT = re.compile(
    r"\b(?:without|absence of|except(?: in)?|other than|regardless of|irrespective of"
    r"|not in)\s+(?:[\w-]+\s+){0,3}$|\bexcept(?:ing)?\b[^.;|]*$",
    re.IGNORECASE,
)
_FAMILY = re.compile(r"\b(?:family|familial) (?:or personal )?history of [^.;]{0,80}$", re.IGNORECASE)
_MILD = re.compile(r"\b(?:mild|moderate)\s+(?:\w+\s+){0,1}$", re.IGNORECASE)
_SEVERE = re.compile(
    r"\b(?:severe|advanced|end-stage|acute|decompensated|uncontrolled|poorly controlled|life-threatening"
    r"|stages? (?:4|5|[45][-–/ ]{1,2}5|G4|G5))\s+(?:\w+\s+){0,1}$",
    re.I,
)
_CLAUSE = re.compile(
    r"[;:]|,\s|\s\|\s|\bor\b|\band\b|(?<!ml)(?<!mg)(?<!mol)(?<!meq)(?<!kg)(?<! g)(?<!\du)/(?=[A-Za-z])|\.\s",
    re.IGNORECASE,
)
_COUNT_NEEDED = re.compile(
    r"(?:at least|≥|>=|any)\s*(?P<n>two|2|three|3)\s+(?:of|\w+)|(?P<m>two|2|three|3) or more", re.I
)
_ALLERGY = re.compile(r"allerg|hypersens|anaphyla|intoleran", re.IGNORECASE)
_WORSENING = re.compile(
    r"\bworsen\w*|\b(?:may|can) (?:cause|precipitate|increase)\b|\bcauses?\b|\brisks? (?:of|for)\b|\brisk\)"
    r"|\b(?:adverse|side) effects?\b|\bmay:",
    re.IGNORECASE,
)
_DISTURBANCES = name_set("""
    acidosis, hypokalaemia, hyperkalaemia, hyponatraemia, hypocalcaemia, hypercalcaemia, long QT, thrombocytopenia,
    neutropenia, hypomagnesaemia, hypophosphataemia, hypoglycaemia, bradycardia
""")
"""What a drug may worsen in a patient who has it already."""

_LOW_SIDE = frozenset({"eGFR", "creatinine clearance", "LVEF", "platelets", "haemoglobin", "neutrophils"})
MIN_WARNED_AGE = 40.0
"""Years: a lower bound of age below this tells whom a text is about, and warns of nothing."""


class Finding(NamedTuple):
    """What a text names and the record has: its name here, and the words of the record."""

    about: str
    words: str


def find_severity(text: str) -> WarningSeverity | None:
    """The strongest warning that the words give; None when they warn of nothing."""
    plain = _RELATIVE.sub(" caution ", _NO_CUE.sub(" ", text))
    if _ADJUSTED_OR_AVOIDED.search(plain):
        return "dose"
    return next((severity for severity, pattern in _CUES if pattern.search(plain)), None)


def is_relative_contraindication(text: str) -> bool:
    """Whether a text calls what it speaks of a relative contraindication."""
    return bool(_RELATIVE.search(text))


def find_circumstances(
    text: str, record: PatientRecord, subjects: frozenset[str] = frozenset()
) -> tuple[list[Finding], bool]:
    """What of the circumstances that a text names the record has, and whether it names any.

    subjects   the conditions that the guideline is about: everybody in it has them

    A text is read in clauses; in each all that is named has to be so, and one clause is enough, unless the text says
    how many are needed.
    """
    findings: list[Finding] = []
    names_any = False
    wants_absence = bool(_REQUIREMENT.search(text))
    for start, end in _split_clauses(text):
        found, named = _judge_clause(text, start, end, record, wants_absence, subjects)
        findings += found
        names_any = names_any or named
    needed = _COUNT_NEEDED.search(text)
    if needed and len({one.about for one in findings}) < (2 if (needed["n"] or needed["m"]) in ("two", "2") else 3):
        return [], names_any
    return list(dict.fromkeys(findings)), names_any


def may_worsen(levels: Sequence[str]) -> bool:
    """Whether a line, or what it hangs on, says what a drug may cause."""
    return any(_WORSENING.search(level) for level in levels)


def find_worsened(text: str, record: PatientRecord) -> list[Finding]:
    """The disturbances of the record that a text names as what may come of a drug."""
    named = [one for one in find_conditions(text) if one.name in _DISTURBANCES and one.name in record.conditions]
    kept = [one for one in named if not _WITHOUT.search(text[max(0, one.start - 60) : one.start])]
    return list(dict.fromkeys(Finding(one.name, record.conditions[one.name].words) for one in kept))


def forbids_alone(text: str, drugs: Sequence[DrugMention]) -> bool:
    """Whether a text says of one of the drugs itself that it is not to be used: "X should be avoided", "avoid X"."""
    for named in find_drugs(text):
        if any(is_meant(named, drug) for drug in drugs):
            before, behind = _NO_CUE.sub(" ", text[: named.start]), text[named.end :]
            if _FORBIDDEN_BEHIND.match(behind) or _FORBIDDEN_BEFORE.search(before):
                return True
    return False


_FORBIDDEN_BEHIND = re.compile(
    r"[^.;,|]{0,25}\b(?:(?:should|must) (?:be avoided|not be (?:used|given))"
    r"|(?:is|are) (?:strictly )?(?:contraindicated|not recommended)"
    r"|must not be|not be (?:used|given))",
    re.IGNORECASE,
)
_FORBIDDEN_BEFORE = re.compile(
    r"\b(?:avoid|discontinue|stop|withhold|do not (?:use|give|start)|delay)(?: (?:the )?use of)?\s(?:\w+\s){0,2}$",
    re.IGNORECASE,
)


def find_allergy(text: str, record: PatientRecord) -> list[Finding]:
    """The allergies of the record of which a text speaks as allergies."""
    if not _ALLERGY.search(text):
        return []
    named = find_drugs(text)
    return [
        Finding("allergy", allergy)
        for allergy in record.allergies
        if any(is_meant(one, drug) for drug in find_prescribed_drugs(allergy) for one in named)
    ]


def _split_clauses(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _CLAUSE.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _judge_clause(
    text: str, start: int, end: int, record: PatientRecord, is_required: bool, subjects: frozenset[str]
) -> tuple[list[Finding], bool]:
    clause = text[start:end]
    limits = [one for one in find_limits(clause) if _is_warned_limit(one, text)]
    named = [one for one in find_conditions(clause) if one.name not in subjects]
    conditions = [one for one in named if not _is_effect(text, start, one)]
    is_required = is_required or bool(_CLAUSE_REQUIREMENT.search(clause))
    judged_limits = [_judge_limit(one, record, is_required) for one in limits]
    judged_conditions = [_judge_condition(text, start, one, record) for one in conditions]
    known = [found for found, is_known in judged_limits if is_known]
    if any(found is None for found in known):
        return [], True
    said = [found for found in known if found]
    if not said and any(found is None for found in judged_conditions):
        return [], True
    if conditions and _lacks_companion(clause, record):
        return [], True
    return [*said, *(one for one in judged_conditions if one)], bool(limits or conditions)


def _lacks_companion(clause: str, record: PatientRecord) -> bool:
    """Whether a clause names a drug together with a condition ("with aliskiren in diabetes"), and it is not taken."""
    taken = (*record.current_drugs, *record.past_drugs)
    return any(
        re.search(r"\b(?:with|concomitant|taking|receiving)\s(?:\w+\s)?$", clause[: named.start], re.IGNORECASE)
        and not _EVENT_WITH.search(clause[: named.start])
        and not any(is_meant(named, drug) for drug in taken)
        for named in find_drugs(clause)
    )


def _judge_limit(limit: Limit, record: PatientRecord, is_required: bool) -> tuple[Finding | None, bool]:
    """What the record has of it, and whether the record has the figure at all."""
    figures = record.find_figures(limit.measure)
    if not figures:
        return None, False
    hit = next((one for one in figures if limit.is_reached(one.value) != is_required), None)
    return (Finding(limit.measure, hit.words) if hit else None), True


def _judge_condition(text: str, offset: int, one: ConditionName, record: PatientRecord) -> Finding | None:
    fact: PatientFact | None = record.conditions.get(one.name)
    if fact is None and _FAMILY.search(text[: offset + one.start]):
        fact = record.family.get(one.name)
    if fact is None:
        return None
    if one.name == "cancer" and not _is_at_site(
        text[max(0, offset + one.start - 60) : offset + one.start + len(one.words)], fact
    ):
        return None
    window = find_window(text, offset + one.start, offset + one.start + len(one.words))
    if window and not window.holds(fact.days_ago):
        return None
    before = text[max(0, offset + one.start - 30) : offset + one.start]
    if _SEVERE.search(before) and one.name not in record.severe:
        return None
    if _MILD.search(before) and one.name in record.severe:
        return None
    return Finding(one.name, fact.words)


def _is_at_site(text: str, fact: PatientFact) -> bool:
    """Whether a cancer is where a text says, if it says where: "skeletal malignancies" are none of the cervix."""
    said = re.split(r"[.;|\n]", text)[-1]
    sites = [site for site in _CANCER_SITES if site.search(said)]
    return not sites or any(site.search(fact.words) for site in sites)


def _is_effect(text: str, offset: int, one: ConditionName) -> bool:
    """Whether a condition is what may come of it or is treated, and not whom it is about."""
    before, behind = text[max(0, offset + one.start - 60) : offset + one.start], text[offset + one.end :]
    if _WITHOUT.search(text[max(0, offset + one.start - 160) : offset + one.start]):
        return True
    if re.search(r"\b(?:increased|higher) risks? (?:of|for)\s+(?:\w+\s+){0,2}$", before, re.IGNORECASE):
        return True
    if _ABSENCE.search(before) or re.match(r"\W*contraindication", text, re.IGNORECASE):
        return False
    if _AT_RISK.search(before):
        return False
    is_avoided_in = re.search(
        r"\bavoid(?:ed|ing)? (?:[\w-]+ ){0,3}?(?:in|with|if|during|after)\s+(?:\w+\s+){0,3}$", before, re.IGNORECASE
    )
    return not is_avoided_in and bool(_EFFECT_BEFORE.search(before) or _RISK_BEHIND.match(behind))


def _is_warned_limit(limit: Limit, text: str) -> bool:
    """Whether a limit marks somebody out: normal kidneys and being an adult do so only where something is forbidden."""
    if limit.measure == "age":
        return limit.high < 19 or limit.low >= MIN_WARNED_AGE
    if limit.measure == "potassium" and not (_REQUIREMENT.search(text) or _CLAUSE_REQUIREMENT.search(text)):
        return limit.low >= 4.9 or limit.high <= 3.6
    if limit.measure in _LOW_SIDE and limit.high == float("inf") and not _REQUIREMENT.search(text):
        return find_severity(text) in ("contraindicated", "avoid")
    return True


_EVENT_WITH = re.compile(r"\bhistory of [^,;.]*$", re.IGNORECASE)
"""What once came of a drug ("history of angioedema with an ACE inhibitor") is no drug given with another."""

_WITH_BEFORE = re.compile(r"\b(?:with|plus|combined with)\s(?:\w+\s)?$|\+\s*$", re.IGNORECASE)


def lacks_companion_drug(text: str, drugs: Sequence[DrugMention]) -> bool:
    """Whether a text warns of one drug with another, and the patient has to do with one of them alone."""
    named = find_drugs(text)
    for place, one in enumerate(named[1:], 1):
        before = text[: one.start]
        if _WITH_BEFORE.search(before) and not _EVENT_WITH.search(before):
            sides = (named[:place], named[place:])
            return not all(any(is_meant(name, drug) for name in side for drug in drugs) for side in sides)
    return False


def find_interactions(
    text: str, targets: Sequence[DrugMention], record: PatientRecord, is_listed: bool
) -> list[Finding]:
    """Drugs that the patient takes and the text names beside those that it limits.

    targets     what is limited, as the patient's drugs or the question name it
    is_listed   the text stands in a list of what speaks against the targets, and needs no "with"
    """
    if not is_listed and not _INTERACTION.search(text):
        return []
    found = [
        Finding("current drug", drug.words)
        for named, drug in matching_drugs(find_drugs(text), record.current_drugs)
        if any(not is_meant(named, target) and drug.own_class != target.own_class for target in targets)
    ]
    return list(dict.fromkeys(found))


def find_partners(levels: Sequence[str], targets: Sequence[DrugMention], record: PatientRecord) -> list[Finding]:
    """Drugs that the patient takes and that the lines are about on which one of interactions hangs."""
    named = next((found for level in levels if (found := find_drugs(level))), ())
    pairs = matching_drugs(named, record.current_drugs)
    taken = [drug for one, drug in pairs if one.drug or one.own_class == drug.own_class]
    return [
        Finding("current drug", one.words)
        for one in dict.fromkeys(taken)
        if targets and all(drug.own_class != one.own_class and not is_meant(drug, one) for drug in targets)
    ]


def find_exposures(text: str, targets: Sequence[DrugMention], record: PatientRecord) -> list[Finding]:
    """Drugs that the patient was given within the time that a text names for just those that it limits: "avoid X if
    exposed to X in the past 12 months".
    """
    found = []
    for named in find_drugs(text):
        window = find_window(text, named.start, named.end)
        near = text[max(0, named.start - 40) : named.end + 40]
        if window is None or not _EXPOSURE.search(near) or not any(is_meant(named, one) for one in targets):
            continue
        given = [(one, days) for one, days in record.drug_days if is_meant(named, one) and days is not None]
        found += [Finding("earlier drug", one.words) for one, days in given if window.holds(days)]
    return list(dict.fromkeys(found))


_EXPOSURE = re.compile(
    r"\b(?:expos\w+|receiv\w+|used?|taken|treated with|treatment with|course of|given)\b", re.IGNORECASE
)

_INTERACTION = re.compile(
    r"\bwith\b|\bcombin\w+|\bconcomitant\w*|\bconcurrent\w*|\btogether\b|\bco-?administ\w+|\binteract\w*|\s\+\s"
    r"|\btaking\b|\bplus\b"
    r"|\breceiving\b|\bon\b|\bwho use\b|\buse of\b|\bneed for\b|-dependent\b",
    re.IGNORECASE,
)
