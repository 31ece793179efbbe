"""A small fitted model for signs of an emergency that no rule of medicine/emergencies.py foresaw.

A logistic model over the encoder's vectors, for English: of other languages it says nothing, and rules alone watch.
`alarm.json` is written by wellsourced_evaluate/fitting/alarm.py and by nobody's hand.

At the first look, at descriptions that neither net had seen (76 emergencies, 95 anxious questions that are none), the
rules had a sensitivity of .53 and a specificity of .99, a learnt net .89 and .83, both together .93 and .82. The net
was then fitted on these and others too. By five folds both together now reach .97 and .90, and the rules alone, which
were widened by some of these rows, .80 and 1.00. The net alarmed at 3 of 5,000 questions of clinicians, students and
patients. The anxious questions were written to mislead. Still a net with holes: nothing recognised is no safety.
"""

import logging
import re
from collections.abc import Sequence
from functools import cache

import numpy as np

from wellsourced.encoders.base import Encoder
from wellsourced.errors import ModelError
from wellsourced.lazy import lazy_regex
from wellsourced.medicine.emergencies import (
    MAX_CHARACTERS,
    detect_emergency,
    extract_present_clauses,
    is_clinical_summary,
)
from wellsourced.text.logistic import read_fitted, sigmoid
from wellsourced.text.tables import read_alternatives
from wellsourced.text.tokens import content_stems
from wellsourced.types import Emergency, Value
from wellsourced.worker_pool import run_in_worker

EMERGENCY_KIND = "signs of danger"

ADVICE = (
    "If someone may be in danger now, do not wait for an answer. Call 112 or 911, or your local emergency number. "
    "Do not leave the person alone."
)

POISON_ADVICE = (
    "For something swallowed, inhaled or taken too much of, call your poison centre (in the US 1-800-222-1222)."
)

SUICIDE_ADVICE = (
    "For thoughts of suicide, call or text 988 in the US, or find a helpline in your country at findahelpline.com."
)

WINDOW_CHARACTERS = 600
"""Characters that are judged at once: an encoder reads no more than its window, and says little of a long text."""

MIN_SENTENCE_WORDS = 3
"""Words of a sentence that is judged alone, besides the text that it stands in: in a long one it drowns."""

_LINES = {
    name: lazy_regex(rf"\b(?:{words})\b", re.IGNORECASE)
    for (name,), words in read_alternatives("wellsourced.pipeline.frame", "emergency_lines.tsv").items()
}
"""What tells which lines fit: what was taken, despair, what the body shows; and what is vague."""

_SENTENCE = lazy_regex(r"(?:[^.?!\n]|(?<=\d)\.(?=\d))+[.?!]*\s*")

log = logging.getLogger(__name__)


class EmergencyClassifier(Value):
    """How a vector becomes a probability: 1 / (1 + exp(-(weights · vector + intercept))).

    encoder     whose vectors it was fitted on: those of another mean nothing to it
    weights     one for each number of a vector
    threshold   probability over which it alarms
    positives, negatives   how many emergencies and other questions it was fitted on
    """

    encoder: str
    weights: tuple[float, ...]
    intercept: float
    threshold: float
    positives: int
    negatives: int
    fitted_on: str = ""

    def predict_probabilities(self, texts: Sequence[str], encoder: Encoder) -> list[float]:
        """That of each text, in order. Raises ModelError."""
        logits = encoder.encode(texts, "query") @ np.array(self.weights, dtype=np.float32) + self.intercept
        return list(map(sigmoid, logits.tolist()))

    def predict_dangers(self, parts: Sequence[str], encoder: Encoder) -> list[float]:
        """How likely each part speaks of danger now: as it stands, and without what is not said of now.

        Both have to sound so: a clause may be torn out of what makes it harmless. Raises ModelError.
        """
        pairs = [(part.strip(), extract_present_clauses(part)) for part in parts]
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        sounds = dict(zip(texts, self.predict_probabilities(texts, encoder), strict=True))
        return [min(sounds[part], sounds[now]) if now else 0.0 for part, now in pairs]


class ModelEmergencyDetector:
    """Looks for signs of an emergency by rules and, where these see none, by a fitted model.

    encoder   the one that the model was fitted on; with another, or None, the rules watch alone
    learnt    by default the model that comes with this package

    All the time goes to the encoder: 10 ms for a short question, 0.3 s for 2,000 characters. That it failed is logged.
    """

    def __init__(self, encoder: Encoder | None, learnt: EmergencyClassifier | None = None) -> None:
        self.classifier = learnt or load_classifier()
        self.encoder = encoder if encoder and encoder.name == self.classifier.encoder else None

    async def detect(self, text: str) -> Emergency | None:
        """The gravest emergency that this text speaks of as happening now; None if none is recognised."""
        found = detect_emergency(text)
        if found or self.encoder is None:
            return found
        try:
            return await run_in_worker(self._detect_by_model, text, self.encoder)
        except ModelError as error:
            log.warning("Checked for signs of danger by rules only: %s", error)
            return None

    def _detect_by_model(self, text: str, encoder: Encoder) -> Emergency | None:
        found = split_text(text)
        dangers = self.classifier.predict_dangers(found, encoder)
        if max(dangers, default=0.0) <= self.classifier.threshold:
            return None
        sign = found[dangers.index(max(dangers))]
        return Emergency(kind=EMERGENCY_KIND, signs=(sign.strip(),), advice=choose_advice(text))


def choose_advice(text: str) -> str:
    """What to do first: whom to call, and the lines for poisoning and for suicide unless something else is told.

    Either line is left out only where the text tells of the body and has no word of it: who says little may mean all.
    """
    told = text[:MAX_CHARACTERS]
    is_of_body = _LINES["body"].search(told) is not None
    lines = {"taken": POISON_ADVICE, "despair": SUICIDE_ADVICE}
    fitting = [advice for name, advice in lines.items() if not is_of_body or _LINES[name].search(told)]
    return " ".join((ADVICE, *fitting))


def split_text(text: str) -> list[str]:
    """What is judged: each sentence of several, then sentences together.

    Nothing of a text that speaks of nobody who is in danger now, or sums a patient up for a clinician; of any, the
    first 2,000 characters. What is vague ("what now?") is judged with what it stands in, and alone it is no sign.
    """
    if not extract_present_clauses(text) or is_clinical_summary(text):
        return []
    # The text in as few pieces as fit, none of which breaks a sentence.
    pieces = [""]
    for sentence in _SENTENCE.findall(text[:MAX_CHARACTERS]):
        if pieces[-1] and len(pieces[-1]) + len(sentence) > WINDOW_CHARACTERS:
            pieces.append("")
        pieces[-1] += sentence
    windows = pieces
    sentences = [
        part for window in windows for part in _SENTENCE.findall(window) if len(part.split()) >= MIN_SENTENCE_WORDS
    ]
    parts = [*(part for part in sentences if part not in windows), *windows]
    return [part for part in parts if content_stems(_LINES["vague"].sub(" ", part))]


@cache
def load_classifier() -> EmergencyClassifier:
    """The model that comes with this package."""
    return read_fitted(EmergencyClassifier, "wellsourced.pipeline.frame", "alarm.json")
