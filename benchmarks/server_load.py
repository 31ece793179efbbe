"""How a server holds: many people who ask at once, some who never read, and how much memory it takes meanwhile.

wellsourced serve --port 8808 &
python benchmarks/server_load.py http://127.0.0.1:8808 --people 50 --seconds 600 --pid PID
"""

import argparse
import asyncio
import json
import statistics
import time
from itertools import count

import httpx
import psutil

QUESTIONS = (
    "How is an acute gout flare treated?",
    "What is first-line drug therapy for heart failure with reduced ejection fraction?",
    "Should she take metformin with an eGFR of 22?",
    "Which antibiotic is given for uncomplicated cystitis?",
    "When is a statin started for primary prevention?",
    "Who won the football world cup in 1974?",
)


async def ask_on_and_on(client: httpx.AsyncClient, until: float, numbers: "count[int]") -> list[tuple[float, int]]:
    """Ask one question after another, none twice in the same words; (seconds, status) of each."""
    told = []
    while time.monotonic() < until:
        number = next(numbers)
        asked = {"question": f"{QUESTIONS[number % len(QUESTIONS)]} ({number})"}
        begun = time.monotonic()
        response = await client.post("/api/v1/ask", json=asked)
        told.append((time.monotonic() - begun, response.status_code))
    return told


async def hold_open(address: str, number: int, seconds: float) -> None:
    """Streams that somebody opens and never reads."""
    host, _, port = address.removeprefix("http://").partition(":")
    writers = []
    body = json.dumps({"question": QUESTIONS[0]}).encode()
    head = f"POST /api/v1/ask/events HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
    for _ in range(number):
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(head.encode() + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        writers.append(writer)
    await asyncio.sleep(seconds)
    for writer in writers:
        writer.close()


async def watch_memory(pid: int, until: float, seen: list[float]) -> None:
    """The resident memory of the server, in MB, every five seconds."""
    while pid and time.monotonic() < until:
        seen.append(psutil.Process(pid).memory_info().rss / 1e6)
        await asyncio.sleep(5)


async def measure(address: str, people: int, seconds: float, silent: int, pid: int) -> None:
    """Print what came of it."""
    until, numbers, memory = time.monotonic() + seconds, count(), list[float]()
    async with httpx.AsyncClient(base_url=address, timeout=120, limits=httpx.Limits(max_connections=people)) as client:
        asking = [ask_on_and_on(client, until, numbers) for _ in range(people)]
        parts = await asyncio.gather(
            *asking, watch_memory(pid, until, memory), hold_open(address, silent, seconds), return_exceptions=True
        )
    failed = [part for part in parts if isinstance(part, BaseException)]
    told = [one for part in parts if isinstance(part, list) for one in part]
    times = sorted(one for one, status in told if status == 200)
    print(f"{len(times)} answers, {len(told) - len(times)} refused, {len(failed)} people cut off")
    print(f"p50 {statistics.median(times):.1f} s, p95 {times[int(len(times) * 0.95)]:.1f} s, worst {times[-1]:.1f} s")
    if memory:
        third = len(memory) // 3
        parts_of = (memory[:third], memory[third : 2 * third], memory[2 * third :])
        print("memory, MB by thirds:", ", ".join(f"{max(part):.0f}" for part in parts_of if part))


def main() -> None:
    """Ask a server that runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address")
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--silent", type=int, default=0, help="connections that are opened and never read")
    parser.add_argument("--pid", type=int, default=0, help="of the server, for its memory")
    asked = parser.parse_args()
    asyncio.run(measure(asked.address, asked.people, asked.seconds, asked.silent, asked.pid))


if __name__ == "__main__":
    main()
