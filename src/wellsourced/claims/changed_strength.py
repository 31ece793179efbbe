"""How surely and of how much a claim speaks, beside its source: "may" told as "does", all for some, "and"
for "or".

Each is a suspicion, as in `swapped_facts.py`.
"""

import re
from collections.abc import Iterator, Sequence

from wellsourced.claims.guard.disagreement import Disagreement
from wellsourced.claims.swapped_facts import show_around
from wellsourced.lazy import lazy_regex
from wellsourced.text.scope import find_regions, find_scope
from wellsourced.text.tokens import content_stems, stem_coverage

MIN_ABOUT = 0.35
"""Share of the claim's content words that a sentence has which speaks of the same."""

_UNIVERSAL = lazy_regex(
    r"(?<!in )(?<!of )(?<!not )(?<!above )\b(?:all(?! (?:\d|two|three|four|five|six))|every(?! (?:\d"
    r"|(?:two|three|four|five|six|ten|hundred|thousand)\b|\w+ (?:hours|days|weeks)))"
    r"|(?<!in )any|whatever|whichever|regardless|irrespective|always|never|entirely|completely|anyone|everyone"
    r"|in any circumstance|no matter|full range|(?<!work )(?<!act )(?<!are )(?<!were )alike"
    r"|confined to|solely|just as|at most|at least"
    r"|(?<!not )only (?:if|to|in|when|for|those|after|among))\b",
    re.IGNORECASE,
)
_WHATEVER = r"\b(?:regardless|irrespective|whatever|whichever|whether|any|all|every|always|independent\w*)\b"
_SAME_SCOPE = {
    "whatever": _WHATEVER,
    "whichever": _WHATEVER,
    "regardless": _WHATEVER,
    "irrespective": _WHATEVER,
    "all": r"\b(?:all|every|each|both|any|none|no|throughout)\b",
    "every": r"\b(?:all|every|each|any|per|throughout|none|no)\b",
    "any": r"\b(?:any|all|every|no|none|nor|or|regardless)\b",
    "at least": r"at least|≥|>=|minimum|or more|no less|or higher|or older|\ba \d",
    "at most": r"at most|≤|<=|maximum|up to|no more|or less|limit",
}


def find_widened_scope(claim: str, evidence: str) -> Iterator[Disagreement]:
    """ "All", "whatever", "at most" of the claim, and nothing of the kind in what it cites."""
    for found in _UNIVERSAL.finditer(claim):
        word = found.group().lower()
        plain = (
            rf"{re.escape(word)}|\b(?:all|any|every|regardless|irrespective|no|never|none|fully|each|only|alone|both)\b"
        )
        if not re.search(_SAME_SCOPE.get(word, plain), evidence, re.IGNORECASE):
            yield Disagreement("strength", show_around(claim, found), "")
            return


_NO_EFFECT = lazy_regex(
    r"\b(?:no(?:t|n)?[ -](?:\w+ ){0,2}significan\w*|not (?:\w+ ){0,2}(?:differ\w*|different|improve\w*)"
    r"|did(?: not|n't) (?:\w+ )?(?:differ|improve|change|reduce|increase)|comparable|similar|(?:a )?trend\w*"
    r"|tend(?:ed|ency)"
    r"|no (?:significant )?(?:differences?|change|effect|association)|[Pp](?:[ -]value)?\s?[=>]\s?"
    r"0?\.(?:0[5-9]|[1-9])\d*)",
    re.IGNORECASE,
)
_EFFECT_DENIED = lazy_regex(
    r"\b(?:no|not|nor|neither|none|never|nothing|without (?:a|any|significant)|cannot"
    r"|similar\w*|comparable|same|equal\w*|trend|tend\w*|chance|fail\w*"
    r"|unchanged|stable|steady|little|insignificant|non-?significant|lack\w*|indistinguishable|alike|unrelated"
    r"|unaffected"
    r"|did(?: not|n't)|about as|as often|hardly|apart from|whether|may|might)\b",
    re.IGNORECASE,
)
_EFFECT = lazy_regex(
    r"\b(?:significant\w*|reduc\w*|improv\w*|increas\w*|decreas\w*|lower\w*|higher|larger|greater|better|worse"
    r"|faster|more|fewer"
    r"|less|rais\w*|rose|fell|cut|prevent\w*|reliev\w*|differ\w*|deteriorat\w*|declin\w*|brought)\b",
    re.IGNORECASE,
)


def find_insignificance(claim: str, sentences: Sequence[str]) -> Iterator[Disagreement]:
    """An effect in the claim, and in the sentence that speaks of the same none, or a trend, or a large p-value."""
    said = _EFFECT.search(claim)
    if not said or _EFFECT_DENIED.search(claim):
        return
    for sentence in sentences:
        found = _NO_EFFECT.search(sentence)
        if found and stem_coverage(claim, sentence) >= MIN_ABOUT:
            yield Disagreement("negation", show_around(claim, said), show_around(sentence, found))
            return


_LADDERS = (
    # words of the claim, what of the source is the same, what is another thing, and whether the source has to have that
    (
        r"must|contraindicated|mandatory|must not|prohibited|strictly",
        r"must|contraindicated|mandatory|do not|never|not recommended|required|strictly|necessary|essential"
        r"|avoid\w*|only"
        r"|not be|should not|no\b|exclud\w+",
        r"may|consider\w*|can|reasonable|caution|should|suggest\w*|conditional\w*",
        False,
    ),
    (
        r"(?:is|are) (?:strongly )?recommended|should|recommends|(?:is|are) indicated|needs? to be",
        r"recommend\w*|should|indicated|must|preferred|first[- ]line|refer|give|start|continue|use|avoid|administer"
        r"|target"
        r"|initiate|stop|treat|plan|standard|contraindicated|delay|obtain|add|reduce|resume|evaluate|maintain|aim"
        r"|hold|take"
        r"|advised|required|discontinue|record|perform|monitor|choose|switch|class i\b|grade a\b|necessary|do not"
        r"|need\w*"
        r"|replace|check\w*|within|dose|dosing|goal|optimal|→|->|-->|conditionally",
        r"may|consider\w*|can|reasonable|suggest\w*|conditional\w*|associat\w*|results?|found|were|was",
        True,
    ),
    (
        r"may be considered|can be considered|conditionally recommended|may be used|can be used|may|can be given",
        r"may|consider\w*|can|conditional\w*|reasonable|option\w*|could|suggest\w*|if|when",
        r"not (?:be )?(?:recommended|used)|strongly|strictly|contraindicated|avoid\w*|never|delay|do not|should|must",
        True,
    ),
    (
        r"caus(?:e|es|ed|ing)|because of|due to|brought about|prevents?|leads? to|by altering|owing to|restores?"
        r"|is the cause|explained by|raised the number|thanks to|argues against|result of",
        r"caus\w*|because|due to|prevent\w*|lead\w*|led|result\w*|owing|explain\w*|induc\w*|effect\w*|since|for the"
        r"|reason"
        r"|by|makes?|secondary|thus|so\b|therefore",
        r"associat\w*|correlat\w*|linked|relat\w*|predict\w*|more often|risk factor\w*|were|was|harbour\w*|found",
        False,
    ),
    (
        r"proven|prove[sd]?|shown to|demonstrated|reliably|certainly|clearly|definitely|established",
        r"proven|prove[sd]?|shown|show\w*|demonstrat\w*|reliabl\w*|certain\w*|clear\w*|established|confirmed|known"
        r"|found",
        r"may|might|suggest\w*|support\w*|possibl\w*|potential\w*|appear\w*|could|confirmed in|modest",
        True,
    ),
)
_HEDGE = lazy_regex(
    r"\b(?:may|might|could|possibl[ey]|potential\w*|suggest\w*|appear\w*|seem\w*"
    r"|(?<!more )(?<!less )(?<!most )(?<!least )likely|partly|mostly|probabl[ey]"
    r"|considered harmful|would use)\b",
    re.IGNORECASE,
)
_MIN_HEDGED = 0.45
"""The same of a sentence whose "may" the claim leaves out."""

_CLAIM_HEDGE = lazy_regex(
    r"\b(?:may|might|could|can|possibl[ey]|potential\w*|suggest\w*|appear\w*|seem\w*|likely|partly|mostly|in part"
    r"|probabl[ey]"
    r"|some\w*|perhaps|would|believed|thought|considered|regarded|consider|option|not (?:certain|proven)|uncertain|most"
    r"|typically|often|sometimes|expected|whether|indicat\w*|point\w*|hint\w*|support\w*|regard\w*|permit\w*"
    r"|allow\w*)\b",
    re.IGNORECASE,
)


def find_strength_changes(claim: str, sentences: Sequence[str]) -> Iterator[Disagreement]:
    """A claim that orders, proves or names a cause, and a source that considers, suggests or finds an association."""
    about = [one for one in sentences if stem_coverage(claim, one) >= MIN_ABOUT] or list(sentences)
    evidence = " … ".join(about)
    for said, same, other, is_told in _LADDERS:
        found = re.search(rf"\b(?:{said})\b", claim, re.IGNORECASE)
        if not found or re.search(rf"(?<!\w)(?:{same})(?!\w)", evidence, re.IGNORECASE):
            continue
        weaker = re.search(rf"\b(?:{other})\b", evidence, re.IGNORECASE)
        # "May be absent" is no less sure for what is absent.
        denials = [one for one in find_regions(claim, *found.span()) if one.scope == "denied"]
        if (is_told and not weaker) or any(one.cue_start < found.start() for one in denials):
            continue
        yield Disagreement("strength", show_around(claim, found), show_around(evidence, weaker) if weaker else "")
        return
    for sentence in sentences:
        hedge = _HEDGE.search(sentence)
        if hedge and stem_coverage(claim, sentence) >= _MIN_HEDGED and not _CLAIM_HEDGE.search(claim):
            yield Disagreement("strength", _shorten(claim), show_around(sentence, hedge))
            return


def _shorten(text: str) -> str:
    words = text.split()
    return " ".join(words[:16]) + (" …" if len(words) > 16 else "")


# "And" for "or", "both" for "at least one", "pregnant" for "nonpregnant": small words that turn a rule round.

_JOINED = re.compile(r"(?=\b(?P<first>[\w-]+),? (?P<join>and|or) (?P<second>[\w-]+))", re.IGNORECASE)
_ALL_OF = re.compile(r"\b(?:both(?: of)?|all of|each of)\b", re.IGNORECASE)
_ONE_OF = re.compile(r"\b(?:at least one(?: of)?|one (?:or more )?of|any of|either(?: of)?)\b", re.IGNORECASE)
_WORD = re.compile(r"(?:non-)?[a-z]+")

MIN_PREFIXED = 5
"""Letters of a word of which "non" before it makes the contrary."""

MIN_LIKENESS = 0.35
"""Share of a claim's content words that a sentence has whose "both" or "either" is compared."""


def find_swapped_connectives(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Two words that the claim joins by the one of "and" and "or", and its source only by the other."""
    given: dict[tuple[str, str], dict[str, re.Match[str]]] = {}
    for there in _JOINED.finditer(evidence):
        if pair := _stem_pair(there):
            given.setdefault(pair, {}).setdefault(there["join"].lower(), there)
    for found in _JOINED.finditer(claim):
        pair, join = _stem_pair(found), found["join"].lower()
        others = given.get(pair, {}) if pair else {}
        if others and join not in others:
            yield Disagreement("condition", _show_pair(claim, found), _show_pair(evidence, next(iter(others.values()))))
            return


def find_swapped_quantifiers(claim: str, evidence: str) -> Iterator[Disagreement]:
    """ "Both of" where the source has "at least one of", and the reverse."""
    for said, given in ((_ALL_OF, _ONE_OF), (_ONE_OF, _ALL_OF)):
        here, there = said.search(claim), given.search(evidence)
        if here and there and not said.search(evidence) and stem_coverage(claim, evidence) >= MIN_LIKENESS:
            yield Disagreement("condition", show_around(claim, here), show_around(evidence, there))
            return


def find_dropped_prefixes(claim: str, source: str) -> Iterator[Disagreement]:
    """ "Pregnant" where the source speaks of the nonpregnant alone, and the reverse."""
    for word in sorted({word for word in _WORD.findall(claim.lower()) if len(word) >= MIN_PREFIXED}):
        other = rf"non-?{word}" if not word.startswith("non") else word.removeprefix("non").removeprefix("-")
        own = rf"(?<!non-){word}" if not word.startswith("non") else rf"non-?{other}"
        here = re.search(rf"\b{own}\b", claim, re.IGNORECASE)
        there = re.search(rf"(?<![\w-]){other}\b", source, re.IGNORECASE)
        is_denied = here is not None and find_scope(claim, *here.span()) == "denied"
        if here and there and not is_denied and not re.search(rf"\b{own}\b", source, re.IGNORECASE):
            yield Disagreement("population", show_around(claim, here), show_around(source, there))
            return


def _stem_pair(found: re.Match[str]) -> tuple[str, str] | None:
    stems = [content_stems(found[name]) for name in ("first", "second")]
    return (stems[0][-1], stems[1][0]) if all(stems) else None


def _show_pair(text: str, found: re.Match[str]) -> str:
    """The two words, with a few on either side."""
    before, behind = text[: found.start()].split(), text[found.end("second") :].split()
    return " ".join([*before[-4:], text[found.start("first") : found.end("second")], *behind[:4]])
