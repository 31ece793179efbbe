"""Names of drugs and diseases, by their endings (stems of the WHO's nonproprietary names) and by lists."""

import re

from wellsourced.text.lexicon import word_set

DRUG_NAME_ENDINGS = """
    pril sartan statin olol alol dipine prazole tidine mab nib ciclib parib zomib gliptin gliflozin glutide natide
    glitazone glinide conazole floxacin cillin mycin micin cycline bactam penem vir vudine citabine rubicin platin
    taxel poside trexate trexed limus nercept tercept facept nacept kinra setron pitant triptan gepant azepam
    azolam barbital clone peridone piprazole apine oxetine ipramine triptyline faxine opram giline capone pezil
    stigmine curium curonium caine fentanil fentanyl orphine codone codeine profen coxib fenac oxicam salazine
    solone metasone onide gestrel estradiol oxifene relix relin reotide tocin pressin parin xaban gatran grel
    grelor plase fibrate phylline terol tropium lukast semide thiazide lactone dronate dronic thyroxine formin
    glipizide gliclazide glimepiride glyburide quine bendazole nidazole antel vaptan entan prost ciguat afil zosin
    pamil tiazem arone naloxone trexone uracil poetin grastim mivir sidenib bicin azine artesunate artemether
    trozole abine mustine phosphamide lukin tadine setine bactam fungin lutamide caftor dirsen nersen sidone
    toclax siran isone onium pamide
"""
"""Endings of the names of drugs."""

ENTITY_NAMES = """
    aspirin acetaminophen paracetamol warfarin heparin digoxin insulin metformin ketamine propofol sevoflurane
    isoflurane desflurane dexmedetomidine midazolam tramadol methadone ibuprofen naproxen celecoxib colchicine
    allopurinol febuxostat clopidogrel nitroglycerin nitrates hydralazine spironolactone eplerenone furosemide
    lithium valproate carbamazepine lamotrigine levetiracetam phenytoin topiramate gabapentin pregabalin baclofen
    melatonin caffeine nicotine bupropion varenicline naltrexone disulfiram acamprosate amitriptyline mirtazapine
    haloperidol risperidone quetiapine olanzapine clozapine memantine levodopa tamoxifen cisplatin oxaliplatin
    thalidomide lenalidomide prednisone prednisolone dexamethasone hydrocortisone cortisol testosterone
    progesterone estrogen oestrogen estrogens glucagon leptin adiponectin ghrelin somatostatin octreotide oxytocin
    misoprostol mifepristone ribavirin interferon peginterferon amphotericin isoniazid rifampicin rifampin
    ethambutol pyrazinamide dapsone chloroquine artesunate primaquine amodiaquine ivermectin albendazole
    praziquantel trimethoprim sulfamethoxazole cotrimoxazole nitrofurantoin metronidazole linezolid colistin
    calcium magnesium zinc iron selenium potassium sodium iodine folate thiamine riboflavin cobalamin niacin
    carotene tocopherol retinol glucosamine chondroitin curcumin resveratrol probiotics probiotic placebo
    botulinum epinephrine adrenaline norepinephrine noradrenaline dopamine dobutamine serotonin histamine atropine
    neostigmine succinylcholine rocuronium methylphenidate amphetamine cannabis cannabidiol cocaine heroin alcohol
    ethanol metoclopramide ondansetron mesalazine azathioprine mercaptopurine cyclosporine tacrolimus sirolimus
    mycophenolate hydroxychloroquine leflunomide penicillin rituximab bupivacaine lidocaine ropivacaine
    theophylline montelukast omalizumab salbutamol albuterol ipratropium budesonide fluticasone bleomycin
    vincristine vinblastine doxorubicin tretinoin isotretinoin minoxidil finasteride escherichia staphylococcus
    streptococcus pseudomonas klebsiella salmonella helicobacter candida aspergillus plasmodium chlamydia
    mycobacterium clostridium lactobacillus bifidobacterium enterococcus acinetobacter influenza aureus
    epidermidis coli pneumoniae aeruginosa pylori albicans difficile falciparum vivax faecalis faecium baumannii
    influenzae pyogenes agalactiae typhi gondii cerevisiae elegans trachomatis gonorrhoeae cholerae jejuni
    burgdorferi hiv hbv hcv hpv cmv ebv rsv sars mers ebola zika dengue malaria tuberculosis abiraterone
    acetazolamide acetylcysteine alpelisib amfetamine apremilast armodafinil beclomethasone bendrofluazide
    benzatropine benzhexol benztropine bivalirudin brivaracetam bromocriptine bumetanide buspirone butalbital
    carvedilol cefaclor cefalexin cefepime cefotaxime ceftriaxone cephalexin cetirizine chlorambucil
    chlordiazepoxide chlormethine chlortalidone chlorthalidone cholecalciferol cholestyramine ciclosporin
    cilostazol cladribine clobazam clomifene clomiphene clonidine cobicistat colesevelam colestyramine
    cyclobenzaprine dexamfetamine dexmethylphenidate dextroamphetamine dicyclomine dicycloverine divalproex
    docosanol dofetilide doxepin dutasteride edaravone elagolix eltrombopag eptifibatide ergocalciferol esketamine
    eteplirsen ethosuximide etodolac etravirine exemestane ezetimibe finerenone fingolimod flibanserin fluvoxamine
    fondaparinux fulvestrant gemfibrozil glibenclamide glycopyrrolate guaifenesin guanfacine hydromorphone
    hydroxycarbamide hydroxyurea hydroxyzine hyoscine idelalisib imiglucerase indometacin indomethacin inotersen
    isoprenaline isoproterenol ivabradine ketorolac lacosamide leucovorin leuprolide levocetirizine levosalbutamol
    linaclotide liothyronine lisdexamfetamine loperamide lumateperone macrogol maprotiline mavacamten
    mechlorethamine melphalan meperidine mesalamine metamfetamine methamphetamine methimazole metolazone
    midostaurin mirabegron modafinil nesiritide nitisinone orlistat oxcarbazepine oxybutynin ozanimod patiromer
    pentoxifylline perampanel pethidine phenelzine phenobarbitone phytomenadione phytonadione pimavanserin
    pirfenidone pomalidomide pramipexole primidone pyridoxine pyrimethamine ramelteon rifaximin rilpivirine
    riluzole risdiplam romiplostim ropinirole sapropterin scopolamine selexipag sertraline setmelanotide sevelamer
    solifenacin solriamfetol sotorasib sulindac suvorexant tafamidis tasimelteon temozolomide terbinafine
    teriflunomide teriparatide thiamazole thiopental thiopentone tirofiban tirzepatide tisagenlecleucel tizanidine
    tolterodine topotecan tranylcypromine trazodone triamcinolone trihexyphenidyl ursodiol vigabatrin vilazodone
    zolpidem zonisamide yoga massage acupuncture hypnosis meditation mindfulness exercise walking swimming cycling
    tai dialysis chemotherapy radiotherapy chemoradiotherapy immunotherapy psychotherapy physiotherapy
    hypnotherapy hysterectomy surgery vaccination counselling counseling
"""
"""Names of drugs, germs and procedures that do not end so."""


_DRUG_ENDINGS = tuple(dict.fromkeys(DRUG_NAME_ENDINGS.split()))
_ENTITY_NAMES = frozenset(ENTITY_NAMES.split())
_PROCEDURE = re.compile(r".{3,}(?:ectomy|oscopy|otomy|ostomy|plasty|therapy|centesis|puncture|tripsy|desis)")
_SYMBOL = re.compile(r"[A-Z][A-Z0-9]{1,6}(?:[a-z]|\d)?|[a-z]{1,2}[A-Z]{2,5}\d*|[A-Z][a-z]{2}\d{1,2}|p\d{2}")
_NOT_SYMBOLS = word_set(
    "CI OR HR RR SD SE IQR SEM ANOVA USA UK EU OF THE AND IN TO WITH FOR NO NOT WAS WERE II III IV VI VII VIII IX "
    "BMI MD RCT RCTS DNA RNA"
)


def is_entity_name(word: str) -> bool:
    """Whether a word, as printed, is the name of a drug, a germ, a gene or a procedure."""
    small = word.lower()
    if small in _ENTITY_NAMES or (len(small) > 5 and small.endswith(_DRUG_ENDINGS)) or _PROCEDURE.fullmatch(small):
        return True
    return is_symbol(word)


def is_symbol(word: str) -> bool:
    """Whether a word is an abbreviation or the symbol of a gene, by its capitals."""
    return word not in _NOT_SYMBOLS and _SYMBOL.fullmatch(word) is not None


def is_abbreviation_of(short: str, words: str) -> bool:
    """Whether a word is made of letters of others, in their order, its first being theirs: "MRI", "HbA1c", "BP"."""
    letters, rest = re.sub(r"\W|\d", "", short).lower().removesuffix("s"), words.lower()
    if not letters or rest[:1] != letters[0]:
        return False
    at = -1
    for letter in letters:
        at = rest.find(letter, at + 1)
        if at < 0:
            return False
    return True


_DISEASE = re.compile(
    r".{3,}(?:itis|osis|oses|omas?|a?emia|opathy|opathies|algia|penia|plegia|phobia|ectasis|uria|megaly|rrhoea|rrhea)"
)
_NOT_DISEASES = word_set("diagnosis hypnosis metamorphosis anastomosis diploma mitosis meiosis apoptosis prognosis")


def is_disease_name(word: str) -> bool:
    """Whether a word ends as the names of diseases do."""
    small = word.lower()
    return _DISEASE.fullmatch(small) is not None and small not in _NOT_DISEASES
