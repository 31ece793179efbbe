"""How often a model is asked for one reply: again if it was cut off, again if it cannot be read."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from wellsourced.errors import ModelRefused, PromptTooLong, ReplyCutOff, UnparsableReply
from wellsourced.models.base import Completion, EngineReply, R
from wellsourced.models.request_meter import current_meter

MAX_WIDENINGS = 2
"""Times that the room of a reply is doubled."""


class ReplyRequest(NamedTuple):
    """What is asked for.

    room       tokens that the reply may take, thoughts included
    fault      the reply before it, and what was wrong with it, which the model is told
    cut_off    the reply before it, which needed more room: the model is asked as if for the first time
    repaired   a fault was told, now or before
    """

    room: int
    fault: UnparsableReply | None = None
    cut_off: ReplyCutOff | None = None
    repaired: bool = False


def list_rooms(reserved: int, limit: int) -> list[int]:
    """The rooms that a reply is given one after another as long as it is cut off: each twice the one before.

    limit   tokens that the window leaves, and the model can write
    """
    rooms = [reserved]
    while len(rooms) <= MAX_WIDENINGS and rooms[-1] < limit:
        rooms.append(min(2 * rooms[-1], limit))
    return rooms


async def ask_until_read(
    request: Callable[[ReplyRequest], Awaitable[Completion]], parse: Callable[[Completion], R], rooms: Sequence[int]
) -> EngineReply[R]:
    """The reply, with what all that were requested took.

    One that was cut off is requested from its beginning with the next larger room. One that cannot be parsed, or was
    cut off where there has never been a larger room, is requested once more, by what was wrong with it.

    parse   raises ReplyCutOff for a completion that is truncated, UnparsableReply for one that cannot be read

    Raises UnparsableReply for the last reply.
    """
    asked, took = ReplyRequest(rooms[0]), list[Completion]()
    while True:
        completion = await _request_in_room(request, asked)
        current_meter().record_reply(completion.tokens_in, completion.tokens_out, completion.cost)
        took.append(completion)
        try:
            return _add_up(parse(completion), took)
        except UnparsableReply as error:
            asked = _choose_next(asked, error, rooms)


async def _request_in_room(request: Callable[[ReplyRequest], Awaitable[Completion]], asked: ReplyRequest) -> Completion:
    """What is written. Raises the ReplyCutOff before it where the model is not given more room."""
    try:
        return await request(asked)
    except (ModelRefused, PromptTooLong) as error:
        if asked.cut_off:
            raise asked.cut_off from error
        raise


def _choose_next(asked: ReplyRequest, error: UnparsableReply, rooms: Sequence[int]) -> ReplyRequest:
    """What is asked for after a reply that is none. Raises the error when it is to be the last."""
    if isinstance(error, ReplyCutOff) and len(rooms) > 1:
        for room in rooms:
            if room > asked.room:
                return ReplyRequest(room, cut_off=error, repaired=asked.repaired)
        raise error
    if asked.repaired:
        raise error
    return ReplyRequest(asked.room, fault=error, repaired=True)


def _add_up(reply: R, took: Sequence[Completion]) -> EngineReply[R]:
    costs = [one.cost for one in took if one.cost is not None]
    return EngineReply(
        reply,
        sum(one.tokens_in for one in took),
        sum(one.tokens_out for one in took),
        sum(costs) if len(costs) == len(took) else None,
        repaired=len(took) > 1,
    )
