"""A planner trained on rows: low-rank adapters by supervised fine-tuning, then by preference (DPO), then merged.

The hyper-parameters are the paper's where it states them. Training is that of TRL; torch is imported when it begins.
"""

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import ValidationError

from wellsourced.config.models import PLANNER_CARD
from wellsourced.errors import SettingsError, UnreadableFile
from wellsourced.types import Value
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.planning.rows import DPO_FILE, MANIFEST_FILE, SCHEMA, SFT_FILE, RowManifest
from wellsourced_evaluate.recorded_rows import describe_fault

if TYPE_CHECKING:
    from datasets import Dataset

Stage = Literal["sft", "dpo"]


class TrainingOptions(Value):
    """How a planner is trained. Rank, alpha, dropout, beta and tokens are not published and are ours.

    batch    rows that a step learns from, gathered one by one
    tokens   of a row; a longer one is left out, not cut
    limit    rows of each kind; 0: all
    """

    batch: int = 64
    sft_rate: float = 2.5e-4
    sft_epochs: float = 5
    dpo_rate: float = 5e-6
    dpo_epochs: float = 3
    beta: float = 0.1
    rank: int = 16
    alpha: int = 32
    dropout: float = 0.05
    tokens: int = 2048
    limit: int = 0
    seed: int = 7


class TrainingCard(Value):
    """What a trained planner is: the file by which its folder says that it is one.

    losses     stage → loss of each logged step
    too_long   stage → rows that were left out
    """

    base: str
    sources: tuple[str, ...]
    rows: dict[str, str]
    options: TrainingOptions
    versions: dict[str, str]
    losses: dict[str, tuple[float, ...]]
    too_long: dict[str, int]


def read_options(given: Mapping[str, str]) -> TrainingOptions:
    """The options as they were typed. Raises SettingsError for one that there is not, or a value that does not fit."""
    try:
        return TrainingOptions.model_validate(given)
    except ValidationError as error:
        raise SettingsError(f"{describe_fault(error)}. Options: {', '.join(TrainingOptions.model_fields)}.") from error


class LoadedBase(NamedTuple):
    """A model to be trained, and its tokenizer."""

    model: Any
    tokenizer: Any


def read_manifest(folder: Path) -> RowManifest:
    """What the rows of a folder are. Raises UnreadableFile for rows of another form, or changed since."""
    path, remedy = folder / MANIFEST_FILE, "Make the rows again with `wellsourced evaluate planner rows`."
    try:
        manifest = RowManifest.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise UnreadableFile(path, "it is not the manifest of training rows", remedy) from error
    if manifest.schema_version != SCHEMA:
        raise UnreadableFile(path, f"its rows are of schema {manifest.schema_version}, not {SCHEMA}", remedy)
    for name, sha256 in manifest.sha256.items():
        if not (folder / name).is_file() or hash_file(folder / name) != sha256:
            raise UnreadableFile(folder / name, "it is not what its manifest describes", remedy)
    return manifest


def train_planner(rows: Path, base: Path, out: Path, options: TrainingOptions) -> TrainingCard:
    """Train both stages and write the merged model to a folder. A stage that was cut short goes on at its checkpoint.

    Raises UnreadableFile for the rows, SettingsError for the base or a missing package.
    """
    manifest = read_manifest(rows)
    try:
        import peft  # noqa: F401
        import trl  # noqa: F401
    except ImportError as error:
        raise SettingsError("Training needs pip install 'wellsourced-evaluate[train]' (torch: 2.7 GB).") from error
    losses: dict[str, tuple[float, ...]] = {}
    too_long: dict[str, int] = {}
    loaded = load_base(base)
    stages: Mapping[Stage, float] = {"sft": options.sft_epochs, "dpo": options.dpo_epochs}
    for stage in (stage for stage, epochs in stages.items() if epochs):
        work = out / "training" / stage
        data, too_long[stage] = _load_rows(rows, stage, loaded.tokenizer, options)
        trainer = _build_trainer(stage, loaded, data, work, options)
        has_checkpoint = any(work.glob("checkpoint-*/trainer_state.json"))
        try:
            trainer.train(resume_from_checkpoint=has_checkpoint or None)
        except OSError as error:
            raise SettingsError(
                f"{work} cannot be written ({error.strerror}). Free space, then train again."
            ) from error
        losses[stage] = tuple(round(one["loss"], 4) for one in trainer.state.log_history if "loss" in one)
        loaded = loaded._replace(model=trainer.model.merge_and_unload())
    loaded.model.save_pretrained(out)
    loaded.tokenizer.save_pretrained(out)
    card = TrainingCard(
        base=base.name,
        sources=tuple(one.name for one in manifest.cards),
        rows=manifest.sha256,
        options=options,
        versions={name: version(name) for name in ("torch", "transformers", "trl", "peft")},
        losses=losses,
        too_long=too_long,
    )
    (out / PLANNER_CARD).write_text(card.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return card


def load_base(base: Path) -> LoadedBase:
    """A folder of Hugging Face, or a GGUF file, whose weights are copied so that they can be trained and saved."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    is_file = base.is_file()
    named = {"gguf_file": base.name} if is_file else {}
    folder = base.parent if is_file else base
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, **named)
        model = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True, **named)
    except (OSError, ValueError, ImportError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise SettingsError(f"The model {base} cannot be loaded ({reason}).") from error
    if not tokenizer.chat_template:
        raise SettingsError(f"The model {base} has no chat template, so that no row can be shown to it.")
    if is_file:
        weights, config = model.state_dict(), model.config
        if hasattr(config, "quantization_config"):
            del config.quantization_config
        model = AutoModelForCausalLM.from_config(config)
        model.load_state_dict(weights)
    return LoadedBase(model, tokenizer)


def _load_rows(folder: Path, stage: Stage, tokenizer: Any, options: TrainingOptions) -> "tuple[Dataset, int]":
    """The rows in TRL's form that are not too long, and how many are. Raises UnreadableFile when none is left."""
    from datasets import Dataset

    path = folder / (SFT_FILE if stage == "sft" else DPO_FILE)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if stage == "sft":
        # The loss counts what the model is to write alone.
        rows = [{"prompt": row["messages"][:-1], "completion": row["messages"][-1:]} for row in rows]
    rows = [{name: row[name] for name in ("prompt", "completion", "chosen", "rejected") if name in row} for row in rows]
    rows = rows[: options.limit or None]
    replies = ("completion",) if stage == "sft" else ("chosen", "rejected")
    fitting = [
        row
        for row in rows
        if all(
            len(tokenizer.apply_chat_template(row["prompt"] + row[reply], tokenize=True, return_dict=False))
            <= options.tokens
            for reply in replies
        )
    ]
    if not fitting:
        raise UnreadableFile(path, f"none of its {len(rows):,} rows has at most {options.tokens:,} tokens", "")
    return Dataset.from_list(fitting), len(rows) - len(fitting)


def _build_trainer(stage: Stage, loaded: LoadedBase, data: "Dataset", work: Path, options: TrainingOptions) -> Any:
    import torch
    from peft import LoraConfig
    from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

    common = {
        "output_dir": str(work),
        "per_device_train_batch_size": 1,
        "gradient_accumulation_steps": min(options.batch, len(data)),
        "max_length": options.tokens,
        "seed": options.seed,
        "save_strategy": "epoch",
        "save_total_limit": 1,
        "logging_steps": 1,
        "report_to": [],
        "use_cpu": not torch.cuda.is_available(),
        "bf16": torch.cuda.is_available(),
        "disable_tqdm": True,
    }
    adapters = LoraConfig(
        r=options.rank,
        lora_alpha=options.alpha,
        lora_dropout=options.dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    kinds: dict[Stage, tuple[Any, Any, dict[str, Any]]] = {
        "sft": (SFTTrainer, SFTConfig, {"learning_rate": options.sft_rate, "num_train_epochs": options.sft_epochs}),
        "dpo": (
            DPOTrainer,
            DPOConfig,
            {"learning_rate": options.dpo_rate, "num_train_epochs": options.dpo_epochs, "beta": options.beta},
        ),
    }
    trainer, config, own = kinds[stage]
    return trainer(
        model=loaded.model,
        args=config(**common, **own),
        train_dataset=data,
        processing_class=loaded.tokenizer,
        peft_config=adapters,
    )
