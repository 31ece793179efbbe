"""The seam to everything that can be asked to write: a typed prompt goes in, its typed reply comes out."""

from typing import ClassVar, Generic, Protocol, TypeVar, runtime_checkable

from wellsourced.types import Value


class Reply(Value):
    """What comes back; fields are checked by schema, so nobody parses prose by hand."""


R = TypeVar("R", bound=Reply)


class Prompt(Value, Generic[R]):
    """Words, inputs and output in one view: the docstring is the instruction, the fields are what is shown.

    reply   the type of what comes back
    """

    reply: ClassVar[type[Reply]]

    @classmethod
    def instruction(cls) -> str:
        """What is asked, in the words of the class's docstring."""
        return (cls.__doc__ or "").strip()


@runtime_checkable
class Model(Protocol):
    """Answers typed prompts. Raises Unanswerable for a kind of prompt it cannot serve, ModelError otherwise."""

    @property
    def name(self) -> str: ...

    async def complete(self, prompt: Prompt[R]) -> R: ...
