"""How near a text is to a reference: by five metrics, each by the library that publications use.

ROUGE-L (Lin, 2004; rouge-score), METEOR (Banerjee and Lavie, 2005; nltk), chrF (Popović, 2015; sacrebleu), GoogleBLEU
(Wu et al., 2016; nltk on sacrebleu's 13a tokens), CharacTER (Wang et al., 2016; cer). METEOR asks for synonyms: single
words of WordNet 3.0, in a table that tools/wordnet_synonyms.py makes. nltk's own reader wants files that its downloader
fetches; ours gives METEOR the same words and fetches nothing. For metrics by models see `evaluate summaries --export`.
"""

import gzip
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.resources import files

from wellsourced.errors import SettingsError
from wellsourced_evaluate.metrics import TEXT_METRICS

REMEDY = "pip install 'wellsourced-evaluate[text-metrics]'"

TextScores = dict[str, float | None]
"""Metric → score; None: the metric does not apply."""

EMPTY_TEXT_SCORES: TextScores = {one.name: (one.maximum or 0.0) if one.lower else 0.0 for one in TEXT_METRICS}
"""Of a text that says nothing: the worst there is."""

NO_SCORES: TextScores = dict.fromkeys(EMPTY_TEXT_SCORES)
"""Against a reference that says nothing: nothing can be said."""


@cache
def load_text_metrics() -> Mapping[str, Callable[[str, str], float]]:
    """Metric → its function of a reference and a text. Raises SettingsError when a library is not installed."""
    try:
        from cer import calculate_cer
        from nltk.tokenize import NLTKWordTokenizer
        from nltk.tokenize.punkt import PunktSentenceTokenizer
        from nltk.translate.gleu_score import sentence_gleu
        from nltk.translate.meteor_score import single_meteor_score
        from rouge_score_rs.rouge_scorer import RougeScorer
        from sacrebleu.metrics import CHRF
        from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    except ImportError as error:
        named = f"Texts are compared with {error.name or 'a library'}, which is not installed"
        raise SettingsError(f"{named}: {REMEDY}.") from error
    rouge, chrf, bleu_tokens = RougeScorer(["rougeL"], use_stemmer=False), CHRF(), Tokenizer13a()
    # Punkt untrained: its trained model is a download. It takes more abbreviations for ends of sentences.
    sentences, words = PunktSentenceTokenizer(), NLTKWordTokenizer()

    def split_words(text: str) -> list[str]:
        return [word for sentence in sentences.tokenize(text) for word in words.tokenize(sentence)]

    return {
        "ROUGE-L": lambda reference, text: rouge.score(reference, text)["rougeL"].fmeasure,
        # Of 2005 with nltk's weights (0.9, 3, 0.5): same words, then same stems, then synonyms.
        "METEOR": lambda reference, text: single_meteor_score(
            split_words(reference), split_words(text), wordnet=read_synonyms()
        ),
        "chrF": lambda reference, text: chrf.corpus_score([text], [[reference]]).score,
        # Sequences of one to four words in common, by those of the longer of the two texts.
        "GoogleBLEU": lambda reference, text: sentence_gleu(
            [bleu_tokens(reference).split()], bleu_tokens(text).split()
        ),
        # Edits of characters that are left after words were shifted, by the length of the text; 1 at most.
        "CharacTER": lambda reference, text: calculate_cer(text.split(), reference.split()),
    }


def score_text(*, reference: str, hypothesis: str) -> TextScores:
    """Every metric of a text against its reference. Both are named, so that they cannot be exchanged unseen.

    Raises SettingsError when a library is not installed.
    """
    metrics = load_text_metrics()
    if not reference.strip():
        return dict(NO_SCORES)
    if not hypothesis.strip():
        return dict(EMPTY_TEXT_SCORES)
    return {name: float(score(reference, hypothesis)) for name, score in metrics.items()}


# --- synonyms --------------------------------------------------------------------------------------------------------

PARTS_OF_SPEECH = "nvar"


class SynonymLemma(str):
    """A word of a set, as nltk has it."""

    __slots__ = ()

    def name(self) -> str:
        """The word."""
        return self


class SynonymSet(tuple[SynonymLemma, ...]):
    """Words that mean the same, as nltk has them."""

    __slots__ = ()

    def lemmas(self) -> "SynonymSet":
        """Every word of it."""
        return self


class SynonymTable:
    """What METEOR asks of WordNet: the sets in which a word, or a base of which it is a form, stands."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._sets: dict[str, dict[str, list[SynonymSet]]] = {part: defaultdict(list) for part in PARTS_OF_SPEECH}
        self._irregular: dict[tuple[str, str], list[str]] = {}
        self._known: dict[str, list[SynonymSet]] = {}
        for line in lines:
            kind, part, words = line.rstrip("\n").split("\t")
            first, *others = words.split(" ")
            if kind == "e":
                self._irregular[part, first] = others
                continue
            one = SynonymSet(map(SynonymLemma, (first, *others)))
            for word in {word.lower() for word in one}:
                self._sets[part][word].append(one)

    def synsets(self, word: str) -> list[SynonymSet]:
        """The sets of a word in any part of speech; none for a word that WordNet does not have."""
        if word not in self._known:
            self._known[word] = [
                one
                for part, sets in self._sets.items()
                for base in self._bases(word.lower(), part)
                for one in sets[base]
            ]
        return self._known[word]

    def _bases(self, form: str, part: str) -> list[str]:
        """The words of which this may be a form, itself among them: the irregular ones, or else those by suffix."""
        if (part, form) in self._irregular:
            return self._existing([form, *self._irregular[part, form]], part)
        shortened = _strip_suffixes([form], part)
        found = self._existing([form, *shortened], part)
        while shortened and not found:
            shortened = _strip_suffixes(shortened, part)
            found = self._existing(shortened, part)
        return found

    def _existing(self, words: list[str], part: str) -> list[str]:
        return [word for word in dict.fromkeys(words) if word in self._sets[part]]


def _strip_suffixes(forms: list[str], part: str) -> list[str]:
    from nltk.corpus.reader import WordNetCorpusReader

    rules = WordNetCorpusReader.MORPHOLOGICAL_SUBSTITUTIONS[part]
    return [form.removesuffix(old) + new for form in forms for old, new in rules if form.endswith(old)]


@cache
def read_synonyms() -> SynonymTable:
    """The table of the package; it is read once."""
    packed = files("wellsourced_evaluate").joinpath("wordnet_synonyms.tsv.gz").read_bytes()
    return SynonymTable(gzip.decompress(packed).decode("utf-8").splitlines())
