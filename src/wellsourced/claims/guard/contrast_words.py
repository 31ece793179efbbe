"""Words that exclude each other on one axis, such as who was studied or how often."""

from wellsourced.claims.guard.disagreement import FactKind

_CONTRASTS: dict[FactKind, str] = {
    "population": """
        child children childhood paediatric pediatric paediatrics pediatrics kid kids schoolchildren
        : adult adults adulthood : elderly geriatric geriatrics older octogenarians : young younger
        : adolescent adolescents adolescence teenagers teenager teens
        : infant infants infancy babies baby : neonate neonates neonatal newborn newborns
        | woman women female females mother mothers maternal girl girls wife wives
        : man men male males father fathers paternal boy boys husband husbands
        | human humans : mouse mice murine : rat rats : rabbit rabbits : dog dogs canine : pig pigs porcine piglets
        : monkey monkeys primates macaques : sheep ovine : cat cats feline : zebrafish : drosophila : bovine cattle
        | vitro : vivo : silico | smoker smokers : nonsmoker nonsmokers
        | pregnant pregnancy : postmenopausal menopausal : lactating breastfeeding : premenopausal
        | preterm premature : term fullterm | inpatient inpatients hospitalised hospitalized : outpatient outpatients
        ambulatory
        | obese obesity : lean : overweight : underweight
        | healthy : diabetic diabetics : hypertensive : critically : ill
        | nurse nurses : physician physicians doctor doctors clinicians : pharmacist pharmacists : student students
        : dentist dentists : surgeon surgeons
        | symptomatic : asymptomatic | black african : white caucasian : asian : hispanic
        | rural : urban | chinese : japanese : korean : indian : american : european : british : german : french
        : italian : spanish : australian : canadian : iranian : turkish : brazilian : african : taiwanese : swedish
        : danish : dutch : norwegian : finnish : thai : vietnamese : nigerian : kenyan
    """,
    "condition": """
        asthma asthmatic asthmatics : copd : diabetes : hypertension : stroke strokes : depression depressive
        : anxiety : schizophrenia : epilepsy seizures : dementia alzheimer : obesity : psoriasis : sepsis septic
        : pneumonia : cancer cancers tumour tumours tumor tumors carcinoma neoplasm malignancy : infarction
        : migraine : fracture fractures : osteoporosis : hiv aids : malaria : tuberculosis : influenza : gout : autism
        : hypotension : heart : bleeding haemorrhage hemorrhage : thrombosis : embolism : nausea : pain : eczema
        | renal kidney : hepatic liver : cardiac heart myocardial : pulmonary lung : gastric stomach : pancreatic
        pancreas
        : breast : prostate prostatic : colorectal colon : ovarian ovary : cervical : bladder : brain cerebral
        : oesophageal esophageal : thyroid : skin : bone
        | left : right | systolic : diastolic | arterial : venous | anterior : posterior | upper : lower
        | proximal : distal | medial : lateral
    """,
    "time": """
        daily : weekly : monthly : yearly annually annual : hourly : biweekly fortnightly
        | once : twice : thrice | morning : evening night nocturnal : afternoon
        | baseline : endpoint | preoperatively preoperative : postoperatively postoperative
        : intraoperatively intraoperative perioperatively perioperative
        | before prior : after following subsequent
    """,
    "dose": """
        oral orally : intravenous intravenously iv : subcutaneous subcutaneously : intramuscular intramuscularly
        : topical topically : inhaled inhalation : intranasal intranasally : rectal rectally : vaginal vaginally
        : sublingual sublingually : intrathecal intrathecally : epidural : intravitreal : intraperitoneal
    """,
    "strength": """
        cause causes caused causing : associated association correlated linked
        | all every always : some several sometimes : most usually : few seldom : none
        | proves proven proved prove : suggests suggest suggested suggesting
        | definite definitely : possible possibly : probable probably
    """,
}


def _build_index() -> dict[str, list[tuple[FactKind, int, int]]]:
    table: dict[str, list[tuple[FactKind, int, int]]] = {}
    for kind, axes in _CONTRASTS.items():
        for axis, sides in enumerate(axes.split("|")):
            for side, words in enumerate(sides.split(":")):
                for word in words.split():
                    table.setdefault(word, []).append((kind, axis, side))
    return table


_PLACES_BY_WORD = _build_index()


def find_contrast(one: str, other: str) -> FactKind | None:
    """The kind of an axis on which two small words stand in different places; None where they share none."""
    places = _PLACES_BY_WORD.get(other, ())
    for kind, axis, side in _PLACES_BY_WORD.get(one, ()):
        if any(place[:2] == (kind, axis) and place[2] != side for place in places):
            return kind
    return None


def is_population_word(word: str) -> bool:
    """Whether a small word names some people or animals, and not others."""
    return any(kind == "population" for kind, _, _ in _PLACES_BY_WORD.get(word, ()))
