"""A whole check of one text: taken apart, its sources found, every claim put to them, and what that comes to.

An unknown host, a time-out or a page behind a login is a finding: whatever becomes of a source, the run goes on, and
the source stays in the figures.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Literal, NamedTuple

from wellsourced.errors import ModelError
from wellsourced.events import Emit, Progress, ignore_event
from wellsourced.factcheck.load.decomposition import decompose_by_worker
from wellsourced.factcheck.load.model_decomposition import decompose_by_model
from wellsourced.factcheck.pairing import DocumentVerdict, JudgingOptions, judge_document
from wellsourced.factcheck.repair import repair_claims
from wellsourced.factcheck.resolve.base import Tracer
from wellsourced.factcheck.run_store import RunStore, StoredSource, open_run_store
from wellsourced.factcheck.verdicts import build_pairing, combine_verdicts, has_retraction, measure_shares
from wellsourced.judges.base import Judge
from wellsourced.models.base import Model
from wellsourced.text.sanitization import deduplicate_texts, fold_case
from wellsourced.types import (
    Checkup,
    CitedSource,
    Claim,
    ClaimSourceVerdict,
    Document,
    Gap,
    Reference,
    SourceResolution,
    SubmittedText,
    Verdict,
)

Scope = Literal["all", "own"]
"""Which sources a claim is put to: every one of the text (as SourceCheckup does), or those whose marks it bears."""

MAX_PAIRS = 20_000
"""Claims times sources from which each claim is put to its own sources alone, whatever the scope."""

MAX_OPEN_DOCUMENTS = 8
"""Documents that are held and judged at once: as many as a language model is asked about at once by default."""


class CheckContext(NamedTuple):
    """What a check takes, opened.

    model    a language model, which takes the text apart and edits; None: both are done by rule
    writer   the language model that answers questions which are to be checked; None: there is none
    folder   of the stores, a file for each text; None: they are in memory, and gone with the run
    missing  what should have been asked and cannot be
    notices  what is to be known of every check made with these tools
    """

    tracer: Tracer
    judge: Judge
    folder: Path | None
    model: Model | None = None
    judging: JudgingOptions = JudgingOptions()
    missing: tuple[Gap, ...] = ()
    notices: tuple[str, ...] = ()
    writer: Model | None = None

    @property
    def name(self) -> str:
        """What changes verdicts: who looks, who judges, and how."""
        return f"{self.tracer.name}\n{self.judge.name}\n{self.judging}"


class CheckOptions(NamedTuple):
    """What is wanted.

    scope    the sources that a statement is put to: all of the text, or those whose marks it bears
    repair   whether what does not stand is edited or removed
    fresh    whether a run that was stopped begins anew
    """

    scope: Scope = "all"
    repair: bool = False
    fresh: bool = False


def text_to_document(text: str) -> Document:
    """Plain text, or Markdown, as a document."""
    return Document(reference=Reference(id="text:", title=""), text=text)


class CheckRun(NamedTuple):
    """A run, and what it is done with."""

    submitted: SubmittedText
    tools: CheckContext
    store: RunStore
    scope: Scope
    judge_slots: asyncio.Semaphore

    def claims_for(self, cited: CitedSource) -> list[Claim]:
        """The claims that are put to a source."""
        claims = self.submitted.claims
        return [*claims] if self.scope == "all" else [claim for claim in claims if cited.key in claim.cites]


class SourceOutcome(NamedTuple):
    """What came of one source: whether its words were had; `failed` says why its claims could not be judged."""

    traced: SourceResolution
    pairings: tuple[ClaimSourceVerdict, ...]
    read: bool = False
    failed: str = ""


async def check_document(
    text: Document | SubmittedText,
    tools: CheckContext,
    options: CheckOptions | None = None,
    *,
    emit: Emit = ignore_event,
) -> Checkup:
    """What the sources of a text say of its claims, with their words; see Checkup. Each verdict is stored at once.

    text   one that is taken apart already stays as it is
    emit   is called with the number of sources that are done

    Raises SourceUnavailable when the store cannot be written. A judge that fails leaves its claims unjudged and the
    checkup incomplete.
    """
    options = options or CheckOptions()
    submitted = text if isinstance(text, SubmittedText) else await decompose_by_worker(text)
    if tools.model and not isinstance(text, SubmittedText):
        submitted = await decompose_by_model(tools.model, submitted)
    failed = (f"{gap.source} was not asked: {gap.reason}" for gap in tools.missing if gap.status == "failed")
    notes = [*tools.notices, *failed]
    submitted = submitted.model_copy(update={"notes": (*submitted.notes, *notes)})
    store = open_run_store(tools.folder, submitted, tools.name, fresh=options.fresh)
    try:
        return await run_checkup(submitted, tools, options, store, emit=emit)
    finally:
        store.close()


async def run_checkup(
    submitted: SubmittedText,
    tools: CheckContext,
    options: CheckOptions,
    store: RunStore,
    *,
    emit: Emit = ignore_event,
    as_of: date | None = None,
) -> Checkup:
    """The checkup of a text that is taken apart; the store keeps what is known, and what an earlier run came to."""
    today = as_of or date.today()
    scope, notes = _effective_scope(submitted, options.scope)
    work = CheckRun(submitted, tools, store, scope, asyncio.Semaphore(MAX_OPEN_DOCUMENTS))
    if resumed := store.resumed_pairs:
        what = "verdict is" if resumed == 1 else "verdicts are"
        notes.append(f"{resumed:,} {what} from the run that began on {store.start_date}")
    store.mark_started(today)
    seen = await _check_sources(work, emit)
    done = _build_checkup(work, seen, notes, today)
    if options.repair:
        done = await _repair_checkup(done, work)
    if done.complete:
        store.mark_finished()
    return done


async def _repair_checkup(done: Checkup, work: CheckRun) -> Checkup:
    """With what becomes of each claim that does not stand; an edit that nobody could judge is not made."""
    tools, notes = work.tools, list(done.notes)
    try:
        edits = await repair_claims(done, work.store, tools.judge, tools.model)
    except ModelError as error:
        note = f"nothing was repaired: the judge failed ({error.phrase}); check again to continue"
        return done.model_copy(update={"notes": (*notes, note), "complete": False})
    if left := sum(verdict.status == "unjudged" for verdict in done.verdicts):
        what = "1 statement was left unchanged" if left == 1 else f"{left} statements were left unchanged"
        notes.append(
            f"{what} because it could not be judged" if left == 1 else f"{what} because they could not be judged"
        )
    return done.model_copy(update={"edits": edits, "notes": tuple(notes)})


def _effective_scope(submitted: SubmittedText, scope: Scope) -> tuple[Scope, list[str]]:
    """The scope in which a text can be judged: all sources where no claim bears a mark; never too many pairs."""
    pairs = len(submitted.claims) * len(submitted.sources)
    if pairs <= MAX_PAIRS:
        return (scope if any(claim.cites for claim in submitted.claims) else "all"), []
    if scope == "own":
        return "own", []
    return "own", [
        f"too many pairs of statement and source ({pairs:,}): each statement is compared with its own sources only"
    ]


# --- one source after another, and all at once ---------------------------------------------------------------------


async def _check_sources(work: CheckRun, emit: Emit) -> list[SourceOutcome]:
    sources = work.submitted.sources
    done = 0

    async def check_one(cited: CitedSource) -> SourceOutcome:
        nonlocal done
        seen = await _check_source(work, cited)
        done += 1
        emit(Progress(task="verifying", done=done, total=len(sources), unit="documents"))
        return seen

    tasks = [asyncio.ensure_future(check_one(cited)) for cited in sources]
    try:
        return [await task for task in tasks]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _check_source(work: CheckRun, cited: CitedSource) -> SourceOutcome:
    known = work.store.load_source(cited.key)
    if known is None:
        opened = await work.tools.tracer.trace(cited)
        work.store.store_source(opened)
        known = StoredSource(opened.traced, opened.document is not None)
        # Sources come faster than they are judged: those that wait do so on the disk.
        del opened
    wanted = work.claims_for(cited)
    found: dict[str, DocumentVerdict] = {}
    failed = ""
    if wanted and known.has_words:
        async with work.judge_slots:
            found, failed = await _judge_source(work, cited.key, wanted)
    pairings = tuple(
        build_pairing(claim, cited.key, found.get(fold_case(claim.text)), known.traced) for claim in wanted
    )
    return SourceOutcome(known.traced, pairings, known.has_words, failed)


async def _judge_source(work: CheckRun, key: str, claims: Sequence[Claim]) -> tuple[dict[str, DocumentVerdict], str]:
    """What the source says of each claim by its folded text, equal claims judged once; and why that failed."""
    texts = deduplicate_texts(claim.text for claim in claims)
    known = work.store.load_verdicts(key)
    missing = [text for text in texts if fold_case(text) not in known]
    document = work.store.load_document(key) if missing else None
    if document is None:
        return known, ""
    try:
        found = await judge_document(document, missing, work.tools.judge, work.tools.judging)
    except ModelError as error:
        reason = error.phrase
        verdict = Verdict(label="unjudged", score=0.0, reason=f"the judge failed: {reason}")
        return known | {fold_case(text): DocumentVerdict(verdict=verdict) for text in missing}, reason
    new = {fold_case(text): one for text, one in found.items()}
    work.store.store_verdicts(key, new)
    return known | new, ""


# --- what it comes to ----------------------------------------------------------------------------------------------


def _build_checkup(work: CheckRun, seen: Sequence[SourceOutcome], notes: Sequence[str], today: date) -> Checkup:
    submitted = work.submitted
    traced = {one.traced.key: one.traced for one in seen}
    by_claim: dict[int, list[ClaimSourceVerdict]] = defaultdict(list)
    for one in seen:
        for pair in one.pairings:
            by_claim[pair.claim].append(pair)
    verdicts = tuple(
        combine_verdicts(claim, by_claim[claim.number], submitted.sources, traced) for claim in submitted.claims
    )
    checkup = Checkup(
        submitted=submitted,
        traced=tuple(one.traced for one in seen),
        pairings=tuple(pair for claim in submitted.claims for pair in by_claim[claim.number]),
        verdicts=verdicts,
        notes=(*submitted.notes, *notes, *_note_outcomes(seen, traced)),
        judge=work.tools.judge.name,
        as_of=today,
        complete=not any(one.failed for one in seen),
        run=work.store.name,
    )
    return checkup.model_copy(update={"shares": measure_shares(checkup)})


def _note_outcomes(seen: Sequence[SourceOutcome], traced: dict[str, SourceResolution]) -> list[str]:
    notes = []
    if seen and not any(one.read for one in seen):
        notes.append("no source could be read")
    if offline := sum(one.fetched == "offline" for one in traced.values()):
        what = "1 source was" if offline == 1 else f"{offline} sources were"
        notes.append(f"offline mode is on, so {what} not looked up")
    if withdrawn := sum(has_retraction(one) for one in traced.values()):
        notes.append("1 source was retracted" if withdrawn == 1 else f"{withdrawn} sources were retracted")
    failures = dict.fromkeys(one.failed for one in seen if one.failed)
    return [*notes, *(f"judging is incomplete ({reason}); check again to continue" for reason in failures)]
