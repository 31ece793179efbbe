"""Alterations of what a sentence says, and of whom: negation, direction, population, drugs, terms, who was compared."""

import random
import re
from collections.abc import Mapping

from wellsourced_evaluate.builders.alteration_rules import (
    exchange_lone_words,
    exchange_words,
    first_applicable,
    match_case,
    replace_once,
)

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
        *[("inhibited", "activated"), ("upregulated", "downregulated")],
        *[("high", "low"), ("worst", "best"), ("largest", "smallest"), ("frequently", "rarely")],
    ],
    behind=r"(?! (?:than \d|or (?:more|less|higher|lower)|limbs?\b|extremit|back\b|body\b|abdom|respiratory|urinary"
    r"|gastro|GI\b|jaw|lips?\b|eyelid|legs?\b|o?esophag|education|school|order\b|term\b|uterine|genital|stimul|autobiograph|memor|affect\b|emotion|controls?\b))",
)

# --- who, what and when ----------------------------------------------------------------------------------------------

POPULATION = exchange_lone_words(
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
    ],
    before=r"(?<!young )(?<!older )",
    # "Children's", "adult men" and "human immunodeficiency virus" have no counterpart of the same form.
    behind=r"(?!['’]| (?:men|women|males?|females?|rats?|mice|stem|monoclonal|immunodeficiency|papilloma|leu[ck]ocyte"
    r"|serum|albumin|resources?|rights|beings?|T-cell|herpes|chorionic|subjects)\b)",
)

TERM = exchange_lone_words(
    [
        *[("systolic", "diastolic"), ("arterial", "venous"), ("acute", "chronic"), ("benign", "malignant")],
        *[("unilateral", "bilateral"), ("ipsilateral", "contralateral"), ("proximal", "distal")],
        *[("anterior", "posterior"), ("lateral", "medial"), ("bacterial", "viral"), ("morbidity", "mortality")],
        *[("sensitivity", "specificity"), ("incidence", "prevalence"), ("tachycardia", "bradycardia")],
        *[("hypertension", "hypotension"), ("hyperglycaemia", "hypoglycaemia"), ("hyperglycemia", "hypoglycemia")],
        *[("hyperthyroidism", "hypothyroidism"), ("hyperkalaemia", "hypokalaemia"), ("hyperkalemia", "hypokalemia")],
        *[("hypernatraemia", "hyponatraemia"), ("hypernatremia", "hyponatremia"), ("ureteral", "urethral")],
        *[("ischemic stroke", "hemorrhagic stroke"), ("ischaemic stroke", "haemorrhagic stroke")],
        *[("homozygous", "heterozygous"), ("abduction", "adduction"), ("supination", "pronation")],
        *[("fibula", "tibia"), ("ileum", "jejunum"), ("genotype", "phenotype")],
    ],
    before=r"(?<!portal )(?<!pulmonary )(?<!pulmonary arterial )(?<!intracranial )",
)
"""One technical term for its neighbour: a word that whoever copies a quote in haste gets wrong."""

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


_SIDE = r"(?:[\w-]+ ){0,2}?[\w-]+"
_STAYS = r"(?!\b(?:the|a|an|those|that|it|this|we|they|other|control|expected|previous\w*|either|all|both|any)\b)"


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
