"""How near a text is to a reference, by five metrics; each is computed by the library that publications use.

ROUGE-L (Lin, 2004; rouge-score), METEOR (Banerjee and Lavie, 2005; nltk), chrF (Popović, 2015; sacrebleu), GoogleBLEU
(Wu et al., 2016; nltk on sacrebleu's 13a tokens), CharacTER (Wang et al., 2016; cer).
"""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from wellsourced.errors import SettingsError
from wellsourced_evaluate.metrics import TEXT_METRICS
from wellsourced_evaluate.wordnet_synonyms import read_synonyms

if TYPE_CHECKING:
    from nltk.tokenize import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktSentenceTokenizer
    from rouge_score_rs.rouge_scorer import RougeScorer
    from sacrebleu.metrics import CHRF
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

REMEDY = "pip install 'wellsourced-evaluate[text-metrics]'"

TextScores = dict[str, float | None]
"""Metric → score; None: the metric does not apply."""

EMPTY_TEXT_SCORES: TextScores = {one.name: (one.maximum or 0.0) if one.lower else 0.0 for one in TEXT_METRICS}
"""Of a text that says nothing: the worst there is."""

NO_SCORES: TextScores = dict.fromkeys(EMPTY_TEXT_SCORES)
"""Against a reference that says nothing: nothing can be said."""


class TextTools(NamedTuple):
    """What the libraries make once and use for every text."""

    rouge: "RougeScorer"
    chrf: "CHRF"
    bleu_tokens: "Tokenizer13a"
    sentences: "PunktSentenceTokenizer"
    words: "NLTKWordTokenizer"


@cache
def load_text_tools() -> TextTools:
    """The libraries, loaded. Raises SettingsError when one of them is not installed."""
    try:
        import cer  # noqa: F401
        from nltk.tokenize import NLTKWordTokenizer
        from nltk.tokenize.punkt import PunktSentenceTokenizer
        from rouge_score_rs.rouge_scorer import RougeScorer
        from sacrebleu.metrics import CHRF
        from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    except ImportError as error:
        named = f"Texts are compared with {error.name or 'a library'}, which is not installed"
        raise SettingsError(f"{named}: {REMEDY}.") from error
    # Punkt untrained: its trained model is a download. It takes more abbreviations for ends of sentences.
    rouge = RougeScorer(["rougeL"], use_stemmer=False)
    return TextTools(rouge, CHRF(), Tokenizer13a(), PunktSentenceTokenizer(), NLTKWordTokenizer())


def score_text(*, reference: str, hypothesis: str) -> TextScores:
    """Every metric of a text against its reference. Both are named, so that they cannot be exchanged unseen.

    Raises SettingsError when a library is not installed.
    """
    tools = load_text_tools()
    if not reference.strip():
        return dict(NO_SCORES)
    if not hypothesis.strip():
        return dict(EMPTY_TEXT_SCORES)
    return {
        "ROUGE-L": float(tools.rouge.score(reference, hypothesis)["rougeL"].fmeasure),
        "METEOR": score_meteor(reference, hypothesis, tools),
        "chrF": float(tools.chrf.corpus_score([hypothesis], [[reference]]).score),
        "GoogleBLEU": score_google_bleu(reference, hypothesis, tools),
        "CharacTER": score_character(reference, hypothesis),
    }


def score_meteor(reference: str, hypothesis: str, tools: TextTools) -> float:
    """METEOR of 2005 with nltk's weights (0.9, 3, 0.5): same words, then same stems, then synonyms of WordNet 3.0."""
    from nltk.translate.meteor_score import single_meteor_score

    wanted, given = (
        [word for sentence in tools.sentences.tokenize(text) for word in tools.words.tokenize(sentence)]
        for text in (reference, hypothesis)
    )
    return float(single_meteor_score(wanted, given, wordnet=read_synonyms()))


def score_google_bleu(reference: str, hypothesis: str, tools: TextTools) -> float:
    """Sequences of one to four words in common, by those of the longer of the two texts."""
    from nltk.translate.gleu_score import sentence_gleu

    wanted, given = (tools.bleu_tokens(text).split() for text in (reference, hypothesis))
    return float(sentence_gleu([wanted], given))


def score_character(reference: str, hypothesis: str) -> float:
    """Edits of characters that are left after words were shifted, by the length of the hypothesis; 1 at most."""
    from cer import calculate_cer

    return float(calculate_cer(hypothesis.split(), reference.split()))
