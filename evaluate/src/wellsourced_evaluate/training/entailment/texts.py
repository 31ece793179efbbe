"""The documents of the development data as the pair generator reads them: titles, sentences, conclusions."""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import Stemmer

from wellsourced.text.sentences import split_sentences

_CONCLUDES = re.compile(
    r"^(?:conclusions?\b|interpretation\b|in (?:conclusion|summary)|we conclude|(?:these|our) (?:results|data|findings)"
    r"|taken together|thus,|together,|overall,|collectively)",
    re.IGNORECASE,
)
_STEMMER = Stemmer.Stemmer("english")
_TOKEN = re.compile(r"[^\W_]+(?:[.,]\d+)?")
_IDLE = frozenset(
    re.findall(
        r"\w+",
        """
        a an and are as at be been between by can for from had has have in into is it its may more most no not
        of on or our than that the their there these they this to was we were which while with without who whose
        using used study also both after during
        """,
    )
)


class Document(NamedTuple):
    """One text: what it is called and what it says, sentence by sentence.

    conclusions   places of the sentences that conclude
    """

    id: str
    title: str
    sentences: tuple[str, ...]
    conclusions: tuple[int, ...]
    source: str


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a `.jsonl.gz` or `.jsonl` file."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def cut(text: str) -> tuple[str, ...]:
    """The sentences of a text, white space made single."""
    return tuple(" ".join(text[s.start : s.end].split()) for s in split_sentences(text))


def _document(identity: str, title: str, said: Sequence[str], source: str) -> Document:
    concluding = tuple(place for place, one in enumerate(said) if _CONCLUDES.match(one))
    return Document(identity, title.strip(), tuple(said), concluding, source)


def documents(data: Path, held_out: bool = True) -> list[Document]:
    """The research, consumer and SciFact texts.

    held_out   leave out every document that is the evidence of a labelled pair, by its id and by its title, so that a
               model trained on the rest has seen neither its claims nor its text
    """
    found = [
        _document(r["_id"], r["title"], r["sentences"], "scifact")
        for r in rows(data / "verification/scifact.corpus.jsonl.gz")
    ]
    found += [
        _document(r["_id"], r["title"], cut(r["text"]), "research") for r in rows(data / "corpora/research.jsonl.gz")
    ]
    found += [_document(r["_id"], "", cut(r["text"]), "consumer") for r in rows(data / "corpora/consumer.jsonl.gz")]
    if not held_out:
        return found
    ids, titles = evidence_documents(data, found)
    return [one for one in found if one.id not in ids and flat(one.title) not in titles]


def evidence_documents(data: Path, found: Iterable[Document]) -> tuple[frozenset[str], frozenset[str]]:
    """Ids and flat titles of the documents that the labelled pairs are judged against."""
    ids = {
        r["doc_id"]
        for name in ("scifact", "evidence_inference")
        for r in rows(data / f"verification/{name}.pairs.jsonl.gz")
    }
    titles = {flat(one.title) for one in found if one.id in ids}
    titles |= {flat(r["title"]) for r in rows(data / "fulltext/evidence_inference.articles.jsonl.gz")}
    return frozenset(ids), frozenset(titles - {""})


def flat(title: str) -> str:
    """A title in lower case without anything but letters and digits."""
    return re.sub(r"[^a-z0-9]+", "", title.lower())


def stems(text: str) -> list[str]:
    """Stems of the words that carry meaning."""
    words = [w for w in _TOKEN.findall(text.lower()) if w not in _IDLE]
    stemmed: list[str] = _STEMMER.stemWords(words)
    return stemmed


class Weights:
    """How much a stem says: its inverse document frequency among the texts given."""

    def __init__(self, texts: Iterable[str]) -> None:
        counts: Counter[str] = Counter()
        self.texts = 0
        for text in texts:
            counts.update(set(stems(text)))
            self.texts += 1
        self._counts: Mapping[str, int] = counts

    def of(self, stem: str) -> float:
        """Its weight, at least 0.1."""
        return max(0.1, log((self.texts + 1) / (self._counts.get(stem, 0) + 1)))

    def covered(self, claim: str, evidence: str) -> float:
        """The weighted share of the claim's stems that stand in the evidence, 0 to 1."""
        wanted, there = set(stems(claim)), set(stems(evidence))
        total = sum(map(self.of, wanted))
        return sum(self.of(s) for s in wanted & there) / total if total else 0.0


class Neighbours:
    """Documents that speak of the same things, by their rarest shared stems."""

    def __init__(self, texts: Sequence[str], weights: Weights, rarest: int = 10, widest: int = 400) -> None:
        self._keys = [sorted(set(stems(t)), key=lambda s: -weights.of(s))[:60] for t in texts]
        self._weights = weights
        self._postings: dict[str, list[int]] = {}
        for place, keys in enumerate(self._keys):
            for key in keys:
                self._postings.setdefault(key, []).append(place)
        self._rarest, self._widest = rarest, widest

    def near(self, place: int, count: int = 5) -> list[int]:
        """Places of the documents nearest to the one at `place`, nearest first, itself left out."""
        score: Counter[int] = Counter()
        shared = [k for k in self._keys[place] if 2 <= len(self._postings[k]) <= self._widest][: self._rarest]
        for key in shared:
            for other in self._postings[key]:
                score[other] += self._weights.of(key)  # type: ignore[assignment]
        del score[place]
        return [other for other, _ in score.most_common(count)]
