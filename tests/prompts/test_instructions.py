"""Every prompt asks in whole sentences, and a user can put sentences of their own in their place."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from tests.tables import each_row
from wellsourced.errors import SettingsError
from wellsourced.models.base import Prompt, Reply
from wellsourced.prompts.evidence import JudgeRelevance
from wellsourced.prompts.instructions import list_prompts, load_instructions, render_instructions

PROMPTS = list_prompts()


def file(folder: Path, content: str | bytes) -> Path:
    path = folder / "words.toml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def names(kind: Any) -> set[str]:
    """The fields of a type and of what it is made of."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        fields = kind.model_fields.items()
        return {name for name, _ in fields}.union(*(names(field.annotation) for _, field in fields))
    return set().union(*(names(part) for part in get_args(kind)))


def test_prompts_of_every_step_are_known_by_name() -> None:
    assert {"MakePico", "ExtractKeywords", "JudgeRelevance", "WriteAnswer", "CheckConsistency"} <= PROMPTS.keys()
    assert all(name == kind.__name__ and issubclass(kind, Prompt) for name, kind in PROMPTS.items())


@pytest.mark.parametrize("kind", PROMPTS.values(), ids=PROMPTS)
class TestEveryPrompt:
    def test_its_instruction_is_made_of_whole_sentences(self, kind: type[Prompt[Any]]) -> None:
        instruction = kind.instruction()
        assert re.match(r"[A-Z“]", instruction)
        assert instruction.endswith(".")
        assert all(not line.startswith(" ") for line in instruction.splitlines())

    def test_it_names_no_field_that_does_not_exist(self, kind: type[Prompt[Any]]) -> None:
        named = set(re.findall(r"`(\w+)`", kind.instruction()))
        assert named <= names(kind) | names(kind.reply)

    def test_its_reply_is_a_type_of_ours_with_a_meaning(self, kind: type[Prompt[Any]]) -> None:
        assert issubclass(kind.reply, Reply)
        assert kind.reply.__doc__

    def test_what_is_private_is_a_text_that_it_shows(self, kind: type[Prompt[Any]]) -> None:
        assert all(kind.model_fields[name].annotation is str for name in kind.private)


def test_a_patient_text_is_private_wherever_it_is_shown() -> None:
    assert [name for name, kind in PROMPTS.items() if "patient" in set(kind.model_fields) - kind.private] == []


def test_the_file_to_start_from_says_what_the_prompts_say_already(tmp_path: Path) -> None:
    words = load_instructions(file(tmp_path, render_instructions()))
    assert words == {name: kind.instruction() for name, kind in PROMPTS.items()}


def test_the_file_to_start_from_says_what_is_shown_and_what_comes_back() -> None:
    assert "# shown: question, passages\n# reply: RelevanceReply\n[JudgeRelevance]\n" in render_instructions()


def test_words_of_ones_own_keep_their_lines_and_their_quotation_marks(tmp_path: Path) -> None:
    content = "[JudgeRelevance]\ninstruction = '''\n  Say \"yes\".\n\n  - Or \\no.\n'''\n"
    assert load_instructions(file(tmp_path, content)) == {"JudgeRelevance": 'Say "yes".\n\n- Or \\no.'}


@each_row(
    ("content", "said"),
    [
        ("[JudgeRelevence]\ninstruction = 'x'", r"No prompt “JudgeRelevence” \(.*words\.toml\).*“JudgeRelevance”"),
        ("[Xqzv]\ninstruction = 'x'", r"No prompt “Xqzv”.*Prompts: MakePico"),
        ('[JudgeRelevance]\ninstruction = " "', "JudgeRelevance has no words"),
        ("[JudgeRelevance]\ninstruction = 3", "JudgeRelevance has no words"),
        ("[JudgeRelevance]\n", "JudgeRelevance has no words"),
        ("[JudgeRelevance]\ninstruction = 'x'\nreply = 'y'", "“reply” of JudgeRelevance cannot be set"),
        ("JudgeRelevance = 'x'", r"write \[JudgeRelevance\]"),
        ("[JudgeRelevance", "words.toml is not valid TOML"),
        (b"\xff\xfe", "words.toml cannot be read"),
        ("#" * 1_000_001, "more than 1,000,000 bytes"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused_with_its_name_and_the_reason(
    tmp_path: Path, content: str | bytes, said: str
) -> None:
    with pytest.raises(SettingsError, match=said) as raised:
        load_instructions(file(tmp_path, content))
    assert "words.toml" in str(raised.value)


def test_a_file_that_is_not_there_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"gone\.toml cannot be read"):
        load_instructions(tmp_path / "gone.toml")


def test_an_empty_file_changes_nothing(tmp_path: Path) -> None:
    assert load_instructions(file(tmp_path, "")) == {}


def test_prompts_are_not_changed_by_reading_words(tmp_path: Path) -> None:
    before = JudgeRelevance.instruction()
    load_instructions(file(tmp_path, "[JudgeRelevance]\ninstruction = 'Say no.'"))
    assert JudgeRelevance.instruction() == before
