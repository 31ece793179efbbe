"""Turn off what dependencies report about their users.

The package's face calls it before it imports anything else, so that it counts for the command, for `import
wellsourced`, for worker processes and for whatever they start. `docs/egress.md` lists every dependency that was read.
"""

import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

OPT_OUTS = {
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime: events to Microsoft; "0", "" and even "yes" would allow them
    "HF_HUB_DISABLE_TELEMETRY": "1",  # huggingface_hub
    "DISABLE_SAFETENSORS_CONVERSION": "1",  # transformers: asks a service to convert the weights that it loads
    "RAY_USAGE_STATS_ENABLED": "0",  # ray: versions, hardware and the libraries that are used, every hour
    "DO_NOT_TRACK": "1",  # whoever keeps to https://donottrack.sh
}
"""Environment variable → the value that turns its dependency's reports off."""

HARMLESS_VARIABLES = (
    "PATH", "PYTHONPATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "SYSTEMROOT",
)  # fmt: skip
"""What a process needs to know to run at all; keys and tokens are in others."""

REPORTER = "onnxruntime"
"""The dependency that reports unless its variable was set before it was loaded."""


class LateOptOut(UserWarning):
    """Some other code loaded onnxruntime, reports and all, before wellsourced could turn them off."""


def disable_telemetry() -> None:
    """Turn off the reports of every dependency, in this process and in those that it starts.

    What the environment said before does not count: "0" for one of these would send reports that nobody here asked
    for. Warns with LateOptOut when onnxruntime was loaded before with its reports on: its name look-ups cannot
    be stopped any more.
    """
    late = REPORTER in sys.modules and os.environ.get("ORT_DISABLE_TELEMETRY", "").lower() not in {"1", "true"}
    os.environ.update(OPT_OUTS)
    if late:
        message = (
            "onnxruntime was imported before wellsourced, and may already report to Microsoft: import wellsourced "
            "first, or set ORT_DISABLE_TELEMETRY=1 before the process starts."
        )
        warnings.warn(message, LateOptOut, stacklevel=3)


@contextmanager
def bare_environment(given: Mapping[str, str]) -> Iterator[None]:
    """Within this, a dependency starts its processes with what is given and what no process can do without.

    No key, and no address of a service, is among it; reports stay off. HOME is another folder where one is given, and
    models are found in the one that is the user's own.
    """
    before = dict(os.environ)
    models = before.get("HF_HOME") or str(Path(before.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "huggingface")
    kept = {name: value for name, value in before.items() if name in HARMLESS_VARIABLES}
    os.environ.clear()
    os.environ.update({**kept, "HF_HOME": models, **OPT_OUTS, **given})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
