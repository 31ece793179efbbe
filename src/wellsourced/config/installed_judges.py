"""Judges that the user has installed: classifiers of pairs in ONNX, a folder each in home/judges, known by name."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from wellsourced.config.registry import JUDGE_FORMS, JUDGE_REGISTRY
from wellsourced.config.settings import Settings
from wellsourced.errors import NotFoundError, SettingsError
from wellsourced.types import Value

JUDGES_FOLDER, INSTALLATION_FILE = "judges", "installation.json"
"""Of home, and in the folder of a judge: where it came from."""

JUDGE_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


class InstalledJudge(Value):
    """A judge that was installed.

    origin    the path or the address that it came from
    sha256    of the archive, or of what `sha256sum` prints of its files; told before the judge was used
    licence   as its files or its user said; "" when nobody did
    date      of the installation, YYYY-MM-DD
    """

    name: str
    origin: str
    sha256: str
    licence: str = ""
    date: str

    @property
    def description(self) -> str:
        """What it is, in a line."""
        licence = f"licence {self.licence}" if self.licence else "licence not told"
        return f"a classifier that you installed ({licence}, sha256 {self.sha256[:16]})"


def installed_judges_folder(settings: Settings) -> Path:
    """Where they lie."""
    return settings.home / JUDGES_FOLDER


def check_judge_name(name: str) -> None:
    """Raises SettingsError for a name that no installed judge can have."""
    if not JUDGE_NAME.fullmatch(name) or name in JUDGE_REGISTRY.names or name.upper() in JUDGE_FORMS:
        raise SettingsError(
            f"“{name[:80]}” cannot be the name of a judge: take small letters, digits, “.”, “_” and “-”, no name of a "
            "judge that comes along, and say it with --name NAME."
        )


def find_installed_judge(settings: Settings, name: str) -> Path | None:
    """The folder of the judge of this name; None: none is installed under it."""
    folder = installed_judges_folder(settings) / name
    # The name is a part of a path: "../" in it would lead out of the folder of judges.
    return folder if JUDGE_NAME.fullmatch(name) and (folder / INSTALLATION_FILE).is_file() else None


def list_installed_judges(settings: Settings) -> Iterator[InstalledJudge]:
    """Every one, by name. Raises SettingsError for one whose record is damaged."""
    for path in sorted(installed_judges_folder(settings).glob(f"*/{INSTALLATION_FILE}")):
        if JUDGE_NAME.fullmatch(path.parent.name):
            try:
                yield InstalledJudge.model_validate(json.loads(path.read_text(encoding="utf-8")))
            except (OSError, ValueError, ValidationError) as error:
                raise SettingsError(
                    f"{path} cannot be read: remove the judge with `wellsourced judges remove {path.parent.name}`, and "
                    "install it again."
                ) from error


def remove_installed_judge(settings: Settings, name: str) -> None:
    """Delete its folder. Raises NotFoundError when there is none of that name."""
    folder = find_installed_judge(settings, name)
    if folder is None:
        raise NotFoundError(f"No judge “{name}” is installed: `wellsourced judges list` shows those that are.")
    shutil.rmtree(folder)
