"""Pairs in the authors' own words: a conclusion and the sentence that bears it out, an answer and its snippets."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from wellsourced_evaluate.training.entailment import alter, comparisons
from wellsourced_evaluate.training.entailment.comparisons import Comparison
from wellsourced_evaluate.training.entailment.minimal import CONTRADICTED, LONGEST, NOT_ENOUGH, SUPPORTED, Pair
from wellsourced_evaluate.training.entailment.texts import Document, Neighbours, Weights, cut, rows
from wellsourced_evaluate.training.entailment.words import BASES, OPPOSITES, VERBS

BORNE_OUT, SILENT = 0.45, 0.2
"""Weighted share of a claim's stems from which a sentence of its document says it, and up to which it is silent."""

_AIM = re.compile(
    r"\b(?:aim(?:s|ed)?|objectives?|purpose|hypothesi[sz]ed?|whether|sought"
    r"|to (?:assess|determine|investigate|evaluate|examine|study|explore|test|compare))\b",
    re.IGNORECASE,
)
"""Of a sentence that says what was asked, not what was found."""

_VERBS = "|".join(sorted({*VERBS, *BASES}))
_FINDING = re.compile(rf"\b(?:is|are|was|were|does|do|can|may|{_VERBS})\b")
_VERB_OF = {
    "Induction": "induce",
    "Inhibition": "inhibit",
    "Regulation": "regulate",
    "Activation": "activate",
    "Suppression": "suppress",
    "Reduction": "reduce",
    "Modulation": "modulate",
    "Prevention": "prevent",
    "Enhancement": "enhance",
    "Stimulation": "stimulate",
    "Control": "control",
}
_NOMINAL = re.compile(
    rf"^(?P<what>{'|'.join(_VERB_OF)}) of (?P<object>[^:;,.]{{3,70}}?) by (?P<agent>[^:;,.]{{3,80}})\.?$"
)


def finding(title: str) -> str | None:
    """The claim that a title makes, or None: "X reduces Y", "Induction of Y by X"."""
    title = re.sub(r"^\[(.*)\]\.?$", r"\1", title).split(": ")[0] if ":" not in title[:30] else title
    if match := _NOMINAL.match(title):
        agent = match["agent"]
        verb = _VERB_OF[match["what"]]
        return alter.capital(f"{agent} {verb if agent.endswith('s') else BASES[verb][0]} {match['object']}.")
    if "?" in title or not 30 <= len(title) <= 200 or not _FINDING.search(title):
        return None
    return alter.capital(title.rstrip(".") + ".")


def claims_of(document: Document, random: Random) -> list[tuple[str, int | None]]:
    """What a document concludes: its title's finding and its concluding sentences, with the place of the latter."""
    found: list[tuple[str, int | None]] = []
    if title := finding(document.title):
        found.append((title, None))
    for place in document.conclusions[-2:]:
        if 40 <= len(document.sentences[place]) <= LONGEST:
            found += [(alter.bare(alter.without_brackets(document.sentences[place])), place)]
    random.shuffle(found)
    return found


def concluding(
    documents: Sequence[Document], place: int, neighbours: Neighbours, weights: Weights, random: Random
) -> Iterator[Pair]:
    """Conclusions of one document against its own sentences and those of documents near it."""
    document = documents[place]
    forms = alter.abbreviations(" ".join(document.sentences))
    for claim, own in claims_of(document, random)[:2]:
        claim = alter.expanded(claim, forms, random)
        if random.random() < 0.5:
            claim = alter.synonymous(claim, random) or claim
        covered = [(weights.covered(claim, s), p) for p, s in enumerate(document.sentences) if p != own and len(s) > 40]
        if not covered:
            continue
        best, at = max(covered)
        if best >= BORNE_OUT and _AIM.search(document.sentences[at]):
            yield Pair(claim, document.sentences[at], NOT_ENOUGH, "aim", document.id)
            covered = [(share, p) for share, p in covered if not _AIM.search(document.sentences[p])]
        for share, p in sorted(covered, reverse=True)[:2]:
            if share >= BORNE_OUT:
                yield from said(claim, document.sentences[p], document.id, "concluded", random)
        silent = [p for share, p in covered if 0.05 < share <= SILENT]
        against = alter.contradicted(claim, random)
        if silent:
            one = against if against and random.random() < 0.5 else claim
            yield Pair(one, document.sentences[random.choice(silent)], NOT_ENOUGH, "own silent", document.id)
        yield from _near(claim, against, documents, neighbours.near(place, 4), weights, document.id, random)


def _near(
    claim: str,
    against: str | None,
    documents: Sequence[Document],
    near: Sequence[int],
    weights: Weights,
    identity: str,
    random: Random,
) -> Iterator[Pair]:
    """The claim against the sentence nearest to it in another document, where that one lacks some of its subject."""
    found = [
        (weights.covered(claim, s), s) for other in near for s in documents[other].sentences if 40 < len(s) < LONGEST
    ]
    found = [(share, s) for share, s in found if share < 0.6]
    if found:
        one = against if against and random.random() < 0.5 else claim
        yield Pair(one, max(found)[1], NOT_ENOUGH, "neighbour", identity)


def said(claim: str, evidence: str, identity: str, kind: str, random: Random) -> Iterator[Pair]:
    """A claim and a sentence that says it: supported; with either turned round: contradicted; with both: supported."""
    shared = [
        w
        for w in re.findall(r"[A-Za-z-]+", claim)
        if w.lower() in OPPOSITES and re.search(rf"\b{w}\b", evidence, re.IGNORECASE)
    ]
    against = alter.contradicted(claim, random)
    if shared and random.random() < 0.8:
        word = random.choice(shared).lower()
        table = {word: [random.choice(OPPOSITES[word])]}
        turned = alter.exchanged(evidence, table, random) or evidence
        opposite = alter.exchanged(claim, table, random) or claim
        ways = [
            (claim, evidence, SUPPORTED),
            (opposite, turned, SUPPORTED),
            (opposite, evidence, CONTRADICTED),
            (claim, turned, CONTRADICTED),
        ]
        for one, text, label in random.choice(
            [(ways[0], ways[2]), (ways[1], ways[3]), (ways[0], ways[3]), (ways[1], ways[2])]
        ):
            yield Pair(one, text, label, kind, identity)
        return
    yield Pair(claim, evidence, SUPPORTED, kind, identity)
    if against and random.random() < 0.4:
        yield Pair(against, evidence, CONTRADICTED, kind, identity)


def answers(data: Path, weights: Weights, random: Random) -> Iterator[Pair]:
    """BioASQ: sentences of ideal answers and snippets, against snippets of the same and of other questions."""
    questions = list(rows(data / "qa/bioasq.jsonl.gz"))
    snippets = [[s["text"] for s in q["snippets"] if 40 < len(s["text"]) < 500] for q in questions]
    near = Neighbours([f"{q['question']} {' '.join(q['ideal_answer'])}" for q in questions], weights)
    for place, question in enumerate(questions):
        own = snippets[place]
        others = [s for other in near.near(place, 5) for s in snippets[other]]
        claims = [c for text in question["ideal_answer"] for c in cut(text) if 35 <= len(c) <= LONGEST] + [
            s for s in own if len(s) < 220
        ][:3]
        claims = [re.sub(r"^(?:Yes|No)[,.:;]\s*", "", c) for c in claims]
        for claim in claims[:8]:
            yield from _answered(alter.bare(claim), own, others, weights, question["group"], random)


def _answered(
    claim: str, own: Sequence[str], others: Sequence[str], weights: Weights, group: str, random: Random
) -> Iterator[Pair]:
    shares = [(weights.covered(claim, s), s) for s in own if s[:60] != claim[:60]]
    shares.sort(reverse=True)
    for share, snippet in shares[:3]:
        if share >= BORNE_OUT:
            yield from said(claim, snippet, group, "answer", random)
    silent = [s for share, s in shares if share <= SILENT]
    against = alter.contradicted(claim, random)
    if silent:
        yield Pair(
            claim if random.random() < 0.5 else against or claim,
            random.choice(silent),
            NOT_ENOUGH,
            "own snippet",
            group,
        )
    far = [(weights.covered(claim, s), s) for s in others]
    far = [one for one in far if one[0] < 0.5]
    if far:
        yield Pair(
            claim if random.random() < 0.5 else against or claim, max(far)[1], NOT_ENOUGH, "other snippet", group
        )


def arms(documents: Sequence[Document], numbered: int, random: Random) -> Iterator[Pair]:
    """Template claims on comparisons that sentences state, and on reports with numbers about the same arms."""
    found: list[tuple[Comparison, str, Document]] = []
    topics: list[tuple[Comparison, str]] = []
    for document in documents:
        of_document = [
            (c, s) for s in document.sentences if len(s) < 450 and (c := comparisons.compared(alter.bare(s)))
        ]
        found += [(c, s, document) for c, s in of_document]
        topics += [(c, document.id) for c, _ in of_document]
        if title := comparisons.studied(document.title, random):
            topics.append((title, document.id))
    outcomes = [c.outcome for c, _ in topics]
    for comparison, sentence, document in found:
        yield from _stated(comparison, sentence, document, outcomes, random)
    for _ in range(numbered):
        comparison, identity = random.choice(topics)
        yield from _reported(comparison, identity, outcomes, random)


def _claimed(
    comparison: Comparison, evidence: str, identity: str, outcomes: Sequence[str], kind: str, random: Random
) -> Iterator[Pair]:
    told = comparisons.turned(comparison) if random.random() < 0.3 else comparison
    yield Pair(comparisons.claim(told, random), evidence, SUPPORTED, kind, identity)
    other = comparisons.against(comparison, random)
    other = comparisons.turned(other) if random.random() < 0.3 else other
    yield Pair(comparisons.claim(other, random), evidence, CONTRADICTED, kind, identity)
    outcome = random.choice(outcomes)
    if outcome.lower() != comparison.outcome.lower():
        one = random.choice([told, other])._replace(outcome=outcome)
        yield Pair(comparisons.claim(one, random), evidence, NOT_ENOUGH, f"{kind} outcome", identity)


def _stated(
    comparison: Comparison, sentence: str, document: Document, outcomes: Sequence[str], random: Random
) -> Iterator[Pair]:
    yield from _claimed(comparison, sentence, document.id, outcomes, "stated", random)
    others = [
        s
        for s in document.sentences
        if s != sentence and 40 < len(s) < 400 and comparison.outcome.lower() not in s.lower()
    ]
    if others:
        shown = random.choice([comparison, comparisons.against(comparison, random)])
        yield Pair(comparisons.claim(shown, random), random.choice(others), NOT_ENOUGH, "stated elsewhere", document.id)


def _reported(comparison: Comparison, identity: str, outcomes: Sequence[str], random: Random) -> Iterator[Pair]:
    """A report of one to three outcomes for these arms, and claims about one of them."""
    drawn = comparison._replace(direction=random.choice(["more", "less", "same"]))
    beside = [c for c in random.sample(list(outcomes), 3) if c.lower() != drawn.outcome.lower()]
    texts = [comparisons.reported(drawn, random)]
    for outcome in beside[: random.choice([0, 0, 1, 2])]:
        other = drawn._replace(outcome=outcome, direction=random.choice(["more", "less", "same"]))
        texts += [comparisons.reported(other, random)]
    random.shuffle(texts)
    yield from _claimed(drawn, " ".join(texts), identity, [beside[-1]] if beside else outcomes, "reported", random)
