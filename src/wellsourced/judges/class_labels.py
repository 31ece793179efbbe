"""What the output classes of a model mean: supports, contradicts, silent."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wellsourced.errors import SettingsError
from wellsourced.types import VerdictLabel

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
            f"“{strange[0]}” says nothing of what this number of the model means: name all of them in the model's "
            f"order, for example --labels {EXAMPLE_LABELS}."
        )
    found = tuple(known[one] for one in plain)
    if found.count("supports") != 1 or len(set(found)) < len(found):
        raise SettingsError(
            f"The labels {', '.join(names)} have to name support once, and every other label at most once: "
            f"for example --labels {EXAMPLE_LABELS}."
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
