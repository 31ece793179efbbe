"""Paraphrases: rules that write a real sentence otherwise and leave all that it says as it was."""

import random
import re
import unicodedata

from wellsourced_evaluate.builders.alteration_rules import (
    Rule,
    exchange_words,
    first_applicable,
    match_case,
    replace_once,
)

# --- other words -----------------------------------------------------------------------------------------------------

_SYNONYMS = [
    *[
        ("showed", "demonstrated"),
        ("due to", "because of"),
        ("in order to", "so as to"),
        ("compared with", "compared to"),
    ],
    *[("evaluate", "assess"), ("evaluated", "assessed"), ("investigate", "examine"), ("investigated", "examined")],
    *[("approximately", "about"), ("however", "nevertheless"), ("furthermore", "moreover"), ("patients", "subjects")],
    *[("treatment", "therapy"), ("performed", "carried out"), ("obtained", "acquired"), ("determine", "establish")],
    *[("was associated with", "was linked to"), ("were associated with", "were linked to"), ("suggest", "indicate")],
    *[("is associated with", "is linked to"), ("received", "were given"), ("revealed", "showed")],
    *[("utilised", "used"), ("utilized", "used"), ("enrolled", "recruited"), ("such as", "for example")],
    *[("among", "in"), ("several", "a number of"), ("begin", "start"), ("children", "kids"), ("physicians", "doctors")],
    *[("mortality", "death"), ("reported", "described"), ("participants", "people who took part")],
    *[("observed", "seen"), ("respectively", "in that order"), ("individuals", "people"), ("conducted", "carried out")],
    *[("remains", "is still"), ("additionally", "in addition"), ("usually", "in most cases"), ("whereas", "while")],
]
_FORWARD = {
    one: two for one, two in _SYNONYMS if one not in {"among", "children", "mortality", "participants", "such as"}
}
_WORDS = replace_once(
    rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, _FORWARD), key=len, reverse=True))})(?![\w-])",
    lambda match, _: match_case(match.group(), _FORWARD[match.group().lower()]),
    re.IGNORECASE,
)
_DIRECTIONS = replace_once(
    r"\b(?:(?P<raised>(?:was|were)"
    r" (?:significantly )?(?:increased|elevated))|(?P<lower>(?:was|were)"
    r" (?:significantly )?(?:decreased|reduced)))\b(?! (?:by|from|to|in)\b)",
    lambda match, _: (
        match.group()
        .replace("increased", "raised")
        .replace("elevated", "raised")
        .replace("decreased", "lowered")
        .replace("reduced", "lowered")
    ),
)
_FAILED_TO = replace_once(
    r"\bdid not (?=(?:show|improve|reduce|increase|affect|differ|change|reach|find|have) )", lambda *_: "failed to "
)

_ONES = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBER_WORDS = replace_once(
    r"(?<![\w.,/·‐–-])(?<![<>=≥≤±] )(?:[2-9]|1[0-2])(?="
    r" (?:groups|weeks|months|days|years|patients|hours|trials|studies|women|men|children)\b)",
    lambda match, _: _ONES[int(match.group()) - 2],
)
_PER_CENT = first_applicable(
    replace_once(r"(?<=\d) ?%(?! ?CI)", lambda *_: " percent"),
    lambda s, _: re.sub(r"(?<=\d)%", " %", s) if "%" in s else "",
)
_P_VALUE = replace_once(
    r"\b[pP] ?(?P<sign>[<>=]) ?0?(?P<value>\.\d+)",
    lambda m, chance: chance.choice(
        [f"P {m['sign']} {m['value']}", f"p {m['sign']} 0{m['value']}", f"p-value {m['sign']} 0{m['value']}"]
    ),
)
_INTERVALS = replace_once(
    r"(?P<ci>CI[:,=]? ?)(?P<low>\d+\.\d+) ?(?:-|–|to) ?(?P<high>\d+\.\d+)",
    lambda m, chance: f"{m['ci']}{m['low']}{chance.choice([' to ', '–', ', '])}{m['high']}",
)

# --- another order ---------------------------------------------------------------------------------------------------

_OPENING = re.compile(
    r"(?P<first>(?:In|Among|After|During|At|By|For|With|Between|Within)"
    r" (?!(?:conclusion|addition|contrast|summary|this|these|all|fact|general|particular|which"
    r"|both|most)\b)"
    r"[^,;:()]{6,60}), (?P<rest>(?:the|we|there|a|an|patients|all|no|both|it|mean|median)\b[^;:()]{20,180})\.?\Z",
    re.IGNORECASE,
)


def _move_opening(sentence: str, _: random.Random) -> str:
    """The phrase that opens the sentence at its end."""
    found = _OPENING.fullmatch(sentence)
    if found is None or re.search(r"\b(?:and|but|which|whereas|while|than|respectively)\b|,", found["rest"]):
        return ""
    rest = found["rest"]
    return f"{rest[0].upper()}{rest[1:]} {found['first'][0].lower()}{found['first'][1:]}."


_ACTIVE = re.compile(
    r"We (?P<verb>compared|studied|evaluated|assessed|examined|analy[sz]ed|measured|investigated|reviewed|enrolled"
    r"|included|randomi[sz]ed|recruited|identified|tested) (?P<object>(?:the |all )?[^,;:()]{8,110}?s)"
    r"(?P<rest> (?:in|with|from|at|by|between|among|for|to|of) [^;:()]*)?\.?\Z"
)


def _make_passive(sentence: str, _: random.Random) -> str:
    """ "We measured A" as "A were measured"."""
    found = _ACTIVE.fullmatch(sentence)
    if found is None or re.search(r"\b(?:and|was|were|to|that|by|for|whether|is|are)\b", found["object"]):
        return ""
    thing = found["object"]
    return f"{thing[0].upper()}{thing[1:]} were {found['verb']}{found['rest'] or ''}."


_LESS = {"higher": "lower", "lower": "higher", "greater": "smaller", "more frequent": "less frequent"}
_LESS |= {"longer": "shorter", "shorter": "longer", "larger": "smaller", "more common": "less common"}
_CONVERSE = re.compile(
    rf"\b(?P<more>{'|'.join(_LESS)}) (?P<in>in|for|among|with) (?P<a>(?:the )?[\w-]+(?:"
    rf" (?:group|patients|women|men|children|subjects))?)"
    r" than (?:in|for|among|with) (?P<b>(?:the )?[\w-]+(?:"
    r" (?:group|patients|women|men|children|subjects))?)(?=[.;,]| \()"
)


def _state_converse(sentence: str, _: random.Random) -> str:
    """ "Higher in A than in B" as "lower in B than in A"."""
    found = list(_CONVERSE.finditer(sentence))
    if len(found) != 1 or re.search(r"\d|respectively", sentence[found[0].end() :]):
        return ""
    m = found[0]
    return f"{sentence[: m.start()]}{_LESS[m['more']]} {m['in']} {m['b']} than {m['in']} {m['a']}{sentence[m.end() :]}"


def _drop_reporting_clause(sentence: str, _: random.Random) -> str:
    """What was found, without who found it: "We found that A" as "A"."""
    match = re.match(
        r"(?:We (?:found|showed|observed|conclude)|(?:These|Our) (?:results|findings|data)"
        r" (?:show|demonstrate)) that (?=[a-z])",
        sentence,
    )
    return sentence[match.end()].upper() + sentence[match.end() + 1 :] if match else ""


PARAPHRASE = first_applicable(
    _WORDS,
    _DIRECTIONS,
    _FAILED_TO,
    _NUMBER_WORDS,
    _PER_CENT,
    _P_VALUE,
    _INTERVALS,
    _move_opening,
    _make_passive,
    _state_converse,
    _drop_reporting_clause,
)

# --- other characters ------------------------------------------------------------------------------------------------


def vary_white_space(sentence: str, chance: random.Random) -> str:
    """Lines broken elsewhere, spaces doubled, tabs, spaces that do not break."""
    gaps = [match.start() for match in re.finditer(r"(?<!\d) | (?!\d)", sentence)]
    if len(gaps) < 4:
        return ""
    at = set(chance.sample(gaps, min(6, len(gaps))))
    return "".join(
        chance.choice(["\n", "  ", "\t", "\u00a0", "\r\n"]) if i in at else c for i, c in enumerate(sentence)
    )


_LOOKALIKES = {"-": "‐‑–", "'": "’ʼ", '"': "“”", "’": "'", "–": "-‑", "µ": "μ", "μ": "µ", "“": '"', "”": '"', "−": "-"}


def vary_characters(sentence: str, chance: random.Random) -> str:
    """Other dashes, quotation marks and signs of the same meaning, ligatures, letters taken apart, soft hyphens."""
    changed = "".join(chance.choice(_LOOKALIKES[c]) if c in _LOOKALIKES else c for c in sentence)
    changed = unicodedata.normalize("NFD", changed)
    if chance.random() < 0.5:
        changed = changed.replace("fi", "ﬁ").replace("fl", "ﬂ")
    if chance.random() < 0.5:
        changed = replace_once(r"\b[a-z]{5}(?=[a-z]{5})", lambda m, _: f"{m.group()}\u00ad")(changed, chance) or changed
    return changed if changed != sentence else ""


# --- shorter ---------------------------------------------------------------------------------------------------------

_WRITTEN_OUT = [
    *[("versus", "vs."), ("percent", "%"), ("milligrams", "mg"), ("hours", "h"), ("minutes", "min"), ("hour", "h")],
    *[("confidence interval", "CI"), ("odds ratio", "OR"), ("hazard ratio", "HR"), ("relative risk", "RR")],
    *[("body mass index", "BMI"), ("magnetic resonance imaging", "MRI"), ("computed tomography", "CT")],
    *[
        ("blood pressure", "BP"),
        ("intensive care unit", "ICU"),
        ("quality of life", "QoL"),
        ("standard deviation", "SD"),
    ],
    *[
        ("randomized controlled trial", "RCT"),
        ("randomised controlled trial", "RCT"),
        ("randomized controlled trials", "RCTs"),
    ],
    *[
        ("coronary artery disease", "CAD"),
        ("heart failure", "HF"),
        ("myocardial infarction", "MI"),
        ("intravenous", "IV"),
    ],
    *[
        ("weeks", "wk"),
        ("years", "yrs"),
        ("interleukin-6", "IL-6"),
        ("area under the curve", "AUC"),
        ("that is", "i.e."),
    ],
]
_SHORT = exchange_words([(long.lower(), short.lower()) for long, short in _WRITTEN_OUT if long in {"versus"}])
_SHORT_FORMS = dict(_WRITTEN_OUT)
_LONG = replace_once(
    rf"(?<![\w-])(?:{'|'.join(sorted(_SHORT_FORMS, key=len, reverse=True))})(?![\w-])(?! \()(?<!per)",
    lambda match, _: _SHORT_FORMS[match.group()],
)
_DEFINED = re.compile(r"(?P<long>[A-Za-z][\w-]*(?: [\w-]+){1,5}) \((?P<short>[A-Z][A-Za-z-]*[A-Z]s?)\)")


def _choose_abbreviation(sentence: str, chance: random.Random) -> str:
    """A name and its abbreviation in brackets as either of the two."""
    for match in _DEFINED.finditer(sentence):
        short = match["short"].rstrip("s")
        words = match["long"].split()[-len(short) :]
        if len(words) == len(short) and [word[0].upper() for word in words] == list(short.upper()):
            long = " ".join(words)
            return sentence.replace(f"{long} ({match['short']})", chance.choice([long, match["short"]]), 1)
    return ""


ABBREVIATION = first_applicable(_choose_abbreviation, _SHORT, _LONG)

_ASIDE = replace_once(r" \((?!no\b|not\b|without\b|except)[^()]{2,60}\)", lambda *_: "")
_ADVERB = replace_once(
    r"\A(?:However|Furthermore|Moreover|In addition|Additionally|In conclusion|Thus|Therefore"
    r"|Overall|Finally|Interestingly), (?=[a-z])",
    lambda *_: "",
)


def _keep_clause(sentence: str, chance: random.Random) -> str:
    """One of the clauses of a sentence, as it stands."""
    parts = [part.strip() for part in re.split(r"(?:;|, (?:and|but|whereas|while))\s", sentence)]
    whole = [p for p in parts if len(p.split()) > 4 and re.search(r"\b(?:was|were|is|are|had|did)\b", p)]
    return chance.choice(whole).rstrip(".") + "." if len(parts) > 1 and whole else ""


LEFT_OUT: Rule = first_applicable(_ASIDE, _ADVERB, _keep_clause)
