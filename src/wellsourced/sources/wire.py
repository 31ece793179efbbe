"""JSON as services answer it, made into values: what is absent or null is empty, one bad record costs only itself."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from wellsourced.errors import Refused
from wellsourced.http import Reply
from wellsourced.sources.base import NOTE

LONGEST = 2_000
"""Characters of a query in an address: services refuse longer ones, and no question has as many."""


class Wire(BaseModel):
    """A part of an answer. What is not asked for is passed over; null is as good as absent."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        return {key: value for key, value in given.items() if value is not None} if isinstance(given, dict) else given


class Camel(Wire):
    """As Wire, of a service that spells its names likeThis."""

    model_config = ConfigDict(alias_generator=to_camel)


def _as_list(given: Any) -> Any:
    """Lists that came about from XML: of one, some services give the thing itself."""
    return given if isinstance(given, list) else [given]


AnyWire = TypeVar("AnyWire", bound=Wire)
Item = TypeVar("Item")
Listed = Annotated[tuple[Item, ...], BeforeValidator(_as_list)]


def answer_of(reply: Reply, model: type[AnyWire], service: str) -> AnyWire:
    """The whole answer. Raises Refused when it is not JSON of the promised shape."""
    try:
        return model.model_validate(reply.json())
    except ValidationError as error:
        raise Refused(f"{service} answered in another form than it promises ({_first(error)})") from error


def promised(model: type[AnyWire], service: str) -> Callable[[Reply], AnyWire]:
    """`answer_of` as the check of a request: what is of another form is not kept, to be given again for an hour."""
    return lambda reply: answer_of(reply, model, service)


def records_of(given: Sequence[Any], model: type[AnyWire]) -> tuple[list[AnyWire], list[str]]:
    """The records that can be read, in order, and for each other one what is wrong with it."""
    read: list[AnyWire] = []
    faults: list[str] = []
    for item in given:
        try:
            read.append(model.model_validate(item))
        except ValidationError as error:
            faults.append(_first(error))
    return read, faults


def note_faults(service: str, faults: Sequence[str]) -> None:
    """Tell of records that could not be read, once for all of them."""
    if faults:
        number = "one record" if len(faults) == 1 else f"{len(faults)} records"
        NOTE.get()(f"{service} gave {number} that cannot be read ({faults[0]})")


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]
