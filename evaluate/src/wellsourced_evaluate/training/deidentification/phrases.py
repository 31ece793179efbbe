# ruff: noqa: E501 - tables of forms are easier to read a line each
"""Phrases of records, letters and messages, with slots for invented people; written for training, by nobody's notes."""

NAME_LABELS = """Name|Patient|Patient Name|PATIENT|PATIENT NAME|Pt|Pt Name|Pt.|Name of patient|Surname|Family name|Last name
First name|Forename|Given name(s)|Other names|Full name|Client|Resident|Subject|Member|Insured|Child|Baby|Baby of
Paciente|Nombre|Nombre y apellidos|Apellidos|Apellidos y nombre|Nom|Nom et prénom|Nom, prénom|Prénom|Patiente
Patientin|Name, Vorname|Nachname|Vorname|Pat.|Pat|Paziente|Cognome e nome|Cognome|Nome|Nome do paciente|Utente|Doente
Naam|Achternaam|Patiënt|Voornaam|Imię i nazwisko|Pacjent|Pacjentka|Nazwisko|Namn|Efternamn|Patientens namn|Navn|Nimi
Jméno|Név|Nume|Ad Soyad|Nama|NOM|NOMBRE|NAME|SURNAME|nome|name|pt|Name of Pt|Caller|Mother|Father|Spouse|NOK|N.O.K
Next of kin|Emergency contact|Contact person|Carer|Guardian|Partner|Donor|Employee|Principal|Dependant""".replace(
    "\n", "|"
).split("|")

STAFF_LABELS = """Attending|PCP|GP|Provider|Physician|Consultant|Surgeon|Anaesthetist|Referring|Ref by|Referred by|Seen by
Signed|Electronically signed by|Dictated by|Transcribed by|Verified by|Checked by|Reviewed by|RN|Nurse|Midwife|Crew
Witness|Interpreter|Reported by|Accepted by|Accepting|Author|Entered by|Collected by|Operator|Opérateur|Médecin|Médico
Dr|Doctor|Arzt|Ärztin|Hausarzt|Huisarts|Arts|Medico|MMG|Lekarz|Läkare|Lege|Médecin traitant|Fdo.|Firmado|gez.|Assinado
Pharmacist|Radiologist|Pathologist|Sonologist|PATHOLOGIST|Therapist|Case manager|SW|Social worker|Sec|Typed by|cc|CC|c.c.
Enfermeira|Enfermera|Infirmière|Verpleegkundige|Pielęgniarka|Sjuksköterska|Responsável|HCPOA|Proxy|Watcher|Informant
Responsible clinician|Care coordinator|Health visitor|Ordering|Order by|Prescriber|From|To|FROM|TO|Attn|Att|Spoke with""".replace(
    "\n", "|"
).split("|")

PLACE_LABELS = """Address|Addr|ADDRESS|Home address|Home|Residence|Lives|Postal address|Location|Dirección|Domicilio|Adresse
Anschrift|Wohnhaft|Indirizzo|Residente|Endereço|Morada|Adres|Adres zamieszkania|Adress|wohnhaft|demeurant|Residing at
Place of birth|Birthplace|Lugar de nacimiento|Geburtsort|Lieu de naissance|Nato a|Next address|Current location|zam.""".replace(
    "\n", "|"
).split("|")

FIELDS = (
    ("DOB", "{date}"), ("MRN", "{code}"), ("Date of birth", "{date}"), ("Sex", "F"), ("Sex", "M"), ("Age", "{age}"),
    ("Age/Sex", "{age} / M"), ("Phone", "{phone}"), ("Tel", "{phone}"), ("NHS No", "{code}"), ("Hosp no", "{code}"),
    ("Admitted", "{date}"), ("Discharged", "{date}"), ("Date", "{date}"), ("Ward", "{n}B"), ("Bed", "{n}"),
    ("Dx", "{disease}"), ("Diagnosis", "{disease}"), ("PMH", "{disease}, {disease}"), ("Allergies", "{drug}"),
    ("Allergies", "NKDA"), ("Meds", "{drug} {n} mg, {drug} {n}mg bd"), ("Rx", "{drug}"), ("Procedure", "{eponym}"),
    ("Religion", "Islam"), ("Religion", "Catholic"), ("Tribe", "Nupe"), ("Occupation", "Trader"), ("Language", "Sylheti"),
    ("Occupation", "Retired teacher"), ("Status", "Single"), ("Marital status", "Married"), ("Insurance", "Medicaid"),
    ("Insurance", "Aetna PPO"), ("Scheme", "Discovery Classic"), ("Priority", "Urgent"), ("Mode", "Carried in by mom"),
    ("Unit", "ICU"), ("Department", "Cardiology"), ("Specimen", "Blood"), ("Machine", "Siemens Vida 3T"), ("Test", "Widal"),
    ("Device", "Medtronic Azure XT"), ("Scanner", "GE Revolution"), ("Score", "{eponym}"), ("Ethnicity", "Caucasian"),
    ("Alergias", "penicilina"), ("Diagnóstico", "{disease}"), ("Antecedentes", "HTA, DM2"), ("Sexo", "Femenino"),
    ("Edad", "{age} años"), ("Geb.", "{date}"), ("Geschlecht", "weiblich"), ("Diagnose", "{disease}"), ("Station", "Innere"),
    ("Né le", "{date}"), ("Sexe", "F"), ("Traitement", "{drug}"), ("Motif", "Douleur"), ("Diagnosi", "{disease}"),
    ("Leeftijd", "{age} jaar"), ("Wiek", "{age} lat"), ("Rozpoznanie", "{disease}"), ("Ålder", "{age}"), ("Kön", "Kvinna"),
    ("Email", "info@hospital.example"), ("Result", "Negative"), ("Comment", "Sample haemolysed"), ("Plan", "{sentence}"),
    ("CC", "Chest pain"), ("HPI", "{sentence}"), ("Impression", "{disease}"), ("Findings", "Normal study"), ("Notes", "{sentence}"),
    ("Code status", "DNR"), ("Method", "CLIA, Abbott Architect"), ("Reference", "ADA 2024"), ("Country", "Nigeria"),
    ("Nationality", "British"), ("Height", "{n} cm"), ("Weight", "{n} kg"), ("BP", "120/80"), ("Hb", "118"), ("Vaccine", "Prevnar"),
    ("Category", "Green"), ("Outcome", "Home"), ("Transport", "Walking"), ("Diet", "Normal"), ("Mobility", "Zimmer frame"),
)  # fmt: skip

HEADINGS = (
    "DISCHARGE SUMMARY", "Emergency Department Note", "PROGRESS NOTE", "History and Physical", "ICU Handover", "Clinic Letter",
    "OPERATIVE REPORT", "Radiology Report", "TRIAGE", "District Nurse Visit", "INFORME DE ALTA", "ARZTBRIEF", "Entlassungsbrief",
    "COMPTE RENDU", "LETTERA DI DIMISSIONE", "KARTA INFORMACYJNA", "Journalanteckning", "ONTSLAGBRIEF", "NOTA DE EVOLUCIÓN",
    "Care Plan", "LAB REPORT", "Referral", "Telephone Encounter", "Death Note", "Nursing Note", "NOTA DE ALTA", "Epikrise",
    "Patient Care Report", "Consultation", "After Visit Summary", "Physiotherapy Assessment", "Antenatal Clinic",
)  # fmt: skip

EPONYMS = """Wells score|Wells score 1.5|Murphy negative|Murphy's sign|Rovsing's negative|Lachman negative|Babinski absent
Crohn's disease|Crohn's|Graves disease|Graves|Parkinson's|Parkinson disease|Paget's disease|Bell's palsy|Hodgkin lymphoma
Gilbert syndrome|Gilbert's|Sjogren's|Hashimoto|Hashimoto's thyroiditis|Cushing syndrome|Addison's|Addison disease
Apgar 8 & 9|Apgar 9/10|Waterlow 16|Braden 14|Glasgow Coma Scale 15|Bishop 8|Child-Pugh B|Killip II|Mallampati 2|Fazekas 2
Tourette's|Guillain-Barre|Lewy body dementia|Wernicke|Korsakoff|Barrett's oesophagus|Foley out|Foley catheter|Swan-Ganz
Hickman line|Whipple procedure|Hartmann's|Hartmann procedure|Nissen fundoplication|Roux-en-Y|Kocher incision|Bankart repair
Bristol 4|Bristol type 5|Epworth 13|Barthel 60|Berg 44|Tinetti 18|Morse 45|Norton 12|Ranson 2|Rockall 3|Centor 3|Ottawa knee
Dix-Hallpike|Epley manoeuvre|Weber central|Rinne positive|Romberg negative|Trendelenburg|Tinel positive|Phalen negative
Gleason 3+4|Gleason 7|Clark level II|Breslow 0.8 mm|Ann Arbor II|Garden III|Weber B fracture|Salter-Harris II|Colles fracture
Schatzker II|Gartland 3|Bennett fracture|Smith's fracture|Tönnis 3|Kellgren-Lawrence 4|Zimmer hip|Charcot foot|Baker's cyst
Dupuytren|Raynaud's|Henoch-Schonlein|Kawasaki|Still's disease|Behçet|Takayasu|Wegener|Marfan|Ehlers-Danlos|Down syndrome
Turner syndrome|Klinefelter|Prader-Willi|Duchenne|Huntington|Alzheimer's|Creutzfeldt-Jakob|Friedreich|Wilson disease
Doppler normal|Valsalva|Trousseau|Chvostek|Virchow node|Kussmaul breathing|Cheyne-Stokes|Kernig neg|Brudzinski negative
Beck inventory|Hamilton score|Montgomery-Asberg|Edinburgh scale 12|Mantoux 6 mm|Coombs negative|Gram stain|Giemsa|Jaffe
Framingham risk|Cockcroft-Gault|Dubois|Simpson EF|Bernoulli|Bruce protocol|Holter|Miami J|Thomas splint|Thompson hemi
Duke criteria|Jones criteria|Light's criteria|Amsel|Nugent 7|Westley 5|Broselow|Tanner II|Moro reflex|Galant|Ortolani
Barlow negative|Pavlik harness|McRoberts|Erb's palsy|Bishop score|Pinard|Shirodkar|Pfannenstiel|Kiwi|Neville Barnes|Wrigley's
Kanavel|Finkelstein positive|Thompson test|Simmonds|McMurray|Hawkins|Neer|Jobe|Spurling|Lasegue|Schober|Hoffmann|Hawkins-Kennedy
Sengstaken|Minnesota tube|Yankauer|Guedel|Hudson mask|Venturi|Bair Hugger|Seldinger|Tuohy|Quincke|Sprotte|Macintosh 3
Fitzpatrick III|Koebner|Wickham striae|Auspitz|Nikolsky|Wood's lamp|Mohs|Forrest Ib|Los Angeles B|Prague C3M5|Boston 8
Bosniak II|Couinaud VI|Morrison pouch|Luschka|Haller|Bauhin|Vater|Treitz|Douglas|Meckel|Monro|Sylvian|Galen|Willis|Broca""".replace(
    "\n", "|"
).split("|")

BARE = (
    "{brand} {n}, {brand} {n}, {brand}.", "Meds: {brand} {n}/{n}, {brand}, {drug} {n} mg.", "{brand} {n} mg 1-0-1, {brand} {n} 0-0-1.", "He takes {brand} and {brand}.",
    "On {brand} {n} bd and {brand} {n}; BP 148/86.", "{brand} {n} si besoin, {brand} {n}, {brand}.", "{brand} 1 g IV, {brand} 30 mg.", "stopped {brand}, started {brand}", "i take {brand} {n} and {brand}",
    "{brand} {n}, {brand} {n}", "Allergic to {brand}.", "Allergia: {brand}.", "Leki: {brand} {n}, {brand} 2x{n}, {brand} {n}.", "TAB {brand} {n} BD, {brand} OD AC x 14 DAYS.", "{brand} implanted.", "stent {brand} 3.5x22",
    "{brand} trial, {brand} score {n}.", "Device: {brand} {n}.", "({brand}, {brand})", "{brand} sensor changed.", "{brand} (machine) used.", "will {brand} or {drug} be better?", "Is {brand} ok?", "{brand} score {n}, {brand} {n}.",
    "HR {n} RR {n} T 38.2 SpO2 95%", "T {n} P {n} R {n} BP {n}/80", "CASE REF", "Call start 03:12", "Relationship: mother", "Triage category 2", "ESI 2", "Mode of arrival: ambulance", "barky cough, stridor at rest",
    "REMITTANCE ADVICE", "CLAIM ADVICE", "Tariff ICD Charged Paid", "FINAL REPORT", "CONFIDENTIAL", "NOT FOR MEDICO LEGAL USE", "SONOLOGIST REPORT", "IMPRESSION: FATTY LIVER GRADE II.", "HEAD AND TAIL OBSCURED BY BOWEL GAS.",
    "GB: WELL DISTENDED.", "LIVER: ENLARGED.", "ADV: LFT, FIBROSCAN", "NO FOCAL LESION.", "MANTOUX NEGATIVE", "WIDAL NEGATIVE", "S. CREATININE 1.02 (JAFFE)", "Method: HPLC, Bio-Rad", "Diet: Diabetic", "C/C FALL FROM STANDING", "DISPATCH SCENE LOAD DEST",
    "Purpose T green", "Conscious, oriented, afebrile.", "Next of kin aware.", "Safeguarding: none", "Consent: verbal", "Chaperone offered", "Interpreter used (video).", "EDD by scan", "Booked. Rh positive.", "Cephalic, 3/5 palpable.",
    "Codice: GIALLO", "Codice Verde", "Mars Bleu.", "Rappel en Mars.", "im Mai oder Juni.", "Cavum septi, Circulus Willisii, Foramen Monroi.", "Gyrus precentralis, Sulcus centralis.", "Polype Paris IIa, Kudo IIIL.", "Côlon droit normal. Rectum: pince.",
    "watched House on Sunday", "tomorrow exam so may need sleep", "my doctor is nice", "my nurse said so", "the lady at reception", "mom and dad", "mum and nan", "thanks so much", "God bless", "ok thank you", "please help", "Thank you doctor",
    "{eponym}.", "{eponym}, {eponym}.", "PMH: {disease}, {eponym}, {disease}.", "Meds: {drug}, {drug} {n} mg, {drug}.",
    "Continue {drug} {n} mg BID.", "{drug} stopped, {drug} started.", "Started on {drug} by the team.", "On {drug} and {drug}.",
    "Hx: {disease}; {disease}.", "O/E: {eponym}. {eponym}.", "Dx: {disease}", "Imp: {disease} - {eponym}", "Allergic to {drug}.",
    "Per NICE NG{n} and ESC 2023.", "Per 2022 AHA/ACC/HFSA guideline.", "As in DAPA-HF, EMPEROR-Reduced and PARADIGM.",
    "He will return Monday.", "May shower.", "May need surgery in June.", "Will call on Friday.", "Hope to wean.", "Will review in May.",
    "Vitals: BP {n}/80, HR {n}, SpO2 97% RA, Temp 98.4.", "Labs: WBC 9.2, Hgb 11, Plt 240, Na 138, K 4.1, Cr 1.0.",
    "Awaiting MRI on the Siemens Vida.", "Dexcom G7 and Omnipod 5 in use.", "Abbott Libre sensor changed.", "Medtronic pump refilled.",
    "Discussed in MDT.", "Seen on ward round.", "Family updated.", "Patient happy with plan.", "Mum happy.", "Daughter will collect.",
    "Son visits daily.", "Husband at bedside.", "Lives alone.", "Lives with wife.", "Ex-smoker, drinks Guinness.", "Works at Amazon.",
    "Retired miner.", "Primary school teacher.", "Shops at Tesco.", "Walks with Zimmer frame.", "Wears Bauerfeind brace.",
    "Next: CT chest, Echo, ECG.", "TTE: EF 55 %, mild MR.", "CXR clear.", "FIT 62, CRP 34.", "A&Ox4, GCS 15.", "NKDA", "NAD", "PERRLA",
    "DNACPR in place, RESPECT form done.", "Code status: Full", "To CVS pharmacy.", "Boots meter.", "Faxed to Walgreens.", "Via EMS Medic 9",
    "Signed electronically.", "Dictated but not read.", "Vaccines: MMR, Prevnar, Pediarix, MenB.", "Tolerating Fortisip.", "Ensure BD.",
    "Diagnosis\tCode\tStatus", "TEST\tRESULT\tUNITS\tREF RANGE", "Sodium\t138\tmmol/L\t135-145", "Creatinine\t1.0\tmg/dL", "TSH\t3.1\tuIU/mL",
    "COVID-19 Pfizer booster given.", "Johnson & Johnson vaccine.", "Moderna x2.", "Travelled to Thailand and Kenya.", "From Nigeria.",
    "Born in Poland.", "Spanish speaking.", "Haitian Creole interpreter.", "British Asian.", "African American woman.", "Irish descent.",
    "What is {disease}?", "Can {drug} be taken with {drug}?", "Is {eponym} serious?", "How is {disease} treated?", "Does {drug} help?",
    "my doc says its {disease}", "is it {eponym}?", "they gave me {drug} and {drug}", "i take {drug} {n}", "the nurse said maybe {disease}",
    "Grey's Anatomy", "Florence Nightingale Award", "Dr Google", "St John's wort", "Dr. Oz said so", "HeLa cells", "Lou Gehrig's disease",
    "The patient will follow up with the team.", "Best wishes", "Kind regards", "Thank you for referring this patient.", "Dear Doctor,",
    "Dear Colleague,", "Dear Sir or Madam,", "To whom it may concern", "No Known Allergies", "Social History", "Review of Systems",
    "PHYSICAL EXAMINATION", "ASSESSMENT AND PLAN", "Past Medical History:", "Family History: {disease}", "Medications on Discharge:",
    "HOSPITAL COURSE: {sentence}", "Indication: {disease}", "TECHNIQUE: Axial images.", "COMPARISON: None.", "FINDINGS: {sentence}",
    "Cure de hernie selon Lichtenstein.", "Morbus Crohn, Morbus Basedow.", "Enfermedad de Chagas, Murphy negativo.", "Maladie de Verneuil.",
    "Segno di Blumberg assente.", "Lasègue negativ.", "Babinski beidseits negativ.", "Choroba Hashimoto.", "Bei Z.n. Billroth II.",
)  # fmt: skip

NOTES = (
    "Seen by Dr {last} today.", "Seen by Dr. {full} in clinic.", "Discussed with {full}.", "Discussed w/ Dr {last} (neurology).", "d/w {first}",
    "Her daughter {first} reports that she ran out of {drug}.", "His wife {first} is at the bedside.", "son {first} will pick up",
    "Daughter in law {first} interpreting.", "Mother ({first}) consents.", "Mum, {first}, says he is better.", "Dad {first} was at work.",
    "Accompanied by her brother {full}.", "Here with partner {first}.", "NOK is {full} (niece).", "Contact {full}, {phone}.", "{first} called back.",
    "{first} feels better on {drug}.", "{first} verbalized understanding.", "{last} has AF.", "Ms. {last} was switched to {drug}.", "Mr {last} fell.",
    "mr {last} fell twice", "mrs. {last} keeps calling", "Mrs {last} sitting up, bright.", "Miss {last} wants to induce.", "Rabbi {last} present.",
    "Sister {first} on duty.", "RN {full} called to bedside.", "RN {first} notified.", "Nurse {first} got BP 98/60.", "s/n {first}", "Midwife: Sr. {full}.",
    "HCA {first} took bloods.", "Pharmacist {first} queried the dose.", "Spoke w/ {first} at CVS.", "report called to {first} RN", "Physio {first} assessed.",
    "per trooper {last}", "Officer {last} escorted.", "Chaplain {last} visited.", "Coroner {full} released.", "reviewer {first} x4410", "SW {full} will follow.",
    "Signed out to Dr. {last}.", "Trauma (Dr. {last}) saw pt.", "Attending: {full}", "PCP {full}", "PCP: Dr {last}", "GP Dr {last} to review.", "Consultant {last}",
    "Referred by {full}, NP.", "Thank you, {full}, MD", "-- {full}, LPN", "{full}, RN", "{full} MD", "{full}, Band 6", "Dr {full} ST5", "({initials})", "{initials} RN",
    "Pt {full} presented with {disease}.", "pt {full} here for {disease}", "Patient {listed} admitted.", "Patient: {listed}", "{listed} {age}F", "{listed} {age} y/o M",
    "{listed}, {age}M, {disease}", "Name: {listed}", "pt name {full}", "Patient {full} ({age}) seen.", "{full} is a {age} year old with {disease}.", "{first} is {age}.",
    "Baby {last} is feeding well.", "Baby {first} weighs 4 kg.", "Twin sister {first} well.", "Cousin {first} has RSV.", "School nurse {last} informed.", "Teacher Mr {last} called.",
    "Lives in {town} with wife {first}.", "Lives at {address}.", "lives at {address} with his girlfriend {first}", "Moved to {address} last month.", "Resides in {town}.",
    "Originally from {town}.", "Goes to school in {town}.", "Transferred from {town}.", "Home: {address}", "Works in {town}.", "Now staying with brother {full} at {street}.",
    "Found on {street}.", "Picked up near {street}, {town}.", "Son in {town} notified.", "Neighbour {full} has a key.", "Her friend {first} drove her.", "Visited by {first}.",
    "cc: {full}", "cc {full}, {full}", "Copy to {full}, {town}.", "From: {full}", "To: {full}", "Interpreter: {first}", "Crew: {full} / {first}", "Scribe: {full}.",
    "I spoke to {first} on the phone.", "{first} will call back.", "I asked {first} to return.", "{first}'s phone is off.", "{last}'s results are back.", "{first}'s husband {first} died.",
    "{first} and {first} agree with the plan.", "{first}, {first} and {first} visited.", "Informed {full}.", "Handover to {first}.", "Taken by {first}.", "Thanks {first}", "Hi {first},",
    "Dear Dr {last},", "Dear {first},", "Re: {full}", "RE: {listed}", "Electronically signed by {full} on {date}", "Dictated by: {full}", "Surgeon: {full}. Assistant: {last}.",
    "seen w/ dr {last}", "dr {last} aware", "will discuss w/ {last}", "{last} notified", "Prof {last} agrees.", "Professor {full} operated.", "Engr. {full}", "Chief {full}",
    "Alhaji {full}", "Sgt {last}", "Father {first} gave last rites.", "Pastor {full} visited.", "Sr {full}", "Mstr {full}", "Baby of {first}", "B/O {full}", "c/o {full}",
    "née {last}", "a.k.a. {full}", "known as {first}", "prefers to be called {first}", "goes by {first}", "likes to be called {first}", "answers to {first}", "wife = {first}",
    "Referred from {town}.", "was on holiday in {town}", "born in {town}", "buried in {town}", "in {town}", "near {town}", "at {street}", "of {address}", "moving to {town}",
)  # fmt: skip

LAY = (
    "hi so im {first} {age} m and i got my bloods back", "Hi, my name is {full}.", "hello i'm {first}, {age}", "I'm {first} btw", "im {first} from {town}", "This is {first}.",
    "my name is {first} and I am writing on behalf of my father {full}", "I am {full}, {age} years old.", "i am {first} {age}f", "My son {first} ({age}) started {drug}.",
    "my daughter {first} has a fever", "my sister {first}, shes pregnant", "my nan {full} had it", "my husband {first} thinks c section", "my mum {first} is {age}",
    "my brother {first} says it is age", "my mother in law {first} says its dangerous", "my wife {first} has {disease}", "its my mum, {full}, shes {age}", "my boyfriend {first} has it too",
    "my friend {first} told me", "our baby {first} is 4 weeks", "last baby ({first}, 4.2 kg)", "my kids {first} and {first} are fine", "my dog {first} licked it", "my ex {first}",
    "dr {last} said maybe {disease}", "the dr ({last}?) said {disease}", "Dr. {last} gave me {drug}", "dr {last} put me on {drug} {n}", "his ped Dr. {last} said wait", "mrs. {last} keeps calling",
    "nurse {first} said its fine", "midwife {first} gave me a meter", "my consultant miss {last} wants to", "my gp dr {first} {last}", "saw {first} the nurse", "the physio ({first}) said",
    "i live in {town}", "We're near {town}", "im in {town}", "we stay in {town}", "I live at {address}", "my address is {address}", "from {town}", "i moved to {town} last year",
    "thanks, {first}", "Thanks\n{first}", "signed a tired {first} from {town}", "cheers {first}", "regards {full}", "God bless you,\n{full}", "{first} x", "love {first}", "- {first}",
    "I take {drug} {n} and {drug}.", "i may faint haha", "will it hurt??", "may i take {drug}", "i hope so", "i will be fine", "is that bad lol", "they said {eponym}", "i have {eponym} and {disease}",
    "User: {first}", "me: hi {first}", "{first}: how are you", "Agent {first}: please hold", "so {first} said no", "then {first} fainted", "{first} is {age} now", "{first} hasnt eaten since",
    "can you tell {first}", "should {first} stop {drug}?", "is {first} ok?", "{first} and i want a baby", "i told {first} already", "when {first} was born", "{first} weighs {n} kg", "poor {first}",
    "i work with {full} at the school", "my boss {first} wants a note", "HR ({full}) asked", "my lawyer {full}", "claim handler {first} {last}", "sent to {address}", "i called {first} at the office",
)  # fmt: skip

LISTS = (
    "rm {n} {first} - chest better, finished {drug}", "rm {n} mr {last} - falls x2", "bed {n}: {last}, {first} {age}M {disease}", "{n}. {full} {age}F - {disease}, plan CT", "Bed {n} {last} - {disease}",
    "{listed} {age}M {disease}", "{last} {age}f {disease} d2", "side room {first} {last} - DNACPR", "- {full}: {drug} {n} mg", "* {last}: await echo", "{n}) {listed} - home today", "rm {n} new. {listed}. from A&E",
    "{full} | {age} | {disease} | {drug}", "{last}\t{age}\t{disease}", "{first} - bloods", "{listed} - {sentence}", "bay {n} {full} - {eponym}", "{initials}: chase bloods", "bloods for {n}, {n} on thurs", "flu outbreak 2 cases",
    "{drug} {n} mg - continue", "{disease} - stable", "{eponym} - repeat", "Jobs: CXR, bloods, TTO", "{n}. {disease}", "{n}. {drug} {n} mg od", "- {sentence}", "DNAR discussed w/ {first} (son)", "w/ sister {first}",
)  # fmt: skip

FOREIGN = {
    ("es_ES", "es_MX", "es_CO", "es_AR"): (
        "Paciente: {listed}", "Nombre: {full}.", "Paciente {full} de {age} años.", "Se trata de la Sra. {last}, de {age} años.", "Acude acompañado de su hijo {first}.", "Su esposa {first} refiere fiebre desde ayer.",
        "Vive en {town} con su hermana {first}.", "Domicilio: {address}", "Firmado: Dr. {full}", "Dra. {full}, médico adjunto.", "Control por su MAP, Dra. {full}.", "La Sra. {last} entiende y acepta.", "Tratamiento: {drug} {n} mg, {drug}.",
        "Motivo de consulta: dolor torácico.", "Antecedentes: HTA, DM2, enfermedad de Crohn, apendicectomía.", "Exploración: TA 120/80, FC 76, SatO2 97%.", "Murphy negativo. Blumberg negativo.", "Según guía ESC 2023 se descarta SCA.",
        "No refiere alergias medicamentosas.", "Enfermería: {first}.", "La enfermera {first} retira la vía.", "Madre: {full}.", "Radiografía de tórax sin hallazgos.", "Alta a domicilio con cita en Mayo.", "El paciente refiere mejoría.", "me llamo {full} y vivo en {town}", "mi hijo {first} tiene fiebre",
    ),
    ("de_DE", "de_AT", "de_CH"): (
        "wir berichten über Frau {full}, geb. {date}", "Patient: {listed}, geb. {date}", "wohnhaft {address}", "Herr {last} stellte sich mit Thoraxschmerzen vor.", "Die Ehefrau {first} berichtet über Fieber.", "Sehr geehrte Frau Kollegin {last},",
        "Sehr geehrter Herr Dr. {last},", "Hausarzt: Dr. med. {full}", "gez. Dr. {full}, Oberarzt", "Die Tochter {first} {last} wurde informiert.", "Medikation: {drug} {n} mg 1-0-1, {drug} 0-0-1.", "Diagnose: Morbus Crohn, arterielle Hypertonie.",
        "Anamnese: Die Patientin klagt über Schwindel und Übelkeit.", "Befund: Herz und Lunge unauffällig, Abdomen weich.", "Labor: CRP 34 mg/l, Leukozyten 9,2, Kreatinin 0,8.", "Lasègue negativ, Babinski negativ.", "Verlauf: Unter Therapie rasche Besserung.",
        "Der Patient lebt in {town} mit seiner Frau.", "Mit freundlichen kollegialen Grüßen\n{full}", "Schwester {first} hat Blut abgenommen.", "Beurteilung: Keine Fraktur, Kontrolle in 6 Wochen.", "Entlassung nach Hause am Montag.", "MRT Schädel nativ und mit Kontrastmittel.", "Prof. {last} empfiehlt Operation.", "ich heiße {full} und wohne in {town}", "Herrn {full}", "Ehemann: {first}",
        "Mehrere ovale periventrikuläre Läsionen links frontal. Keine Diffusionsstörung.", "Kein Enhancement. Verlauf in Monaten, Korrelation mit Liquor empfohlen.", "Fragestellung: Verdacht auf Vaskulitis. Technik: Sequenzen vor und nach Gabe.", "Galle, Niere, Leber, Milz und Pankreas regelrecht.",
    ),
    ("fr_FR", "fr_BE", "fr_CA"): (
        "Je te confie Monsieur {full}, né le {date}", "Madame {last} est hospitalisée pour dyspnée.", "Son épouse {first} signale un ronflement.", "Son père, {first}, est décédé à {age} ans.", "Patient : {listed}", "Nom : {last}  Prénom : {first}", "Adresse : {address}",
        "{town}, le {date}", "Dr {full} – Médecin généraliste", "Chère Consœur,", "Cher ami,", "Bien confraternellement,\n{first}", "Traitement : {drug} {n}, {drug}.", "Pas d'allergie connue.", "TA 12/8, FC 72. Souffle systolique au foyer aortique.", "Maladie de Crohn, syndrome de Gilbert.",
        "Mme {full}, {age} ans, consulte pour douleur.", "M. {last} est joignable au {phone}.", "Habite à {town}.", "IDE : {first}", "Opérateur : Dr {last}", "Sa fille {first} est prévenue.", "Conclusion : deux polypes réséqués.", "Contrôle dans trois mois selon histologie.", "je m'appelle {full}, j'habite à {town}", "Indication : dépistage. Préparation : correcte.",
    ),
    ("it_IT",): (
        "Paziente: {listed}", "Cognome e nome: {listed}", "Nato a {town} il {date}", "Residente: {address}", "Accompagnato dalla compagna sig.ra {first}.", "Sig. {last} dimesso ore 02.40.", "Medico: {full}", "dott. {last}", "Dott.ssa {full}", "La figlia {first} riferisce febbre.", "La sig.ra {last} è vigile.",
        "Terapia: {drug} {n} mg 1 cp, {drug}.", "Anamnesi: trauma da caduta. Nega allergie.", "E.O.: GCS 15, PA 120/80, addome trattabile.", "Segno di Blumberg assente, Murphy negativo.", "Diagnosi: frattura composta.", "Prognosi: giorni 30.", "Vive a {town} con il marito {first}.", "MMG: {last}", "Cordiali saluti\n{full}", "mi chiamo {full} e abito a {town}", "Controllo ortopedico a maggio.",
    ),
    ("pt_BR", "pt_PT"): (
        "Paciente: {full}", "Nome: {full}", "Utente: {listed}", "Sra. {last} refere dor torácica.", "Acompanhada pela filha {first}.", "Mora em {town} com o marido {first}.", "Residente em {address}", "Endereço: {address}", "Dr. {full} CRM", "Dra. {full}, interna de Medicina", "Enf. {first} ciente.", "Medicação: {drug} {n} mg, {drug}.",
        "HDA: Paciente refere dispneia há três dias.", "Ao exame: BEG, PA 120/80, FC 76.", "Conduta: manter tratamento e reavaliar.", "Doença de Chagas, doença de Crohn.", "Murphy negativo.", "O filho {first} foi informado.", "Com os melhores cumprimentos,\n{full}", "meu nome é {full}, moro em {town}", "Exmo. Colega,", "Alta em Maio.", "D. {first} nega alergias.", "Mãe: {full}",
    ),
    ("nl_NL", "nl_BE"): (
        "Patiënt: {listed}", "Naam: {listed}", "Betreft: dhr. {full}, geb. {date}", "Mevr. {last} komt op het spreekuur.", "Mw. {last} woont in {town}.", "Echtgenote {first} meegekomen.", "Dochter {first} belt.", "Adres: {address}", "huisarts {full}", "Geachte collega {last},", "Met vriendelijke groet,\n{full}", "Medicatie: {drug} {n} mg 1dd1, {drug}.",
        "S: sinds drie dagen hoesten en koorts.", "O: longen schoon, RR 120/80.", "E: pneumonie", "P: amoxicilline, controle over een week.", "Ziekte van Crohn, ziekte van Parkinson.", "Lasègue negatief.", "verpleegkundige {first} ingelicht", "Zoon {full} is contactpersoon.", "ik ben {first} uit {town}", "dr. {last}, internist",
    ),
    ("pl_PL",): (
        "Pacjent: {full}", "Imię i nazwisko: {full}", "Pan {full}, lat {age}", "Pani {last} zgłosiła się z bólem brzucha.", "Żona, p. {first}, wezwała ZRM.", "zam. {address}", "Córka {first} poinformowana.", "lek. {full}", "dr n. med. {full}", "Leki: {drug} {n}, {drug}.", "Rozpoznanie: Zawał serca ściany dolnej.", "Wywiad: ból w klatce piersiowej od rana.", "Zalecenia: kontrola w poradni za tydzień.", "Choroba Hashimoto, choroba Parkinsona.", "Mieszka w {town}.", "Badanie: brzuch miękki, objaw Murphy'ego ujemny.", "Wypisana do domu w stanie dobrym.", "nazywam się {full}",
    ),
    ("sv_SE", "da_DK", "no_NO", "fi_FI"): (
        "Patient: {full}", "Namn: {listed}", "Navn: {full}", "{full}, {age} år, söker för bröstsmärta.", "Hustrun {first} ringer.", "Sonen {first} kontaktad.", "Bor på {address}", "bor i {town} med sin man {first}", "Läkare: {full}", "dr {last}", "Ssk {first} informerad.", "Sign: {full}", "Med vänlig hälsning\n{full}", "Läkemedel: {drug} {n} mg, {drug}.",
        "Anamnes: Sedan tre dagar feber och hosta.", "Status: AT gott och opåverkat. Hjärta: regelbunden rytm. Lungor: u.a.", "Bedömning: Pneumoni. Åtgärd: antibiotika, återbesök i maj.", "Mb Crohn, Mb Parkinson.", "Datteren {first} er pårørende.", "Fru {last} er indlagt.", "Pt. bor i {town}.", "Moren, {first}, er informeret.", "Potilas: {listed}", "Hoitaja {first}", "jag heter {full}", "Vil kontrolleres om tre uger.",
    ),
    ("en_IN", "id_ID", "vi_VN", "tr_TR", "en_NG", "yo_NG", "tw_GH", "zu_ZA"): (
        "PATIENT : MR. {full}", "REF BY : DR. {full} MD", "S/O {full}", "W/O {full}", "D/O {full}", "Smt. {full} {age}/F", "Shri {full}", "Master {first}", "Baby {first}", "Mama {first}", "Alhaji {full}", "Mallam {full}", "Ustaz {full}", "Bapak {full}", "Ibu {first}", "Hasta: {full}", "SURNAME: {last}   OTHER NAMES: {first}", "Dr. {full} (SR)", "Pt. {first} seen c/o fever.", "mr {last}, mrs {last}",
        "Informed Dr. {full}.", "Watcher: {first} (daughter)", "ADDR: {address}", "R/O {address}", "Village {town}", "Dist. {town}", "PO {town}", "Checked by: {first}", "HUSBAND: {full}", "T. {drug} {n} mg BD", "Tab {drug} 1-0-1", "Adv: LFT, USG abdomen", "No PROM. PCV 31%, Hb genotype AS.", "Kindly correlate clinically.", "C/C: Fever x 3 days", "O/E: GC fair, afebrile, pulse 88/min",
    ),
}  # fmt: skip
"""Phrases of records in other languages, by the locales of the people in them."""
