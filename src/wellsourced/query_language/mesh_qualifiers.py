"""The subheadings of MeSH, by the two letters that both languages know them by (NLM, MeSH Qualifiers)."""

from wellsourced.text.tables import read_rows

QUALIFIER_CODES = {row[0]: row[1] for row in read_rows("wellsourced.query_language", "mesh_qualifiers.tsv")}
QUALIFIER_NAMES = frozenset(QUALIFIER_CODES.values()) | {"pathophysiology"}


def find_qualifier(said: str) -> str | None:
    """The name of a subheading by its two letters or its name; None when there is none."""
    name = " ".join(said.lower().replace(" and ", " & ").split())
    return name if name in QUALIFIER_NAMES else QUALIFIER_CODES.get(name)
