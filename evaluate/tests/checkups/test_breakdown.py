"""The figures of four texts of two systems, counted by hand."""

from tests.factcheck.fakes import Pairs, ToldTracer, opened, run_checkup, submitted, verdict
from wellsourced.types import Checkup, ClaimEdit, EditAction, ShareInterval, SourceAddress, TextOrigin
from wellsourced_evaluate.checkups.breakdown import (
    UNIDENTIFIED,
    UNNAMED,
    Dimension,
    GroupFigures,
    break_down,
    compare_groups,
    group_checkups,
)
from wellsourced_evaluate.checkups.stored_runs import NamedCheckup

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


def figures(checkups: list[Checkup], dimension: Dimension) -> list[GroupFigures]:
    return break_down(group_checkups([NamedCheckup("text", one) for one in checkups], dimension), dimension)


def counted(group: GroupFigures, figure: str) -> tuple[int, int]:
    share: ShareInterval = group.shares[figure]
    return share.part, share.of


async def test_the_figures_of_each_system_are_those_of_its_texts() -> None:
    found = figures(await four(), "system")
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
    found = figures(await four(), "kind")
    assert {one.group: counted(one, "statement support") for one in found} == {
        "forum": (1, 5), "pages": (2, 2), UNNAMED: (1, 1),
    }  # fmt: skip


async def test_systems_are_tested_by_the_share_of_supported_statements_of_their_texts() -> None:
    named = [NamedCheckup(f"text {n}", one) for n in range(5) for one in await four()]
    (found,) = compare_groups(group_checkups(named, "system"), "system")
    assert [(one.group, one.value) for one in found.rows][:2] == [("alpha", 1.0), ("alpha", 1 / 3)]
    assert {"Student's t", "Welch's t"} <= {one.test for one in found.tests}
    assert compare_groups(group_checkups(named[:2], "system"), "system") == []
    assert compare_groups(group_checkups(named, "source"), "source") == []


async def test_the_same_texts_in_two_files_are_paired_and_their_statements_counted() -> None:
    checkups = await four()
    sides = [
        NamedCheckup(f"text {n}", one, file=file)
        for file, order in (("a.json", (0, 1, 2, 1, 3)), ("b.json", (2, 2, 2, 2, 0)))
        for n, one in enumerate(checkups[at] for at in order)
    ]
    texts, statements = compare_groups(group_checkups(sides, "file"), "file")
    assert next(one.items for one in texts.tests if one.test == "paired t") == 5
    # Supported: 2 of 2, 1 of 3, 0 of 2, 1 of 3, 1 of 1 by the one; 0 of 8 and 2 of 2 by the other.
    table = next(one for one in statements.tests if one.test == "chi-square")
    assert (table.items, sum(one.value == 1.0 for one in statements.rows)) == (21, 7)


async def test_edits_and_removals_are_shares_of_what_did_not_stand() -> None:
    """52 removed and 98 edited of 150, as SourceCheckup counts them."""
    actions: list[EditAction] = ["removed"] * 52 + ["edited"] * 98
    edits = tuple(ClaimEdit(claim=0, action=one, before="x", after="") for one in actions)
    (repaired,) = figures([(await four())[0].model_copy(update={"edits": edits})], "system")
    assert {name: (one.part, one.whole) for name, one in repaired.edits.items()} == {
        "edited": (98, 150), "removed": (52, 150), "marked": (0, 150), "kept": (0, 150),
    }  # fmt: skip
    assert figures(await four(), "system")[0].edits == {}


async def test_kinds_of_source_are_counted_by_what_was_found_and_by_their_addresses() -> None:
    checkups = await four()
    kinds = {one.group: one for one in figures(checkups, "source")}
    assert (kinds["own"].sources, kinds[UNIDENTIFIED].sources) == (4, 1)
    assert counted(kinds["own"], "unused sources") == (1, 4)
    assert counted(kinds[UNIDENTIFIED], "source validity") == (0, 1)
    assert "statement support" not in kinds["own"].shares
    suffixes = {one.group: one for one in figures(checkups, "suffix")}
    assert {name: (one.texts, one.sources) for name, one in suffixes.items()} == {".gov": (3, 3), ".org": (2, 2)}
    assert counted(suffixes[".org"], "source validity") == (1, 2)


async def test_of_no_check_there_is_no_group() -> None:
    assert figures([], "system") == []
