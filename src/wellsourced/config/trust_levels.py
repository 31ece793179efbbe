"""Which settings a folder's wellsourced.toml may change by itself, and which it may change only when it is trusted.

Whoever made a folder can put a file into it. By itself it may say how questions are answered; where words and keys go,
who sees them, what they may cost and what is loaded from the disk, it may not. A setting counts as guarded until it is
listed as free; a test demands that every setting stands in exactly one of the lists.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from wellsourced.config.registry import ENCODER_REGISTRY, JUDGE_REGISTRY, PLANNER_REGISTRY, RERANKER_REGISTRY

_BOOLEAN = TypeAdapter(bool)

FREE_SETTINGS = frozenset({
    "preset", "libraries", "guidelines", "graph", "decompose", "expand", "threads", "show_masked", "runs",
    "policy.tiers", "policy.candidates", "policy.per_query", "policy.per_source", "policy.rerank",
    "policy.rerank_seconds", "policy.passages", "policy.per_document", "policy.min_relevance", "policy.min_certainty",
    "policy.sufficient_works", "policy.statements", "policy.leads", "policy.rrf_k", "policy.source_seconds",
    "frame.pico", "frame.standalone", "frame.translate",
    "read.relevance", "read.keep_unsure", "read.cards", "read.batch", "read.guideline_slices",
    "read.whole_work_length", "read.self_knowledge", "read.decompose", "read.decompose_levels", "read.rerank_above",
    "read.rerank_keep",
    "condense.mode", "condense.parts", "condense.top", "condense.delta",
    "write.style", "write.reasoning", "write.memory", "write.drafts",
    "check.consistency", "check.repair", "check.conflicts",
    "tracing.cited_on",
})  # fmt: skip
"""How questions are answered: any folder may say it. A preset counts as what it stands for."""

FREE_JUDGES = frozenset(name for name, entry in JUDGE_REGISTRY.built_in.items() if not entry.needs_model)
"""What a plugin adds is code of somebody else: no folder chooses it by itself."""


def _is_true(value: Any) -> bool:
    """Whether a value means yes, as settings read it."""
    try:
        return _BOOLEAN.validate_python(value)
    except ValidationError:
        return False


FREE_VALUES: Mapping[str, Callable[[Any], bool]] = {
    "encoder": lambda value: str(value) in ENCODER_REGISTRY.built_in,
    "reranker": lambda value: str(value) in RERANKER_REGISTRY.built_in,
    "planner": lambda value: str(value) in PLANNER_REGISTRY.built_in,
    "judge.support": lambda value: set(str(value).split("+")) <= FREE_JUDGES,
    "network.offline": _is_true,
    "phi": lambda value: value == "refuse",
}
"""Settings that any folder may change to what comes with wellsourced, or to what lets less out; to nothing else."""

GUARDED_SETTINGS = (
    "*.url", "*.key",
    "home", "live", "retractions", "retraction_watch", "model", "assistant", "models.*", "prompts", "patient_to",
    "judge.task", "judge.labels", "tracing.pages", "tracing.robots", "tracing.archive", "tracing.registrations",
    "tracing.paywalls", "tracing.doi", "tracing.archive_url", "tracing.rdap", "budget.*", "quota.*",
    "policy.concurrent_questions", "network.email", "network.private_hosts", "network.seconds", "network.cache",
)  # fmt: skip
"""Where words, keys and records go, who sees them, what it costs, what is loaded: never from a folder by itself."""


def needs_trust(name: str, value: Any) -> bool:
    """Whether this value of this setting counts from a folder's file only when the file is trusted."""
    return name not in FREE_SETTINGS and not (name in FREE_VALUES and FREE_VALUES[name](value))
