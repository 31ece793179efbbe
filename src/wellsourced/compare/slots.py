"""What of a claim its place does not say: its open slots, each as words of the claim beside words of the source.

A slot is contradicted where the place has other words for it, and nowhere where it has none; slots that are found are
not listed. Rules find differences and do not convict: a paraphrase differs too. Whoever judges a claim is asked about
them, and a reader sees both places.

On 203 claims of a played model, 831 statements of four authors and 270 as published, each rule here finds faults more
often than it questions what is right; docs/design/0007-check.md has the figures, and what was left out for them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from wellsourced.claims.extraction import strip_answer_word
from wellsourced.compare.alignment import compare_terms, find_source_sentence
from wellsourced.compare.differences import HARMLESS_KINDS, mark_differences
from wellsourced.compare.quantities import list_underived_quantities
from wellsourced.lazy import lazy_regex
from wellsourced.medicine.doses import find_dose_conflict
from wellsourced.medicine.drugs import find_drugs, names_class_of
from wellsourced.medicine.name_forms import fold_name, is_abbreviation_of, is_disease_name, is_entity_name, is_symbol
from wellsourced.medicine.quantities import Quantity, extract_quantities
from wellsourced.text.lexicon import word_set
from wellsourced.text.sanitization import collapse_whitespace, short_line
from wellsourced.text.scope import find_regions, find_scope, list_regions
from wellsourced.text.sentences import CELL_SEPARATOR, split_sentences
from wellsourced.text.tokens import content_stems, stem_coverage
from wellsourced.text.typography import normalize_characters, remove_marks

SlotState = Literal["contradicted", "nowhere", "elsewhere"]
"""What the place says for a slot: other words; nothing; nothing, while another line of the source has the words."""

REVERSALS = frozenset({"negation", "direction", "order"})
"""Kinds in which the place says the opposite; in all others it only does not say so."""

MAX_SLOTS = 3
"""Of one claim that are asked about: of more, the worst."""

MAX_CLAIM_SENTENCES = 20
"""Of one claim that are compared: a bound for whole passages."""

MAX_COMPARED = 4
"""Sentences that a claim cites beside which it is read term by term."""

MIN_ABOUT = 0.35
"""Share of the claim's content words that a sentence has which speaks of the same."""

MIN_HEDGED = 0.45
"""The same of a sentence whose "may" the claim leaves out."""

MAX_NEAREST = 3
"""Sentences that stand for those that a claim cites, where it cites a whole text."""

MAX_SENTENCES = 400
"""Of one text that are read: a bound for long ones."""

MAX_WORDS = 24
"""Words of either side that are shown."""

SHOWN_WORDS = 6
"""Words on either side of those in question that are shown."""

MIN_PREFIXED = 5
"""Letters of a word of which "non" before it makes the contrary."""

_LINE_END = lazy_regex(r"\n| … ")


class Slot(NamedTuple):
    """A slot of a claim that its place leaves open.

    kind     "figure", "dose", "negation", "direction", "condition", "quantity word", "order", "name", "certainty",
             "population", "outcome" or "doubt"
    claim    words of the claim; "" where it leaves out what the source says
    source   the words of its place beside them; "" where the place has none
    """

    kind: str
    state: SlotState
    claim: str
    source: str

    def describe(self, claim: str, source: str) -> str:
        """What is open, in words, in which the two sides are called so."""
        if self.kind == "doubt":
            return f"the {source} only asks or does not show it: “{short_line(self.source)}”"
        said, there = (f"“{words}”" if words else "nothing" for words in (self.claim, self.source))
        return f"the {self.kind} differs: {said} in the {claim}, {there} in the {source}"

    @property
    def phrase(self) -> str:
        """The slot as a question."""
        said, there = _tidy_words(self.claim), _tidy_words(self.source)
        if not said:
            asked = f"The source says “{there}”, and the statement does not. Does it mean the same without?"
        elif not there:
            asked = f"The statement says “{said}”. Does the source say that, in any words?"
        else:
            asked = f"The statement says “{said}”; the source says “{there}”. Do they mean the same?"
        return f"{asked} If not, the claim is not supported."


def list_open_slots(claim: str, sentences: Sequence[str], source: str, case: str = "") -> tuple[Slot, ...]:
    """The open slots of an English claim, the worst first, at most MAX_SLOTS.

    sentences   those that it cites
    source      all that it cites, with titles and headings
    case        what is known of the question and of the patient
    """
    found = (*find_changed_terms(claim, sentences, source), *find_unsaid(claim, sentences, source, case))
    nearest = max(sentences, key=lambda one: stem_coverage(claim, one), default="")
    known = f"{source}\n{case}"
    placed = (
        one._replace(state="elsewhere", source=one.source or nearest) if _is_elsewhere(one, claim, known) else one
        for one in found
    )
    return tuple(_leave_out_repetitions(placed))[:MAX_SLOTS]


def _is_elsewhere(slot: Slot, claim: str, known: str) -> bool:
    """Whether another line than those that are cited, a title or the question has the words: "AKI stage 1"."""
    if slot.state != "nowhere":
        return False
    if slot.kind == "quantity word":
        return not any(_find_scope(claim, known))
    stems = {*content_stems(known)}
    return slot.kind in ("name", "outcome") and all(
        stems.issuperset(content_stems(word)) or _is_level_of(word, known) for word in slot.claim.split()
    )


def list_slots_of_text(claim: str, text: str, case: str = "") -> tuple[Slot, ...]:
    """The same of a claim that cites a whole text: its sentences that have most of the claim's words stand for it."""
    claim = strip_answer_word(claim)
    return list_open_slots(claim, list_nearest(claim, text), text, case)


def list_nearest(claim: str, text: str) -> list[str]:
    """The sentences of a text that have most of a claim's words, at most MAX_NEAREST."""
    return _select_nearest(claim, _list_sentences(text))


def _list_sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)[:MAX_SENTENCES]]


def _select_nearest(claim: str, sentences: Sequence[str]) -> list[str]:
    return sorted(sentences, key=lambda one: -stem_coverage(claim, one))[:MAX_NEAREST]


def find_unsaid(claim: str, sentences: Sequence[str], source: str, case: str = "") -> Iterator[Slot]:
    """Figures and names of a claim that stand nowhere, and what it says more surely, or of more, than its source."""
    yield from _find_figures(claim, [*sentences, source, case], [*sentences, case])
    yield from _find_rates(claim, " ".join(sentences))
    yield from _find_doses(claim, sentences, source, case)
    yield from _find_names(claim, f"{source}\n{' '.join(sentences)}\n{case}", sentences)
    yield from _find_doubts(claim, sentences)
    yield from _find_strength(claim, sentences)
    yield from _find_scope(claim, " ".join(sentences))
    yield from _find_insignificance(claim, sentences)
    yield from _find_dropped_prefixes(claim, source)


def find_disagreements(claim: str, evidence: str) -> list[Slot]:
    """What a claim that nearly copies a sentence of the evidence changes in it, its figures that stand nowhere there,
    and what the evidence only asks or does not show.
    """
    claim = collapse_whitespace(normalize_characters(claim))
    evidence = normalize_characters(evidence)
    if claim.split() == evidence.split():
        return []
    sentences = _list_sentences(evidence)
    doubts = list(_find_doubts(claim, sentences))
    # "There is no evidence that" does not say the opposite.
    changed = [] if doubts else find_changed_terms(claim, _select_nearest(claim, sentences), evidence)
    return [*doubts, *changed, *_find_figures(claim, [evidence], [evidence])]


def _leave_out_repetitions(found: Iterable[Slot]) -> Iterator[Slot]:
    """A slot for each difference: the first that points to it."""
    told: list[tuple[str, frozenset[str]]] = []
    for one in found:
        words = frozenset(content_stems(one.claim)) or frozenset(content_stems(one.source))
        alike = [other for kind, other in told if kind == one.kind or "figure" not in (kind, one.kind)]
        if not any(words <= other or other <= words for other in alike):
            yield one
        told.append((one.kind, words))


def _tidy_words(words: str) -> str:
    """Words to be shown: without marks of Markdown, and without the blanks that taking a text apart left in them."""
    # "> 5 mg" at the beginning is a bound, no quotation of Markdown.
    bound = re.match(r"\s*>\s*(?=\d)", words)
    plain = (bound.group() if bound else "") + remove_marks(words[bound.end() :] if bound else words).text
    plain = re.sub(r"\s+([.,;:%)\]])|([(\[])\s+", r"\1\2", plain)
    return short_line(plain, MAX_WORDS).strip(" .,;:")


def _show_around(text: str, start: int, end: int, reach: int = SHOWN_WORDS) -> str:
    """Words with some on either side of the same line."""
    before, behind = _LINE_END.split(text[:start])[-1].split(), _LINE_END.split(text[end:])[0].split()
    return " ".join([*before[-reach:], text[start:end], *behind[:reach]]).strip()


def _show_match(text: str, found: re.Match[str]) -> str:
    return _show_around(text, *found.span())


# --- a copy that was changed ---------------------------------------------------------------------------------------


def find_changed_terms(claim: str, sentences: Sequence[str], source: str) -> Iterator[Slot]:
    """What a claim says in the place of what the sentence says that it nearly copies; a negation that it drops."""
    for start, end in split_sentences(claim)[:MAX_CLAIM_SENTENCES]:
        if claim[start:end] not in source:
            yield from _compare_with_copied(claim[start:end], sentences, source)


def _compare_with_copied(said: str, sentences: Sequence[str], source: str) -> Iterator[Slot]:
    span = find_source_sentence(said, source)
    near = dict.fromkeys([*([source[span.start : span.end]] if span else []), *sentences[:MAX_COMPARED]])
    compared = [compare_terms(said, sentence, source) for sentence in near]
    copy = max((one for one in compared if one.is_copy), key=lambda one: one.same_count, default=None)
    if copy is None:
        return
    for one in mark_differences(copy, source):
        words = copy.claim_text[one.claim_start : one.claim_end]
        given = copy.source_text[one.source_start : one.source_end]
        if one.kind not in HARMLESS_KINDS and (words or one.kind == "negation"):
            yield Slot(
                one.kind,
                "contradicted" if given else "nowhere",
                _show_around(copy.claim_text, one.claim_start, one.claim_end, 2) if words else "",
                _show_around(copy.source_text, one.source_start, one.source_end, 2) if given else "",
            )


# --- what stands nowhere -------------------------------------------------------------------------------------------


def _find_figures(claim: str, given: Sequence[str], nearest: Sequence[str]) -> Iterator[Slot]:
    text = normalize_characters(claim)
    for one in list_underived_quantities(claim, given, nearest):
        yield Slot("figure", "nowhere", _show_around(text, *one.printed, 2), "")


_RATE = lazy_regex(
    r"\s?(?:[\w-]+\s)?(?:/|per|an?|each|every)\s?(?P<of>dose|day|hour|h|week|month|year|kg|minute|min|l|liter|litre)\b",
    re.IGNORECASE,
)
_RATE_UNITS = {"h": "hour", "min": "minute", "liter": "l", "litre": "l"}


def _find_rates(claim: str, evidence: str) -> Iterator[Slot]:
    """ "20 mmol per hour" where the source has "20 mmol per liter"."""
    said_text, given_text = normalize_characters(claim), normalize_characters(evidence)
    given = extract_quantities(given_text)
    for said in extract_quantities(said_text):
        same = [one for one in given if abs(one.value) == abs(said.value)]
        own, others = _read_rate(said, said_text), {one: _read_rate(one, given_text) for one in same}
        other = next((one for one in same if others[one]), None)
        if own and other and own not in others.values():
            words = (_show_around(said_text, *said.printed), _show_around(given_text, *other.printed))
            yield Slot("figure", "contradicted", *words)
            return


def _read_rate(quantity: Quantity, text: str) -> str:
    """Of what a quantity is that much: of a dose, of a day; "" where nothing is said."""
    if "/" in quantity.unit:
        return quantity.unit.split("/")[-1]
    found = _RATE.match(text, quantity.start + len(quantity.words))
    return _RATE_UNITS.get(found["of"].lower(), found["of"].lower()) if found else ""


def _find_doses(claim: str, sentences: Sequence[str], source: str, case: str) -> Iterator[Slot]:
    """A dose that no line gives so: with that unit, route and rhythm, for these people."""
    lines = [line for text in (*sentences, source) for line in text.split("\n")]
    if dose := find_dose_conflict(claim, lines, case):
        nearest = max(sentences, key=lambda line: stem_coverage(claim, line), default="")
        yield Slot("dose", "contradicted" if nearest else "nowhere", dose, nearest)


_OUTCOMES = word_set(
    "mortality survival hospitalization hospitalisation admission remission cure cured "
    "stroke strokes infarction fracture fractures recurrence readmission "
    "disability pain quality cost costs sensitivity specificity incidence prevalence toxicity pregnant pregnancy "
    "breastfeeding adults outpatients inpatients surgery elective emergency cardiac "
    "healthy diabetic nondiabetic severe mild moderate acute chronic prophylactic first-line second-line "
    "animals ankle wrist hip knee spine ostial bifurcation children's microscopy events"
)
_LEVELS = {
    "calcium": (r"\bhyp(?:o|er)calc", r"\bCa\d?\+"),
    "potassium": (r"\bhyp(?:o|er)kal", r"\bK\+"),
    "sodium": (r"\bhyp(?:o|er)natr", r"\bNa\+"),
    "magnesium": (r"\bhyp(?:o|er)magnes", r"\bMg\d?\+"),
    "glucose": (r"\bhyp(?:o|er)glyc", ""),
}
"""What is measured → the words for too much and too little of it, and its sign, which is written so alone."""

_NOT_NAMES = word_set("surgery exercise placebo monotherapy")
_WORD = lazy_regex(r"[A-Za-zα-ω][\w-]*\w")


def _find_names(claim: str, known: str, sentences: Sequence[str]) -> Iterator[Slot]:
    """The first drug, disease, outcome or group of people of a claim that is named nowhere."""
    folded = fold_name(known)
    stems = {*content_stems(known), *content_stems(folded)}
    short = set(re.findall(r"\b[A-Z]{2,6}\b", known))
    for word in dict.fromkeys(_WORD.findall(claim)):
        small = word.lower()
        if small in _NOT_NAMES or any(is_abbreviation_of(one, word) for one in short):
            continue
        is_name = is_entity_name(word) and not is_symbol(word)
        if not (is_name or is_disease_name(word) or small in _OUTCOMES):
            continue
        if fold_name(word)[:5] in folded or set(content_stems(word)) <= stems:
            continue
        if _is_member(word, known) or _is_level_of(word, known):
            continue
        # Only a word that is nowhere else is looked for behind abbreviations: each is a search of its own.
        if stems.union(*(content_stems(_spell_out(one, claim)) for one in short)).issuperset(content_stems(word)):
            continue
        nearest = max(sentences, key=lambda one: stem_coverage(claim, one), default="")
        yield Slot("name" if is_name else "outcome" if small in _OUTCOMES else "condition", "nowhere", word, nearest)
        return


def _is_level_of(word: str, known: str) -> bool:
    """Whether a text speaks of it by a word for too much or too little, or by its sign: "hypocalcemia", "K+"."""
    level, sign = _LEVELS.get(word.lower(), ("", ""))
    is_named = bool(level) and re.search(level, known, re.IGNORECASE) is not None
    return is_named or (bool(sign) and re.search(sign, known) is not None)


def _spell_out(short: str, claim: str) -> str:
    """The words of a claim that an abbreviation of the source stands for, by their first letters: CKD."""
    found = re.search(r"\b" + r"\w*[ -]".join(map(re.escape, short)) + r"\w*", claim, re.IGNORECASE)
    return found.group() if found else ""


def _is_member(word: str, known: str) -> bool:
    """Whether a text names a class of which a drug is: lisinopril of the ACE inhibitors."""
    return any(names_class_of(known, drug) for drug in find_drugs(word))


def _find_dropped_prefixes(claim: str, source: str) -> Iterator[Slot]:
    """ "Pregnant" where the source speaks of the nonpregnant alone, and the reverse."""
    for word in sorted({word for word in re.findall(r"(?:non-)?[a-z]+", claim.lower()) if len(word) >= MIN_PREFIXED}):
        other = rf"non-?{word}" if not word.startswith("non") else word.removeprefix("non").removeprefix("-")
        own = rf"(?<!non-){word}" if not word.startswith("non") else rf"non-?{other}"
        here = re.search(rf"\b{own}\b", claim, re.IGNORECASE)
        there = re.search(rf"(?<![\w-]){other}\b", source, re.IGNORECASE)
        is_denied = here is not None and find_scope(claim, *here.span()) == "denied"
        if here and there and not is_denied and not re.search(rf"\b{own}\b", source, re.IGNORECASE):
            yield Slot("population", "contradicted", _show_match(claim, here), _show_match(source, there))
            return


# --- how surely, and of how much -----------------------------------------------------------------------------------

_DOUBTING = frozenset({"asked", "unshown"})
"""Sorts of scope in which a text asserts nothing."""

MIN_DENIED = 0.6
"""Share of what a claim calls unshown that a sentence has which says it."""

NEAR_BEST = 0.6
"""Share of the best sentence's words from which another one is about the claim too."""

MAX_SENTENCE_LENGTH = 2_000
"""Characters of a sentence that are read: a bound for hostile texts."""

_HEDGING_WORD = lazy_regex(
    r"\b(?:no|not|never|without|lack\w*|insufficient|unclear|unknown|unproven|uncertain|controversial|may|might)\b",
    re.IGNORECASE,
)


def _find_doubts(claim: str, sentences: Sequence[str]) -> Iterator[Slot]:
    """What the source only asks or does not show, and what it says and the claim denies."""
    shares = [stem_coverage(claim, sentence) for sentence in sentences]
    best = max(shares, default=0.0)
    about = [one for one, share in zip(sentences, shares, strict=True) if best and share >= NEAR_BEST * best]
    # All of them: the aim of a study asks what its result then says.
    if best >= MIN_ABOUT and all(_doubts(sentence, claim) for sentence in about):
        yield Slot("doubt", "contradicted", claim, about[0])
    elif plain := next((sentence for sentence in about if _is_denied_by(claim, sentence)), ""):
        yield Slot("negation", "contradicted", claim, plain)


def _doubts(sentence: str, claim: str) -> bool:
    """Whether what the claim asserts stands in the sentence behind "there is no evidence that" and the like."""
    # The claim doubts as well: then the two say the same, and no doubt was lost.
    if _HEDGING_WORD.search(claim) or _list_regions(claim, _DOUBTING):
        return False
    read = sentence[:MAX_SENTENCE_LENGTH]
    doubted = _list_regions(read, _DOUBTING)
    rest = read
    for part in doubted:
        rest = rest.replace(part, " ")
    return bool(doubted) and stem_coverage(claim, " ".join(doubted)) > stem_coverage(claim, rest)


def _is_denied_by(claim: str, sentence: str) -> bool:
    """Whether the claim calls unshown or untrue what the sentence says without a doubt of its own."""
    unshown = frozenset({"unshown"})
    denied = " ".join(_list_regions(claim, unshown))
    own = {*map(str.lower, _HEDGING_WORD.findall(sentence))} - {*map(str.lower, _HEDGING_WORD.findall(denied))}
    if not denied or own or _list_regions(sentence, unshown):
        return False
    return stem_coverage(denied, sentence) >= MIN_DENIED


def _list_regions(text: str, sorts: frozenset[str]) -> list[str]:
    return [text[one.start : one.end] for one in list_regions(text) if one.sort in sorts]


_UNIVERSAL = lazy_regex(
    r"(?<!in )(?<!of )(?<!not )(?<!above )\b(?:all(?! (?:\d|two|three|four|five|six))|every(?! (?:\d"
    r"|(?:two|three|four|five|six|ten|hundred|thousand)\b|\w+ (?:hours|days|weeks)))"
    r"|(?<!in )any|whatever|whichever|regardless|irrespective|always|never|entirely|completely|anyone|everyone"
    r"|in any circumstance|no matter|confined to|solely|at most|at least"
    r"|(?<!not )only (?:if|to|in|when|for|those|after|among))\b",
    re.IGNORECASE,
)
_SAME_SCOPE = {
    "never": r"never|contraindicated|prohibited|(?:must|do|should|can)(?: not|n't)|cannot",
    "at least": r"at least|≥|>=|minimum|or more|no less|or higher|or older|\ba \d",
    "at most": r"at most|≤|<=|maximum|up to|no more|or less|limit",
}
_ANY_SCOPE = (
    r"\b(?:all|any|every|whatever|whichever|whether|regardless|irrespective|independent\w*|no|nor|never|none|fully|each"
    r"|only|alone|both|throughout|per)\b"
)


_BOUND_SCOPE = r"\b(?:unless|until|if|when|except)\b|[<>≤≥]"
"""What limits as "only" does."""


def _find_scope(claim: str, evidence: str) -> Iterator[Slot]:
    """ "All", "whatever", "at most" of the claim, and nothing of the kind in what it cites."""
    for found in _UNIVERSAL.finditer(claim):
        word = found.group().lower()
        same = _SAME_SCOPE.get(word, rf"{re.escape(word)}|{_ANY_SCOPE}")
        same = f"{same}|{_BOUND_SCOPE}" if word.startswith("only") else same
        if not re.search(same, evidence, re.IGNORECASE):
            yield Slot("quantity word", "nowhere", _show_match(claim, found), "")
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
    r"|unaffected|did(?: not|n't)|about as|as often|hardly|apart from|whether|may|might)\b",
    re.IGNORECASE,
)
_EFFECT = lazy_regex(
    r"\b(?:significant\w*|reduc\w*|improv\w*|increas\w*|decreas\w*|lower\w*|higher|larger|greater|better|worse"
    r"|faster|more|fewer|less|rais\w*|rose|fell|cut|prevent\w*|reliev\w*|differ\w*|deteriorat\w*|declin\w*|brought)\b",
    re.IGNORECASE,
)


def _find_insignificance(claim: str, sentences: Sequence[str]) -> Iterator[Slot]:
    """An effect in the claim, and in the sentence that speaks of the same none, or a trend, or a large p-value."""
    said = _EFFECT.search(claim)
    if not said or _EFFECT_DENIED.search(claim):
        return
    for sentence in sentences:
        found = _NO_EFFECT.search(sentence)
        if found and stem_coverage(claim, sentence) >= MIN_ABOUT:
            yield Slot("negation", "contradicted", _show_match(claim, said), _show_match(sentence, found))
            return


class _Step(NamedTuple):
    """A step of certainty: its words, what of the source says as much, and what says less.

    is_told   the source has to say less, for the claim to have said too much
    """

    said: str
    same: str
    less: str
    is_told: bool


_STEPS = (
    _Step(
        r"must|contraindicated|mandatory|must not|prohibited|strictly",
        r"must|contraindicated|mandatory|do not|never|not recommended|required|strictly|necessary|essential"
        r"|avoid\w*|only|not be|should not|no\b|exclud\w+",
        r"may|consider\w*|can|reasonable|caution|should|suggest\w*|conditional\w*",
        False,
    ),
    _Step(
        r"(?:is|are) (?:strongly )?recommended|should|recommends|(?:is|are) indicated|needs? to be",
        r"recommend\w*|should|indicated|must|preferred|first[- ]line|refer|give|start|continue|use|avoid|administer"
        r"|target|initiate|stop|treat|plan|standard|contraindicated|delay|obtain|add|reduce|resume|evaluate|maintain|aim"
        r"|hold|take|advised|required|discontinue|record|perform|monitor|choose|switch|class i\b|grade a\b|necessary"
        r"|do not|need\w*|replace|check\w*|within|dose|dosing|goal|optimal|→|->|-->|conditionally",
        r"may|consider\w*|can|reasonable|suggest\w*|conditional\w*|associat\w*|results?|found|were|was",
        True,
    ),
    _Step(
        r"caus(?:e|es|ed|ing)|because of|due to|brought about|prevents?|leads? to|by altering|owing to|restores?"
        r"|is the cause|explained by|raised the number|thanks to|argues against|result of",
        r"caus\w*|because|due to|prevent\w*|lead\w*|led|result\w*|owing|explain\w*|induc\w*|effect\w*|since|for the"
        r"|reason|by|makes?|secondary|thus|so\b|therefore",
        r"associat\w*|correlat\w*|linked|relat\w*|predict\w*|more often|risk factor\w*|were|was|harbour\w*|found",
        False,
    ),
    _Step(
        r"proven|prove[sd]?|shown to|demonstrated|reliably|certainly|clearly|definitely|established|confirmed",
        r"proven|prove[sd]?|shown|show\w*|demonstrat\w*|reliabl\w*|certain\w*|clear\w*|established|confirmed|known|found",
        r"may|might|suggest\w*|support\w*|possibl\w*|potential\w*|appear\w*|could|modest",
        True,
    ),
)
_HEDGE = lazy_regex(
    r"\b(?:may|might|could|possibl[ey]|potential\w*|suggest\w*|appear\w*|seem\w*"
    r"|(?<!more )(?<!less )(?<!most )(?<!least )likely|partly|mostly|probabl[ey])\b",
    re.IGNORECASE,
)
_CLAIM_HEDGE = lazy_regex(
    r"\b(?:may|might|could|can|possibl[ey]|potential\w*|suggest\w*|appear\w*|seem\w*|likely|partly|mostly|in part"
    r"|probabl[ey]|some\w*|perhaps|would|believed|thought|considered|regarded|consider|option|not (?:certain|proven)"
    r"|uncertain|most|typically|often|sometimes|expected|whether|indicat\w*|point\w*|hint\w*|support\w*|regard\w*"
    r"|permit\w*|allow\w*)\b",
    re.IGNORECASE,
)


def _find_strength(claim: str, sentences: Sequence[str]) -> Iterator[Slot]:
    """A claim that orders, proves or names a cause, and a source that considers, suggests or finds an association."""
    about = " … ".join([one for one in sentences if stem_coverage(claim, one) >= MIN_ABOUT] or sentences)
    for step in _STEPS:
        found = re.search(rf"\b(?:{step.said})\b", claim, re.IGNORECASE)
        if not found or re.search(rf"(?<!\w)(?:{step.same})(?!\w)", about, re.IGNORECASE):
            continue
        weaker = re.search(rf"\b(?:{step.less})\b", about, re.IGNORECASE)
        # "May be absent" is no less sure for what is absent.
        denials = [one for one in find_regions(claim, *found.span()) if one.scope == "denied"]
        if (step.is_told and not weaker) or any(one.cue_start < found.start() for one in denials):
            continue
        there = _show_match(about, weaker) if weaker else ""
        yield Slot("certainty", "contradicted" if there else "nowhere", _show_match(claim, found), there)
        return
    if _CLAIM_HEDGE.search(claim):
        return
    for sentence in sentences:
        hedge = _HEDGE.search(sentence)
        # The "may" of a row may be another cell's.
        if hedge and CELL_SEPARATOR not in sentence and stem_coverage(claim, sentence) >= MIN_HEDGED:
            yield Slot("certainty", "contradicted", short_line(claim, 16), _show_match(sentence, hedge))
            return


# --- two texts that say the same -----------------------------------------------------------------------------------

MIN_WORD_OVERLAP = 0.9
"""Share of the words of two texts that they have in common (Jaccard), from which they may be one."""


class StemmedText(NamedTuple):
    """A text and its content stems."""

    text: str
    stems: frozenset[str]


EMPTY_STEMMED_TEXT = StemmedText("", frozenset())
"""Of a text that is compared with none."""


def stem_text(text: str) -> StemmedText:
    """A text as it is compared."""
    return StemmedText(text, frozenset(content_stems(text)))


def share_nearly_all_stems(one: StemmedText, other: StemmedText) -> bool:
    """Whether two texts share nearly all their words, whatever these say: what is not near is not alike."""
    first, second = len(one.stems), len(other.stems)
    # The larger set bounds what they can share: most pairs are told apart by their size alone.
    if not first or first < MIN_WORD_OVERLAP * second or second < MIN_WORD_OVERLAP * first:
        return False
    shared = len(one.stems & other.stems)
    return shared >= MIN_WORD_OVERLAP * (first + second - shared)


def are_near_duplicates(one: StemmedText, other: StemmedText) -> bool:
    """Whether one of the two is enough: they share nearly all words, and no number, negation or direction differs.

    A text without a content word is like none.
    """
    if not share_nearly_all_stems(one, other):
        return False
    if one.text == other.text:
        return True
    return not find_disagreements(one.text, other.text) and not find_disagreements(other.text, one.text)
