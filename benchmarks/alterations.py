"""Alterations: rules that make a real sentence wrong in one thing, for each kind of fact a guard has to watch."""

import random
import re
from collections.abc import Mapping

from benchmarks.alteration_rules import change_number, exchange_words, first_applicable, match_case, replace_once


def _change_digits(match: re.Match[str], chance: random.Random) -> str:
    return change_number(match.group(), chance)


_DECIMAL = r"\d+(?:\.\d+)?"
_NUMBER_START = r"(?<![\w.,/·‐–-])"
_NUMBER_END = r"(?![\w%,/·‐–-]|\.\d)"
_TIMES = r"(?:years?|months?|weeks?|days?|hours?|h|hrs?|min|minutes?|seconds?)"

# --- the statement turned round --------------------------------------------------------------------------------------

_PAST = {
    **{"reduced": "reduce", "increased": "increase", "improved": "improve", "showed": "show", "caused": "cause"},
    **{"decreased": "decrease", "revealed": "reveal", "received": "receive", "led": "lead", "had": "have"},
    **{"developed": "develop", "affected": "affect", "prevented": "prevent", "inhibited": "inhibit"},
    **{"correlated": "correlate", "differed": "differ", "demonstrated": "demonstrate", "produced": "produce"},
}
_PRESENT = {"reduces": "reduce", "increases": "increase", "improves": "improve", "shows": "show", "causes": "cause"}
_INFINITIVE = {base: past for past, base in _PAST.items()}
_NOT_PASSIVE = r"(?! (?:by|from|with|in|at|to be)\b)"
_NOT_NEGATABLE = r"(?! (?:not|no|also|neither|either|only|never|and|or|to be)\b)"

NEGATION = first_applicable(
    replace_once(
        rf"\b(?:was|were|is|are|can|could|should|will|has been|have been){_NOT_NEGATABLE}(?= \w)",
        lambda m, _: f"{m.group()} not",
    ),
    replace_once(
        rf"\b(?:treatment|patients|therapy|groups?|results|subjects|study|analysis|intervention|participants|data)"
        rf" (?P<verb>{'|'.join(_PAST)})\b{_NOT_PASSIVE}",
        lambda m, _: f"{m.group().rpartition(' ')[0]} did not {_PAST[m['verb']]}",
    ),
    replace_once(
        rf"\b(?:treatment|therapy|exercise|intervention|surgery|study|analysis|[a-z]+(?:ine|ol|in"
        rf"|ide|mab|tion)) (?P<verb>{'|'.join(_PRESENT)})\b",
        lambda m, _: f"{m.group().rpartition(' ')[0]} does not {_PRESENT[m['verb']]}",
    ),
    replace_once(
        rf"\bdid not (?:significantly )?(?P<verb>{'|'.join(_INFINITIVE)})\b", lambda m, _: _INFINITIVE[m["verb"]]
    ),
    replace_once(
        r"(?<!or )(?<!and )(?<!but )(?<!if )\b(?:was|were|is|are) not (?!only|just|yet)", lambda m, _: m[0][:-4]
    ),
    replace_once(
        r"(?<!with )\bno (?=significant|difference|evidence|effect|association|change|increase)", lambda *_: ""
    ),
    exchange_words(
        [("effective", "ineffective"), ("significant", "insignificant"), ("likely", "unlikely")], r"(?<!cost-)"
    ),
)

DIRECTION = exchange_words(
    [
        *[("increased", "decreased"), ("increases", "decreases"), ("increase", "decrease"), ("higher", "lower")],
        *[
            ("greater", "lesser"),
            ("improved", "worsened"),
            ("improves", "worsens"),
            ("improvement", "worsening"),
            ("better", "worse"),
        ],
        *[("more effective", "less effective"), ("more likely", "less likely")],
        *[("reduced", "raised"), ("reduction", "rise"), ("reducing", "raising"), ("superior", "inferior")],
        *[("longer", "shorter"), ("prolonged", "shortened"), ("faster", "slower"), ("earlier", "later")],
        *[("gain", "loss"), ("positive", "negative"), ("positively", "negatively")],
        *[("beneficial", "harmful"), ("safe", "unsafe"), ("highest", "lowest"), ("larger", "smaller")],
        *[("inhibited", "activated"), ("inhibition", "activation"), ("upregulated", "downregulated")],
        *[("high", "low"), ("worst", "best"), ("largest", "smallest"), ("frequently", "rarely")],
    ],
    behind=r"(?! (?:than \d|or (?:more|less|higher|lower)))",
)

# --- quantities ------------------------------------------------------------------------------------------------------

NUMBER = replace_once(
    rf"{_NUMBER_START}(?<!\()(?<![<>=≥≤±] )(?<![<>=≥≤±]){_DECIMAL}{_NUMBER_END}(?! ?(?:%|mg|µg|μg|mcg|ng|g|kg|ml"
    rf"|mL|l|IU|{_TIMES}|to \d|percent|CI)\b)(?! ?%)",
    _change_digits,
)

_UNITS = {
    **{"mg": "g", "g": "mg", "kg": "g", "mL": "L", "ml": "L", "µg": "mg", "μg": "mg", "mm": "cm", "cm": "mm"},
    **{"mmol/L": "mg/dL", "mmol/l": "mg/dl", "mg/dL": "mmol/L", "mg/dl": "mmol/l", "ng/mL": "mg/mL", "m": "km"},
    **{"mmHg": "kPa", "mm Hg": "kPa", "nM": "mM", "µM": "mM", "μM": "mM", "nm": "mm", "µm": "mm", "μm": "mm"},
    **{"ng/ml": "mg/ml", "g/dL": "mg/dL", "g/dl": "mg/dl", "kcal": "kJ", "kg/m2": "g/m2", "IU": "mg"},
}
_BY_LENGTH = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
UNIT = replace_once(
    rf"(?<=\d )(?:{_BY_LENGTH})(?![\w/]|[.·]\w)|(?<=\d)(?:{_BY_LENGTH})(?![\w/]|[.·]\w)", lambda m, _: _UNITS[m.group()]
)

_DOSED = r"(?:mg|µg|μg|mcg|g|IU|mg/kg|mg/day|mg/d|µg/kg|g/day|mL|ml|units|Gy)"
_AMOUNT = replace_once(rf"{_NUMBER_START}(?<![<>≥≤])(?<![<>≥≤] ){_DECIMAL}(?= ?{_DOSED}(?![\w/]))", _change_digits)
_REGIMEN = first_applicable(
    exchange_words([("twice daily", "once daily"), ("orally", "intravenously")]),
    exchange_words(
        [("oral", "intravenous")], behind=r"(?= (?:administration|dos|supplement|treatment|therapy|morphine|iron))"
    ),
)
_ADMINISTRATION = re.compile(
    r"\b(?:dos(?:e|es|ed|age)|daily|received?|administ\w+|treated|given|oral|infusion|injected|supplement\w*|twice)\b"
)


def alter_dose(sentence: str, chance: random.Random) -> str:
    """Another amount of what is given, or another way or rhythm of giving it."""
    return first_applicable(_AMOUNT, _REGIMEN)(sentence, chance) if _ADMINISTRATION.search(sentence) else ""


PERCENTAGE = replace_once(
    rf"{_NUMBER_START}{_DECIMAL}(?= ?(?:%|percent))(?! ?% ?(?:CI|confidence|credible))", _change_digits
)

_BOUND = r"(?:\bCIs?\b|confidence intervals?)[^.;)\]]{0,16}?"
INTERVAL = first_applicable(
    replace_once(
        rf"(?P<before>{_BOUND}[-−–]?)(?P<low>{_DECIMAL})(?= ?(?:-|–|−|to|,|and|;) ?[-−–]?\d)",
        lambda m, chance: m["before"] + change_number(m["low"], chance),
    ),
    replace_once(
        rf"(?P<before>{_BOUND}[-−–]?{_DECIMAL} ?(?:-|–|−|to|,|and|;) ?[-−–]?)(?P<high>{_DECIMAL})(?!\.?\d)",
        lambda m, chance: m["before"] + change_number(m["high"], chance),
    ),
)

_OTHER_P_VALUES = {"0.001": "0.1", "0.01": "0.1", "0.05": "0.5", ".05": ".5", ".001": ".1", ".01": ".1"}
P_VALUE = first_applicable(
    replace_once(
        r"(?P<before>\b[pP](?:-value)? ?[=<>] ?)(?P<value>0?\.\d+)",
        lambda m, chance: m["before"] + (_OTHER_P_VALUES.get(m["value"]) or change_number(m["value"], chance)),
    ),
    replace_once(r"(?<=\b[pP])(?P<sign> ?[<>] ?)(?=0?\.\d)", lambda m, _: m[0].translate(str.maketrans("<>", "><"))),
)

_SIGNS = str.maketrans("<>≤≥", "><≥≤")
COMPARATOR = first_applicable(
    replace_once(r"(?<![pP])(?<![pP] )[<>≤≥](?= ?=? ?\d)", lambda m, _: m.group().translate(_SIGNS)),
    exchange_words(
        [("at least", "at most"), ("more than", "less than"), ("greater than", "less than")], behind=r"(?= \d)"
    ),
    exchange_words([("above", "below"), ("over", "under"), ("older than", "younger than")], behind=r"(?= (?:age )?\d)"),
    replace_once(
        r"(?<=\d )or (?:more|older|greater)\b", lambda m, _: "or " + {"older": "younger"}.get(m[0][3:], "less")
    ),
    replace_once(
        r"(?<=years )or (?P<more>older|younger)\b", lambda m, _: "or younger" if m["more"] == "older" else "or older"
    ),
)

# --- who, what and when ----------------------------------------------------------------------------------------------

POPULATION = exchange_words(
    [
        *[("children", "adults"), ("women", "men"), ("females", "males"), ("female", "male"), ("girls", "boys")],
        *[("infants", "adolescents"), ("elderly", "young"), ("older adults", "young adults"), ("mice", "rats")],
        *[("healthy volunteers", "diabetic volunteers"), ("healthy subjects", "diabetic subjects")],
        *[
            ("healthy controls", "diabetic controls"),
            ("obese women", "lean women"),
            ("obese patients", "lean patients"),
        ],
        *[("neonates", "adults"), ("preterm", "full-term"), ("smokers", "non-smokers"), ("pregnant", "postmenopausal")],
        *[("mothers", "fathers"), ("inpatients", "outpatients"), ("in vitro", "in vivo"), ("humans", "mice")],
        *[("paediatric", "adult"), ("pediatric", "adult"), ("human", "murine")],
        *[("nurses", "physicians"), ("type 1 diabetes", "type 2 diabetes")],
    ]
)

_CLASSES = """
    atorvastatin simvastatin rosuvastatin pravastatin | lisinopril enalapril ramipril captopril perindopril
    losartan valsartan telmisartan candesartan | metoprolol atenolol bisoprolol propranolol carvedilol
    amlodipine nifedipine felodipine | omeprazole pantoprazole lansoprazole esomeprazole
    fluoxetine sertraline paroxetine citalopram escitalopram duloxetine | olanzapine risperidone quetiapine clozapine
    amoxicillin azithromycin ciprofloxacin doxycycline clarithromycin vancomycin ceftriaxone gentamicin
    bevacizumab rituximab trastuzumab infliximab adalimumab cetuximab | metformin glipizide pioglitazone sitagliptin
    warfarin rivaroxaban apixaban heparin enoxaparin | aspirin clopidogrel ibuprofen paracetamol naproxen celecoxib
    morphine fentanyl ketamine bupivacaine lidocaine ropivacaine propofol sevoflurane dexmedetomidine tramadol
    prednisolone dexamethasone hydrocortisone budesonide fluticasone | methotrexate cisplatin paclitaxel docetaxel
    tamoxifen letrozole anastrozole carboplatin gemcitabine | fluconazole itraconazole voriconazole
    zidovudine lamivudine tenofovir nevirapine efavirenz | chloroquine artesunate primaquine amodiaquine
    insulin glucagon leptin adiponectin | tiotropium salmeterol formoterol indacaterol
    estrogen progesterone testosterone | calcium magnesium zinc iron selenium | IL-6 IL-10 TNF-α IL-1β
    p53 BRCA1 KRAS EGFR | hypnotherapy acupuncture physiotherapy yoga massage
    laparoscopy laparotomy endoscopy | chemotherapy radiotherapy immunotherapy
"""
_KINDS = [group.split() for line in _CLASSES.strip().splitlines() for group in line.split("|")]
_SAME_KIND: Mapping[str, list[str]] = {name: [o for o in group if o != name] for group in _KINDS for name in group}
_NAMES = re.compile(
    rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, _SAME_KIND), key=len, reverse=True))})(?![\w-])", re.IGNORECASE
)


def alter_drug(sentence: str, chance: random.Random) -> str:
    """Another drug, gene or procedure of its kind, wherever the sentence names it."""
    found = [match.group() for match in _NAMES.finditer(sentence)]
    if not found:
        return ""
    name = chance.choice(found)
    kin = _SAME_KIND.get(name) or _SAME_KIND.get(name.lower()) or []
    others = [one for one in kin if one.lower() not in sentence.lower()]
    if not others:
        return ""
    other = chance.choice(others)
    return re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", match_case(name, other), sentence)


TIME = first_applicable(
    replace_once(
        rf"{_NUMBER_START}\d+(?= {_TIMES}\b(?! of age| old))",
        lambda m, chance: chance.choice([str(2 * int(m[0]) + 1), str(int(m[0]) + 3), str(int(m[0]) * 10 or 4)]),
    ),
    replace_once(
        r"(?<=\d )(?:weeks|months|years|days|hours|week|month|year|day|minutes)\b(?! of age| old)",
        lambda m, _: {
            **{"weeks": "months", "months": "years", "years": "months", "days": "weeks", "hours": "days"},
            **{"week": "month", "month": "year", "year": "month", "day": "week", "minutes": "hours"},
        }[m[0]],
    ),
    exchange_words(
        [("before", "after"), ("preoperative", "postoperative"), ("daily", "weekly"), ("morning", "evening")]
    ),
    exchange_words([("prior to", "following"), ("short-term", "long-term"), ("pre-treatment", "post-treatment")]),
)


_SIDE = r"(?:[\w-]+ ){0,2}?[\w-]+"
_STAYS = r"(?!\b(?:the|a|an|those|that|it|this|other|control|expected|previous\w*|either|all|both|any)\b)"


def _swap_sides(match: re.Match[str], _: random.Random) -> str:
    """The two named parts of a match in each other's place."""
    (one, end), (start, last) = match.span("a"), match.span("b")
    at, text = match.start(), match.group()
    one, end, start, last = one - at, end - at, start - at, last - at
    return text[:one] + text[start:last] + text[end:start] + text[one:end] + text[last:]


_COMPARATIVE = (
    r"\b(?:more|less|fewer|higher|lower|greater|smaller|larger|longer|shorter|better|worse|superior|inferior"
    r"|(?:increas|decreas|reduc|improv|worsen|rais|ris)\w*)\b"
)
_AGAINST = r"(?:than|compared (?:with|to)|versus|vs\.?)"
_ENDS = r"(?=[,.;)]|$| \(| group| patients)"
_SIDED = first_applicable(
    replace_once(
        rf"\b(?:in|with|for|among) (?:the )?(?P<a>{_STAYS}{_SIDE}) (?:group )?{_AGAINST}"
        rf" (?:in|with|for|among) (?:the )?(?P<b>{_STAYS}{_SIDE}){_ENDS}",
        _swap_sides,
    ),
    replace_once(
        rf"(?:^|[,;] )(?:The )?(?P<a>{_STAYS}{_SIDE}) (?:was|were|is|are)"
        rf" (?:\w+ )?(?:(?:superior|inferior) to|(?:higher|lower|better|worse|more \w+|less \w+"
        rf"|greater) than) (?P<b>{_STAYS}{_SIDE})(?=[,.;)]|$| in| for| at)",
        _swap_sides,
    ),
    replace_once(
        rf"\b(?:[Tt]he|in) (?P<a>[\w-]+) (?:group|arm) {_AGAINST} (?:in )?(?:the )?(?P<b>[\w-]+)"
        rf" (?:group|arm)",
        _swap_sides,
    ),
    replace_once(
        rf"\b[Tt]he (?P<a>intervention|treatment|experimental|active|study)\b.{{1,40}}\b{_AGAINST}"
        rf" (?:in )?(?:the )?(?P<b>control|placebo|sham|comparison)\b",
        _swap_sides,
    ),
)
_ONE_NUMBER = r"(?<![\w.·,±/–-])(?<!± )(?<! of )\d+(?:[.·]\d+)?(?!\w|[.·]\d)"
_VALUES = first_applicable(
    replace_once(
        rf"(?P<a>{_ONE_NUMBER})%? (?:versus|vs\.?) (?P<b>{_ONE_NUMBER})(?!%? ?(?:[±/–\[(-]|of\b))", _swap_sides
    ),
    replace_once(
        rf"(?:(?<=ed )|(?<=ase )|(?<=ion ))from (?P<a>{_ONE_NUMBER}) ?(?:%|[a-zA-Z]{{1,5}})? ?to (?P<b>{_ONE_NUMBER})",
        _swap_sides,
    ),
)
_NO_SIDES = re.compile(r"\b(?:no|not|similar|neither|nor|comparable|between|equal|ranged|range)\b")


def swap_roles(sentence: str, chance: random.Random) -> str:
    """Who was compared with whom, or two values, in each other's place; nothing where neither side had more."""
    if not re.search(_COMPARATIVE, sentence) or _NO_SIDES.search(sentence):
        return ""
    return first_applicable(_SIDED, _SIDED, _VALUES)(sentence, chance)
