"""The field tags of PubMed in all their spellings (PubMed User Guide, Search field tags)."""

import re
from difflib import get_close_matches
from typing import Literal, NamedTuple

from wellsourced.query_language.tree import Field


class Tag(NamedTuple):
    """What a field tag asks for.

    kind      "term": the words stand in `field`; "filter": a filter or a field that no record here is known by
    field     of a term; of dates "published" or "entered"
    known     False: the field is searched in all fields instead, which is told
    distance  of a proximity search, None of any other
    """

    kind: Literal["term", "heading", "qualifier", "dates", "filter"]
    field: Field | Literal["published", "entered"] = "all"
    explode: bool = True
    major: bool = False
    known: bool = True
    distance: int | None = None


def _spelled(tag: Tag, *names: str) -> dict[str, Tag]:
    return dict.fromkeys(names, tag)


TAGS: dict[str, Tag] = {
    **_spelled(Tag("term"), "all", "all fields", "all field", "tw", "text word", "text words", "word"),
    **_spelled(Tag("term", "title"), "ti", "title"),
    **_spelled(Tag("term", "abstract"), "ab", "abstract"),
    **_spelled(Tag("term", "title_abstract"), "tiab", "title/abstract", "title abstract", "ot", "other term", "tt"),
    **_spelled(Tag("heading"), "mh", "mesh", "mesh terms", "mesh term", "mh:exp", "mesh:exp", "mesh terms:exp"),
    **_spelled(Tag("heading", explode=False), "mh:noexp", "mesh:noexp", "mesh terms:noexp", "mesh term:noexp"),
    **_spelled(Tag("heading", major=True), "majr", "mesh major topic", "mesh major", "majr:exp"),
    **_spelled(Tag("heading", explode=False, major=True), "majr:noexp", "mesh major topic:noexp"),
    **_spelled(
        Tag("qualifier"), "sh", "subheading", "mesh subheading", "mesh subheadings", "mesh subheading:noexp", "sh:noexp"
    ),
    **_spelled(Tag("term", "type"), "pt", "ptyp", "publication type", "pt:noexp", "publication type:noexp"),
    **_spelled(Tag("term", "language"), "la", "lang", "language"),
    **_spelled(Tag("term", "author"), "au", "author", "authors", "fau", "full author name", "author - full"),
    **_spelled(Tag("term", "author"), "1au", "first author", "first author name", "author - first"),
    **_spelled(Tag("term", "author"), "lastau", "last author", "last author name", "author - last", "cn"),
    **_spelled(Tag("term", "journal"), "ta", "journal", "jour", "so", "is", "issn", "jid", "nlm unique id"),
    **_spelled(Tag("term", "id"), "pmid", "uid", "pmcid", "pmc", "aid", "article identifier", "doi", "lid"),
    **_spelled(Tag("dates", "published"), "dp", "pdat", "date - publication", "publication date", "ppdat", "epdat"),
    **_spelled(Tag("dates", "entered"), "edat", "date - entrez", "date - entry", "entrez date", "entry date"),
    **_spelled(Tag("dates", "entered"), "crdt", "date - create", "create date", "date - created"),
    **_spelled(Tag("dates", "entered"), "mhda", "date - mesh", "mesh date", "dcom", "date - completion", "lr"),
    **_spelled(Tag("dates", "entered"), "date - modification", "completion date", "modification date", "mdat"),
    **_spelled(Tag("filter"), "filter", "sb", "subset", "text", "owner", "stat"),
    **_spelled(Tag("term", known=False), "ad", "affiliation", "gr", "grant", "grant number", "grants and funding"),
    **_spelled(Tag("term", known=False), "nm", "substance name", "supplementary concept", "rn", "ec/rn number"),
    **_spelled(Tag("term", known=False), "pa", "pharmacological action", "ps", "personal name as subject"),
    **_spelled(
        Tag("term", known=False), "si", "secondary source id", "vi", "volume", "ip", "issue", "pg", "pagination"
    ),
    **_spelled(Tag("term", known=False), "ir", "investigator", "ed", "editor", "book", "isbn", "publisher", "pubn"),
    **_spelled(Tag("term", known=False), "auid", "author identifier", "pl", "place of publication", "cois"),
}

PROXIMITY = re.compile(r"(.*):~\s*(\d{1,4})")


def tag(said: str) -> Tag | None:
    """What a tag asks for, as it stands between the brackets; None when PubMed has none of that name."""
    name = " ".join(said.lower().split()).replace(" :", ":").replace(": ", ":").replace(" / ", "/")
    near = PROXIMITY.fullmatch(name)
    if near:
        field = TAGS.get(near[1])
        return field._replace(distance=int(near[2])) if field and field.kind == "term" else None
    return TAGS.get(name)


def nearest(said: str) -> str:
    """The tag that was probably meant; "" when none is like it."""
    close = get_close_matches(said.lower().strip()[:40], TAGS, n=1, cutoff=0.6)
    return close[0] if close else ""
