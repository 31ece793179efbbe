"""Word tables of the pair generator: opposites, synonyms, classes of things that can be exchanged.

Written for this generator. They are not those of the number guard (text/lexicon.py), so that a model trained on these
pairs can be measured beside the guard without sharing its lists.
"""

_OPPOSITES = """
increase decrease|increases decreases|increased decreased|increasing decreasing|increased reduced|increase reduction
raises lowers|raised lowered|elevated reduced|elevates reduces|elevation reduction|rise fall|rises falls|rose fell
enhances impairs|enhanced impaired|enhance impair|enhancing impairing|enhanced attenuated|enhances attenuates
improves worsens|improved worsened|improve worsen|improving worsening|improvement deterioration|improves impairs
promotes inhibits|promoted inhibited|promote inhibit|promoting inhibiting|promotion inhibition|promotes suppresses
induces suppresses|induced suppressed|induce suppress|inducing suppressing|induction suppression|induces prevents
activates inhibits|activated inhibited|activate inhibit|activating inhibiting|activation inhibition
activator inhibitor|stimulates suppresses|stimulated suppressed|stimulate suppress|stimulating suppressing
stimulation suppression|upregulates downregulates|upregulated downregulated|up-regulated down-regulated
upregulation downregulation|up-regulates down-regulates|up-regulation down-regulation|upregulate downregulate
facilitates blocks|facilitate block|accelerates delays|accelerated delayed|accelerate delay|facilitated blocked
causes prevents|cause prevent|caused prevented|higher lower|high low|highest lowest|greater smaller|larger smaller
large small|longer shorter|long short|more less|more fewer|better worse|best worst|stronger weaker|strong weak
faster slower|rapid slow|earlier later|early late|older younger|increased diminished|positive negative
positively negatively|gain loss|gained lost|presence absence|present absent|effective ineffective
efficacious ineffective|safe unsafe|superior inferior|beneficial harmful|benefit harm|benefits harms
protective harmful|common rare|commonly rarely|frequent infrequent|frequently rarely|often seldom|sensitive resistant
sensitivity resistance|susceptible resistant|susceptibility resistance|major minor|similar different
similarly differently|comparable different|dependent independent|dependently independently|necessary unnecessary
required dispensable|essential dispensable|sufficient insufficient|adequate inadequate|majority minority|most few
likely unlikely|possible impossible|able unable|known unknown|acute chronic|mild severe|well poorly|good poor
excess deficiency|hyperactivation inactivation|active inactive|stable unstable|complete partial
reversible irreversible|detectable undetectable|feasible infeasible|reliable unreliable|accurate inaccurate
appropriate inappropriate|related unrelated|affected unaffected|changed unchanged|altered unaltered
hypertrophy atrophy|agonist antagonist|agonists antagonists|activators inhibitors|expansion contraction
proliferation death|overexpression knockdown|survival death|benign malignant|upstream downstream|dominant recessive
maximum minimum|exceeds underestimates|overestimates underestimates|gains losses|strengthens weakens
aggravates alleviates|aggravated alleviated|exacerbates ameliorates|exacerbated ameliorated|exacerbate ameliorate
heavier lighter
"""

_SYNONYMS = """
increases raises elevates augments|increased raised elevated augmented|increase raise|increasing raising elevating
decreases reduces lowers diminishes|decreased reduced lowered diminished|decrease reduce lower|decreasing reducing
promotes favours enhances|promotes stimulates|promote stimulate|inhibits suppresses blocks
inhibited suppressed blocked|inhibit suppress block|inhibition suppression blockade|improves ameliorates
improved ameliorated|improvement amelioration|shows demonstrates|showed demonstrated|show demonstrate
causes leads_to results_in|caused led_to resulted_in|cause lead_to|prevents averts
upregulates increases_the_expression_of|downregulates decreases_the_expression_of|effective efficacious
upregulated overexpressed|important crucial essential|plays_a_role_in is_involved_in contributes_to|regulates controls
regulate control|regulated controlled|regulation control|mediates drives|required necessary needed
is_required_for is_necessary_for|associated linked related|correlated related|correlates_with is_related_to
higher greater increased|lower reduced decreased|higher more_elevated|similar comparable|frequent common|rare uncommon
likely probable|therapy treatment|therapies treatments|medication drug|medications drugs|patients people individuals
subjects participants individuals|children paediatric_patients|infants babies|physicians doctors clinicians
physician doctor clinician|risk likelihood probability|illness disease disorder|disease disorder|cancer malignancy
tumor neoplasm tumour|tumors tumours neoplasms|tumour tumor|hypertension high_blood_pressure
myocardial_infarction heart_attack|stroke cerebrovascular_accident|renal kidney|hepatic liver|cardiac heart
pulmonary lung|mortality death|death mortality|adverse_events side_effects adverse_effects
adverse_effects side_effects|symptoms complaints|elderly older_people|obesity excess_weight|diagnosed identified
identified found detected|found observed|onset start beginning|significantly markedly substantially
significant substantial marked|rapidly quickly|rapid fast|severe serious|use usage|compared_with relative_to versus
compared_to relative_to versus|in_comparison_with compared_with|efficacy effectiveness|effectiveness efficacy
effects effect|levels concentrations|level concentration|concentrations levels|in_vivo in_living_animals
administration use|receives gets|received were_given|develop get|occurs happens arises|occur happen arise
fever raised_temperature|approximately about roughly|because_of due_to owing_to|due_to because_of|although though
however yet|before prior_to|after following|during throughout|several multiple various|many numerous|may can might
might may|contains includes|inherited passed_on|mutation genetic_change|mutations genetic_changes
gene_expression transcription|trigger provoke|triggers provokes induces|impairs compromises damages
impaired compromised defective|cells cell_populations|mice murine_models|human people's|women female_patients
men male_patients|alters changes modifies|altered changed modified|alter change modify|leads_to causes results_in
results_in causes leads_to|lead_to cause|binds_to interacts_with|interacts_with binds_to|produces generates
produced generated|enhances strengthens boosts|enhanced boosted strengthened|reduction decrease decline
decline decrease|predicts forecasts|predictor indicator|treated managed|treat manage|protects_against guards_against
usually generally typically|generally usually|sometimes occasionally|often frequently|frequently often
first-line initial|no_significant_difference no_difference|did_not_differ was_not_different
was_not_different did_not_differ
"""

_CLASSES = """
children adults infants adolescents neonates|women men|female male|girls boys|mice rats rabbits zebrafish
mouse human rat yeast|diabetes hypertension asthma obesity epilepsy depression|stroke pneumonia sepsis
liver kidney lung heart brain|renal hepatic cardiac pulmonary
breast prostate colorectal lung ovarian pancreatic gastric|type_1 type_2|T_cells B_cells NK_cells
neurons astrocytes macrophages fibroblasts|intravenous oral topical intranasal|placebo aspirin metformin
systolic diastolic|preterm term|outpatients inpatients|bacterial viral fungal|left right|daily weekly monthly
weeks months days years|surgery radiotherapy chemotherapy|DNA RNA|mRNA protein|cytokines antibodies hormones
glucose cholesterol sodium potassium calcium|autosomal X-linked|blood urine saliva|arteries veins|anaemia hypertension
skin eye ear|smokers non-smokers|mothers fathers|morning evening
"""

_VERBS = """
increase increases increased|decrease decreases decreased|reduce reduces reduced|improve improves improved
impair impairs impaired|promote promotes promoted|inhibit inhibits inhibited|induce induces induced
suppress suppresses suppressed|activate activates activated|enhance enhances enhanced|regulate regulates regulated
mediate mediates mediated|cause causes caused|prevent prevents prevented|affect affects affected
control controls controlled|modulate modulates modulated|block blocks blocked|attenuate attenuates attenuated
stimulate stimulates stimulated|require requires required|protect protects protected|predict predicts predicted
alter alters altered|delay delays delayed|accelerate accelerates accelerated|trigger triggers triggered
facilitate facilitates facilitated|influence influences influenced|contribute contributes contributed
correlate correlates correlated|encode encodes encoded|target targets targeted|bind binds bound
maintain maintains maintained|produce produces produced|drive drives drove|disrupt disrupts disrupted
limit limits limited|support supports supported|interact interacts interacted|differ differs differed
lower lowers lowered|worsen worsens worsened|express expresses expressed|involve involves involved|play plays played
provide provides provided|show shows showed|occur occurs occurred|lead leads led|benefit benefits benefited
help helps helped|treat treats treated|contain contains contained|include includes included|respond responds responded
"""


def _rows(table: str) -> list[list[str]]:
    return [
        [w.replace("_", " ") for w in row.split()] for line in table.strip().splitlines() for row in line.split("|")
    ]


def _both_ways(rows: list[list[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        for word in row:
            found.setdefault(word, []).extend(other for other in row if other != word)
    return found


OPPOSITES: dict[str, list[str]] = _both_ways(_rows(_OPPOSITES))
"""A word to words of the opposite direction, both ways."""

SYNONYMS: dict[str, list[str]] = {
    word: others for word, others in ((row[0], row[1:]) for row in _rows(_SYNONYMS)) if others
}
"""A word or phrase to others that mean the same in most sentences of this kind; one way only."""

CLASSES: dict[str, list[str]] = _both_ways(_rows(_CLASSES))
"""A word to others of its class: exchanged, the sentence is about something else."""

VERBS: dict[str, tuple[str, str]] = {third: (base, past) for base, third, past in _rows(_VERBS)}
"""Third person of a verb to its base and its past."""

BASES: dict[str, tuple[str, str]] = {base: (third, past) for third, (base, past) in VERBS.items()}
"""Base of a verb to its third person and its past."""

PASTS: dict[str, str] = {past: base for base, past in VERBS.values()}
"""Past of a verb to its base."""
