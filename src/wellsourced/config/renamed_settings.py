"""Settings that were called otherwise: the old name is understood for one more release, and the new one is told."""

import logging
from functools import lru_cache

RENAMED_SETTINGS = {
    "ranker": "reranker",
    "policy.relevant": "policy.min_relevance",
    "policy.certain": "policy.min_certainty",
    "policy.enough": "policy.sufficient_works",
    "policy.rrf": "policy.rrf_k",
    "policy.seconds": "policy.source_seconds",
    "policy.at_once": "policy.concurrent_questions",
    "read.whole": "read.whole_work_length",
    "read.levels": "read.decompose_levels",
    "network.trusted": "network.private_hosts",
}
"""Old name → new name, both dotted."""

log = logging.getLogger(__name__)


def find_current_name(name: str) -> str:
    """The name that a setting has today. Of an old one it is told once that it goes."""
    if name not in RENAMED_SETTINGS:
        return name
    _warn_of_old_name(name)
    return RENAMED_SETTINGS[name]


@lru_cache
def _warn_of_old_name(name: str) -> None:
    log.warning(
        "The setting %s is now called %s; the old name is understood for one more release.",
        name,
        RENAMED_SETTINGS[name],
    )
