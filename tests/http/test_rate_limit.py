"""How fast a host is asked, and that no host waits for another."""

import asyncio
import time

import httpx2
import pytest

from tests.http.moments import Moments
from tests.servers.base import Asked, Said, serving
from wellsourced.errors import SourceUnavailable
from wellsourced.http import Client, Clock
from wellsourced.http.pacing import RateLimiter


def ok(_: Asked) -> Said:
    return Said(b"ok")


async def test_a_host_is_asked_no_faster_than_it_allows_whoever_asks() -> None:
    with serving(ok) as served:
        async with Client(paces={served.url.removeprefix("http://"): 20.0}) as client:
            began = time.monotonic()
            await asyncio.gather(*(client.get(f"{served.url}/{number}") for number in range(8)))
            assert time.monotonic() - began > 7 / 20 - 0.01


async def test_requests_are_spread_evenly() -> None:
    moments = Moments()
    with serving(ok) as served:
        async with Client(clock=moments.clock, paces={"127.0.0.1": 3.0}) as client:
            await asyncio.gather(*(client.get(served.url) for _ in range(7)))
    assert moments.slept == pytest.approx([1 / 3] * 6)


async def test_who_asks_first_is_served_first() -> None:
    pace = RateLimiter({}, 100.0, Clock())
    served: list[int] = []

    async def ask(number: int) -> None:
        await pace.wait_for_turn(httpx2.URL("https://eutils.example/"))
        served.append(number)

    await asyncio.gather(*map(ask, range(10)))
    assert served == list(range(10))


async def test_a_slow_host_keeps_no_other_waiting() -> None:
    with serving(ok) as slow, serving(ok) as fast:
        async with Client(paces={slow.url.removeprefix("http://"): 0.05}) as client:
            await client.get(slow.url)
            waiting = asyncio.ensure_future(client.get(slow.url))
            await asyncio.gather(*(client.get(fast.url) for _ in range(5)))
            assert not waiting.done()
            waiting.cancel()
    assert (len(slow.asked), len(fast.asked)) == (1, 5)


async def test_redirects_and_new_attempts_wait_for_their_turn_too() -> None:
    said = [Said(status=302, headers={"Location": "/b"}), Said(b"ok")]
    moments = Moments()
    with serving(lambda _: said.pop(0)) as served:
        async with Client(clock=moments.clock, paces={"127.0.0.1": 2.0}) as client:
            await client.get(served.url)
    assert moments.slept == [0.5]


async def test_other_hosts_have_the_usual_pace_and_the_own_machine_none() -> None:
    moments = Moments()
    with serving(ok) as served:
        async with Client(clock=moments.clock, pace=0.01) as client:
            for _ in range(3):
                await client.get(served.url)
    assert moments.slept == []


async def test_a_host_that_asks_for_silence_gets_it_from_everybody() -> None:
    moments = Moments()
    with serving(lambda _: Said(status=429, headers={"Retry-After": "30"})) as served:
        async with Client(clock=moments.clock, attempts=1) as client:
            for _ in range(2):
                with pytest.raises(SourceUnavailable):
                    await client.get(served.url)
    assert moments.slept == [30.0]
