"""With what medical words begin and end, and what that tells of how they may be misspelled."""

import re

from wellsourced.text.tables import read_word_lists

_LISTS = read_word_lists("wellsourced.understanding", "affixes.tsv")

PREFIXES = _LISTS["prefix"]
"""What rare words are made with: one of these before a known word is no misspelling."""

OPPOSED_PREFIXES = _LISTS["opposed prefix"]
"""Prefixes with which a word means something else; a word is never read as one with another of these."""

ENDINGS = _LISTS["ending"]
"""Endings that carry the meaning; a word is never read as one with another of these."""

SUFFIXES = frozenset(("", *_LISTS["suffix"]))
"""Endings of words that are made of one root; they are taken for one another on purpose, not by mistake."""

MISTAKEN_ENDINGS = frozenset(
    {("is", "es"), ("us", "is"), ("ant", "ent"), ("", "e"), ("er", "or"), ("or", "er"), ("y", "ies")}
)
"""Endings that are written by mistake for others: "diabetis", "arthritus", "treatmant"."""

INFLECTIONS = ("", *_LISTS["inflection"])
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
