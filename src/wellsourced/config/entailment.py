"""Classifiers of pairs in ONNX, the user's own, by their paths."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wellsourced.errors import ModelError
from wellsourced.judges.base import Pair

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

    from wellsourced.judges.entailment import PairClassifier, PairTokenizer
    from wellsourced.judges.onnx_folder import OnnxClassifierFiles


TRIAL_PAIR = Pair("Gout hurts.", "Gout is painful. It comes at night.")


def build_classifier(
    path: Path,
    *,
    labels: Sequence[str] = (),
    room: int = 0,
    swapped: bool = False,
    threads: int = 2,
) -> "PairClassifier":
    """A classifier of pairs that was exported to ONNX, by its file or folder; opened when it is first used.

    labels    its classes in its order; none: as its config.json says
    room      tokens of a pair; 0: as its files say
    swapped   whether it reads the claim before the text

    Raises ModelError for what is no such model, SettingsError for classes without a meaning.
    """
    from wellsourced.judges.entailment import PairClassifier, parse_labels
    from wellsourced.judges.onnx_folder import read_onnx_folder

    found = read_onnx_folder(path)
    # Only an unnamed single class is taken for what it is called by default: a score of relevance.
    known = parse_labels(labels or found.labels or ("LABEL_0",))
    space = room or found.max_tokens
    read = f"{found.display_name}-{found.sha256[:8]}/{space}/{'.'.join(known)}{'/claim first' if swapped else ''}"
    return PairClassifier(
        f"entailment:{read}",
        partial(_open_onnx_session, found.model, threads),
        partial(_load_tokenizer, found),
        known,
        space,
        claim_first=swapped,
        one_row_a_batch=found.is_dynamic,
    )


def try_classifier(folder: Path) -> None:
    """Put one pair to a classifier, to see that it judges. Raises ModelError or SettingsError for one that cannot.

    One whose files do not say what its numbers mean is refused: whoever guesses turns support into contradiction.
    """
    from wellsourced.judges.entailment import EXAMPLE_LABELS, EntailmentJudge
    from wellsourced.judges.onnx_folder import read_onnx_folder

    if not read_onnx_folder(folder).labels:
        raise ModelError(
            "Its config.json does not say what the numbers of the model mean (id2label): write them there in the "
            f"model's order, for example {EXAMPLE_LABELS}, and install it from that folder."
        )
    EntailmentJudge(build_classifier(folder)).score_pairs_now([TRIAL_PAIR])


def _open_onnx_session(model: Path, threads: int) -> "InferenceSession":
    from wellsourced.encoders.model_files import open_session

    try:
        return open_session(model, threads)
    except Exception as error:  # onnxruntime raises classes of its own, one for each code of failure
        raise ModelError(f"{model} cannot be loaded ({error}).") from error


def _load_tokenizer(found: "OnnxClassifierFiles") -> "PairTokenizer":
    """The tokenizer beside a model: an uncased vocabulary of BERT is read here, any other one needs `tokenizers`."""
    from wellsourced.encoders.onnx import build_wordpiece_tokenizer
    from wellsourced.judges.entailment import bert_pair_tokenizer, load_pair_tokenizer

    if found.vocabulary:
        return bert_pair_tokenizer(
            build_wordpiece_tokenizer(found.vocabulary.read_text(encoding="utf-8").removesuffix("\n").split("\n"))
        )
    if found.tokenizer:
        return load_pair_tokenizer(found.tokenizer)
    raise ModelError(
        f"Beside {found.model} lies neither an uncased vocab.txt nor a tokenizer.json: copy it from the model."
    )
