"""Put controls into the calls of models that judge, read what they say of them, and keep each model's record in home.

A model that passes an altered control, refuses a right one or leaves all out has failed the call: its verdicts of that
call do not count, and the next model is asked. The record is by kind, with Wilson's interval (1927), so that two of two
say little; a model is no judge while fewer than MIN_TRUST of its last controls of either sort are judged as they are.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from wellsourced.confidence import ConfidenceInterval, wilson_interval
from wellsourced.controls.statements import RIGHT, Control, Place, make_controls
from wellsourced.errors import ModelError, SourceRefused, SourceUnavailable
from wellsourced.models.base import Model, Prompt, complete_or_error
from wellsourced.prompts.verification import (
    CheckConsistency,
    ClaimVerdict,
    ClashingClaims,
    ConsistencyReply,
    DraftClaim,
    KeyedStatement,
    StatementVerdict,
    VerificationReply,
    VerifyStatements,
)
from wellsourced.storage.private_files import WriterLock, make_private_folder, write_private_file
from wellsourced.types import Value
from wellsourced.worker_pool import run_in_worker

CONTROL_RECORDS_FILE = "controls.json"
"""Of home: the record of each model."""

MIN_TRUST, RECENT, MIN_RECENT = 0.8, 50, 8
"""Share of its last RECENT controls, of the right and of the altered ones each, that a judge judges as they are; of so
many of a sort the share says something."""

MIN_TRIED = 2
"""Controls of a kind from which a model can be said to miss it."""

MAX_CALLS, MAX_OUTCOMES = 400, 1_000
"""Calls of a model that are remembered, of which one that is answered from the cache counts once; controls of them."""

JudgingPrompt = CheckConsistency | VerifyStatements
JudgingReply = ConsistencyReply | VerificationReply
JudgedItem = ClaimVerdict | StatementVerdict

CONTROLS_OFF = "the model that checks is not itself checked: the setting check.controls is off"

NOT_CONTROLLED = (
    "nothing in what was shown could be altered with proof, so the model that checked was not itself checked"
)


class ModelRecord(Value):
    """What a model made of controls.

    outcomes  the last ones, oldest first: the kind, and "+" where it was judged as it is: "figure+", "right-"
    calls     hashes of the calls, oldest first
    """

    model: str
    outcomes: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()

    def add_call(self, call: str, outcomes: Mapping[Control, bool]) -> "ModelRecord":
        """With what came of the controls of a call; as it is for a call that is counted."""
        if call in self.calls:
            return self
        new = (f"{one.kind}{'+' if is_known else '-'}" for one, is_known in outcomes.items())
        return ModelRecord(
            model=self.model,
            outcomes=(*self.outcomes, *new)[-MAX_OUTCOMES:],
            calls=(*self.calls, call)[-MAX_CALLS:],
        )

    @property
    def kinds(self) -> dict[str, list[bool]]:
        """Kind → whether each control of it was judged as it is; RIGHT is one of them."""
        found: dict[str, list[bool]] = {}
        for one in sorted(self.outcomes, key=lambda one: one[:-1]):
            found.setdefault(one[:-1], []).append(one[-1] == "+")
        return found

    @property
    def distrust(self) -> str:
        """Why its verdicts do not count, in words; "" while they do."""
        recent = self.outcomes[-RECENT:]
        for is_right, did, what in ((False, "caught", "planted errors"), (True, "accepted", "right statements")):
            known = [one[-1] == "+" for one in recent if (one[:-1] == RIGHT) == is_right]
            if len(known) >= MIN_RECENT and sum(known) < MIN_TRUST * len(known):
                return f"{self.model} is not believed as a judge: lately it {did} {sum(known)} of {len(known)} {what}"
        return ""

    @property
    def missed_kinds(self) -> tuple[str, ...]:
        """Kinds of alterations that it does not see: the interval lies below what is asked of a judge."""
        return tuple(
            kind
            for kind, known in self.kinds.items()
            if kind != RIGHT and len(known) >= MIN_TRIED and wilson_interval(sum(known), len(known)).high < MIN_TRUST
        )

    @property
    def description(self) -> str:
        """Its record in a sentence, with the kinds that it misses."""
        kinds = self.kinds
        right = kinds.pop(RIGHT, [])
        known = [one for some in kinds.values() for one in some]
        share = wilson_interval(sum(known), len(known)) if known else ConfidenceInterval(0.0, 0.0, 1.0)
        missed = (f", {sum(kinds[one])} of {len(kinds[one])} in {name_kind(one)}" for one in self.missed_kinds)
        return (
            f"{self.model} caught {sum(known)} of {len(known)} planted errors ({share.low:.0%} to {share.high:.0%})"
            f"{''.join(missed)}; it refused {len(right) - sum(right)} of {len(right)} right statements"
        )


def name_kind(kind: str) -> str:
    """What errors of a kind are in: "figures", "rows of tables"."""
    return {"row": "rows of tables", "drug": "names of drugs"}.get(kind, f"{kind}s")


class CheckedReply(NamedTuple):
    """What a model said of the claims of a call; nothing where it is not believed.

    doubt    why its verdicts do not count, in words; "" where they do
    notes    what a reader should know of it
    clashes  pairs of claims that cannot both hold
    model    whose verdicts they are
    is_controlled   controls went along, and were judged as they are
    """

    items: tuple[JudgedItem, ...] = ()
    error: ModelError | None = None
    doubt: str = ""
    notes: tuple[str, ...] = ()
    clashes: tuple[ClashingClaims, ...] = ()
    model: str = ""
    is_controlled: bool = False


class ControlRecords(Value):
    """The content of the file."""

    models: tuple[ModelRecord, ...] = ()


class JudgeControls:
    """Asks with controls; what comes of them is kept in a file, which is whole at every instant.

    path   of the file; None: nothing is kept
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path, self._records = path, dict[str, ModelRecord]()

    async def ask(self, models: Sequence[Model], prompt: JudgingPrompt) -> CheckedReply:
        """The reply of the first model whose verdicts count, those in doubt asked last; without its controls."""
        known = self.load()
        distrusted = {name for name, record in known.items() if record.distrust}
        order = {one.name: one for one in sorted(models, key=lambda one: one.name in distrusted)}
        doubts: list[str] = []
        left: tuple[JudgedItem, ...] = ()
        # Of long passages it takes tens of milliseconds.
        made, planted = await run_in_worker(plant_controls, prompt)
        for model in order.values():
            fits = model.context_left(planted) >= 0
            controls = made if fits else ()
            said = await _ask_one(model, planted if fits else prompt)
            if isinstance(said, ModelError):
                if not doubts:
                    return CheckedReply(error=said)
                # What the one before supported, or contradicted, still counts.
                doubts.append(f"{model.name} could not be asked in its place: {said.phrase}")
                break
            outcomes = read_outcomes(controls, said.items)
            record = self._add(model.name, controls, outcomes)
            doubt = doubt_call(model.name, controls, outcomes) or record.distrust
            keys = {one.key for one in controls}
            items = tuple(one for one in said.items if clean_key(one.key) not in keys)
            if not doubt:
                notes = [*doubts, *([f"{model.name} was asked in its place"] if doubts else [])]
                notes += [] if controls else [NOT_CONTROLLED]
                if record.missed_kinds:
                    notes.append(f"{model.name} misses errors in {', '.join(map(name_kind, record.missed_kinds))}")
                # A planted error clashes with what is right: that is what it is for.
                pairs = (one for one in _list_clashes(said) if not keys & {clean_key(one.first), clean_key(one.second)})
                return CheckedReply(
                    items, notes=tuple(notes), clashes=tuple(pairs), model=model.name, is_controlled=bool(controls)
                )
            doubts.append(doubt)
            left = left or (() if record.distrust else keep_credible(items, outcomes))
        return CheckedReply(left, doubt="; ".join(doubts), notes=tuple(doubts))

    def find(self, model: str) -> ModelRecord:
        """The record of a model; an empty one of one that is not known."""
        return self.load().get(model) or ModelRecord(model=model)

    def describe(self, models: Sequence[str]) -> tuple[str, ...]:
        """What these models made of controls so far, a sentence for each that was asked with any."""
        known = self.load()
        return tuple(known[name].description for name in dict.fromkeys(models) if name in known)

    def load(self) -> dict[str, ModelRecord]:
        """Every record, by model. A file that cannot be read is none: it is measured again."""
        if self.path is not None:
            with suppress(OSError, ValueError, ValidationError, RecursionError):
                found = ControlRecords.model_validate(json.loads(self.path.read_text(encoding="utf-8")))
                return {one.model: one for one in found.models}
            return {}
        return self._records

    def _add(self, model: str, controls: Sequence[Control], outcomes: Mapping[Control, bool]) -> ModelRecord:
        """The record of a model with what came of a call, which is kept."""
        if not outcomes:
            return self.find(model)
        call = sha256(" ".join(sorted(one.key for one in controls)).encode()).hexdigest()[:12]
        if self.path is None:
            self._records[model] = self.find(model).add_call(call, outcomes)
            return self._records[model]
        # A count that another process keeps us from, or a full disk, costs a count and no answer.
        with suppress(OSError, SourceUnavailable, SourceRefused):
            make_private_folder(self.path.parent)
            lock = WriterLock(self.path.with_suffix(".lock"), "the records of judges")
            try:
                known = self.load()
                known[model] = known.get(model, ModelRecord(model=model)).add_call(call, outcomes)
                records = ControlRecords(models=tuple(known[name] for name in sorted(known)))
                write_private_file(self.path, records.model_dump_json(indent=1) + "\n")
                return known[model]
            finally:
                lock.close()
        return self.find(model)


async def ask_judges(controls: JudgeControls | None, models: Sequence[Model], prompt: JudgingPrompt) -> CheckedReply:
    """The reply of a model that is itself checked; without controls that of the first model, as it is."""
    if controls is not None:
        return await controls.ask(models, prompt)
    reply = await _ask_one(models[0], prompt)
    if isinstance(reply, ModelError):
        return CheckedReply(error=reply)
    return CheckedReply(reply.items, clashes=_list_clashes(reply), model=models[0].name)


async def _ask_one(model: Model, prompt: JudgingPrompt) -> JudgingReply | ModelError:
    # Each kind of prompt has a reply of its own type.
    return await complete_or_error(model, cast("Prompt[JudgingReply]", prompt))


def _list_clashes(reply: JudgingReply) -> tuple[ClashingClaims, ...]:
    return reply.clashes if isinstance(reply, ConsistencyReply) else ()


def plant_controls(prompt: JudgingPrompt) -> tuple[tuple[Control, ...], JudgingPrompt]:
    """The controls that are made for a call, and its prompt with them among the claims; none can be made: as it is."""
    if isinstance(prompt, CheckConsistency):
        places = [Place(one.text, one.reference.title, one.section) for one in prompt.passages]
        question = prompt.question.text
    else:
        places, question = [Place(prompt.source)], prompt.question
    texts = [one.text for one in prompt.claims]
    chars = len(prompt.instruction()) + len(str(prompt.model_dump()))
    controls = make_controls(texts, places, question, chars)
    claims: list[Any] = list(prompt.claims)
    for number, one in enumerate(controls):
        # Their order is chance's, and so is their place: made of their words, the same each time.
        place = int(sha256(one.text.encode(errors="replace")).hexdigest()[:8], 16) % (len(prompt.claims) + number + 1)
        cited = prompt.passages[one.place].key if isinstance(prompt, CheckConsistency) else ""
        named = {"key": one.key, "text": one.text}
        claims.insert(place, DraftClaim(**named, cites=(cited,)) if cited else KeyedStatement(**named))
    return controls, prompt.model_copy(update={"claims": tuple(claims)})


def clean_key(key: str) -> str:
    """A key as it was shown, whatever a model puts around it."""
    return key.strip(" []().:#\"'`").casefold()


def read_outcomes(controls: Sequence[Control], items: Sequence[JudgedItem]) -> dict[Control, bool]:
    """Each control that something was said of: whether it was judged as it is; of several verdicts the cautious one."""
    found: dict[Control, bool] = {}
    for control in controls:
        said = [one for one in items if clean_key(one.key) == control.key]
        if said:
            is_supported = all(one.label == "supports" and not getattr(one, "partial", False) for one in said)
            found[control] = is_supported == control.is_right
    return found


def keep_credible(items: Sequence[JudgedItem], outcomes: Mapping[Control, bool]) -> tuple[JudgedItem, ...]:
    """What still counts of a call that failed: what it contradicts, which its words have to show; of a judge that only
    refuses too much also what it supports.
    """
    altered = [is_known for one, is_known in outcomes.items() if not one.is_right]
    labels = {"contradicts", "supports"} if altered and all(altered) else {"contradicts"}
    return tuple(one for one in items if one.label in labels and not getattr(one, "partial", False))


def doubt_call(model: str, controls: Sequence[Control], outcomes: Mapping[Control, bool]) -> str:
    """Why the verdicts of a call do not count; "" where they do."""
    wrong = [one for one, is_known in outcomes.items() if not is_known]
    altered = next((one for one in wrong if not one.is_right), None)
    if altered:
        where = name_kind(altered.kind)
        return f"{model}, which checked, called a planted error right (in {where}); its verdicts do not count"
    if wrong:
        return f"{model}, which checked, refused a statement that its passage makes; what it refused is not verified"
    if controls and not any(not one.is_right for one in outcomes):
        return f"{model}, which checked, passed over a planted error; its verdicts do not count"
    return ""
