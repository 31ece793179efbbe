"""Judges of support by their names, opened as the settings say: calibrated, with guard and cache. The user's own are
classifiers of pairs in ONNX by their paths, or installed in home/judges and known by name.
"""

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from wellsourced.config.encoders import VERDICT_CACHE_FILE, choose_calibrated_encoder, open_encoder
from wellsourced.config.registry import JUDGE_FORMS, JUDGE_REGISTRY, JudgeParts
from wellsourced.config.settings import Settings
from wellsourced.errors import ModelError, NextStep, NotFoundError, SettingsError
from wellsourced.judges.base import Judge, Pair
from wellsourced.judges.track_record import (
    MIN_CALLS,
    CalibratedJudge,
    CallEvidence,
    CallPrecision,
    JudgeEvidence,
    JudgeRecordFile,
    UserCalibration,
    load_shipped_evidence,
)
from wellsourced.types import Value

if TYPE_CHECKING:
    from wellsourced.controls.record import JudgeControls
    from wellsourced.encoders.base import Encoder
    from wellsourced.judges.entailment import PairClassifier, PairTokenizer
    from wellsourced.models.base import Model


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


def build_classifier(path: Path, *, labels: Sequence[str] = (), threads: int = 2) -> "PairClassifier":
    """A classifier of pairs that was exported to ONNX, by its file or folder; opened when it is first used.

    labels    its classes in its order; none: as its config.json says

    Raises ModelError for what is no such model, SettingsError for classes without a meaning.
    """
    from wellsourced.judges.entailment import PairClassifier, parse_labels
    from wellsourced.judges.onnx_folder import read_onnx_folder
    from wellsourced.storage.model_files import open_session

    found = read_onnx_folder(path)
    # Only an unnamed single class is taken for what it is called by default: a score of relevance.
    known = parse_labels(labels or found.labels or ("LABEL_0",))
    return PairClassifier(
        f"entailment:{found.display_name}-{found.sha256[:8]}/{found.max_tokens}/{'.'.join(known)}",
        partial(open_session, found.model, threads),
        partial(_load_tokenizer, found.folder),
        known,
        found.max_tokens,
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


def _load_tokenizer(folder: Path) -> "PairTokenizer":
    """The tokenizer beside a model: an uncased vocabulary of BERT is read here, any other one needs `tokenizers`."""
    from wellsourced.encoders.onnx import build_wordpiece_tokenizer
    from wellsourced.judges.entailment import bert_pair_tokenizer, load_pair_tokenizer
    from wellsourced.storage.model_files import find_tokenizer, read_vocabulary

    path = find_tokenizer(folder)
    if path.suffix == ".txt":
        return bert_pair_tokenizer(build_wordpiece_tokenizer(read_vocabulary(path)))
    return load_pair_tokenizer(path)


# --- any judge by its name


# What evidence and calibrations are, for those who show them: a judge itself is named in this folder alone.
__all__ = ["MIN_CALLS", "CallEvidence", "CallPrecision", "JudgeEvidence", "UserCalibration"]

RECORDS_FILE = "judges.json"
"""What the user has fitted, in home."""

DEFAULT_JUDGE = "comparison"
"""The judge of support where none is named."""


def describe_judges(settings: Settings) -> dict[str, str]:
    """What can be named, and what it is; what the user has installed is among it."""
    installed = {one.name: one.description for one in list_installed_judges(settings)}
    return {**JUDGE_REGISTRY.describe(), **installed, **JUDGE_FORMS}


def open_records(settings: Settings) -> JudgeRecordFile:
    """Where the user's own calibrations are kept, and what judges have earned in the user's own measurements."""
    return JudgeRecordFile(settings.home / RECORDS_FILE)


def build_controls(settings: Settings) -> "JudgeControls | None":
    """How models that judge are checked, with their records in home; None where the user wants none."""
    from wellsourced.controls.record import CONTROL_RECORDS_FILE, JudgeControls

    return JudgeControls(settings.home / CONTROL_RECORDS_FILE) if settings.check.controls else None


def build_configured_judge(settings: Settings, encoder: "Encoder | None", model: "Model | None") -> Judge:
    """The judge of support that the settings name; without an encoder, the words in common."""
    name = settings.judge.support or (DEFAULT_JUDGE if encoder or settings.encoder != "none" else "overlap")
    return build_judge(name, settings, encoder, model)


def build_judge(
    name: str,
    settings: Settings,
    encoder: "Encoder | None",
    model: "Model | None" = None,
    *,
    calibrated: bool = True,
    earned: bool = True,
    guarded: bool = True,
    cached: bool = True,
    others: Sequence["Model"] = (),
) -> Judge:
    """The judge of this name, as a context holds it unless less is asked for.

    model       who is asked for the judge “model”; others: those that are asked where its verdicts do not count
    calibrated  read as the user's own calibration says, if there is one
    earned      believed as far as it has earned it on statements that it was not fitted on
    guarded     with the guard around it, which leaves alone what is believed
    cached      its verdicts kept on disk

    Raises SettingsError for a name that nothing has, ModelError for a model that cannot be used.
    """
    from wellsourced.judges.layers import CachedJudge, GuardedJudge

    judge = _build_named_judge(name, settings, encoder, model, others)
    if calibrated:
        judge = _apply_user_calibration(judge, settings)
    if earned:
        judge = _apply_evidence(judge, settings)
    if guarded:
        judge = GuardedJudge(judge)
    return CachedJudge(judge, settings.home / VERDICT_CACHE_FILE) if cached else judge


def _apply_user_calibration(judge: Judge, settings: Settings) -> Judge:
    found = open_records(settings).find_calibration(judge.name, settings.judge.task)
    return CalibratedJudge(judge, found) if found else judge


def describe_earnings(settings: Settings) -> dict[str, JudgeEvidence | None]:
    """What each judge has earned that needs no language model, by what it is called; None: it was not measured.

    Those that were measured by their path come last. One that cannot be opened has earned nothing.
    """
    encoder = open_encoder(settings)
    found: dict[str, JudgeEvidence | None] = {}
    own = (name for name in JUDGE_REGISTRY.names if not JUDGE_REGISTRY.find(name).needs_model)
    for name in (*own, *(one.name for one in list_installed_judges(settings))):
        found[name] = None
        with suppress(SettingsError, ModelError):
            judge = build_judge(name, settings, encoder, earned=False, guarded=False, cached=False)
            found[name] = find_evidence(judge, settings)
    known = {one.judge for one in found.values() if one}
    return found | {one.called: one for one in open_records(settings).load().evidence if one.judge not in known}


def find_evidence(judge: Judge, settings: Settings) -> JudgeEvidence | None:
    """What a judge has earned: as the user has measured it last, else as it was measured before it came along."""
    shipped = (one for one in load_shipped_evidence() if one.judge == judge.name)
    return open_records(settings).find_evidence(judge.name) or next(shipped, None)


def _apply_evidence(judge: Judge, settings: Settings) -> Judge:
    """The judge, believed as far as it has earned it; the judge itself where it has earned nothing."""
    from wellsourced.judges.layers import EarnedJudge

    evidence = find_evidence(judge, settings)
    return EarnedJudge(judge, evidence) if evidence and evidence.has_earned else judge


def _build_named_judge(
    name: str,
    settings: Settings,
    encoder: "Encoder | None",
    model: "Model | None",
    others: Sequence["Model"] = (),
) -> Judge:
    """The judge itself: of the registry, or by its path."""
    path = find_installed_judge(settings, name) or Path(name).expanduser()
    if name in JUDGE_REGISTRY.names:
        calibrated = partial(choose_calibrated_encoder, settings, encoder)
        controls = build_controls(settings) if model else None
        parts = JudgeParts(encoder, calibrated, model, settings.threads, tuple(others), controls)
        return JUDGE_REGISTRY.find(name).build(parts)
    if name and path.exists():
        return _build_from_path(path, settings)
    raise SettingsError(
        f"No judge “{name}”, and no file or folder of that name. Judges: {', '.join(JUDGE_REGISTRY.names)}, or the "
        "path of an ONNX model.",
        next_step=NextStep("install judge"),
    )


# --- models by path ------------------------------------------------------------------------------------------------


def _build_from_path(path: Path, settings: Settings) -> Judge:
    """A classifier in ONNX, or where there is none a cross-encoder in safetensors."""
    if path.is_dir() and not any(path.glob("**/*.onnx")) and any(path.glob("*.safetensors")):
        from wellsourced.judges.ranking import CrossEncoderJudge
        from wellsourced.storage.model_files import find_model

        model = find_model(str(path))
        return CrossEncoderJudge(model.path, model.name, settings.threads, purpose="support")
    from wellsourced.judges.entailment import EntailmentJudge

    return EntailmentJudge(build_classifier(path, labels=settings.judge.labels, threads=settings.threads))
