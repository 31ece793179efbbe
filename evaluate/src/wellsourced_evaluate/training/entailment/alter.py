"""Small changes of one sentence: some turn its meaning round, some change its subject, some do neither.

Each change takes a sentence and a random generator and gives the changed sentence, or None where it finds no hold.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random

from wellsourced_evaluate.training.entailment.words import BASES, CLASSES, OPPOSITES, PASTS, SYNONYMS, VERBS

Change = Callable[[str, Random], str | None]

_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*[A-Za-z]|[A-Za-z]")
_NUMBER = re.compile(r"(?<![\w.,·/-])(\d{1,3}(?:,\d{3})+|\d+(?:[.·]\d+)?)(?![\w,]|[.·]\d|-[A-Za-z])")
_AUXILIARY = re.compile(r"\b(is|are|was|were|can|could|may|might|should|will|must)\b(?! not\b|n't)", re.IGNORECASE)
_HAVE = re.compile(r"\b(has|have|had)\b(?= (?:been|shown|demonstrated|no\b)?\s?\w+(?:ed|en)\b)")
_NO = re.compile(
    r"\b(?:no|without|neither|never|not|cannot|nor|failed|lack|lacks|lacked|unable|unaffected|unrelated)\b", re.I
)
_ARMS = re.compile(
    r"\b(?P<lead>in|for|with|among) (?P<one>(?:the )?[^,;.()]{2,45}?) "
    r"(?P<than>than|compared with|compared to|versus|vs\.?) (?:(?:in|for|with|among|those in|that in) )?"
    r"(?P<two>(?:the )?[^,;.()]{2,45}?)(?=$|[,;.(]| (?:and|at|after|during|but|while)\b)"
)
_PASSIVE = re.compile(
    r"^(?P<object>[^,;]{3,70}?) (?:is|are|was|were) (?P<verb>\w+ed) by (?P<agent>[^,;]{3,70}?)(?P<stop>\.?)$"
)
_ACTIVE = re.compile(r"^(?P<agent>[^,;]{3,60}?) (?P<verb>\w+s) (?P<object>[^,;]{3,70}?)(?P<stop>\.?)$")
_LINK = re.compile(
    r"^(?P<one>[^,;]{3,70}?) (?P<be>is|are|was|were) "
    r"(?P<how>(?:strongly |significantly |positively |inversely |independently )?)"
    r"(?:associated|correlated|linked) with (?P<two>[^,;]{3,80}?)(?P<stop>\.?)$"
)
_OPENING = (
    r"(?:in|as a) (?:conclusion|summary|addition|contrast|this (?:study|report|review|article|paper))|conclusions?"
    r"|results?|background|findings|interpretation|methods|furthermore|moreover|however|thus|therefore|overall|together|finally"
    r"|additionally|interestingly|importantly|notably|here|taken together|conclusions and relevance"
    r"|consequently|surprisingly"
)
_WHO = (
    r"we|our (?:results|data|findings|study|work)|these (?:results|data|findings|observations)"
    r"|this (?:study|work|report|finding)|the (?:present|current) (?:study|results|findings|data)"
    r"|the (?:results|data|findings)"
)
_SAID = (
    r"shows?|showed|shown|demonstrate[sd]?|found|find|report|reported|suggest(?:s|ed)?|indicate[sd]?|reveal(?:s|ed)?"
    r"|conclude|provide evidence|confirm(?:ed)?|identified"
)
_LEAD = re.compile(
    rf"^(?:{_OPENING})\b\s*[:,]?\s*|^(?:here,? )?(?:{_WHO})(?: \w+){{0,3}}? (?:{_SAID}) that ", re.IGNORECASE
)
_BRACKETS = re.compile(r"\s*\([^()]*\)|\s*\[[^\[\]]*\]")
_SUGGESTING = re.compile(r",? (?:suggesting|indicating|showing|demonstrating) that (?P<claim>.{25,})$")
_TAIL = re.compile(
    r"(?:; | — |, (?:whereas|while|although|but|which|and thus|thereby|with|suggesting|indicating)\b).*$"
)
_FRONT = re.compile(r"^(?P<front>(?:In|Among|During|After|Following|For) [^,;]{4,60}), (?P<rest>[^;]{20,})$")


def capital(sentence: str) -> str:
    """With a capital first letter."""
    return sentence[:1].upper() + sentence[1:]


def _cased(like: str, word: str) -> str:
    return capital(word) if like[:1].isupper() and not like[1:2].isupper() else word


def exchanged(sentence: str, table: Mapping[str, Sequence[str]], random: Random, times: int = 1) -> str | None:
    """With up to `times` of its words exchanged as the table says; None where it has none of them."""
    found = [m for m in _WORD.finditer(sentence) if m[0].lower() in table or m[0] in table]
    if not found:
        return None
    for match in sorted(random.sample(found, min(times, len(found))), key=lambda m: -m.start()):
        others = table.get(match[0]) or table[match[0].lower()]
        sentence = sentence[: match.start()] + _cased(match[0], random.choice(others)) + sentence[match.end() :]
    return sentence


def opposite(sentence: str, random: Random) -> str | None:
    """One word of direction to its opposite: increased to decreased."""
    return exchanged(sentence, OPPOSITES, random)


def negated(sentence: str, random: Random) -> str | None:
    """Said to be not so: "did not", "is not", "no"."""
    if _NO.search(sentence):
        return None
    ways: list[str] = []
    if match := _AUXILIARY.search(sentence):
        ways.append(f"{sentence[: match.end()]} not{sentence[match.end() :]}")
    if match := _HAVE.search(sentence):
        ways.append(f"{sentence[: match.end()]} not{sentence[match.end() :]}")
    for match in _WORD.finditer(sentence):
        if (
            match[0] in VERBS
            and re.match(r" (?!in\b|of\b|by\b|and\b|were\b|are\b|,)", sentence[match.end() :])
            and match.start()
        ):
            do = random.choice(["does not ", "does not ", "fails to ", "cannot "])
            ways.append(f"{sentence[: match.start()]}{do}{VERBS[match[0]][0]}{sentence[match.end() :]}")
            break
        after = re.match(
            r" (?:the|a|an|both|significantly|all|\w+ (?:expression|levels|activity|growth|mortality|risk))\b",
            sentence[match.end() :],
        )
        if match[0] in PASTS and after and match.start():
            do = random.choice(["did not ", "did not ", "failed to "])
            ways.append(f"{sentence[: match.start()]}{do}{PASTS[match[0]]}{sentence[match.end() :]}")
            break
    if sentence.startswith("There ") and (match := re.match(r"There (?:is|was) (an?) ", sentence)):
        ways = [f"{sentence[: match.start(1)]}no{sentence[match.end(1) :]}"]
    return random.choice(ways) if ways else None


def affirmed(sentence: str, random: Random) -> str | None:  # noqa: ARG001 - a Change
    """Its negation taken away."""
    if match := re.search(r"\b(?:does|do|did) not (\w+)", sentence):
        base = match[1]
        if base not in BASES:
            return None
        verb = BASES[base][1] if match[0].startswith("did") else BASES[base][0] if match[0].startswith("does") else base
        return sentence[: match.start()] + verb + sentence[match.end() :]
    if match := re.search(r"\bfailed to (\w+)", sentence):
        return sentence[: match.start()] + BASES[match[1]][1] + sentence[match.end() :] if match[1] in BASES else None
    for old, new in ((r"\b(is|are|was|were|can|may|could|should|has|have|been) not\b", r"\1"), (r"\bcannot\b", "can")):
        if re.search(old, sentence):
            return re.sub(old, new, sentence, count=1)
    if match := re.search(
        r"\b[Nn]o (?=(?:statistically )?significant|difference|evidence|effect|association|benefit|change|correlation)",
        sentence,
    ):
        return sentence[: match.start()] + _cased(match[0], "a ") + sentence[match.end() :]
    if " without " in sentence:
        return sentence.replace(" without ", " with ", 1)
    return None


def renumbered(sentence: str, random: Random) -> str | None:
    """One number to another that cannot be taken for it."""
    found = [
        m for m in _NUMBER.finditer(sentence) if not sentence[max(0, m.start() - 2) : m.start()].endswith(("<", "= 0"))
    ]
    if not found:
        return None
    match = random.choice(found)
    plain = match[1].replace(",", "").replace("·", ".")
    value = float(plain)
    percent = sentence[match.end() : match.end() + 2].lstrip().startswith("%")
    other = value * random.choice([0.2, 0.4, 0.5, 1.5, 2, 3]) if value else random.choice([3.0, 10.0])
    if percent and other > 100:
        other = value * random.choice([0.3, 0.5])
    if re.match(r"(?:19|20)\d\d$", plain):
        other = value + random.choice([-12, -7, -3, 4, 6])
    places = len(plain.partition(".")[2])
    text = f"{other:.{places}f}"
    if float(text) == value:
        text = f"{value + 2:.{places}f}"
    return sentence[: match.start()] + text + sentence[match.end() :]


def swapped_arms(sentence: str, random: Random) -> str | None:  # noqa: ARG001 - a Change
    """ "Higher in A than in B" to "higher in B than in A"."""
    match = _ARMS.search(sentence)
    if not match or re.search(r"\b(?:similar|no|not|both)\b", sentence):
        return None
    new = f"{match['lead']} {match['two']} {match['than']} {match['lead']} {match['one']}"
    return sentence[: match.start()] + new + sentence[match.end() :]


def flipped(sentence: str, random: Random) -> str | None:
    """ "Higher in A than in B" to "lower in B than in A": the same in other words."""
    match = _ARMS.search(sentence)
    swapped = swapped_arms(sentence, random)
    if not match or not swapped:
        return None
    pairs = {
        "higher": "lower",
        "greater": "smaller",
        "more": "less",
        "longer": "shorter",
        "better": "worse",
        "larger": "smaller",
    }
    table = {**pairs, **{b: a for a, b in pairs.items()}}
    words = [m for m in re.finditer(r"\w+", sentence[: match.start()]) if m[0] in table]
    if len(words) != 1:
        return None
    return swapped[: words[0].start()] + table[words[0][0]] + swapped[words[0].end() :]


def other_subject(sentence: str, random: Random) -> str | None:
    """A population, organ, route or time to another one of its class."""
    return exchanged(sentence, CLASSES, random)


def voiced(sentence: str, random: Random) -> str | None:
    """Passive to active and back, or the two sides of an association exchanged."""
    if match := _LINK.match(sentence):
        tense = "is" if match["be"] in ("is", "are") else "was"
        stop = match["stop"]
        how = match["how"].strip()
        adjective = {
            "strongly": "a strong ",
            "significantly": "a significant ",
            "positively": "a positive ",
            "inversely": "an inverse ",
        }
        if random.random() < 0.5 and (not how or how in adjective):
            return (
                f"There {tense} {adjective.get(how, 'an ')}association between {match['one']} and {match['two']}{stop}"
            )
        return capital(f"{match['two']} {tense} {match['how']}associated with {match['one']}{stop}")
    if match := _PASSIVE.match(sentence):
        base = PASTS.get(match["verb"])
        if base:
            verb = BASES[base][0] if re.search(r" (?:is|are) ", sentence) else match["verb"]
            return capital(f"{match['agent']} {verb} {match['object']}{match['stop']}")
    if (match := _ACTIVE.match(sentence)) and match["verb"] in VERBS and VERBS[match["verb"]][1].endswith("ed"):
        return capital(f"{match['object']} is {VERBS[match['verb']][1]} by {match['agent']}{match['stop']}")
    return None


def fronted(sentence: str, random: Random) -> str | None:  # noqa: ARG001 - a Change
    """ "In A, B." to "B in A."."""
    if match := _FRONT.match(sentence):
        rest = match["rest"].rstrip(".")
        return f"{capital(rest)} {match['front'][0].lower()}{match['front'][1:]}."
    return None


def synonymous(sentence: str, random: Random) -> str | None:
    """Up to three words or phrases by others that mean the same."""
    found = [p for p in SYNONYMS if " " in p and re.search(rf"\b{re.escape(p)}\b", sentence)]
    if found and random.random() < 0.6:
        phrase = random.choice(found)
        sentence = re.sub(rf"\b{re.escape(phrase)}\b", random.choice(SYNONYMS[phrase]), sentence, count=1)
        return sentence
    return exchanged(sentence, {w: o for w, o in SYNONYMS.items() if " " not in w}, random, random.choice([1, 2, 3]))


def bare(sentence: str) -> str:
    """Without its lead-in ("These results suggest that") and label; its claim alone."""
    for _ in range(3):
        shorter = _LEAD.sub("", sentence, count=1)
        if shorter == sentence or len(shorter) < 20:
            break
        sentence = shorter
    return capital(sentence.strip())


def without_brackets(sentence: str) -> str:
    """Without what stands in brackets."""
    return re.sub(r"\s+([,.;])", r"\1", _BRACKETS.sub("", sentence)).strip()


def shortened(sentence: str, random: Random) -> str | None:  # noqa: ARG001 - a Change
    """Without its last clause, or only what it "suggests": less is said, and nothing else."""
    if match := _SUGGESTING.search(sentence):
        return capital(match["claim"])
    short = _TAIL.sub("", sentence)
    return short.rstrip(".,; ") + "." if len(short) > 35 and len(short) < len(sentence) - 15 else None


def abbreviations(text: str) -> dict[str, str]:
    """Short forms to long forms that the text explains as "long form (LF)"."""
    found = {}
    for match in re.finditer(r"((?:[\w-]+ ){1,7})\(([A-Z][A-Za-z]{1,6}s?)\)", text):
        words, short = match[1].split(), match[2].rstrip("s")
        if len(words) >= len(short) and [w[0].lower() for w in words[-len(short) :]] == list(short.lower()):
            found[short] = " ".join(words[-len(short) :])
    return found


def expanded(sentence: str, short_forms: Mapping[str, str], random: Random) -> str:
    """With short and long forms exchanged."""
    for short, long in short_forms.items():
        if random.random() < 0.5 and f"{long} ({short})" not in sentence:
            old, new = (short, long) if re.search(rf"\b{short}\b", sentence) else (long, short)
            sentence = re.sub(rf"\b{re.escape(old)}\b", new, sentence)
    return sentence


def paraphrased(sentence: str, short_forms: Mapping[str, str], random: Random) -> str:
    """The same in other words, as far as these rules go; what it says may become less, never more."""
    sentence = bare(sentence)
    if random.random() < 0.8:
        sentence = without_brackets(sentence)
    for change, chance in ((shortened, 0.4), (voiced, 0.6), (fronted, 0.4), (flipped, 0.4), (synonymous, 0.75)):
        if random.random() < chance:
            sentence = change(sentence, random) or sentence
    sentence = expanded(sentence, short_forms, random)
    if random.random() < 0.5:
        sentence = re.sub(
            r"\b(?:also|thus|therefore|significantly|markedly|further|strongly|clearly|then) (?=\w)", "", sentence
        )
    return capital(sentence) if random.random() < 0.95 else sentence.rstrip(".")


AGAINST: tuple[tuple[Change, float], ...] = (
    (opposite, 0.42), (negated, 0.28), (affirmed, 1.0), (renumbered, 0.3), (swapped_arms, 0.5),
)  # fmt: skip
"""Changes after which a sentence contradicts what it was, with the chance that each is tried."""


def contradicted(sentence: str, random: Random) -> str | None:
    """By one change of AGAINST, tried in a random order; None where none has a hold."""
    ways = list(AGAINST)
    random.shuffle(ways)
    for change, chance in ways:
        if random.random() < chance and (new := change(sentence, random)) and new != sentence:
            return new
    return opposite(sentence, random) or negated(sentence, random)
