"""A checked text with a statement of each kind, and a source of each."""

from datetime import date

from tests.factcheck.fakes import Pairs, ToldTracer, opened, run_checkup, submitted, verdict
from wellsourced.types import Checkup, Notice, Retraction, SourceAddress

FLARE = "Colchicine shortens gout flares."
NAUSEA = "=Colchicine never causes <b>nausea</b>."
CURE = "Colchicine cures gout."
OLD = "Gout is old."
TEXT = submitted(f"{FLARE}\n{NAUSEA}\n{CURE}\n{OLD}", 4, c0=("1",), c1=("2",), c2=("3",))
WITHDRAWN = Retraction(status="true", notices=(Notice(kind="retraction", source="PubMed", published="2020"),))
SOURCES = (
    opened("1", "Colchicine shortened flares. It is old."),
    opened(
        "2",
        "Nausea was frequent with colchicine.",
        address=SourceAddress(url="https://example.org/2", domain="example.org"),
    ),
    opened("3", "Colchicine cures gout.", retraction=WITHDRAWN),
    opened("4", fetched="dead", standing="invented", reason="Crossref knows no such title"),
)
TOLD = {
    (FLARE, "shortened"): verdict("supports"),
    (NAUSEA, "Nausea"): verdict("contradicts", quote="Nausea was frequent with colchicine."),
    (CURE, "cures"): verdict("supports"),
    (OLD, "old"): verdict("unjudged", 0.0, "the reply could not be read"),
}


async def check_gout() -> Checkup:
    """The text, checked against its four sources."""
    return await run_checkup(TEXT, ToldTracer(*SOURCES), Pairs(TOLD), as_of=date(2026, 11, 21))
