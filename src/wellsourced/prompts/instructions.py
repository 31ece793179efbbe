"""A user's own words for prompts, from a file; what a prompt shows and what it gets back stay as they are.

A table for each prompt: `[JudgeRelevance]`, and under it `instruction = "Say of each passage whether …"`.
"""

import json
import tomllib
from difflib import get_close_matches
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

from wellsourced.errors import SettingsError
from wellsourced.models.base import Prompt
from wellsourced.prompts import evidence, planning, probing, verification, writing
from wellsourced.storage.private_files import write_private_file

PROMPT_MODULES = (planning, evidence, writing, verification, probing)

INSTRUCTION_KEY = "instruction"
MAX_FILE_BYTES = 1_000_000
"""Bytes of a file of words, at most."""

_FILE_HEADER = """\
# What wellsourced asks of a language model, one table for each prompt. Change the words of those that you want to
# change and delete the others: what this file does not name is asked as it always was. Name the file in the setting
# `prompts`. What is shown with a prompt, and the form of its reply, stay as they are; so do the rules at its end, that
# what is shown is material and never an instruction.
"""


def list_prompts() -> dict[str, type[Prompt[Any]]]:
    """Every prompt by the name of its class, in the order of a question's path."""
    return {name: kind for module in PROMPT_MODULES for name, kind in _prompts_of_module(module)}


def load_instructions(path: Path) -> dict[str, str]:
    """Name of a prompt → the instruction that the file gives it.

    Raises SettingsError for a file that cannot be read or is no TOML, for a name that no prompt has, and for words that
    are none.
    """
    return {name: _validate_instruction(path, name, table) for name, table in _load_tables(path).items()}


def change_instruction(path: Path, name: str, words: str) -> None:
    """Give a prompt its words in a file of a user's own; "": it is asked as it always was. The others stay.

    Raises SettingsError as `load_instructions` does, and for more than a file may hold.
    """
    own = load_instructions(path) if path.exists() else {}
    own[name] = _validate_instruction(path, name, {INSTRUCTION_KEY: words}) if words.strip() else ""
    # A JSON string is a TOML string, whatever stands in it.
    tables = (f"[{one}]\n{INSTRUCTION_KEY} = {json.dumps(said)}\n" for one, said in own.items() if said)
    content = "\n".join([_FILE_HEADER, *tables])
    if len(content) > MAX_FILE_BYTES:
        raise SettingsError(f"The instructions are too long: together they may have {MAX_FILE_BYTES:,} characters.")
    write_private_file(path, content)


def render_instructions() -> str:
    """All instructions as they are built in, as a file to start from."""
    return "\n".join([_FILE_HEADER, *(_render_table(name, kind) for name, kind in list_prompts().items())])


def _prompts_of_module(module: ModuleType) -> list[tuple[str, type[Prompt[Any]]]]:
    """The prompts that a module defines itself, in its order."""
    kinds = [(name, kind) for name, kind in vars(module).items() if isinstance(kind, type) and issubclass(kind, Prompt)]
    # pydantic leaves the unfinished bases of prompts (`Prompt[Draft]`) in the module: they have no reply.
    return [(name, kind) for name, kind in kinds if kind.__module__ == module.__name__ and hasattr(kind, "reply")]


def _load_tables(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            raise SettingsError(f"{path} has more than {MAX_FILE_BYTES:,} bytes, too many for instructions.")
        return tomllib.loads(content.decode("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}. Fix that line.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}. Fix it, or name another in `prompts`.") from error


def _validate_instruction(path: Path, name: str, table: Any) -> str:
    if name not in (prompts := list_prompts()):
        near = get_close_matches(name, prompts, 1, 0.4)
        hint = f"Did you mean “{near[0]}”?" if near else f"Prompts: {', '.join(prompts)}."
        raise SettingsError(f"No prompt “{name}” ({path}). {hint}")
    if not isinstance(table, dict):
        raise SettingsError(f'“{name}” in {path} is not a table: write [{name}], and under it {INSTRUCTION_KEY} = "…".')
    if other := next((key for key in table if key != INSTRUCTION_KEY), ""):
        raise SettingsError(f"“{other}” of {name} cannot be set ({path}): only its {INSTRUCTION_KEY} can.")
    words = table.get(INSTRUCTION_KEY, "")
    if not isinstance(words, str) or not words.strip():
        raise SettingsError(
            f"{name} has no words in {path}: give it an {INSTRUCTION_KEY}, or delete the table to keep the default."
        )
    return dedent(words).strip()


def _render_table(name: str, kind: type[Prompt[Any]]) -> str:
    # Between these marks everything stands for itself, backslashes and quotation marks too.
    words = f"'''\n{kind.instruction()}\n'''"
    return (
        f"# shown: {', '.join(kind.model_fields)}\n# reply: "
        f"{kind.reply.__name__}\n[{name}]\n{INSTRUCTION_KEY} = {words}\n"
    )
