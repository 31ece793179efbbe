"""The registry: of everything that settings can name, its name, what it is, what it needs, and how it is made.

Entries know nothing of settings: they are given the few things that they use. Settings, lists, help texts and
the contract suites are derived from them.
"""

from wellsourced.config.registry.base import Connection, Registry
from wellsourced.config.registry.encoders import ENCODER_REGISTRY, RERANKER_REGISTRY
from wellsourced.config.registry.judges import JUDGE_FORMS, JUDGE_REGISTRY, JudgeParts
from wellsourced.config.registry.planners import PLANNER_REGISTRY, PlannerParts
from wellsourced.config.registry.sources import (
    LIVE_SOURCE_REGISTRY,
    RETRACTION_REGISTRY,
    SOURCE_SERVICES,
    LiveSourceEntry,
)

__all__ = [
    "ENCODER_REGISTRY",
    "JUDGE_FORMS",
    "JUDGE_REGISTRY",
    "LIVE_SOURCE_REGISTRY",
    "PLANNER_REGISTRY",
    "RERANKER_REGISTRY",
    "RETRACTION_REGISTRY",
    "SOURCE_SERVICES",
    "Connection",
    "JudgeParts",
    "LiveSourceEntry",
    "PlannerParts",
    "Registry",
]
