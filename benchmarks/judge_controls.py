"""Controls of a judging model: how many calls have one, what they cost, and how soon played judges are found out.

`python -m benchmarks.judge_controls DATA [--read N]`: DATA is the folder of data sets; `--read` prints controls, to be
read by somebody who knows medicine, as a judge reads them, and marked where they are wrong.
"""

import argparse
import gzip
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.controls.record import JudgingPrompt, ModelRecord, doubt_call, plant_controls
from wellsourced.controls.statements import Control
from wellsourced.prompts.verification import CheckConsistency, DraftClaim
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.text.passages import passage_spans
from wellsourced.types import Document, Passage, Question, Reference, short_key

FIGURES = ("figure", "bound")
SECTIONS, CALLS = 5, 300
SEEDS = range(200)
Judge = Callable[[Control, int], bool]
JUDGES: dict[str, Judge] = {
    "yes to everything": lambda control, _: control.is_right,
    "no to everything": lambda control, _: not control.is_right,
    "figures alone": lambda control, _: control.is_right or control.kind in FIGURES,
    "every third right one refused": lambda control, rights: not control.is_right or rights % 3 != 0,
    "honest": lambda _, __: True,
}
"""Whether a control is judged as it is, by how many right ones came before."""


class Call(NamedTuple):
    """A prompt, as it is asked in the wave that checks statements."""

    prompt: CheckConsistency
    name: str


def read_played(data: Path) -> Iterator[Call]:
    """The played claims, those of a question in one call."""
    rows = _read_rows(data / "verification" / "played_claims.jsonl.gz")
    for asked in dict.fromkeys(row["question"] for row in rows):
        own = [row for row in rows if row["question"] == asked]
        texts = {place["text"]: place for row in own for place in row["passages"]}
        passages = {text: _build_passage(place, number) for number, (text, place) in enumerate(texts.items())}
        claims = [(row["claim"], [passages[place["text"]] for place in row["passages"]]) for row in own]
        yield Call(_build_prompt(asked, claims, tuple(passages.values())), asked)


def _read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]


def _build_passage(place: dict[str, str], number: int) -> Passage:
    heading = place["section"].split(" › ")[-1] or place["title"]
    text = place["text"].removeprefix(heading).lstrip()
    reference = Reference(id=f"played:{number}", title=place["title"], kind=place["kind"])
    return Passage(reference=reference, text=text, start=0, end=len(text), section=place["section"])


def _build_prompt(
    asked: str, claims: list[tuple[str, list[Passage]]], passages: tuple[Passage, ...]
) -> CheckConsistency:
    drafts = tuple(
        DraftClaim(key=short_key(text), text=text, cites=tuple(one.key for one in cited)) for text, cited in claims
    )
    return CheckConsistency(question=Question(text=asked), claims=drafts, passages=passages)


def read_documents(documents: list[Document], seed: int) -> Iterator[Call]:
    """Calls with one to five sections of a document that nobody asked about, and a claim of each in its own words."""
    chance = random.Random(seed)  # noqa: S311 - reproducible, and no secret
    for _ in range(CALLS):
        document = chance.choice(documents)
        spans = [
            (span, one.title)
            for one in document.sections
            for span in passage_spans(document.text, one.start, one.end)
            if span.end - span.start > 120
        ]
        if not spans:
            continue
        first, count = chance.randrange(len(spans)), chance.randint(1, SECTIONS)
        passages = tuple(
            Passage(reference=document.reference, text=document.text[s:e], start=s, end=e, section=title)
            for (s, e), title in spans[first : first + count]
        )
        claims = [(" ".join(one.text.split()[:25]), [one]) for one in passages]
        yield Call(_build_prompt(document.reference.title, claims, passages), document.reference.title)


def read_articles(data: Path) -> list[Document]:
    """Full texts, each a document of one section."""
    made = []
    for row in _read_rows(data / "fulltext" / "evidence_inference.articles.jsonl.gz")[:200]:
        reference, text = Reference(id=row["id"], title=row["title"], kind="research"), row["text"]
        made.append(
            Document.model_validate(
                {"reference": reference, "text": text, "sections": [{"title": "", "start": 0, "end": len(text)}]}
            )
        )
    return made


def measure(name: str, calls: list[Call], read: int) -> None:
    """Print what comes of a set of calls."""
    planted = [(call, *plant_controls(call.prompt)) for call in calls]
    kinds = Counter(one.kind for _, controls, _ in planted for one in controls)
    with_altered = sum(any(not one.is_right for one in controls) for _, controls, _ in planted)
    shares = sorted(1 - count_chars(call.prompt) / count_chars(prompt) for call, _, prompt in planted)
    each = sum(kinds.values()) / len(calls)
    print(
        f"\n{name}: {len(calls)} calls, {each:.2f} controls a call; with an altered one {with_altered / len(calls):.1%}"
    )
    print("  kinds:", ", ".join(f"{kind} {number}" for kind, number in kinds.most_common()))
    mean, median, most = (sum(shares) / len(shares), shares[len(shares) // 2], shares[int(len(shares) * 0.95)])
    print(f"  share of characters: mean {mean:.1%}, median {median:.1%}, 95 of 100 {most:.1%}")
    for judge, is_known in JUDGES.items():
        print(f"  {judge}: {play_judge(is_known, [controls for _, controls, _ in planted])}")
    shown = [(call, one) for call, controls, _ in planted for one in controls]
    random.Random(read).shuffle(shown)  # noqa: S311
    for number, (call, one) in enumerate(shown[:read]):
        print(f"\n[{number}] {'RIGHT' if one.is_right else 'ALTERED'} {one.kind} ({call.name[:70]})\n   {one.text}")
        if one.text != one.base:
            print(f"   < {one.base}")


def count_chars(prompt: JudgingPrompt) -> int:
    """Of the prompt and a reply that copies the words of each claim, beside 200 of a verdict."""
    return len(prompt.instruction()) + len(prompt.model_dump_json()) + sum(len(one.text) + 200 for one in prompt.claims)


def play_judge(is_known: Judge, calls: list[tuple[Control, ...]]) -> str:
    """Calls that it fails, and after how many controls its record names a kind, and it is no longer believed."""
    failed, named, distrusted = 0, [], []
    for seed in SEEDS:
        order, record, rights, count = [one for one in calls if one], ModelRecord(model="m"), 0, 0
        random.Random(seed).shuffle(order)  # noqa: S311
        told = {"named": 0, "distrusted": 0}
        for number, controls in enumerate(order):
            outcomes = {}
            for one in controls:
                rights += one.is_right
                outcomes[one] = is_known(one, rights)
            failed += bool(doubt_call("m", controls, outcomes))
            record, count = record.add_call(str(number), outcomes), count + len(controls)
            told["named"] = told["named"] or (count if record.missed_kinds else 0)
            told["distrusted"] = told["distrusted"] or (count if record.distrust else 0)
        named.append(told["named"])
        distrusted.append(told["distrusted"])
    share = failed / len(SEEDS) / len(calls)
    return (
        f"fails {share:.1%} of calls; kind named after {spell(named)} controls; not believed after {spell(distrusted)}"
    )


def spell(counts: list[int]) -> str:
    """The median and the 95th of 100 orders; those in which it never was are last."""
    order = sorted(count or 10**6 for count in counts)
    words = ["never" if one == 10**6 else str(one) for one in (order[len(order) // 2], order[int(len(order) * 0.95)])]
    return f"{words[0]} (95 of 100 orders: {words[1]})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--read", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    measure("played claims", list(read_played(options.data)), options.read)
    measure("guidelines", list(read_documents(list(read_guidelines()), options.seed)), options.read)
    measure("articles", list(read_documents(read_articles(options.data), options.seed)), options.read)
