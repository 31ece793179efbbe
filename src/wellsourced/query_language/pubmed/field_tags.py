"""The field tags of PubMed in all their spellings (PubMed User Guide, Search field tags)."""

import re
from difflib import get_close_matches
from typing import Literal, NamedTuple

from wellsourced.query_language.query_tree import SearchField


class FieldTag(NamedTuple):
    """What a field tag asks for.

    kind      "term": the words stand in `field`; "filter": a filter or a field that no record here is known by
    field     of a term; of dates "published" or "entered"
    known     False: the field is searched in all fields instead, which is told
    distance  of a proximity search, None of any other
    """

    kind: Literal["term", "heading", "qualifier", "dates", "filter"]
    field: SearchField | Literal["published", "entered"] = "all"
    explode: bool = True
    major: bool = False
    known: bool = True
    distance: int | None = None


def _spell_tag(tag: FieldTag, *names: str) -> dict[str, FieldTag]:
    return dict.fromkeys(names, tag)


FIELD_TAGS: dict[str, FieldTag] = {
    **_spell_tag(FieldTag("term"), "all", "all fields", "all field", "tw", "text word", "text words", "word"),
    **_spell_tag(FieldTag("term", "title"), "ti", "title"),
    **_spell_tag(FieldTag("term", "abstract"), "ab", "abstract"),
    **_spell_tag(
        FieldTag("term", "title_abstract"), "tiab", "title/abstract", "title abstract", "ot", "other term", "tt"
    ),
    **_spell_tag(FieldTag("heading"), "mh", "mesh", "mesh terms", "mesh term", "mh:exp", "mesh:exp", "mesh terms:exp"),
    **_spell_tag(FieldTag("heading", explode=False), "mh:noexp", "mesh:noexp", "mesh terms:noexp", "mesh term:noexp"),
    **_spell_tag(FieldTag("heading", major=True), "majr", "mesh major topic", "mesh major", "majr:exp"),
    **_spell_tag(FieldTag("heading", explode=False, major=True), "majr:noexp", "mesh major topic:noexp"),
    **_spell_tag(
        FieldTag("qualifier"),
        "sh",
        "subheading",
        "mesh subheading",
        "mesh subheadings",
        "mesh subheading:noexp",
        "sh:noexp",
    ),
    **_spell_tag(FieldTag("term", "type"), "pt", "ptyp", "publication type", "pt:noexp", "publication type:noexp"),
    **_spell_tag(FieldTag("term", "language"), "la", "lang", "language"),
    **_spell_tag(FieldTag("term", "author"), "au", "author", "authors", "fau", "full author name", "author - full"),
    **_spell_tag(FieldTag("term", "author"), "1au", "first author", "first author name", "author - first"),
    **_spell_tag(FieldTag("term", "author"), "lastau", "last author", "last author name", "author - last", "cn"),
    **_spell_tag(FieldTag("term", "journal"), "ta", "journal", "jour", "so", "is", "issn", "jid", "nlm unique id"),
    **_spell_tag(FieldTag("term", "id"), "pmid", "uid", "pmcid", "pmc", "aid", "article identifier", "doi", "lid"),
    **_spell_tag(
        FieldTag("dates", "published"), "dp", "pdat", "date - publication", "publication date", "ppdat", "epdat"
    ),
    **_spell_tag(FieldTag("dates", "entered"), "edat", "date - entrez", "date - entry", "entrez date", "entry date"),
    **_spell_tag(FieldTag("dates", "entered"), "crdt", "date - create", "create date", "date - created"),
    **_spell_tag(FieldTag("dates", "entered"), "mhda", "date - mesh", "mesh date", "dcom", "date - completion", "lr"),
    **_spell_tag(FieldTag("dates", "entered"), "date - modification", "completion date", "modification date", "mdat"),
    **_spell_tag(FieldTag("filter"), "filter", "sb", "subset", "text", "owner", "stat"),
    **_spell_tag(
        FieldTag("term", known=False), "ad", "affiliation", "gr", "grant", "grant number", "grants and funding"
    ),
    **_spell_tag(FieldTag("term", known=False), "nm", "substance name", "supplementary concept", "rn", "ec/rn number"),
    **_spell_tag(FieldTag("term", known=False), "pa", "pharmacological action", "ps", "personal name as subject"),
    **_spell_tag(
        FieldTag("term", known=False), "si", "secondary source id", "vi", "volume", "ip", "issue", "pg", "pagination"
    ),
    **_spell_tag(
        FieldTag("term", known=False), "ir", "investigator", "ed", "editor", "book", "isbn", "publisher", "pubn"
    ),
    **_spell_tag(FieldTag("term", known=False), "auid", "author identifier", "pl", "place of publication", "cois"),
}

PROXIMITY = re.compile(r"(.*):~\s*(\d{1,4})")


def find_tag(said: str) -> FieldTag | None:
    """What a tag asks for, as it stands between the brackets; None when PubMed has none of that name."""
    name = " ".join(said.lower().split()).replace(" :", ":").replace(": ", ":").replace(" / ", "/")
    near = PROXIMITY.fullmatch(name)
    if near:
        field = FIELD_TAGS.get(near[1])
        return field._replace(distance=int(near[2])) if field and field.kind == "term" else None
    return FIELD_TAGS.get(name)


def find_nearest_tag(said: str) -> str:
    """The tag that was probably meant; "" when none is like it."""
    close = get_close_matches(said.lower().strip()[:40], FIELD_TAGS, n=1, cutoff=0.6)
    return close[0] if close else ""
