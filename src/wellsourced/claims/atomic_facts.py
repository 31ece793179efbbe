"""One sentence → whether it claims something of medicine, the facts in it, and what a pronoun at its head stands for:
only where the grammar leaves no doubt.
"""

import re
from importlib.resources import files

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.word_forms import is_medical_abbreviation, is_medical_term
from wellsourced.text.sentences import has_back_reference, is_prose

_CLAUSE_BREAK = lazy_regex(r"; (?:however, |and |but )?|, (?:and|but|whereas|while) ")
_SUBORDINATE_OPENER = lazy_regex(
    r"(?:if|when|although|though|because|since|while|whereas|unless|until|as|after|before|given"
    r"|for (?:patients|people)|in (?:patients|people|adults|children))\b",
    re.IGNORECASE,
)

MAX_SENTENCE_LENGTH = 2_000
"""Characters of a sentence that is split: what is longer is no sentence."""


_GREETING = lazy_regex(
    r"(?:hi|hello|hey|dear|thanks|thank you|great question|good question|certainly|sure|of course"
    r"|absolutely|you['’]re welcome"
    r"|i hope|hope (?:this|that)|i['’]?m (?:sorry|happy|glad|here|not)|i am (?:sorry|happy|glad"
    r"|not an?|an? ai)|as an ai|i can(?:['’]t|not| also)? "
    r"|i(?:['’]d| would) (?:be happy|recommend (?:consulting|speaking|talking|seeing))|let me"
    r"|feel free|please (?:let me|feel|note that i)|let['’]s"
    r"|here(?:['’]s| is| are) (?:what|a|an|the|some|how|my)|below (?:is|are)\b|if you(?:['’]d| would) like"
    r"|if you (?:want|need|have) (?:me|any|more|further|additional|other)\b"
    r"|would you like|do you want|good luck|take care|best (?:regards|wishes)|stay safe|sincerely|get well)\b",
    re.IGNORECASE,
)
_SHORT_REPLY = lazy_regex(
    r"(?:(?:yes|no|yeah|nope|not really|maybe|possibly|probably|(?:it|that) depends|correct|true|false)\b[,.;:]?"
    r"\s?)?"
    r"(?:(?:it|they|this|that|you|there|he|she)\s(?:does|do|is|are|can|could|may|might|has|have|will|should|depends)"
    r"(?:\s(?:not|so))?"
    r"|(?:it|they|you)\s\w{2,7}n['’]t)?[.!]?",
    re.IGNORECASE,
)
_PROFESSIONALS = (
    r"(?:doctor|physician|clinician|health[- ]?care|health (?:care )?(?:professional|provider)"
    r"|provider|pharmacist|nurse|specialist|medical (?:professional|advice|team|provider)"
    r"|GP|dermatologist|cardiologist|dentist|obstetrician|gynecologist|midwife|therapist|professional)"
)
_REFERRAL = lazy_regex(
    rf"(?:(?:if|before)\s(?:you have (?:any )?(?:questions|concerns|doubts|further)|(?:your "
    rf"|the )?symptoms (?:persist|worsen|do not|don['’]t|continue|last)"
    rf"|you(?:['’]re| are) (?:unsure|concerned|worried|in doubt|not sure|experiencing)|in doubt"
    rf"|needed|starting|taking|making|using|changing|stopping|trying)[^.,;]{{0,80}},?\s)?"
    rf"(?:(?:please|always|however|therefore|remember to|be sure to|make sure to|remember|it(?:['’]s"
    rf"| is) (?:always |very |also )?(?:important|best|recommended|advisable|essential|crucial"
    rf"|necessary|a good idea)(?: for you| that you)?(?: to)?|you (?:should|may want to|can|must"
    rf"|need to)(?: always| also)?|we recommend that you),?\s){{0,3}}"
    rf"(?:consult(?:ing)?|talk (?:to|with)|speak (?:to|with)|see|contact|check with|ask"
    rf"|seek advice from|discuss (?:this|it|your \w+|any \w+) with)\b(?:\s(?:with|to))?\s?(?:your|a"
    rf"|an|the)?\s?[^.;]{{0,60}}\b{_PROFESSIONALS}",
    re.IGNORECASE,
)
_DISCLAIMER = lazy_regex(
    r"\b(?:not (?:a |be |intended |meant |provide )*(?:a |as )?(?:substitute|replacement)|(?:is|are"
    r"|does|should|do) not [^.]{0,40}(?:medical|professional) advice|not medical advice"
    r"|for (?:general )?(?:informational|educational|information) purposes|(?:this"
    r"|the above) (?:answer|response|information|summary|content)\b[^.]{0,60}\b(?:generated|not"
    r"|general|accurate))\b",
    re.IGNORECASE,
)
_TALK_OF_SOURCES = lazy_regex(
    r"\b(?:(?:the|these|those|this) (?:\w+ )?(?:passages?|sources?|documents?|search results"
    r"|snippets?|context|articles?|texts?)(?: provided| given| above)?"
    r"|passages? provided)\b[^.]{0,30}"
    r"\b(?:do(?:es)? not|did not|don['’]t|doesn['’]t|lacks?) (?:\w+ )?(?:provide|contain|mention"
    r"|specif|detail|include|address|discuss|give|state|offer|directly)"
    r"|\b(?:additional|further|other) (?:resources|sources) (?:not|would|may|are)\b|\b(?:see"
    r"|as shown in) (?:the )?(?:table|figure) below\b",
    re.IGNORECASE,
)
_ASIDE = lazy_regex(
    r"\W*(?:\d+\.?\s)?(?:acknowledge?ments?|funding|financial (?:support|disclosure)s?|conflicts? of interests?"
    r"|competing interests?|declarations?(?: of interests?)?|disclosures?|disclaimers?|author(?:s| contributions?)?"
    r"|contributors?|data availability(?: statement)?|ethics(?: statement| approval)?|key ?words|abbreviations"
    r"|(?:related|follow-?up|suggested) (?:questions|searches|topics)|about (?:the|this) (?:author|article|answer)s?"
    r"|references?|sources?|bibliography|supplementary (?:material|data)s?|received|accepted|published|copyright"
    r"|e-?mail|correspond(?:ing author|ence)|date|last (?:updated|reviewed)|(?:medically )?reviewed by|image|photo"
    r"|orcid|doi|pmid|(?:figure|table) \d+|running (?:head|title)|trial registration|word count)\W*",
    re.IGNORECASE,
)
"""Headings of what is about the text itself; with a colon behind it, one opens a line that is."""

_MEDICAL_TERMS = files(__package__).joinpath("medical_terms.txt").read_text(encoding="utf-8").splitlines()
_MEDICAL_TERM = lazy_regex(rf"\b(?:{'|'.join(_MEDICAL_TERMS)})\b", re.IGNORECASE)


def claims_nothing(words: str) -> bool:
    """Whether a sentence is a question, a greeting, a disclaimer, advice to ask a doctor, or talk of the text."""
    bare = words.strip(" *_\"'“”()>#-–—•")
    # A line of marks and figures, without two letters beside each other.
    if not re.search(r"[^\W\d_]{2}", bare):
        return True
    return bare.endswith(("?", '?"', "?”")) or bool(
        _SHORT_REPLY.fullmatch(bare)
        or _GREETING.match(bare)
        or _REFERRAL.match(bare)
        or _DISCLAIMER.search(bare)
        or _TALK_OF_SOURCES.search(bare)
        or ((aside := _ASIDE.match(bare)) and ":" in aside[0])
    )


def is_heading_line(words: str) -> bool:
    """Whether a line that stands alone names what follows: no stop at its end, and no sentence."""
    bare = words.strip(" *_#")
    return len(bare.split()) <= 16 and not bare.endswith((".", "!", ";", ",")) and not is_complete_sentence(bare)


_PAST_TENSE_SENTENCE = lazy_regex(
    r"(?!(?:the|an?|this|these|those|all|some|many|most|no|with|without|after|before|for|in|of|by)\b)[\w’'-]+"
    r"(?: [\w’'-]+){0,3}?"
    r"(?<!\bthe)(?<!\ban)(?<!\ba)(?<!\band)(?<!\bor)(?<!\bof)(?<!\bin)(?<!\bwith)"
    r"(?<!\bmost)(?<!\bmore)(?<!\bwell)(?<!ly)"
    r" [a-z]{3,}ed "
    r"(?!(?:by|with|to|in|for|as|from|on|at|after|during|and|or|before|patients|people|adults|risk)\b)[\w’'-]+ \w",
    re.IGNORECASE,
)
"""A sentence in the past whose verb is in no list: "Colchicine shortened gout flares", not "Patients treated with"."""


def is_complete_sentence(words: str) -> bool:
    """Whether words could stand alone as a sentence, but for a capital and a stop."""
    bare = words.strip(" *_").rstrip(".;,: ")
    return bool(bare) and (is_prose(f"{bare[0].upper()}{bare[1:]}.") or bool(_PAST_TENSE_SENTENCE.match(bare)))


def is_aside_heading(heading: str) -> bool:
    """Whether what stands under a heading is about the text itself: its funding, its authors, its disclaimer."""
    return bool(_ASIDE.fullmatch(heading))


_WORD = lazy_regex(r"[^\W\d_][\w-]*")


def is_medical(words: str) -> bool:
    """Whether a word of medicine is among them, by its meaning or its form.

    Broad on purpose: a sentence on wolves that is judged costs little, one on a drug that is passed over much.
    """
    if _MEDICAL_TERM.search(words):
        return True
    return any(is_medical_term(word) or is_medical_abbreviation(word) for word in _WORD.findall(words))


def split_facts(sentence: str) -> list[str]:
    """The clauses of a sentence that each have figures of their own; the sentence alone where that is not sure.

    "A lowers it by 5 %; B raises it by 3 %." → both clauses.
    """
    if len(sentence) > MAX_SENTENCE_LENGTH:
        return [sentence]
    for found in _CLAUSE_BREAK.finditer(sentence):
        left, right = sentence[: found.start()].strip(), sentence[found.end() :].strip()
        # Only clauses with figures of their own are several facts; and "if A, and B" is one.
        if not (any(map(str.isdecimal, left)) and any(map(str.isdecimal, right))) or _SUBORDINATE_OPENER.match(left):
            continue
        if not (is_complete_sentence(left) and is_complete_sentence(right)):
            continue
        if has_back_reference(capitalize_first(right)) or re.match(
            r"\w+(?:ed|ing|s)\b(?! (?:is|are|was|were|has|have|can|may) )", right
        ):
            continue
        # The break stands within parentheses.
        if "(" in left and left.count("(") != left.count(")"):
            continue
        return [f"{left.rstrip('.,;')}.", *split_facts(capitalize_first(right))]
    return [sentence]


def capitalize_first(words: str) -> str:
    """The words with a capital at their head, but for a name such as "mRNA" or "p53"."""
    first = words.partition(" ")[0]
    is_plain = not any(letter.isupper() or letter.isdecimal() for letter in first)
    return words[:1].upper() + words[1:] if is_plain else words


_PLURAL_VERB = (
    r"are|were|have|reduce|lower|increase|improve|cause|inhibit|work|act|prevent|treat|affect|help"
    r"|block|decrease|bind|include|require"
)
_SINGULAR_VERB = (
    r"is|was|has|reduces|lowers|increases|improves|causes|inhibits|works|acts|prevents|treats"
    r"|affects|occurs|helps|blocks|decreases|binds|includes|requires|stimulates|belongs"
)
_UNINFLECTED_VERB = r"can|may|might|should|must|will|reduced|lowered|increased|improved|caused|prevented|decreased"
_SUBJECT_AND_VERB = lazy_regex(
    rf"(?P<name>(?:(?:The|An?) )?[\w’'/αβγδ-]+(?: [\w’'/-]+){{0,3}}?) (?:(?:also|often|usually"
    rf"|commonly|generally|typically) )?(?:(?P<one>{_SINGULAR_VERB})|(?P<many>{_PLURAL_VERB})"
    rf"|(?P<either>{_UNINFLECTED_VERB}))\b"
)
_NO_SUBJECT_NAME = lazy_regex(
    r"\b(?:it|they|this|that|these|those|he|she|we|you|i|there|and|or|of|in|for|with|to|by|on|at"
    r"|from|as|who|which|what|some|many|most|several|no|not|one|two|if|when|while"
    r"|study|studies|trial|trials|authors|patients|people|evidence|results|guidelines?|researchers"
    r"|risk|side|effects|treatment|answer)\b",
    re.IGNORECASE,
)
_GENERIC_NOUN = (
    r"(?:drug|medication|medicine|agent|vaccine|antibiotic|condition|disease|disorder|syndrome"
    r"|infection|virus|hormone|vitamin|supplement|test|procedure|statin|inhibitor|antibody)"
)
_SINGULAR_PRONOUN = lazy_regex(rf"(?:It(?P<its>s)?|This {_GENERIC_NOUN})\b(?![’'])")
_PLURAL_PRONOUN = lazy_regex(rf"(?:They|These {_GENERIC_NOUN}s|The(?P<its>ir))\b(?![’'])")
_IMPERSONAL_IT = lazy_regex(
    r"It (?:(?:is|was|has been|may be|might be|can be|remains|seems|appears|takes"
    r"|should be) (?:\w+ )?(?:\w+ )?(?:that|to|whether|if|for|when|unclear|unknown|how|noted"
    r"|because)\b|is (?:an?|the|recommended|important|essential|estimated|possible|best|not (?:clear|known"
    r"|recommended)))"
)


def find_subject(sentence: str) -> tuple[str, bool | None]:
    """(the name that a sentence opens with, whether it is plural); ("", None) when no subject is sure."""
    found = _SUBJECT_AND_VERB.match(sentence)
    if not found or _NO_SUBJECT_NAME.search(found["name"]):
        return "", None
    name = found["name"]
    if found["either"]:
        return name, name.endswith("s") and not name.endswith(("ss", "us", "is"))
    return name, bool(found["many"])


def resolve_pronoun(sentence: str, before: str) -> str:
    """The sentence with the subject of the one before in place of "It", "This drug" or "They", where that is sure.

    "It is a …" defines, and may define the last thing named: it is left.
    """
    it, they = _SINGULAR_PRONOUN.match(sentence), _PLURAL_PRONOUN.match(sentence)
    found = it or they
    if not found or _IMPERSONAL_IT.match(sentence):
        return sentence
    name, plural = find_subject(before)
    if not name or plural is not bool(they):
        return sentence
    if found["its"]:
        name = f"{name}’" if name.endswith("s") else f"{name}’s"
    return name + sentence[found.end() :]
