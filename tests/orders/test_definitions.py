"""A sentence that defines a term is told from one that only speaks of it."""

from tests.tables import each_row
from wellsourced.orders.definitions import defines_term, find_long_form


@each_row(
    ("sentence", "names"),
    [
        ("Metformin is a medicine that makes insulin work better.", ("metformin",)),
        ("Pulmonary embolism, or PE, is a sudden blockage.", ("PE", "pulmonary embolism")),
        ("Helicobacter pylori (H. pylori) is a type of bacteria.", ("Helicobacter pylori",)),
        ("The A1C test, also called HbA1C, or glycohemoglobin test, is a blood test.", ("HbA1c",)),
        ("Apixaban, an anticoagulant, is used to prevent strokes.", ("apixaban",)),
        ("Your doctor will use a test called spirometry to check how your lungs are working.", ("spirometry",)),
        ("Warfarin is used to prevent blood clots.", ("warfarin",)),
        ("NSAIDs are drugs that reduce pain and inflammation.", ("NSAIDs",)),
        ("Atrial fibrillation is the most common type of arrhythmia.", ("atrial fibrillation",)),
        ("Lumbar puncture : A procedure used to collect cerebrospinal fluid.", ("lumbar puncture",)),
        ("New blood thinners, including dabigatran and apixaban, prevent strokes.", ("apixaban",)),
        ("An example of an effective ACE inhibitor is lisinopril (Prinivil, Zestril).", ("lisinopril",)),
        ("Lisinopril is an example of an ACE inhibitor.", ("lisinopril",)),
        ("Examples of calcium channel blockers include amlodipine and diltiazem.", ("amlodipine",)),
    ],
)  # fmt: skip
def test_a_sentence_that_says_what_it_is_defines_a_term(sentence: str, names: tuple[str, ...]) -> None:
    assert defines_term(sentence, names) > 0


@each_row(
    ("sentence", "name"),
    [
        ("Allopurinol is the preferred first-line agent.", "allopurinol"),
        ("Allopurinol is strongly recommended for all patients.", "allopurinol"),
        ("Melena is a sign of bleeding.", "melena"),
        ("Furosemide: 20–40 mg IV or oral, titrate to achieve euvolemia.", "furosemide"),
        ("Esophagogastroduodenoscopy (EGD) is the procedure of choice for Barrett esophagus.", "PE"),
        ("Drugs are placed into cerebrospinal fluid, an organ, or a cavity.", "cerebrospinal fluid"),
        ("Atrial fibrillation is a leading cause of stroke.", "fibrillation"),
        ("The ace is a card.", "ACE"),
        ("A gland may make too much PTH, a condition called hyperparathyroidism.", "PTH"),
        ("It makes a protein called a magnesium transporter, which moves ions.", "magnesium"),
        ("They have low blood glucose, a condition called hypoglycemia unawareness.", "hypoglycemia"),
        ("Two examples of such medicines are aspirin and ibuprofen.", "ibuprofen"),
        ("Calcium is a normal part of a healthy diet.", "calcium"),
        ("Medications, including some for diabetes, are the main cause of hypoglycemia.", "hypoglycemia"),
        ("It may cause side effects such as hypoglycemia.", "hypoglycemia"),
        ("Risk factors such as diabetes matter.", "diabetes"),
        ("Secondary gout is a rare disease.", "gout"),
        ("", "gout"),
    ],
)  # fmt: skip
def test_a_sentence_that_only_speaks_of_a_term_or_of_another_does_not(sentence: str, name: str) -> None:
    assert defines_term(sentence, (name,)) == 0


@each_row(
    ("abbreviation", "text", "long_form"),
    [
        ("BMP", "There are two: basic metabolic panel (BMP) and another.", "basic metabolic panel"),
        ("eGFR", "called the estimated glomerular filtration rate (eGFR).", "estimated glomerular filtration rate"),
        ("EGD", "Esophagogastroduodenoscopy (EGD) with a biopsy", "Esophagogastroduodenoscopy"),
        ("DXA", "measured by dual-energy X-ray absorptiometry (DXA)", "dual-energy X-ray absorptiometry"),
        ("PE", "a blood clot in the lung (PE)", ""),
        ("gout", "a disease (gout)", ""),
    ],
)  # fmt: skip
def test_a_long_form_is_read_where_it_stands_before_its_abbreviation(
    abbreviation: str, text: str, long_form: str
) -> None:
    assert find_long_form(abbreviation, [text]) == long_form
