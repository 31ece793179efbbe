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


_TAGS_BY_NAMES = {
    "all, all fields, all field, tw, text word, text words, word": FieldTag("term"),
    "ti, title": FieldTag("term", "title"),
    "ab, abstract": FieldTag("term", "abstract"),
    "tiab, title/abstract, title abstract, ot, other term, tt": FieldTag("term", "title_abstract"),
    "mh, mesh, mesh terms, mesh term, mh:exp, mesh:exp, mesh terms:exp": FieldTag("heading"),
    "mh:noexp, mesh:noexp, mesh terms:noexp, mesh term:noexp": FieldTag("heading", explode=False),
    "majr, mesh major topic, mesh major, majr:exp": FieldTag("heading", major=True),
    "majr:noexp, mesh major topic:noexp": FieldTag("heading", explode=False, major=True),
    "sh, subheading, mesh subheading, mesh subheadings, mesh subheading:noexp, sh:noexp": FieldTag("qualifier"),
    "pt, ptyp, publication type, pt:noexp, publication type:noexp": FieldTag("term", "type"),
    "la, lang, language": FieldTag("term", "language"),
    "au, author, authors, fau, full author name, author - full, 1au, first author, first author name, "
    "author - first, lastau, last author, last author name, author - last, cn": FieldTag("term", "author"),
    "ta, journal, jour, so, is, issn, jid, nlm unique id": FieldTag("term", "journal"),
    "pmid, uid, pmcid, pmc, aid, article identifier, doi, lid": FieldTag("term", "id"),
    "dp, pdat, date - publication, publication date, ppdat, epdat": FieldTag("dates", "published"),
    "edat, date - entrez, date - entry, entrez date, entry date, crdt, date - create, create date, "
    "date - created, mhda, date - mesh, mesh date, dcom, date - completion, lr, date - modification, completion date, "
    "modification date, mdat": FieldTag("dates", "entered"),
    "filter, sb, subset, text, owner, stat": FieldTag("filter"),
    "ad, affiliation, gr, grant, grant number, grants and funding, nm, substance name, supplementary concept, rn, "
    "ec/rn number, pa, pharmacological action, ps, personal name as subject, si, secondary source id, vi, volume, "
    "ip, issue, pg, pagination, ir, investigator, ed, editor, book, isbn, publisher, pubn, auid, "
    "author identifier, pl, place of publication, cois": FieldTag("term", known=False),
}
FIELD_TAGS = {name: tag for names, tag in _TAGS_BY_NAMES.items() for name in names.split(", ")}

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
