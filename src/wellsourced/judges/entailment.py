"""Entailment: a classifier of pairs that was exported to ONNX says whether a text supports, contradicts, or is silent;
how it reads two texts as one row, and what its classes mean.

Any model of natural language inference or of claim verification will do (DeBERTa on MNLI, MiniCheck, HHEM): premise is
the text, hypothesis the claim. Bowman et al., EMNLP 2015; Tang et al., EMNLP 2024. Nothing but the graph is run.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.errors import ModelError, SettingsError
from wellsourced.judges.base import NO_TEXT, Pair, ScoredVerdict, ScoringJudge, fill_windows, halve_span, sentence_spans
from wellsourced.storage.model_files import open_tokenizer
from wellsourced.text.sentences import Span
from wellsourced.types import Verdict, VerdictLabel
from wellsourced.worker_pool import run_in_worker

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


MAX_TOKENS = 512
"""Tokens of a pair, where neither the model nor its user says how many."""

MAX_BATCH_TOKENS = 4_096
"""Tokens in a batch, padding included: more are no faster on a processor, and cost memory."""

MIN_TEXT_TOKENS = 32
"""Tokens of text that a claim must leave room for."""

OVERLAP = 0.25
"""Share of its sentences that a window gives to the next one: what two sentences say together is not cut apart."""

SUPPORT_THRESHOLD = 0.5

MAX_CACHED_TEXTS = 20_000
"""Sentences and windows whose tokens are kept during one call."""

OVERLONG_CLAIM = Verdict(label="unjudged", score=0.0, reason="the claim is too long for the model")

MODEL_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})

TokenRow = tuple[list[int], list[int]]
"""Token ids and token types of one window with its claim."""

NO_LIMIT = 1_000_000_000
"""More tokens than any text has: nothing is cut here."""


class PairTokenizer(NamedTuple):
    """A tokenizer of pairs.

    tokenize   a text → the ids of its pieces, without any special token
    start, between, end   ids of the special tokens before, between and behind the two texts
    second   token type of the second text: 1 where a model tells the two apart by it
    pad      id that fills up shorter rows of a batch; it is masked
    """

    tokenize: Callable[[str], Sequence[int]]
    start: tuple[int, ...]
    between: tuple[int, ...]
    end: tuple[int, ...]
    second: int = 1
    pad: int = 0

    @property
    def special_count(self) -> int:
        """Tokens of a row that belong to neither text."""
        return len(self.start) + len(self.between) + len(self.end)

    def join_pair(self, one: Sequence[int], other: Sequence[int]) -> tuple[list[int], list[int]]:
        """A row: its token ids and their token types."""
        first = [*self.start, *one, *self.between]
        second = [*other, *self.end]
        return first + second, [0] * len(first) + [self.second] * len(second)


def bert_pair_tokenizer(tokenize: Callable[[str, int], Sequence[int]]) -> PairTokenizer:
    """Pairs as BERT reads them, [CLS] one [SEP] other [SEP], by its tokenizer of single texts: (text, limit) → ids."""
    start, end = tokenize("", NO_LIMIT)
    return PairTokenizer(lambda text: tokenize(text, NO_LIMIT)[1:-1], (start,), (end,), (end,))


def load_pair_tokenizer(path: Path) -> PairTokenizer:
    """The tokenizer of a tokenizer.json, with the special tokens that it puts around a pair.

    Raises as `open_tokenizer` does, and ModelError for one of single texts.
    """
    tokenizer = open_tokenizer(path)

    def cut(text: str) -> Sequence[int]:
        ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    pair = tokenizer.encode("a", "b")
    sides = pair.sequence_ids
    first, second = ([place for place, side in enumerate(sides) if side == which] for which in (0, 1))
    if not first or not second or first[-1] > second[0]:
        raise ModelError(f"{path} does not join two texts, so it is not a tokenizer for pairs.")
    return PairTokenizer(
        cut,
        start=tuple(pair.ids[: first[0]]),
        between=tuple(pair.ids[first[-1] + 1 : second[0]]),
        end=tuple(pair.ids[second[-1] + 1 :]),
        second=pair.type_ids[second[0]],
        pad=tokenizer.token_to_id("<pad>") or tokenizer.token_to_id("[PAD]") or 0,
    )


class PairClassifier(NamedTuple):
    """A model of pairs.

    name      says which weights, which labels and which room: verdicts are kept under it
    open      opens it; called once, when it is first used
    open_tokenizer   reads its tokenizer; called once too
    labels    what its numbers mean, in their order: see classes.py
    max_tokens   tokens of a pair, special ones included
    one_row_a_batch   whether each row is computed by itself, since others would change it
    """

    name: str
    open: "Callable[[], InferenceSession]"
    open_tokenizer: Callable[[], PairTokenizer]
    labels: tuple[VerdictLabel, ...]
    max_tokens: int = MAX_TOKENS
    one_row_a_batch: bool = False


Floats = NDArray[np.float64]

LABEL_SYNONYMS: dict[VerdictLabel, str] = {
    "supports": "supports supported support entailment entails entailed true yes consistent faithful attributable",
    "contradicts": "contradicts contradicted contradiction contradictory refutes refuted refute false",
    "silent": "silent neutral not_enough not_enough_info nei unknown unsupported not_supported not_entailment "
    "inconsistent hallucination hallucinated unfaithful no",
}
"""Our labels, and what models call them. A model of two classes has "supports" and one for all the rest."""

EXAMPLE_LABELS = "contradiction,neutral,entailment"


def parse_labels(names: Sequence[str]) -> tuple[VerdictLabel, ...]:
    """What each number of a model means, in its order, from the names that the model gives them.

    Raises SettingsError for a name that is not known, for one that comes twice, and where no name means support.
    """
    known = {name: label for label, some in LABEL_SYNONYMS.items() for name in some.split()}
    plain = [name.strip().lower().replace(" ", "_").replace("-", "_") for name in names]
    if strange := [name for name, one in zip(names, plain, strict=True) if one not in known]:
        raise SettingsError(
            f"The label “{strange[0]}” has no known meaning. Name all labels in the model's order, for example "
            f"{EXAMPLE_LABELS}."
        )
    found = tuple(known[one] for one in plain)
    if found.count("supports") != 1 or len(set(found)) < len(found):
        raise SettingsError(
            f"The labels {', '.join(names)} must name support once, and any other label at most once: for example "
            f"{EXAMPLE_LABELS}."
        )
    return found


def class_probabilities(logits: Floats, labels: Sequence[VerdictLabel]) -> tuple[Floats, Floats]:
    """Of support and of contradiction, each float64 (n,), from logits float64 (n, classes).

    A single number is a logit of support (HHEM, rerankers); several are classes of which one is true. A model that
    has no class for contradiction never sees one.
    """
    if len(labels) == 1:
        support = 1 / (1 + np.exp(-np.clip(logits[:, 0], -700, 700)))
        return support, np.zeros_like(support)
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares = shifted / shifted.sum(axis=1, keepdims=True)
    against = shares[:, labels.index("contradicts")] if "contradicts" in labels else np.zeros(len(logits))
    return shares[:, labels.index("supports")], against


class EntailmentJudge(ScoringJudge):
    """Supports when any window of the text entails the claim, else contradicts when any contradicts it, else silent.

    A long text is read in windows of whole sentences that fill the room; the highest probability of any window
    counts. They are the model's own, neither calibrated nor guarded: see CalibratedJudge and GuardedJudge. Scores
    have four digits, since more depend on what else stands in a batch. A claim too long for the room is unjudged.

    Loaded on first use; several threads may ask at once. Raises ModelError for a model that is none of pairs.
    """

    def __init__(self, model: PairClassifier) -> None:
        self.model = model
        self._loading = Lock()
        self._loaded: tuple[InferenceSession, PairTokenizer] | None = None

    @property
    def name(self) -> str:
        return self.model.name

    async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
        return await run_in_worker(self.score_pairs_now, pairs)

    def score_pairs_now(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
        """One verdict for each pair, in order, in this thread. Raises ModelError."""
        wanted = {pair: None for pair in pairs if pair.text.strip() and pair.claim.strip()}
        if not wanted:
            return [ScoredVerdict(NO_TEXT) for _ in pairs]
        session, pieces = self._load_once()
        # Claims share texts, and windows share sentences.
        pieces = pieces._replace(tokenize=lru_cache(maxsize=MAX_CACHED_TEXTS)(pieces.tokenize))
        rows = {pair: self._build_rows(pair, pieces) for pair in wanted}
        support, against = self._compute_probabilities(session, pieces, [row for some in rows.values() for row in some])
        found: dict[Pair, ScoredVerdict] = {}
        start = 0
        for pair, some in rows.items():
            own = slice(start, start + len(some))
            found[pair] = self._build_verdict(support[own], against[own]) if some else ScoredVerdict(OVERLONG_CLAIM)
            start += len(some)
        return [found.get(pair, ScoredVerdict(NO_TEXT)) for pair in pairs]

    def _build_verdict(self, support: Floats, against: Floats) -> ScoredVerdict:
        yes, no = round(float(support.max()), 4), round(float(against.max()), 4)
        label: VerdictLabel = (
            "supports" if yes >= SUPPORT_THRESHOLD else "contradicts" if no >= SUPPORT_THRESHOLD else "silent"
        )
        tells = "contradicts" in self.model.labels
        told = f"entailed {yes:.2f}" + (f", contradicted {no:.2f}" if tells else "")
        where = f" (best of {len(support)} windows)" if len(support) > 1 else ""
        return ScoredVerdict(Verdict(label=label, score=yes, reason=told + where), no if tells else None)

    def _build_rows(self, pair: Pair, pieces: PairTokenizer) -> list[TokenRow]:
        """The windows of a text, each with the claim; none when the claim leaves no room."""
        claim = list(pieces.tokenize(pair.claim))
        room = self.model.max_tokens - pieces.special_count - len(claim)
        if room < MIN_TEXT_TOKENS:
            return []
        parts = split_stretches(pair.text, pieces, room)
        until = [0, *accumulate(part.tokens for part in parts)]
        rows = []
        for first, last in fill_windows(len(parts), lambda start, end: until[end] - until[start] <= room, OVERLAP):
            # Cut in half, a word may have more pieces than it had: what is too long by that is left out.
            premise = list(pieces.tokenize(pair.text[parts[first].span.start : parts[last - 1].span.end]))[:room]
            rows.append(pieces.join_pair(premise, claim))
        return rows

    # --- the model -------------------------------------------------------------------------------------------------

    def _load_once(self) -> "tuple[InferenceSession, PairTokenizer]":
        with self._loading:
            if self._loaded is None:
                session, pieces = self.model.open(), self.model.open_tokenizer()
                if unknown := {one.name for one in session.get_inputs()} - MODEL_INPUTS:
                    raise ModelError(
                        f"{self.name} needs {', '.join(sorted(unknown))}, but a pair classifier takes "
                        f"{', '.join(sorted(MODEL_INPUTS))}. Export it for sequence classification."
                    )
                self._loaded = session, pieces
            return self._loaded

    def _compute_probabilities(
        self, session: "InferenceSession", pieces: PairTokenizer, rows: Sequence[TokenRow]
    ) -> tuple[Floats, Floats]:
        support, against = np.zeros(len(rows)), np.zeros(len(rows))
        for places in batch_rows([len(ids) for ids, _ in rows], 1 if self.model.one_row_a_batch else MAX_BATCH_TOKENS):
            logits = self._run_model(session, pieces, [rows[place] for place in places])
            support[places], against[places] = class_probabilities(logits, self.model.labels)
        return support, against

    def _run_model(self, session: "InferenceSession", pieces: PairTokenizer, rows: Sequence[TokenRow]) -> Floats:
        """Float64 (rows, classes). Raises ModelError when the model gives something else."""
        shape = len(rows), max(len(ids) for ids, _ in rows)
        every = {"input_ids": np.full(shape, pieces.pad), "token_type_ids": np.zeros(shape, dtype=np.int64)}
        every["attention_mask"] = np.zeros(shape, dtype=np.int64)
        for place, (ids, types) in enumerate(rows):
            every["input_ids"][place, : len(ids)] = ids
            every["token_type_ids"][place, : len(ids)] = types
            every["attention_mask"][place, : len(ids)] = 1
        types_of = {one.name: np.int32 if one.type == "tensor(int32)" else np.int64 for one in session.get_inputs()}
        given = {name: every[name].astype(type_) for name, type_ in types_of.items()}
        names = [one.name for one in session.get_outputs()]
        try:
            found = np.asarray(session.run(["logits" if "logits" in names else names[0]], given)[0], dtype=np.float64)
        except Exception as error:  # onnxruntime raises classes of its own, one for each code of failure
            raise ModelError(f"The judge {self.name} failed: {error}") from error
        wanted = shape[0], len(self.model.labels)
        if found.size != wanted[0] * wanted[1] or len(found) != shape[0] or not np.isfinite(found).all():
            raise ModelError(
                f"The judge {self.name} returned numbers of shape {found.shape} for {shape[0]} pairs, not "
                f"{len(self.model.labels)} finite ones each. Check its labels."
            )
        return found.reshape(wanted)


class Stretch(NamedTuple):
    """A sentence, or a part of one that is longer than any window, and how many tokens it has."""

    span: Span
    tokens: int


def split_stretches(text: str, pieces: PairTokenizer, room: int) -> list[Stretch]:
    """A text in stretches of at most so many tokens; one more is counted for each, for where two of them meet."""
    return [
        part for span in sentence_spans(text) or [Span(0, len(text))] for part in _split_span(text, span, pieces, room)
    ]


def _split_span(text: str, span: Span, pieces: PairTokenizer, room: int) -> Iterator[Stretch]:
    tokens = len(pieces.tokenize(text[span.start : span.end])) + 1
    if tokens <= room or span.end - span.start < 2:
        yield Stretch(span, tokens)
        return
    for half in halve_span(text, span):
        yield from _split_span(text, half, pieces, room)


def batch_rows(lengths: Sequence[int], most: int = MAX_BATCH_TOKENS) -> Iterator[list[int]]:
    """Places of rows, shortest first, in batches of at most so many tokens with padding; a longer row is alone."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        # The row that comes last is the longest: the whole batch is padded to it.
        if batch and (len(batch) + 1) * lengths[place] > most:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
