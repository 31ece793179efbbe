"""Ovid's two-letter fields of MEDLINE (Ovid MEDLINE Database Guide), and what stands in them in the tree."""

from typing import Literal

from wellsourced.query_language.query_tree import SearchField
from wellsourced.text.lexicon import word_set

SearchPlace = SearchField | Literal["keyword", "exact heading", "qualifier", "published", "entered"]
"""Where a word has to stand; "keyword" is one that the authors gave, "exact heading" a whole heading."""

FIELD_PLACES: dict[str, SearchPlace] = {
    **dict.fromkeys(("mp", "af"), "all"),
    **dict.fromkeys(("ti", "tt"), "title"),
    **dict.fromkeys(("ab", "ad"), "abstract"),
    "tw": "title_abstract",
    **dict.fromkeys(("kf", "kw", "ot", "bt"), "keyword"),
    **dict.fromkeys(("sh", "me"), "exact heading"),
    "hw": "heading",
    **dict.fromkeys(("fs", "xs"), "qualifier"),
    "pt": "type",
    **dict.fromkeys(("lg", "la"), "language"),
    **dict.fromkeys(("au", "fa", "fe", "lo"), "author"),
    **dict.fromkeys(("jn", "jw", "ja", "nj", "jx", "is"), "journal"),
    **dict.fromkeys(("ui", "pm", "pu", "do", "rf"), "id"),
    **dict.fromkeys(("yr", "dp"), "published"),
    **dict.fromkeys(("ed", "ep", "up", "da", "dc", "ez", "dt", "rd"), "entered"),
}  # fmt: skip

UNSUPPORTED_FIELDS = word_set("""
    ac an ar be bl bs ca cf ci cm cn co cp cq cs cy db eh em en es fm ga gs hc id im in ip ir jc kd le lm lr ma mb mc
    mi mj mm mv nm no ns nt od oh os ox pg ph pi pl ps pv px rb re ri rn rs rw ry sa sb sd se si so st td tg tn ur us
    vo vz
""")
"""Fields that no record here is known by: all fields are searched."""


def merge_places(codes: tuple[str, ...]) -> tuple[SearchPlace, ...]:
    """Where words have to stand that are asked for in these fields; a wide place takes in the narrow ones."""
    found = dict.fromkeys(FIELD_PLACES.get(code, "all") for code in codes)
    if "keyword" in found:
        # PubMed's title and abstract take in the keywords of authors, and a record here holds them nowhere else.
        found = dict.fromkeys("title_abstract" if place in TEXT_PLACES else place for place in found)
    if "title_abstract" in found or {"title", "abstract"} <= found.keys():
        found = dict.fromkeys("title_abstract" if place in TEXT_PLACES else place for place in found)
    if "all" in found:
        found = dict.fromkeys(place for place in found if place not in (*TEXT_PLACES, "heading"))
    return tuple(found)


TEXT_PLACES = ("title", "abstract", "title_abstract", "keyword")
