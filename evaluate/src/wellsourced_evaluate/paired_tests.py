"""The names that comparisons had before `statistics.py`."""

# ruff: noqa: F401

from wellsourced_evaluate.statistics import (  # noqa: F401
    TIE_TOLERANCE,
    ArmContrast,
    CaseGains,
    CaseValues,
    PairedTest,
    ShareContrast,
    adjust_by_holm,
    contrast_shares,
    contrast_values,
    mcnemar_gains_p,
    wilcoxon_p,
)
