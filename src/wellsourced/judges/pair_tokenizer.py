"""How a classifier of pairs reads two texts as one row of token ids."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import ModelError, SettingsError

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

    Raises SettingsError when the package that reads it is not installed, ModelError for a file that is none.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise SettingsError(f"{path} is read by a package that is not installed: pip install tokenizers.") from error
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises plain exceptions of its own
        raise ModelError(f"{path} is no tokenizer ({error}). Copy tokenizer.json from the model again.") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def cut(text: str) -> Sequence[int]:
        ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    pair = tokenizer.encode("a", "b")
    sides = pair.sequence_ids
    first, second = ([place for place, side in enumerate(sides) if side == which] for which in (0, 1))
    if not first or not second or first[-1] > second[0]:
        raise ModelError(f"{path} does not say how two texts are read together: it is no tokenizer of pairs.")
    return PairTokenizer(
        cut,
        start=tuple(pair.ids[: first[0]]),
        between=tuple(pair.ids[first[-1] + 1 : second[0]]),
        end=tuple(pair.ids[second[-1] + 1 :]),
        second=pair.type_ids[second[0]],
        pad=tokenizer.token_to_id("<pad>") or tokenizer.token_to_id("[PAD]") or 0,
    )
