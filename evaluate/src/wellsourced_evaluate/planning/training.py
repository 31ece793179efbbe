"""A planner trained on rows: low-rank adapters by supervised fine-tuning, then by preference (DPO), then merged.

The hyper-parameters are the paper's where it states them. Training is that of TRL; torch is imported when it begins.
"""

import json
import platform
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import ValidationError

from wellsourced.config.models import PLANNER_CARD
from wellsourced.errors import SettingsError, UnreadableFile
from wellsourced.types import Value
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.planning.rows import DPO_FILE, MANIFEST_FILE, SCHEMA, SFT_FILE, RowManifest
from wellsourced_evaluate.plots import Point, draw_series
from wellsourced_evaluate.recorded_rows import describe_fault
from wellsourced_evaluate.tables import Block, Bullets, Table, Text

if TYPE_CHECKING:
    from datasets import Dataset

Stage = Literal["sft", "dpo"]

StepProgress = Callable[[Stage, int, int], None]
"""Who hears how many steps of a stage are done, of how many."""

STARTED_FILE, LOSS_FILE = "started.json", "losses.svg"

SAVED_SHARE = 0.05
"""Of the steps of a stage, after which a checkpoint is written: what a kill may cost."""


class TrainingOptions(Value):
    """How a planner is trained. Rank, alpha, dropout, beta and tokens are not published and are ours.

    batch    rows that a step learns from, gathered one by one
    tokens   of a row; a longer one is left out, not cut
    limit    rows of each kind, drawn by the seed; 0: all
    layers   the last ones, which get adapters; 0: all, as a rule. Fewer cost less: nothing is learned below them
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
    layers: int = 0
    seed: int = 7


class TrainingCard(Value):
    """What a trained planner is: the file by which its folder says that it is one.

    licence    of the base, as its file or folder states it; "" where it does not
    rows       the manifest of what was learned from
    used       stage → rows that were learned from
    too_long   stage → rows that were left out
    losses     stage → loss of each step
    seconds    stage → since it was last started; `resumed` has the step at which that was, where it was not the first
    """

    base: str
    licence: str
    parameters: int
    sources: tuple[str, ...]
    rows: RowManifest
    options: TrainingOptions
    versions: dict[str, str]
    device: str
    used: dict[str, int]
    too_long: dict[str, int]
    losses: dict[str, tuple[float, ...]]
    seconds: dict[str, float]
    resumed: dict[str, int]


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


def train_planner(rows: Path, base: Path, out: Path, options: TrainingOptions, say: StepProgress) -> TrainingCard:
    """Train both stages and write the merged model to a folder. A stage that was cut short goes on at its checkpoint.

    Raises UnreadableFile for the rows, SettingsError for the base, a missing package, or a folder in which something
    else is being trained.
    """
    manifest = read_manifest(rows)
    try:
        import peft  # noqa: F401
        import torch
        import trl  # noqa: F401
    except ImportError as error:
        raise SettingsError("Training needs pip install 'wellsourced-evaluate[train]' (torch: 2.7 GB).") from error
    _remember_start(out, {"base": base.name, "rows": manifest.sha256, "options": options.model_dump()})
    used: dict[str, int] = {}
    losses: dict[str, tuple[float, ...]] = {}
    too_long: dict[str, int] = {}
    seconds: dict[str, float] = {}
    resumed: dict[str, int] = {}
    loaded = load_base(base)
    stages: Mapping[Stage, float] = {"sft": options.sft_epochs, "dpo": options.dpo_epochs}
    for stage in (stage for stage, epochs in stages.items() if epochs):
        began, work = time.monotonic(), out / "training" / stage
        data, too_long[stage] = _load_rows(rows, stage, loaded.tokenizer, options)
        trainer = _build_trainer(stage, loaded, data, work, options)
        trainer.add_callback(_build_callback(stage, say, resumed))
        has_checkpoint = any(work.glob("checkpoint-*/trainer_state.json"))
        try:
            trainer.train(resume_from_checkpoint=has_checkpoint or None)
        except OSError as error:
            raise SettingsError(
                f"{work} cannot be written ({error.strerror}). Free space, then train again."
            ) from error
        used[stage] = len(data)
        losses[stage] = tuple(round(one["loss"], 4) for one in trainer.state.log_history if "loss" in one)
        loaded = loaded._replace(model=trainer.model.merge_and_unload())
        seconds[stage] = round(time.monotonic() - began, 1)
    loaded.model.save_pretrained(out)
    loaded.tokenizer.save_pretrained(out)
    card = TrainingCard(
        base=base.name,
        licence=_read_licence(base),
        parameters=loaded.model.num_parameters(),
        sources=tuple(one.name for one in manifest.cards),
        rows=manifest,
        options=options,
        versions={name: version(name) for name in ("torch", "transformers", "trl", "peft")},
        device=torch.cuda.get_device_name() if torch.cuda.is_available() else _describe_processor(),
        used=used,
        too_long=too_long,
        losses=losses,
        seconds=seconds,
        resumed=resumed,
    )
    (out / LOSS_FILE).write_text(draw_losses(card), encoding="utf-8")
    (out / PLANNER_CARD).write_text(card.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return card


def _remember_start(out: Path, begun: dict[str, Any]) -> None:
    """A checkpoint is gone on from only with the rows and options that it was made with."""
    path = out / "training" / STARTED_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file() and json.loads(path.read_bytes()) != begun:
        raise SettingsError(f"In {out} another training was begun (other rows, base or options). Choose another --out.")
    path.write_text(json.dumps(begun, indent=2) + "\n", encoding="utf-8")


def _describe_processor() -> str:
    import torch

    return f"{torch.get_num_threads()} threads of {platform.machine()}"


def _read_licence(base: Path) -> str:
    """What a GGUF file says of itself, or the page that lies in a folder."""
    if base.is_file():
        from gguf import GGUFReader

        field = GGUFReader(base).get_field("general.license")
        return str(field.contents()) if field else ""
    page = base / "README.md"
    stated = re.search(r"(?m)^license: *(\S+)", page.read_text(encoding="utf-8")) if page.is_file() else None
    return stated[1] if stated else ""


def draw_losses(card: TrainingCard) -> str:
    """SVG: the loss of each step, stage by stage."""
    series = {stage: [Point(place, loss) for place, loss in enumerate(its, 1)] for stage, its in card.losses.items()}
    return draw_series(f"Loss of {card.base}", ("step", "loss"), series, line=True, y_range=None)


def training_blocks(card: TrainingCard, folder: Path) -> Iterator[Block]:
    """What was learned from how much, how the losses went, and how the planner is used."""
    counted = ("stage", "rows", "too long", "steps", "first loss", "last loss", "seconds", "resumed at step")
    rows = [
        (stage, card.used[stage], card.too_long[stage], len(its), its[0], its[-1], card.seconds[stage])
        for stage, its in card.losses.items()
    ]
    if rows:
        yield Table(counted, [(*row, card.resumed.get(row[0])) for row in rows])
    licence = f"licence {card.licence}" if card.licence else "its licence is not stated"
    yield Bullets(
        [
            f"{card.base}: {card.parameters:,} parameters, {licence}; trained on {card.device}.",
            f"Card: {folder / PLANNER_CARD}. Losses: {folder / LOSS_FILE}.",
        ]
    )
    yield Text(f"Use it: --preset omni-spo --set planner=trained:{folder}")


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
    if 0 < options.limit < len(rows):
        rows = random.Random(options.seed).sample(rows, options.limit)  # noqa: S311
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


def _build_callback(stage: Stage, say: StepProgress, resumed: dict[str, int]) -> Any:
    from transformers import TrainerCallback

    class Told(TrainerCallback):  # type: ignore[misc]
        """Tells each step, and notes at which one training went on."""

        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002 - TRL's form
            if state.global_step:
                resumed[stage] = state.global_step

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002 - TRL's form
            say(stage, state.global_step, state.max_steps)

    return Told()


def _list_linear(model: Any, layers: int) -> list[str]:
    """Names of the linear modules of the last layers."""
    from torch.nn import Linear

    first = model.config.num_hidden_layers - layers
    names = [name for name, module in model.named_modules() if isinstance(module, Linear)]
    return [name for name in names if (place := re.search(r"\.(\d+)\.", name)) and int(place[1]) >= first]


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
        "save_strategy": "steps",
        "save_steps": SAVED_SHARE,
        "save_total_limit": 1,
        "logging_steps": 1,
        "report_to": [],
        "use_cpu": not torch.cuda.is_available(),
        # It trades time for the memory of a card: here there is memory, and no time.
        "gradient_checkpointing": torch.cuda.is_available(),
        "bf16": torch.cuda.is_available(),
        "disable_tqdm": True,
    }
    adapters = LoraConfig(
        r=options.rank,
        lora_alpha=options.alpha,
        lora_dropout=options.dropout,
        target_modules=_list_linear(loaded.model, options.layers) if options.layers else "all-linear",
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
