"""Semantic Scholar's graph service on loopback: paper/search and paper/{id}, over papers as the real one answers them.

    with serving(SemanticScholarServer([paper("a" * 40, title="…", abstract="…", citations=12)])) as service:
        source = SemanticScholar(client, service.url)

It keeps the service's manners: a query with a hyphenated word finds nothing by that word, more than 100 papers or an
unknown field are 400, an answer without hits has no `data`, a wrong key is 403, fields that were not asked for are
not given, what is unknown is null.
"""

import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tests.servers.base import Asked, Said
from tests.servers.twists import Twist, plainly
from wellsourced.text.tokens import content_stems

Json = dict[str, Any]

FIELDS = {"title", "abstract", "tldr", "url", "venue", "year", "authors", "externalIds", "citationCount"}
FIELDS |= {"influentialCitationCount", "fieldsOfStudy", "publicationDate", "publicationTypes", "journal", "paperId"}


def paper(
    paper_id: str,
    *,
    title: str | None = None,
    abstract: str | None = None,
    published: str = "",
    pubmed: str = "",
    doi: str = "",
    pmc: str = "",
    citations: int = 0,
    tldr: str = "",
) -> Json:
    """A paper; `published` is a year or a day."""
    ids = {"CorpusId": 7, "PubMed": pubmed, "DOI": doi, "PubMedCentral": pmc}
    return {
        "paperId": paper_id,
        "externalIds": {name: id for name, id in ids.items() if id},
        "url": f"https://www.semanticscholar.org/paper/{paper_id}",
        "title": title,
        "abstract": abstract,
        "venue": "Journal of Invented Trials",
        "year": int(published[:4]) if published else None,
        "publicationDate": published if len(published) == 10 else None,
        "citationCount": citations,
        "influentialCitationCount": citations // 10,
        "fieldsOfStudy": ["Medicine"],
        "authors": [{"authorId": "1", "name": "Jane Doe"}, {"authorId": None, "name": "John Roe"}],
        "tldr": {"model": "tldr@v2.0.0", "text": tldr} if tldr else None,
    }


def corpus(shared: Path) -> Iterator[Json]:
    """corpora/research as papers; a third each has 0, 5 and 50 citations."""
    with gzip.open(shared / "corpora" / "research.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, row in enumerate(map(json.loads, lines)):
            about = row["metadata"]
            yield paper(
                hashlib.sha1(row["_id"].encode(), usedforsecurity=False).hexdigest(),
                title=row["title"] or None,
                abstract=row["text"] or None,
                published=str(about.get("year") or ""),
                pubmed=about["pmid"] or "",
                doi=about.get("doi") or "",
                citations=(0, 5, 50)[number % 3],
            )


class SemanticScholarServer:
    """The service. `key` is the only one that is right; `twist` changes what it says."""

    def __init__(self, papers: Iterable[Json], key: str = "", twist: Twist = plainly) -> None:
        self.papers, self.key, self.twist = list(papers), key, twist
        self._words = [frozenset(content_stems(f"{one['title']} {one['abstract']}")) for one in self.papers]

    def __call__(self, asked: Asked) -> Said:
        return self.twist(asked, self._answer(asked))

    def _answer(self, asked: Asked) -> Said:
        if asked.headers.get("x-api-key", self.key) != self.key:
            return _said({"message": "Forbidden"}, 403)
        if unknown := set(asked.fields.get("fields", "title").split(",")) - FIELDS:
            return _said({"error": f"Unrecognized or unsupported fields: {sorted(unknown)}"}, 400)
        name = unquote(asked.path.partition("/paper/")[2])
        return self._search(asked.fields) if name == "search" else self._one(name, asked.fields)

    def _search(self, fields: Mapping[str, str]) -> Said:
        limit, offset = int(fields.get("limit", 100)), int(fields.get("offset", 0))
        if limit > 100 or not fields.get("query"):
            return _said({"error": "Unacceptable query params"}, 400)
        wanted = frozenset(word for part in fields["query"].split() if "-" not in part for word in content_stems(part))
        first, _, last = fields.get("publicationDateOrYear", ":").partition(":")
        found = [
            place for place, one in enumerate(self.papers) if wanted & self._words[place] and _within(one, first, last)
        ]
        found.sort(key=lambda place: -len(wanted & self._words[place]))
        page = [_given(self.papers[place], fields) for place in found[offset : offset + limit]]
        answer: Json = {"total": len(found), "offset": offset}
        return _said({**answer, "data": page} if page else answer)

    def _one(self, name: str, fields: Mapping[str, str]) -> Said:
        kind, _, id = name.rpartition(":") if re.match("(PMID|DOI):", name) else ("", "", name)
        kind, id = ("DOI", name.removeprefix("DOI:")) if name.startswith("DOI:") else (kind, id)
        keys = {"PMID": "PubMed", "DOI": "DOI"}
        for one in self.papers:
            own = one["externalIds"].get(keys[kind], "") if kind else one["paperId"]
            if own.lower() == id.lower():
                return _said(_given(one, fields))
        return _said({"error": f"Paper with id {name} not found"}, 404)


def _within(one: Json, first: str, last: str) -> bool:
    if not (first or last):
        return True
    if not one["year"]:
        return False
    earliest, latest = (
        (one["publicationDate"],) * 2 if one["publicationDate"] else (f"{one['year']}-01-01", f"{one['year']}-12-31")
    )
    return latest >= (first or "0000") and earliest <= (last or "9999")


def _given(one: Json, fields: Mapping[str, str]) -> Json:
    return {name: one[name] for name in ("paperId", *fields.get("fields", "title").split(",")) if name in one}


def _said(answer: Json, status: int = 200) -> Said:
    return Said(json.dumps(answer).encode(), status, "application/json")
