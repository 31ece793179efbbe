"""Classifiers of pairs in ONNX: the user's own by their paths, and the one that comes with this package."""

from collections.abc import Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from wellsourced.errors import ModelError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

    from wellsourced.judges.entailment import Classifier
    from wellsourced.judges.exported import Exported
    from wellsourced.judges.pieces import Pieces

OWN = "entailment.onnx"
"""The file of the classifier that comes with this package, where one does: in the folder of the judges."""

OWN_LABELS = ("contradicted", "not_enough", "supported")
OWN_ROOM = 128
OWN_WIDTHS = (1, 2, 3)


def entailment(
    path: Path,
    *,
    labels: Sequence[str] = (),
    room: int = 0,
    swapped: bool = False,
    widths: Sequence[int] = (),
    threads: int = 2,
) -> "Classifier":
    """A classifier of pairs that was exported to ONNX, by its file or folder; opened when it is first used.

    labels    its classes in its order; none: as its config.json says
    room      tokens of a pair; 0: as its files say
    swapped   whether it reads the claim before the text
    widths    windows of so many sentences; none: as many as fill the room

    Raises ModelError for what is no such model, SettingsError for classes without a meaning.
    """
    from wellsourced.judges.classes import meanings
    from wellsourced.judges.entailment import Classifier
    from wellsourced.judges.exported import exported

    found = exported(path)
    known = meanings(labels or found.labels or ("LABEL_0",))
    space = room or found.room
    read = f"{found.called}-{found.sha256[:8]}/{space}/{'.'.join(known)}{'/claim first' if swapped else ''}"
    read += "".join(f"/{width}" for width in widths)
    return Classifier(
        f"entailment:{read}",
        partial(_session, found.model, threads),
        partial(_pieces, found),
        known,
        space,
        swapped=swapped,
        widths=tuple(widths),
        alone=found.dynamic,
    )


def own_entailment(threads: int = 2) -> "Classifier | None":
    """The classifier that comes with this package, on the vocabulary that comes with it; None where there is none.

    It reads the claim first, and rows no longer than those it was trained on.
    """
    from wellsourced.encoders.wordpiece import bert_uncased
    from wellsourced.judges.classes import meanings
    from wellsourced.judges.entailment import Classifier
    from wellsourced.judges.exported import exported
    from wellsourced.judges.pieces import framed

    path = Path(str(files("wellsourced.judges").joinpath(OWN)))
    if not path.is_file():
        return None
    found = exported(path)
    return Classifier(
        f"entailment:own-{found.sha256[:8]}/{OWN_ROOM}",
        partial(_session, path, threads),
        lambda: framed(bert_uncased().ids),
        meanings(OWN_LABELS),
        OWN_ROOM,
        swapped=True,
        widths=OWN_WIDTHS,
        alone=found.dynamic,
    )


def _session(model: Path, threads: int) -> "InferenceSession":
    from wellsourced.encoders.minilm import session

    try:
        return session(model, threads)
    except Exception as error:  # onnxruntime raises classes of its own, one for each code of failure
        raise ModelError(f"{model} cannot be loaded ({error}).") from error


def _pieces(found: "Exported") -> "Pieces":
    """The tokenizer beside a model: an uncased vocabulary of BERT is read here, any other one needs `tokenizers`."""
    from wellsourced.encoders.onnx import word_pieces
    from wellsourced.judges.pieces import framed, of_file

    if found.vocabulary:
        return framed(word_pieces(found.vocabulary.read_text(encoding="utf-8").removesuffix("\n").split("\n")))
    if found.tokenizer:
        return of_file(found.tokenizer)
    raise ModelError(
        f"Beside {found.model} lies neither an uncased vocab.txt nor a tokenizer.json: copy it from the model."
    )
