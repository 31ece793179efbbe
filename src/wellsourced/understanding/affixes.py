"""With what medical words begin and end, and what that tells of how they may be misspelled."""

import re

PREFIXES = (
    *("hyper", "hypo", "pre", "post", "tachy", "brady", "over", "under", "intra", "inter", "extra", "endo", "exo"),
    *("anti", "non", "micro", "macro", "poly", "oligo", "mono", "multi", "neuro", "nephro", "retro", "peri", "para"),
    *("supra", "sub", "trans", "un", "re", "in", "im", "dis", "mal", "homo", "hetero", "iso", "pseudo", "auto", "co"),
)
"""What rare words are made with: one of these before a known word is no misspelling."""

OPPOSED_PREFIXES = ("hyper", "hypo", "pre", "post", "tachy", "brady", "intra", "inter", "endo", "exo", "micro", "macro")
"""Prefixes with which a word means something else; a word is never read as one with another of these."""

ENDINGS = (
    *(
        "ectomy",
        "ostomy",
        "otomy",
        "oscopy",
        "plasty",
        "graphy",
        "gram",
        "emia",
        "aemia",
        "uria",
        "itis",
        "osis",
        "oma",
    ),
    *("pathy", "penia", "algia", "plegia", "paresis", "trophy", "plasia", "lysis", "genesis", "ase", "ose", "kine"),
    *("phobia", "philia", "cyte", "blast", "ology", "ologist", "mania", "pnea", "phagia", "phasia", "stasis"),
)
"""Endings that carry the meaning; a word is never read as one with another of these."""

SUFFIXES = frozenset(
    {
        *("", "s", "es", "ed", "e", "ing", "er", "ers", "or", "ors", "al", "ic", "ics", "ia", "ium", "us", "um", "a"),
        *("ae", "i", "is", "ous", "osum", "osus", "y", "ies", "ry", "in", "it", "ly", "ity", "ation", "ion", "ions"),
        *("ive", "ent", "ant", "oid", "iva", "alis", "ica", "eur", "eurs", "t", "able", "an", "ian", "ate", "ates"),
        *("otic", "itic", "osis", "itis"),
        *("ated", "ise", "ised", "ize", "ized", "izing", "ising", "ization", "isation", "ability", "ar", "ary", "on"),
    }
)
"""Endings of words that are made of one root; they are taken for one another on purpose, not by mistake."""

MISTAKEN_ENDINGS = frozenset(
    {("is", "es"), ("us", "is"), ("ant", "ent"), ("", "e"), ("er", "or"), ("or", "er"), ("y", "ies")}
)
"""Endings that are written by mistake for others: "diabetis", "arthritus", "treatmant"."""

INFLECTIONS = (
    "",
    "s",
    "es",
    "e",
    "ed",
    "ing",
    "er",
    "ers",
    "ly",
    "al",
    "ally",
    "ic",
    "ia",
    "ion",
    "ions",
    "ity",
    "ive",
)
"""Endings of the forms in which one word may stand in a library."""

MIN_ROOT_LETTERS = 4
"""Letters of the shortest root."""

DRUG_NAME = re.compile(
    r"\w{2,}(?:mab|nib|pril|sartan|olol|statin|gliptin|gliflozin|glutide|tide|azole|cillin|mycin|micin|floxacin|vir|"
    r"parin|xaban|gatran|setron|triptan|prazole|tidine|dipine|zosin|afil|dronate|thiazide|semide|oxetine|azepam|zolam|"
    r"barbital|caine|curium|platin|rubicin|taxel|tinib|ciclib|parib|ciclovir|cept|kinra|stim|poetin|fungin|cycline|"
    r"sone|olone|onide|terol|tropium|lukast|fibrate|gliptide|glitazone|formin|lisib|degib|rafenib|metinib|gepant)"
)
"""Words that end as names of drugs do (stems of the International Nonproprietary Names): a near one is another drug."""
