"""The figures of SourceCheckup, worked out by hand."""

import pytest

from tests.factcheck.fakes import opened, submitted, verdict
from wellsourced.confidence import bootstrap_share
from wellsourced.factcheck.verdicts import measure_shares, pool_shares
from wellsourced.types import Checkup, Claim, ClaimSourceVerdict, FetchOutcome, ShareInterval, VerdictLabel


def checked(labels: tuple[VerdictLabel, ...], fetched: tuple[FetchOutcome, ...], **more: object) -> Checkup:
    """A text with verdicts on its statements, and what came of its sources."""
    text = submitted("\n".join(f"Statement {number}." for number in range(len(labels))), len(fetched))
    traced = tuple(opened(str(key), "words" if one == "ok" else "", one).traced for key, one in enumerate(fetched, 1))
    return Checkup(submitted=text, traced=traced, verdicts=tuple(map(verdict, labels)), **more)  # type: ignore[arg-type]


R1 = checked(("supports", "supports"), ("ok", "ok"))
R2 = checked(("supports", "silent", "contradicts"), ("ok", "dead"))
R3 = checked(("silent", "silent"), ())
R4 = checked((), ())


def test_the_shares_of_four_responses_are_pooled() -> None:
    found = pool_shares([R1, R2, R3, R4])
    parts = {name: (one.part, one.of, one.share) for name, one in found.items()}
    assert parts["source validity"] == (3, 4, 3 / 4)
    assert parts["statement support"] == (3, 7, 3 / 7)
    assert parts["response support"] == (1, 3, 1 / 3)
    assert parts["response support, all responses"] == (1, 4, 1 / 4)
    assert parts["contradicted statements"] == (1, 7, 1 / 7)


def test_the_interval_of_355_of_400_is_that_of_its_bootstrap() -> None:
    assert bootstrap_share([(1, 1)] * 355 + [(0, 1)] * 45) == pytest.approx((0.8875, 0.855, 0.918), abs=0.005)


def test_whole_responses_are_drawn_again_so_that_what_goes_together_stays_together() -> None:
    alone = [(1, 1)] * 50 + [(0, 1)] * 50
    together = [(10, 10)] * 5 + [(0, 10)] * 5
    narrow, wide = bootstrap_share(alone), bootstrap_share(together)
    assert narrow.mean == wide.mean == 0.5
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_the_same_texts_always_have_the_same_intervals() -> None:
    assert pool_shares([R1, R2, R3]) == pool_shares([R1, R2, R3])


def test_of_one_text_alone_drawing_again_tells_nothing() -> None:
    assert measure_shares(R1)["response support"] == ShareInterval(part=1, of=1, share=1.0)
    assert pool_shares([R1])["statement support"] == ShareInterval(part=2, of=2, share=1.0)


def test_a_share_of_nothing_is_none() -> None:
    found = measure_shares(R4)
    assert found["source validity"] == found["statement support"] == ShareInterval(part=0, of=0)
    assert found["response support"].share is None
    assert pool_shares([])["statement support"] == ShareInterval(part=0, of=0)


def test_a_page_that_says_not_found_is_valid_for_the_paper_and_not_for_the_strict_figure() -> None:
    found = measure_shares(checked((), ("ok", "soft 404", "timeout")))
    assert (found["source validity"].part, found["source validity, strict"].part) == (2, 1)
    assert found["source validity"].of == 3


def test_what_was_not_judged_makes_a_range_of_the_support() -> None:
    found = measure_shares(checked(("supports", "unjudged", "silent", "silent"), ("ok",)))
    assert (found["statement support"].share, found["statement support at best"].share) == (0.25, 0.5)


def test_a_source_that_supports_nothing_is_unused_and_a_pair_is_precise_when_its_own_source_supports_it() -> None:
    pairings = (
        ClaimSourceVerdict(claim=0, source="1", verdict=verdict("supports"), own=True),
        ClaimSourceVerdict(claim=1, source="1", verdict=verdict("silent"), own=True),
        ClaimSourceVerdict(claim=1, source="2", verdict=verdict("silent")),
    )
    found = measure_shares(checked(("supports", "silent"), ("ok", "ok"), pairings=pairings))
    assert (found["unused sources"].part, found["unused sources"].of) == (1, 2)
    assert (found["pairing precision"].part, found["pairing precision"].of) == (1, 2)


def test_statements_without_source_and_with_marks_of_none_are_counted() -> None:
    claims = (
        Claim(number=0, text="One.", start=0, end=4, cites=("1",)),
        Claim(number=1, text="Two.", start=5, end=9, dangling=("9",)),
    )
    text = submitted("One.\nTwo.", 1).model_copy(update={"claims": claims})
    found = measure_shares(Checkup(submitted=text, verdicts=(verdict("silent"),) * 2))
    assert found["statements without source"].part == found["statements with dangling mark"].part == 1
