"""A server under 50 people who ask and 1,500 connections that send half a request: does everybody get an answer, or is
told when to come back, and does memory stay where it is?

    python -m benchmarks.slow_clients [MINUTES]
"""

import asyncio
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import psutil

ASKERS, TOKENS, SLOW = 50, 10, 1_500

QUESTIONS = (
    "How is an acute gout flare treated?",
    "What is first-line drug therapy for heart failure with reduced ejection fraction?",
    "How is community-acquired pneumonia treated in adults?",
    "When is anticoagulation indicated in atrial fibrillation?",
    "What is the target blood pressure in hypertension?",
    "Which drugs are first-line in type 2 diabetes?",
)

MOST_SECONDS = 30.0
"""Within which everybody is to be answered."""

SAMPLE_SECONDS = 10.0


class Observed:
    """What askers and samples saw."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.longest = 0.0
        self.late = 0
        self.closed = 0
        self.samples: list[tuple[float, float, int]] = []


@asynccontextmanager
async def serving(home: Path, tokens: Path) -> AsyncIterator[tuple[str, int]]:
    """A server in a process of its own: its address and the id of the process."""
    words = ("--home", str(home), "--offline", "serve", "--port", "0", "--tokens", str(tokens))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "wellsourced", *words, "--requests-per-minute", "0", stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr
    try:
        while "Listening on " not in (line := (await process.stderr.readline()).decode()):
            assert line, "the server ended"
        yield line.split("Listening on ")[1].split()[0].rstrip("."), process.pid
    finally:
        process.send_signal(signal.SIGINT)
        await process.wait()


async def ask_on(address: str, token: str, observed: Observed, first: int) -> None:
    """Ask one question after the other; where told to come back, come back then."""
    async with httpx.AsyncClient(base_url=address, headers={"authorization": f"Bearer {token}"}, timeout=120) as client:
        for number in range(first, sys.maxsize):
            begun, wait = time.monotonic(), 0.0
            try:
                reply = await client.post("/api/v1/ask", json={"question": QUESTIONS[number % len(QUESTIONS)]})
                outcome = str(reply.status_code)
                if reply.status_code == 503:
                    wait = float(reply.headers.get("retry-after", "nan"))
                    outcome += " with Retry-After" if wait == wait else " without"
            except httpx.HTTPError as error:
                outcome = type(error).__name__
            took = time.monotonic() - begun
            observed.outcomes[outcome] += 1
            observed.longest = max(observed.longest, took)
            observed.late += took > MOST_SECONDS
            await asyncio.sleep(wait)


async def send_half(host: str, port: int, observed: Observed) -> None:
    """Send half of the headers, wait until the server closes, and begin again."""
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(b"POST /api/v1/ask HTTP/1.1\r\nhost: localhost\r\nx-half: ")
            await reader.read()
            observed.closed += 1
            writer.close()
        await asyncio.sleep(0.5)


async def sample(pid: int, observed: Observed, seconds: float) -> None:
    """Note memory and descriptors until the time is over."""
    process, begun = psutil.Process(pid), time.monotonic()
    while (passed := time.monotonic() - begun) < seconds:
        observed.samples.append((passed, process.memory_info().rss / 1e6, process.num_fds()))
        await asyncio.sleep(SAMPLE_SECONDS)


async def measure(minutes: float) -> Observed:
    """What a server that is asked and held up for so many minutes does."""
    observed = Observed()
    with tempfile.TemporaryDirectory() as folder:
        tokens = [f"token-of-a-benchmark-{number:04}" for number in range(TOKENS)]
        (Path(folder) / "tokens").write_text("\n".join(tokens), encoding="utf-8")
        async with serving(Path(folder) / "home", Path(folder) / "tokens") as (address, pid):
            host, _, port = address.removeprefix("http://").rpartition(":")
            slow = [asyncio.create_task(send_half(host, int(port), observed)) for _ in range(SLOW)]
            await asyncio.sleep(5)
            asking = [
                asyncio.create_task(ask_on(address, tokens[number % TOKENS], observed, number))
                for number in range(ASKERS)
            ]
            await sample(pid, observed, minutes * 60)
            for task in (*slow, *asking):
                task.cancel()
            await asyncio.gather(*slow, *asking, return_exceptions=True)
    return observed


def main() -> None:
    """Print what was observed; ends with 1 where somebody waited too long or got nothing."""
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    observed = asyncio.run(measure(minutes))
    for outcome, count in observed.outcomes.most_common():
        print(f"{count:6} {outcome}")
    print(f"longest {observed.longest:.1f} s; {observed.late} took more than {MOST_SECONDS:.0f} s")
    print(f"slow connections closed: {observed.closed}")
    for passed, memory, opened in observed.samples[:: max(1, len(observed.samples) // 18)]:
        print(f"{passed:5.0f} s {memory:7.0f} MB {opened:5} descriptors")
    allowed = {"200", "503 with Retry-After"}
    sys.exit(bool(observed.late or observed.outcomes.keys() - allowed))


if __name__ == "__main__":
    main()
