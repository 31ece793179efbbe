"""What a PMC article says of what was published about it later: retractions, concerns, corrections."""

import re

from wellsourced.readers.reference_fields import bare_doi
from wellsourced.readers.xml_records import Element, find_text
from wellsourced.types import Notice, Retraction

NOTICE_KINDS = {
    "retraction-forward": "retraction",
    "retraction": "retraction",
    "object-of-concern-forward": "concern",
    "concern-forward": "concern",
    "expression-of-concern": "concern",
    "correction-forward": "correction",
    "corrigendum": "correction",
    "republication-forward": "republication",
    "republished-article-forward": "republication",
}
"""What a link from an article to its notice says. Those from the notice ("retracted-article") say nothing about it."""


def find_retraction(article: Element, meta: Element) -> Retraction:
    """ "true" when the article names its retraction. Its silence proves nothing: files of PMC are seldom renewed."""
    links = [*meta.findall("related-article"), *article.findall("back//related-article")]
    # A notice of retraction links to what it retracts, and is itself in force.
    told = [] if article.get("article-type") in ("retraction", "correction") else links
    notices = [notice for link in told if (notice := _build_notice(link))]
    # A link to the notice says more than a mark, which is added only where no link is.
    if _has_retraction_mark(article, meta) and not any(notice.kind == "retraction" for notice in notices):
        notices.insert(0, Notice(kind="retraction", source="PMC"))
    is_retracted = any(notice.kind == "retraction" for notice in notices)
    return Retraction(status="true" if is_retracted else "unknown", notices=tuple(notices))


def _has_retraction_mark(article: Element, meta: Element) -> bool:
    """Whether its type, its properties or a note of its publisher say that it was retracted."""
    properties = [
        find_text(one, "meta-value").lower() in ("yes", "true", "1")
        for one in meta.iter("custom-meta")
        if "retract" in find_text(one, "meta-name").lower()
    ]
    notes = [one for one in article.iter("notes") if "retract" in one.get("notes-type", "").lower()]
    return article.get("article-type") in ("retracted-article", "retracted") or any(properties) or bool(notes)


def _build_notice(link: Element) -> Notice | None:
    kind = NOTICE_KINDS.get(link.get("related-article-type", "").lower())
    if not kind:
        return None
    href = link.get("{http://www.w3.org/1999/xlink}href", "").strip()
    given = {"kind": kind, "source": "PMC", "id": _notice_id(link.get("ext-link-type", ""), href)}
    return Notice.model_validate(given)


def _notice_id(kind: str, href: str) -> str:
    """The id of the notice: "pubmed:…", "pmc:PMC…" or "doi:…"; "" for none that is known."""
    if (doi := bare_doi(href)).startswith("10."):
        return f"doi:{doi}"
    if re.fullmatch(r"PMC[0-9]+", href):
        return f"pmc:{href}"
    return f"pubmed:{href}" if kind in ("pmid", "pubmed") and href.isdecimal() else ""
