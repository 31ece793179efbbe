"""What of an answer is one to this patient: not what they take already, nor what is written for adults of a child; and
doses by weight, worked out.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from wellsourced.medicine.drugs import DrugMention, covers_drug, find_drugs, is_meant
from wellsourced.medicine.quantities import Quantity, extract_quantities, find_ranges, normalize_characters
from wellsourced.recommend.patient_question import SearchedQuestion
from wellsourced.recommend.patient_record import PatientRecord
from wellsourced.recommend.warning_rules import FORBIDDING
from wellsourced.text.passages import text_under_titles
from wellsourced.types import Answer, PatientWarning, Question, Statement, cited_passage_ids

ADOLESCENT_AGE = 16.0
"""Years from which guidelines for adults are not told apart from those for the patient."""

_CHILDREN = re.compile(
    r"\b(?:child(?:ren)?|childhood|p[a]?ediatric\w*|infants?|neonat\w+|newborns?|adolescents?|toddlers?)\b",
    re.IGNORECASE,
)


def promote_new(
    statements: Sequence[Statement], record: PatientRecord, asked: Sequence[DrugMention]
) -> tuple[Statement, ...]:
    """The statements, of which none leads, if another can, that speaks of drugs alone which the patient takes, or of
    what is not to be done.

    A question about a drug is about that drug, taken or not, for or against it.
    """
    leads = [one for one in statements if one.lead]
    taken = record.current_drugs
    unwanted = [] if asked else [one for one in leads if _is_taken(one, taken) or _is_against(one.text)]
    fresh = [one for one in leads if one not in unwanted]
    heirs = fresh or [one for one in statements if one not in leads and _is_new(one, taken)][:1]
    if not (unwanted and heirs):
        return tuple(statements)
    rest = [one.model_copy(update={"lead": False}) if one in leads else one for one in statements if one not in heirs]
    return (*(one.model_copy(update={"lead": True}) for one in heirs), *rest)


def lead_with_earlier_steps(question: str, statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements; where it is asked what comes before something, and a list leads that has it for a step, its other
    steps lead, too.
    """
    match = _BEFORE.search(question)
    steps = [one for one in statements if one.lead and match and match["what"].casefold() in one.text.casefold()]
    lists = {(id, one.topic) for one in steps for id in one.cited_ids}
    return tuple(
        one.model_copy(update={"lead": True}) if lists & {(id, one.topic) for id in one.cited_ids} else one
        for one in statements
    )


_BEFORE = re.compile(r"\bbefore (?:the |an? )?(?P<what>\w{5,})", re.IGNORECASE)


def _is_taken(statement: Statement, taken: Sequence[DrugMention]) -> bool:
    """Whether all drugs that a statement names are taken: themselves, or one of their class."""
    named = find_drugs(statement.text) or find_drugs(statement.topic)
    return bool(named) and all(_is_among(one, taken) for one in named)


def _is_new(statement: Statement, taken: Sequence[DrugMention]) -> bool:
    """Whether a statement is for a drug that is not taken."""
    return not _is_against(statement.text) and any(not _is_among(one, taken) for one in find_drugs(statement.text))


def _is_against(text: str) -> bool:
    """Whether a text says first what is not to be done; what it says to do comes behind, or not at all."""
    against = _AGAINST.search(text)
    return against is not None and not _FOR.search(text[: against.start()])


_AGAINST = re.compile(
    r"\b(?:recommend\w*|suggest\w*|advis\w+) (?:\w+ )?against\b|\bnot (?:\w+ )?recommended\b"
    r"|\bshould not (?:be )?\w+|\bdo not \w+|\bIII:? ?(?:No Benefit|Harm)\b|\bcontraindicated\b",
    re.IGNORECASE,
)
_FOR = re.compile(
    r"\brecommend\w*|\bsuggest\w*|\bpreferred\b|\bfirst-line\b|\bindicated\b|\breasonable\b|\bshould\b"
    r"|\b(?:start|give|add|use|administer|consider)\b",
    re.IGNORECASE,
)


def _is_among(named: DrugMention, taken: Iterable[DrugMention]) -> bool:
    """Whether a drug is taken, or another of its own class: nobody starts a second beta-blocker."""
    return any(is_meant(named, one) or (bool(one.own_class) and named.own_class == one.own_class) for one in taken)


def explain_adult_sources(record: PatientRecord, given: Answer) -> str:
    """Why nothing that is said can be recommended to a child; "" where a source speaks of children, or none is asked.

    A guideline that does not name children is one for adults.
    """
    if record.age is None or record.age >= ADOLESCENT_AGE or not given.statements:
        return ""
    cited = cited_passage_ids(given.statements)
    texts = [text_under_titles(item.passage) for item in given.evidence if item.passage.id in cited]
    if any(_CHILDREN.search(text) for text in texts):
        return ""
    years = f"{record.age:.0f} years" if record.age >= 2 else f"{record.age * 12:.0f} months"
    return f"The patient is {years} old, and nothing found is about children."


def refuse(given: Answer, reason: str, nearest: Sequence[Statement] = ()) -> Answer:
    """The answer that recommends nothing, why, and what is nearest."""
    said = {"statements": (), "found_instead": tuple(nearest), "conflicts": (), "decision": None, "choice": ""}
    return given.model_copy(update={**said, "abstained": True, "basis": "none", "reason": reason})


def explain_empty_question(question: Question, searched: SearchedQuestion) -> str:
    """Why a question that names nothing cannot be searched for."""
    why = "no known problem was read in the record"
    if searched.is_kept_apart:
        why = "the record is not used to search, because a network source is searched, too"
    return f"“{question.text}” does not say what it is about, and {why}. Name the disease or the drug in the question."


def bars_what_is_recommended(
    warnings: Sequence[PatientWarning], asked: Sequence[DrugMention], leading: Sequence[Statement], barred: set[str]
) -> bool:
    """Whether what is asked about, or of what is recommended first, is forbidden: then no strength is given.

    barred   the texts of statements that a warning limits
    """
    forbidden = [drug for one in warnings if one.severity in FORBIDDING and one.is_asked for drug in _name_drugs(one)]
    is_asked_barred = any(covers_drug(drug, one) for drug in forbidden for one in asked)
    return is_asked_barred or (bool(leading) and leading[0].text in barred)


def promote_concerned(
    warnings: Sequence[PatientWarning], asked: Sequence[DrugMention], leading: Sequence[Statement]
) -> list[PatientWarning]:
    """The warnings, those about drugs that are asked for, or recommended first, before the others."""
    meant = [*asked, *(drug for one in leading for drug in find_drugs(one.text))]

    def is_aside(one: PatientWarning) -> bool:
        return not any(is_meant(drug, other) or is_meant(other, drug) for drug in _name_drugs(one) for other in meant)

    return sorted(warnings, key=lambda one: (not one.is_asked, bool(one.drugs) and is_aside(one)))


def list_leading(given: Answer) -> tuple[Statement, ...]:
    """What is recommended first."""
    return tuple(one for one in given.statements if one.lead) or given.statements[:1]


def _name_drugs(warning: PatientWarning) -> list[DrugMention]:
    return [drug for name in warning.drugs for drug in find_drugs(name)]


def describe_search(searched: SearchedQuestion) -> tuple[str, ...]:
    """What of the record was searched for, for whoever reads the answer."""
    if not searched.added:
        return ()
    names = "; ".join(searched.added)
    return (f"searched on this machine also for what was read in the record: {names}",)


# A dose by weight worked out for the patient: the source's own rule times the weight in the record, up to its
# maximum.
#
# It is arithmetic and no statement of a source, and says so. Nothing is worked out where a text has several rules, a
# rate for each hour or day, or where the record has no weight or two that differ.


_ASKED = re.compile(r"\bdos(?:e|es|age|ages|ing)\b|\bhow (?:much|many)\b", re.IGNORECASE)


def work_out_doses(question: str, statements: Sequence[Statement], record: PatientRecord) -> Iterator[str]:
    """A sentence for each leading statement that gives one dose by weight, where the question asks for a dose."""
    weights = {one.value: one.words for one in record.find_figures("weight")}
    if len(weights) != 1 or not _ASKED.search(question):
        return
    (weight, words), *_ = weights.items()
    for statement in statements:
        rules = [one for one in find_ranges(statement.text) if "kg" in one.unit.split("/")[1:]]
        if statement.lead and len(rules) == 1 and rules[0].is_value and rules[0].unit.endswith("/kg"):
            yield _describe_dose(statement.text, rules[0].first, weight, words)


def _describe_dose(text: str, rule: Quantity, weight: float, words: str) -> str:
    unit, dose = rule.unit.removesuffix("/kg"), round(float(rule.value) * weight, 2)
    plain = normalize_characters(text)
    printed = plain[rule.number_end : rule.end].split("/")[0].strip()
    behind = re.split(r"[;]|\.\s", plain[rule.end :])[0]
    bounds = (one for one in extract_quantities(behind) if one.unit == unit)
    most = next((one for one in bounds if re.search(r"\bmax(?:imum)?\b[^\d;]{0,30}$", behind[: one.start])), None)
    told = f"{rule.value:f} {printed}/kg × {weight:g} kg (“{words}”) = {dose:g} {printed}"
    if most and float(most.value) < dose:
        told += f", above the maximum of {most.value:f} {printed}, so the maximum applies"
    elif most:
        told += f", below the maximum of {most.value:f} {printed}"
    return f"calculated here, not stated by the source: {told}"
