"""The figures of four texts of two systems, counted by hand."""

from tests.factcheck.fakes import Pairs, ToldTracer, opened, run_checkup, submitted, verdict
from wellsourced.types import Checkup, ShareInterval, SourceAddress, TextOrigin
from wellsourced_evaluate.checkups.breakdown import UNIDENTIFIED, UNNAMED, GroupFigures, break_down, list_support
from wellsourced_evaluate.group_tests import list_tests

GOOD, BAD = "Urate falls in adults.", "Pain rises in adults."
SAYS = opened("1", f"{GOOD} It was seen in a year.", address=SourceAddress(url="https://a.gov/x", suffix="gov"))
OTHER = opened(
    "2", "Nothing was seen of it in the other year.", address=SourceAddress(url="https://a.org/x", suffix="org")
)
DEAD = opened("2", fetched="dead", address=SourceAddress(url="https://b.org/y", suffix="org"))
JUDGE = Pairs({(GOOD, GOOD): verdict("supports", quote=GOOD)})


async def text(claims: tuple[str, ...], *sources: object, **origin: str) -> Checkup:
    tracer = ToldTracer(*sources)  # type: ignore[arg-type]
    done = await run_checkup(submitted("\n".join(claims), len(sources)), tracer, JUDGE)
    return done.model_copy(update={"origin": TextOrigin(**origin)})


async def four() -> list[Checkup]:
    return [
        await text((GOOD, f"{GOOD}"), SAYS, OTHER, system="alpha", kind="pages"),
        await text((GOOD, BAD, BAD), SAYS, DEAD, system="alpha", kind="forum"),
        await text((BAD, GOOD), system="beta", kind="forum"),
        await text((GOOD,), SAYS, system=""),
    ]


def counted(group: GroupFigures, figure: str) -> tuple[int, int]:
    share: ShareInterval = group.shares[figure]
    return share.part, share.of


async def test_the_figures_of_each_system_are_those_of_its_texts() -> None:
    found = break_down(await four(), "system")
    assert [(one.group, one.texts, one.statements, one.sources) for one in found] == [
        ("alpha", 2, 5, 4), (UNNAMED, 1, 1, 1), ("beta", 1, 2, 0),
    ]  # fmt: skip
    alpha, unnamed, beta = found
    assert counted(alpha, "statement support") == (3, 5)
    assert counted(alpha, "response support") == (1, 2)
    assert counted(alpha, "source validity") == (3, 4)
    assert counted(unnamed, "statement support") == (1, 1)
    # Who cites nothing stays in, with nothing supported.
    assert counted(beta, "statement support") == (0, 2) and counted(beta, "source validity") == (0, 0)
    assert beta.shares["source validity"].share is None
    assert alpha.words == (8 + 12) / 2


async def test_kinds_of_question_have_their_own_figures() -> None:
    found = break_down(await four(), "kind")
    assert {one.group: counted(one, "statement support") for one in found} == {
        "forum": (1, 5), "pages": (2, 2), UNNAMED: (1, 1),
    }  # fmt: skip


async def test_systems_are_tested_by_the_share_of_supported_statements_of_their_texts() -> None:
    values = list_support(await four(), "system")
    assert [(one.group, one.value) for one in values] == [
        ("alpha", 1.0), ("alpha", 1 / 3), ("beta", 0.0), (UNNAMED, 1.0),
    ]  # fmt: skip
    tests = [one.test for one in list_tests([one.model_copy(update={"count": 5}) for one in values])]
    assert {"Student's t", "Welch's t"} <= {*tests}
    assert list_support((await four())[:2], "system") == []


async def test_kinds_of_source_are_counted_by_what_was_found_and_by_their_addresses() -> None:
    checkups = await four()
    kinds = {one.group: one for one in break_down(checkups, "source")}
    assert (kinds["own"].sources, kinds[UNIDENTIFIED].sources) == (4, 1)
    assert counted(kinds["own"], "unused sources") == (1, 4)
    assert counted(kinds[UNIDENTIFIED], "source validity") == (0, 1)
    assert "statement support" not in kinds["own"].shares
    suffixes = {one.group: one for one in break_down(checkups, "suffix")}
    assert {name: (one.texts, one.sources) for name, one in suffixes.items()} == {".gov": (3, 3), ".org": (2, 2)}
    assert counted(suffixes[".org"], "source validity") == (1, 2)


async def test_of_no_check_there_is_no_group() -> None:
    assert break_down([], "system") == []
