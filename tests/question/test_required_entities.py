"""What a question names that an answer has to speak of."""

from tests.tables import each_row
from wellsourced.question.required_entities import find_required_entities, list_missing_terms
from wellsourced.types import Expansion, Question


def missing(question: str, text: str, *expansions: Expansion) -> list[str]:
    asked = Question(text=question, expansions=expansions)
    return [term.name for term in list_missing_terms(find_required_entities(asked), text)]


@each_row(
    ("question", "text", "names"),
    [
        ("What HbA1c target for a frail older adult?", "Frail older adults: an A1C below 8.0 %", []),
        ("What hba1c target for a frail older adult?", "Frail older adults: an A1C below 8.0 %", []),
        ("What A1C target for a frail older adult?", "Frail older adults: an HbA1c below 8.0 %", []),
        ("What HbA1c target for a frail older adult?", "Frail older adults: glucose below 180 mg/dL", ["HbA1c"]),
        ("Is rhythm control advised in AF?", "After a stroke, rhythm control is advised", ["AF"]),
        ("Is rhythm control advised in AF?", "AFib: rhythm control is advised", []),
        ("What dose of prednisolone for a gout flare?", "Gout: colchicine 1.2 mg for a flare", ["prednisolone"]),
        ("What dose of colchicine for a gout flare?", "Gout: colchicine 1.2 mg for a flare", []),
        ("Apixaban dose for AF on haemodialysis?", "Atrial fibrillation: apixaban 5 mg BID", ["dialysis"]),
        ("Apixaban dose for AF on haemodialysis?", "AF with ESRD on dialysis: apixaban 5 mg BID", []),
        ("Amoxicillin for a 7-year-old?", "Adults: amoxicillin 1 g", ["children"]),
        ("Amoxicillin for a 70-year-old?", "Adults: amoxicillin 1 g", []),
        ("Can furosemide be given subcutaneously?", "Furosemide 20-40 mg IV or oral", ["subcutaneous"]),
        ("Azithromycin to prevent COPD exacerbations?", "Asthma: low-dose azithromycin", ["COPD"]),
        ("Azithromycin to prevent COPD exacerbations?", "Chronic obstructive pulmonary disease: azithromycin", []),
        (
            "What BP goal does the 2025 hypertension guideline give?",
            "2017 hypertension guideline: below 130/80",
            ["2025"],
        ),
        ("What is the sensitivity of the urinary antigen?", "The antigen detects serogroup 1", ["sensitivity"]),
        ("What dose of adrenaline for anaphylaxis?", "Septic shock: adrenaline 0.01 mcg/kg/min", ["anaphylaxis"]),
        ("Which antibiotics for severe pneumonia in the ICU?", "Severe CAP in the ICU: a beta-lactam", []),
        ("When can aspirin be started after a stroke?", "Stroke: no antiplatelet for 24 hours", []),
        ("What dose of aspirin after a stroke?", "Stroke: an antiplatelet, 75 mg", ["aspirin"]),
        ("Dose of bempedoic acid in statin intolerance?", "Statins: atorvastatin 40 mg", ["bempedoic acid"]),
        (
            "Tranexamic acid in a massive GI bleed?",
            "TBI: tranexamic acid within 3 hours",
            ["gastrointestinal bleeding"],
        ),
        ("How low should LDL be after an MI?", "Established ASCVD: LDL below 55 mg/dL", []),
        ("What scores points for non-ST elevation ACS?", "TIMI score for UA/NSTEMI", []),
        ("They are trying for a baby: stop methotrexate when?", "Methotrexate: 3 months before conception", []),
        ("Midodrine dose for tense ascites?", "Refractory ascites: paracentesis, albumin 6-8 g/L", ["Midodrine"]),
        ("How much lispro for mild DKA?", "Mild DKA: rapid-acting insulin 0.2 units/kg", ["lispro"]),
        ("Is the creatinine high?", "AKI: a rise of 0.3 mg/dL", []),
        ("Acamprosate with an eGFR of 25?", "Acamprosate: not with a CrCl below 30", []),
        ("She bled on warfarin and wants nadolol. What dose?", "Varices: carvedilol 6.25 mg", ["nadolol"]),
        ("He is on losartan. Starting Kerendia at what dose?", "Finerenone 10 mg (Kerendia)", []),
        ("How do I give colchicine for the attack?", "Gout flare: colchicine 1.2 mg", []),
        ("Kt/V in acute peritoneal dialysis?", "Intermittent hemodialysis: Kt/V 3.9 a week", ["peritoneal dialysis"]),
        ("Magnesium dose in severe pre-eclampsia?", "Asthma: magnesium 2 g over 20 min", ["pre-eclampsia"]),
        ("Magnesium dose in severe pre-eclampsia?", "Preeclamptic women: magnesium 4 g", []),
        ("Severe eclampsia at 33 weeks. Which dose of magnesium?", "Asthma: magnesium 2 g", ["eclampsia"]),
        ("Known cirrhosis, he vomits blood. When is the scope?", "Endoscopy in cirrhotic patients", []),
        ("Salbutamol in bronchiolitis?", "Chronic bronchitis: salbutamol", ["bronchiolitis"]),
        ("True anaphylaxis to penicillin, what now?", "Penicillin allergy: aztreonam", []),
        ("First drug in postpartum haemorrhage?", "Hemorrhage in trauma", ["postpartum"]),
        ("First drug in postpartum haemorrhage?", "Haemorrhage after delivery: oxytocin", []),
        ("At what potassium is dialysis begun?", "Dialysis for hyperkalemia above 6.5 mmol/L", []),
        ("cellulitis on the ward, RR 24. Is that a positive qSOFA?", "qSOFA of 2 in suspected infection", []),
        ("cellulitis on the ward, RR 24. Is that a positive qSOFA?", "qSOFA of 2 in asthma", ["cellulitis"]),
        ("How is cellulitis treated?", "Antibiotics in suspected infection", ["cellulitis"]),
        ("Colistin for Acinetobacter?", "Gram-negative bacilli: colistin", []),
        ("murmur before her hemicolectomy. what valve findings matter?", "Severe aortic stenosis", []),
        ("Stroke 2 h ago, on dalteparin for a DVT. Can he be lysed?", "Stroke: no LMWH within 24 h", []),
        ("House fire, lactate 14. Cyanokit dose?", "Smoke inhalation: Cyanokit 5 g", []),
        ("Which events count for lipid purposes?", "Recent ACS", []),
        ("How is tPA split in a stroke?", "Stroke: alteplase 0.9 mg/kg, 10 % as a bolus", []),
        ("How is tPA split in a stroke?", "Stroke: aspirin within 48 hours", ["tPA"]),
        ("Is Entresto started at 24/26?", "Sacubitril/valsartan: 24/26 mg twice a day", []),
        ("Fatty liver: how is steatosis graded?", "Hepatic steatosis on ultrasound", []),
        ("How fast may sodium be corrected?", "Raise Na by 8 mmol/L a day at most", []),
    ],
)
def test_what_a_text_lacks_of_what_is_named(question: str, text: str, names: list[str]) -> None:
    assert missing(question, text) == names


def test_a_name_is_also_known_as_what_it_is_understood_as() -> None:
    brand = Expansion(said="Eliquis", meant="apixaban", kind="brand", source="wellsourced")
    assert missing("Dose of Eliquis?", "apixaban 5 mg", brand) == []


def test_a_disease_is_also_known_as_what_it_is_understood_as() -> None:
    leak = Expansion(said="CSF rhinorrhoea", meant="cerebrospinal fluid leak", kind="synonym", source="wellsourced")
    question, text = "Antibiotics for CSF rhinorrhoea?", "Cerebrospinal fluid leak: no antibiotics"
    assert missing(question, text) == ["rhinorrhoea", "CSF rhinorrhoea"]
    assert missing(question, text, leak) == []


def test_somebodys_father_asks_about_no_men() -> None:
    question = Question(text="Can Dad have a steroid inhaler alone for his COPD?")
    assert [one.name for one in find_required_entities(question) if one.kind == "population"] == []
