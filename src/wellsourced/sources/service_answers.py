"""JSON as services answer it, made into values: what is absent or null is empty, one bad record costs only itself."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from wellsourced.errors import SourceRefused, SourceUnavailable
from wellsourced.http import Response

MAX_QUERY_CHARACTERS = 2_000
"""Characters of a query in an address: services refuse longer ones, and no question has as many."""

PAGE_SIZE = 100
"""Records of one page: services allow 1,000, with megabytes to wait for."""

HOUR, DAY = 3_600.0, 86_400.0
"""Seconds for which an answer may be used again."""


class ServiceModel(BaseModel):
    """A part of an answer. What is not asked for is passed over; null is as good as absent."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, given: Any) -> Any:
        return _without_nulls(given)


def _without_nulls(given: Any) -> Any:
    if not isinstance(given, dict):
        return given
    return {key: _without_nulls(value) for key, value in given.items() if value is not None}


def within(path: str, default: Any = "") -> Any:
    """A field that lies inside of others: "journalInfo.journal.title". Without any default it has to be there."""
    return Field(default, validation_alias=AliasPath(*path.split(".")))


class CamelCaseModel(ServiceModel):
    """As ServiceModel, of a service that spells its names likeThis."""

    model_config = ConfigDict(alias_generator=to_camel)


class KebabCaseModel(ServiceModel):
    """As ServiceModel, of a service that spells its names like-this."""

    model_config = ConfigDict(alias_generator=lambda name: name.replace("_", "-"))


def _wrap_in_list(given: Any) -> Any:
    """Lists that came about from XML: of one, some services give the thing itself."""
    return given if isinstance(given, list) else [given]


AnyServiceModel = TypeVar("AnyServiceModel", bound=ServiceModel)
Item = TypeVar("Item")
ItemOrList = Annotated[tuple[Item, ...], BeforeValidator(_wrap_in_list)]


def parse_answer(reply: Response, model: type[AnyServiceModel], service: str) -> AnyServiceModel:
    """The whole answer. Raises SourceRefused when it is not JSON of the promised shape."""
    try:
        return model.model_validate(reply.json())
    except ValidationError as error:
        raise SourceRefused(f"{service} answered in an unknown form ({_first_error(error)})") from error


def answer_check(model: type[AnyServiceModel], service: str) -> Callable[[Response], AnyServiceModel]:
    """`parse_answer` as the check of a request: what is of another form is not kept, to be given again for an hour."""
    return lambda reply: parse_answer(reply, model, service)


def parse_records(given: Sequence[Any], model: type[AnyServiceModel]) -> tuple[list[AnyServiceModel], list[str]]:
    """The records that can be read, in order, and for each other one what is wrong with it."""
    read: list[AnyServiceModel] = []
    faults: list[str] = []
    for item in given:
        try:
            read.append(model.model_validate(item))
        except ValidationError as error:
            faults.append(_first_error(error))
    return read, faults


class AnswerPage(NamedTuple):
    """One page of an answer: how many records match in all, those of this page, not yet read, and the next cursor."""

    total: int
    records: Sequence[Any]
    following: str


async def fetch_records(
    fetch: Callable[[str, int], Awaitable[AnswerPage]], cursor: str, most: int, model: type[AnyServiceModel]
) -> tuple[int, list[AnyServiceModel], list[str]]:
    """How many records match, the first of them, and what is wrong with those that cannot be read.

    fetch   is given a cursor, the first time this one, and how many to ask for

    A page without records, or without another cursor, is the last.
    """
    records: list[AnyServiceModel] = []
    faults: list[str] = []
    total = -1
    while len(records) < most:
        page = await fetch(cursor, min(most - len(records), PAGE_SIZE))
        total = page.total if total < 0 else total
        read, wrong = parse_records(page.records, model)
        records, faults = records + read, faults + wrong
        if not page.records or page.following in ("", cursor):
            break
        cursor = page.following
    return total, records, faults


def describe_unreadable_records(service: str, faults: Sequence[str], records: Sequence[object], noun: str) -> list[str]:
    """One note for all records that could not be read; none where all could. Raises SourceUnavailable if none could."""
    if faults and not records:
        raise SourceUnavailable(f"{service} returned no readable {noun} ({faults[0]}). Try again later.")
    number = "one record" if len(faults) == 1 else f"{len(faults)} records"
    return [f"{service} returned {number} that cannot be read ({faults[0]})"] if faults else []


def _first_error(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]
