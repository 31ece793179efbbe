"""Judges of the user's own: classifiers of pairs in ONNX by their paths, or installed in home/judges and known
by name.
"""

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from wellsourced.config.registry import JUDGE_FORMS, JUDGE_REGISTRY
from wellsourced.config.settings import Settings
from wellsourced.errors import ModelError, NextStep, NotFoundError, SettingsError
from wellsourced.judges.base import Pair
from wellsourced.types import Value

if TYPE_CHECKING:
    from wellsourced.judges.entailment import PairClassifier, PairTokenizer
    from wellsourced.judges.onnx_folder import OnnxClassifierFiles


JUDGES_FOLDER, INSTALLATION_FILE = "judges", "installation.json"
"""Of home, and in the folder of a judge: where it came from."""

JUDGE_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


class InstalledJudge(Value):
    """A judge that was installed.

    origin    the path or the address that it came from
    sha256    of the archive, or of what `sha256sum` prints of its files; told before the judge was used
    licence   as its files or its user said; "" when nobody did
    date      of the installation, YYYY-MM-DD
    """

    name: str
    origin: str
    sha256: str
    licence: str = ""
    date: str

    @property
    def description(self) -> str:
        """What it is, in a line."""
        licence = f"licence {self.licence}" if self.licence else "licence unknown"
        return f"classifier installed by you ({licence}, sha256 {self.sha256[:16]})"


def installed_judges_folder(settings: Settings) -> Path:
    """Where they lie."""
    return settings.home / JUDGES_FOLDER


def check_judge_name(name: str) -> None:
    """Raises SettingsError for a name that no installed judge can have."""
    if not JUDGE_NAME.fullmatch(name) or name in JUDGE_REGISTRY.names or name.upper() in JUDGE_FORMS:
        raise SettingsError(
            f"“{name[:80]}” cannot name a judge. Use lower-case letters, digits, “.”, “_” and “-”, and no built-in "
            "judge's name.",
            next_step=NextStep("rename judge"),
        )


def find_installed_judge(settings: Settings, name: str) -> Path | None:
    """The folder of the judge of this name; None: none is installed under it."""
    folder = installed_judges_folder(settings) / name
    # The name is a part of a path: "../" in it would lead out of the folder of judges.
    return folder if JUDGE_NAME.fullmatch(name) and (folder / INSTALLATION_FILE).is_file() else None


def list_installed_judges(settings: Settings) -> Iterator[InstalledJudge]:
    """Every one, by name. Raises SettingsError for one whose record is damaged."""
    for path in sorted(installed_judges_folder(settings).glob(f"*/{INSTALLATION_FILE}")):
        if JUDGE_NAME.fullmatch(path.parent.name):
            try:
                yield InstalledJudge.model_validate(json.loads(path.read_text(encoding="utf-8")))
            except (OSError, ValueError, ValidationError) as error:
                raise SettingsError(
                    f"{path} cannot be read. Remove the judge and install it again.",
                    next_step=NextStep("remove judge", path.parent.name),
                ) from error


def remove_installed_judge(settings: Settings, name: str) -> None:
    """Delete its folder. Raises NotFoundError when there is none of that name."""
    folder = find_installed_judge(settings, name)
    if folder is None:
        raise NotFoundError(f"No judge “{name}” is installed.", next_step=NextStep("list judges"))
    shutil.rmtree(folder)


TRIAL_PAIR = Pair("Gout hurts.", "Gout is painful. It comes at night.")


def build_classifier(
    path: Path, *, labels: Sequence[str] = (), room: int = 0, swapped: bool = False, threads: int = 2
) -> "PairClassifier":
    """A classifier of pairs that was exported to ONNX, by its file or folder; opened when it is first used.

    labels    its classes in its order; none: as its config.json says
    room      tokens of a pair; 0: as its files say
    swapped   whether it reads the claim before the text

    Raises ModelError for what is no such model, SettingsError for classes without a meaning.
    """
    from wellsourced.encoders.model_files import open_session
    from wellsourced.judges.entailment import PairClassifier, parse_labels
    from wellsourced.judges.onnx_folder import read_onnx_folder

    found = read_onnx_folder(path)
    # Only an unnamed single class is taken for what it is called by default: a score of relevance.
    known = parse_labels(labels or found.labels or ("LABEL_0",))
    space = room or found.max_tokens
    read = f"{found.display_name}-{found.sha256[:8]}/{space}/{'.'.join(known)}{'/claim first' if swapped else ''}"
    return PairClassifier(
        f"entailment:{read}",
        partial(open_session, found.model, threads),
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
            "The model's config.json does not name its classes (id2label). Add their names in the model's order, for "
            f"example {EXAMPLE_LABELS}, and install it from that folder."
        )
    EntailmentJudge(build_classifier(folder)).score_pairs_now([TRIAL_PAIR])


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
    raise ModelError(f"{found.model} has no uncased vocab.txt or tokenizer.json next to it. Copy one from the model.")
