"""WordPiece: the tokens of BERT-uncased, which MiniLM was trained on, in plain Python.

Written here because the `tokenizers` library would take the default install over its 600 MB and brings a network
client with it (huggingface_hub). The token ids are the same; `vocab.txt` is the model's own (Apache-2.0, see NOTICE).

One difference is meant: a text that spells out "[SEP]" is read as a bracket, three letters and a bracket. Retrieved
text is data and cannot place control tokens.

The algorithm is the "basic" and WordPiece tokenisation of Devlin et al., NAACL 2019.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files

UNKNOWN, START, END = 100, 101, 102
"""Ids of [UNK], [CLS] and [SEP]."""

EMPTY_TEXT_TOKENS = 2
"""Tokens of a text without words: [CLS] and [SEP]."""

LONGEST_WORD = 100
"""Characters; a longer word is unknown, as it was in training."""

CACHED_WORDS = 50_000
"""Words whose tokens are kept in memory: about 15 MB, and nineteen words of twenty in medical text."""

MAX_CACHED_CHARACTERS = 40
"""Characters; longer strings between spaces (addresses, sequences) hardly ever come again."""

# Only these separate words: line separators beyond \r\n, such as \v, are control characters here and vanish.
_WORD = re.compile("[^ \t\n\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_CJK = re.compile(
    "([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f])"
)


class WordPiece:
    """Texts to token ids.

    vocabulary   the pieces, each at the place of its id; pieces inside a word begin with "##"
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._pieces_by_id = tuple(vocabulary)
        self._ids = {piece: number for number, piece in enumerate(vocabulary)}
        self._longest = max(map(len, vocabulary), default=0)
        self._cached_word_ids = lru_cache(maxsize=CACHED_WORDS)(self._compute_word_ids)

    def ids(self, text: str, limit: int) -> list[int]:
        """The ids of a text between [CLS] and [SEP], at most `limit` of them; only as much is read as is needed."""
        found = [START]
        for match in _WORD.finditer(text):
            word = match[0]
            found += self._cached_word_ids(word) if len(word) <= MAX_CACHED_CHARACTERS else self._compute_word_ids(word)
            if len(found) >= limit:
                break
        return [*found[: limit - 1], END]

    def piece(self, number: int) -> str:
        """The piece with this id."""
        return self._pieces_by_id[number]

    def _compute_word_ids(self, word: str) -> tuple[int, ...]:
        return tuple(number for part in split_basic_tokens(word) for number in self._split_pieces(part))

    def _split_pieces(self, token: str) -> list[int]:
        """The longest piece that fits, again and again; the whole token is unknown when something is left over."""
        if len(token) > LONGEST_WORD:
            return [UNKNOWN]
        found: list[int] = []
        start = 0
        while start < len(token):
            number, start = self._find_longest_piece(token, start)
            if number is None:
                return [UNKNOWN]
            found.append(number)
        return found

    def _find_longest_piece(self, token: str, start: int) -> tuple[int | None, int]:
        prefix = "##" if start else ""
        for end in range(min(len(token), start + self._longest), start, -1):
            number = self._ids.get(prefix + token[start:end])
            if number is not None:
                return number, end
        return None, start


def split_basic_tokens(word: str) -> Iterator[str]:
    """The lower-case parts of a word without accents: punctuation and CJK characters stand alone."""
    for run in _CJK.sub(r" \1 ", "".join(filter(_is_text, word))).split(" "):
        yield from _split_at_punctuation(_fold_case(run))


def _fold_case(run: str) -> str:
    bare = "".join(c for c in unicodedata.normalize("NFD", run) if unicodedata.category(c) != "Mn")
    # str.lower() knows the Greek final sigma, the vocabulary does not.
    return bare.replace("Σ", "σ").lower()


def _split_at_punctuation(run: str) -> Iterator[str]:
    start = 0
    for place, character in enumerate(run):
        if _is_punctuation(character):
            yield from (part for part in (run[start:place], character) if part)
            start = place + 1
    if run[start:]:
        yield run[start:]


@lru_cache(maxsize=4096)
def _is_text(character: str) -> bool:
    return character != "\ufffd" and unicodedata.category(character) not in ("Cc", "Cf", "Co", "Cs")


@lru_cache(maxsize=4096)
def _is_punctuation(character: str) -> bool:
    # Signs such as $, + and ~ count as punctuation in ASCII although Unicode calls them symbols.
    is_ascii_sign = character.isascii() and character.isprintable() and not character.isalnum() and character != " "
    return is_ascii_sign or unicodedata.category(character).startswith("P")


@lru_cache(maxsize=1)
def load_bert_uncased() -> WordPiece:
    """The tokenizer of BERT-uncased models, from the vocabulary that comes with this package."""
    vocabulary = files("wellsourced.encoders").joinpath("vocab.txt").read_text(encoding="utf-8")
    return WordPiece(vocabulary.removesuffix("\n").split("\n"))
