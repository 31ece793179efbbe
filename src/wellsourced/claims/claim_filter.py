"""Which sentences claim nothing about medicine: greetings, questions, disclaimers, headings, talk of the text."""

import re
from importlib.resources import files

from wellsourced.clinical.jargon import is_jargon, is_medical_abbreviation
from wellsourced.late import compile_late
from wellsourced.text.sentences import is_prose

_GREETING = compile_late(
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
_SHORT_REPLY = compile_late(
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
_REFERRAL = compile_late(
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
_DISCLAIMER = compile_late(
    r"\b(?:not (?:a |be |intended |meant |provide )*(?:a |as )?(?:substitute|replacement)|(?:is|are"
    r"|does|should|do) not [^.]{0,40}(?:medical|professional) advice|not medical advice"
    r"|for (?:general )?(?:informational|educational|information) purposes|(?:this"
    r"|the above) (?:answer|response|information|summary|content)\b[^.]{0,60}\b(?:generated|not"
    r"|general|accurate))\b",
    re.IGNORECASE,
)
_TALK_OF_SOURCES = compile_late(
    r"\b(?:(?:the|these|those|this) (?:\w+ )?(?:passages?|sources?|documents?|search results"
    r"|snippets?|context|articles?|texts?)(?: provided| given| above)?"
    r"|passages? provided)\b[^.]{0,30}"
    r"\b(?:do(?:es)? not|did not|don['’]t|doesn['’]t|lacks?) (?:\w+ )?(?:provide|contain|mention"
    r"|specif|detail|include|address|discuss|give|state|offer|directly)"
    r"|\b(?:additional|further|other) (?:resources|sources) (?:not|would|may|are)\b|\b(?:see"
    r"|as shown in) (?:the )?(?:table|figure) below\b",
    re.IGNORECASE,
)
_METADATA_LINE = compile_late(
    r"(?:key ?words|received|accepted|published|correspond(?:ing|ence)|conflicts? of interests?"
    r"|competing interests?|disclosures?|funding|copyright|©|e-?mail|author(?:s|ed| contributions?)?"
    r"|date|last (?:updated|reviewed)"
    r"|image|photo|figure \d+|table \d+|running (?:head|title)|orcid|trial registration|word count"
    r"|abbreviations|reviewed by|medically reviewed|doi|pmid)\b\s?[:.©]?",
    re.IGNORECASE,
)
_ASIDE_HEADING = compile_late(
    r"\W*(?:\d+\.?\s)?(?:acknowledge?ments?|funding|financial (?:support|disclosure)s?"
    r"|conflicts? of interests?|competing interests?|declarations?(?: of interests?)?|disclosures?"
    r"|author contributions?|contributors?"
    r"|data availability(?: statement)?|ethics(?: statement| approval)?|disclaimers?|key ?words"
    r"|abbreviations|(?:related|follow-?up|suggested) (?:questions|searches|topics)|about (?:the"
    r"|this) (?:author|article|answer)s?"
    r"|references?|sources?|bibliography|supplementary (?:material|data)s?)\W*",
    re.IGNORECASE,
)
_GENERIC_HEADING = compile_late(
    r"(?:(?:how|what|why|when|who|which|does|is|are|can|should|do)\b|"
    r"(?:the )?(?:evidence|bottom line|key (?:points|findings"
    r"|takeaways?)|summary|answer|overview|introduction|background|results?|findings|conclusions?|discussion|methods"
    r"|details|research|important|notes?|more|other)\b[^a-z]*$)",
    re.IGNORECASE,
)
_MEDICAL_TERMS = files(__package__).joinpath("medical_terms.txt").read_text(encoding="utf-8").splitlines()
_MEDICAL_TERM = compile_late(rf"\b(?:{'|'.join(_MEDICAL_TERMS)})\b", re.IGNORECASE)


def claims_nothing(words: str) -> bool:
    """Whether a sentence is a question, a greeting, a disclaimer, advice to ask a doctor, or talk of the text."""
    bare = words.strip(" *_\"'“”()>#-–—•")
    if not re.search(r"[^\W\d_]{2}", bare):
        return True
    return bare.endswith(("?", '?"', "?”")) or bool(
        _SHORT_REPLY.fullmatch(bare)
        or _GREETING.match(bare)
        or _REFERRAL.match(bare)
        or _DISCLAIMER.search(bare)
        or _TALK_OF_SOURCES.search(bare)
        or _METADATA_LINE.match(bare)
    )


def is_heading_line(words: str) -> bool:
    """Whether a line that stands alone names what follows: no stop at its end, and no sentence."""
    bare = words.strip(" *_#")
    return len(bare.split()) <= 16 and not bare.endswith((".", "!", ";", ",")) and not is_complete_sentence(bare)


_PAST_TENSE_SENTENCE = compile_late(
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


def names_subject(heading: str) -> bool:
    """Whether a heading says what its items are about: "Side effects" does, "How it helps" does not."""
    return not _GENERIC_HEADING.match(heading)


def is_aside_heading(heading: str) -> bool:
    """Whether what stands under a heading is about the text itself: its funding, its authors, its disclaimer."""
    return bool(_ASIDE_HEADING.fullmatch(heading))


_WORD = compile_late(r"[^\W\d_][\w-]*")
_MEASUREMENT = compile_late(
    r"\d\s?(?:%|per ?cent\b|(?:k|m|µ|μ|n)?g\b|mcg\b|m?L\b|ml\b|IU\b|mm ?Hg\b|(?:m|µ|μ|n|p)?mol\b)"
    r"|\b[pP]\s?[<=>≤]\s?0?\.\d|\b(?:HR|OR|RR|NNT|ARR)s?\s?(?:of|was|is|=|:|,|\()?\s?\d",
    re.ASCII,
)


def is_medical(words: str) -> bool:
    """Whether a word of medicine is among them, by its meaning or its form, or a figure as studies give them.

    Broad on purpose: a sentence on wolves that is judged costs little, one on a drug that is passed over much.
    """
    if _MEDICAL_TERM.search(words) or _MEASUREMENT.search(words):
        return True
    return any(is_jargon(word) or is_medical_abbreviation(word) for word in _WORD.findall(words))
