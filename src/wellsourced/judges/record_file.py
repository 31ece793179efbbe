"""What users have found of judges, in one file of home: how they are read (`judges calibrate`), what they have earned
(`judges measure`).
"""

import json
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from wellsourced.errors import SettingsError
from wellsourced.judges.evidence import JudgeEvidence
from wellsourced.judges.user_calibration import DEFAULT_TASK, UserCalibration
from wellsourced.storage.private_files import write_private_file
from wellsourced.types import Value


class JudgeRecords(Value):
    """Everything in the file: one calibration for each judge and task, what each judge was measured on last."""

    calibrations: tuple[UserCalibration, ...] = ()
    evidence: tuple[JudgeEvidence, ...] = ()


class JudgeRecordFile(NamedTuple):
    """The file, which is whole at every instant and for its owner's eyes only."""

    path: Path

    def load(self) -> JudgeRecords:
        """All that was stored. Raises SettingsError for a file that cannot be read."""
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            # Up to 2026-11 there were calibrations alone, in a list.
            return JudgeRecords.model_validate({"calibrations": found} if isinstance(found, list) else found)
        except (FileNotFoundError, NotADirectoryError):
            return JudgeRecords()
        except (OSError, ValueError, ValidationError, RecursionError) as error:
            remedy = (
                "Delete it, and calibrate again with `wellsourced judges calibrate`, measure with `judges measure`."
            )
            reason = str(error).splitlines()[0]
            raise SettingsError(
                f"What was found of judges, in {self.path}, cannot be read ({reason}). {remedy}"
            ) from error

    def find_calibration(self, judge: str, task: str = DEFAULT_TASK) -> UserCalibration | None:
        """The one for this judge and task."""
        return next((one for one in self.load().calibrations if (one.judge, one.task) == (judge, task)), None)

    def store_calibration(self, tuning: UserCalibration) -> None:
        """Store it in place of an earlier one for the same judge and task."""
        key = (tuning.judge, tuning.task)
        known = self.load()
        kept = (one for one in known.calibrations if (one.judge, one.task) != key)
        self._write(known.model_copy(update={"calibrations": (*kept, tuning)}))

    def find_evidence(self, judge: str) -> JudgeEvidence | None:
        """What this very judge was measured on last."""
        return next((one for one in self.load().evidence if one.judge == judge), None)

    def store_evidence(self, evidence: JudgeEvidence) -> None:
        """Store it in place of what the same judge was measured on before."""
        known = self.load()
        kept = (one for one in known.evidence if one.judge != evidence.judge)
        self._write(known.model_copy(update={"evidence": (*kept, evidence)}))

    def remove_evidence(self, called: str) -> None:
        """Forget what a judge was measured on that is there no longer, by what it was called."""
        known = self.load()
        kept = tuple(one for one in known.evidence if one.called != called)
        if kept != known.evidence:
            self._write(known.model_copy(update={"evidence": kept}))

    def _write(self, records: JudgeRecords) -> None:
        write_private_file(self.path, records.model_dump_json(indent=2) + "\n")
