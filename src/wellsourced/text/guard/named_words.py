"""Tables of names: how those of drugs end (stems of the WHO's nonproprietary names), and names that end otherwise."""

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
