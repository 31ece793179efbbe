"""Crossref's REST service on loopback: works by filter, by DOI, and by a citation in words.

    with serving(CrossrefServer([work("10.1000/a", updated_by=[update("retraction", "10.1000/n")])])) as service:
        registry = Crossref(client, service.url)

It keeps the service's manners: DOIs match in any case, filters of one name are alternatives and parted by commas, no
more than 1,000 rows, a field that cannot be selected is 400, an unknown DOI is 404 in plain text.
"""

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tests.servers.base import Asked, Said
from tests.servers.twists import Twist, plainly
from wellsourced.text.tokens import content_stems

Json = dict[str, Any]

SELECTABLE = {"DOI", "title", "author", "issued", "type", "score", "updated-by", "update-to", "container-title"}


def update(type_: str, doi: str, *day: int, source: str = "publisher") -> Json:
    """What was said of a work, or of which work a notice speaks."""
    return {
        "updated": {"date-parts": [list(day)] if day else [[None]], "timestamp": 1591315200000},
        "DOI": doi,
        "type": type_,
        "label": type_.replace("_", " ").capitalize(),
        "source": source,
        **({"record-id": "23529"} if source == "retraction-watch" else {}),
    }


def work(
    doi: str,
    *,
    title: str = "A work",
    author: str = "Doe",
    year: int = 2020,
    updated_by: Iterable[Json] = (),
    update_to: Iterable[Json] = (),
) -> Json:
    """A work as the service answers it; without updates it has neither field."""
    made: Json = {
        "DOI": doi,
        "type": "journal-article",
        "title": [title],
        "author": [{"given": "Jane", "family": author, "sequence": "first"}, {"name": "The Invented Group"}],
        "publisher": "Invented Press",
        "container-title": ["Journal of Invented Trials"],
        "volume": "12",
        "issue": "3",
        "page": "101-109",
        "issued": {"date-parts": [[year, 5, 3]]},
        "is-referenced-by-count": 3,
        "updated-by": list(updated_by),
        "update-to": list(update_to),
    }
    return {name: value for name, value in made.items() if value != []}


def corpus(shared: Path) -> Iterator[Json]:
    """The works of corpora/research that have a DOI."""
    with gzip.open(shared / "corpora" / "research.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if doi := row["metadata"].get("doi"):
                yield work(doi, title=row["title"])


class CrossrefServer:
    """The service; `twist` changes what it says."""

    def __init__(self, works: Iterable[Json], twist: Twist = plainly) -> None:
        self.works, self.twist = list(works), twist

    def __call__(self, asked: Asked) -> Said:
        return self.twist(asked, self._answer(asked))

    def _answer(self, asked: Asked) -> Said:
        doi = unquote(asked.path.partition("/works")[2].removeprefix("/"))
        if not doi:
            return self._list(asked.fields)
        found = [one for one in self.works if one["DOI"].lower() == doi.lower()]
        return _said("work", found[0]) if found else Said(b"Resource not found.", 404, "text/plain")

    def _list(self, fields: Mapping[str, str]) -> Said:
        rows, select = int(fields.get("rows", 20)), fields.get("select", "")
        if rows > 1_000 or set(filter(None, select.split(","))) - SELECTABLE:
            failure = {"type": "select-not-available", "value": select, "message": "Select is not available"}
            return Said(json.dumps({"status": "failed", "message": [failure]}).encode(), 400, "application/json")
        found = self._found(fields)
        items = [_selected(one, select) for one in found[:rows]]
        return _said("work-list", {"total-results": len(found), "items-per-page": rows, "items": items})

    def _found(self, fields: Mapping[str, str]) -> list[Json]:
        if words := set(content_stems(fields.get("query.bibliographic", ""))):
            scored = [(len(words & set(content_stems(_cited(one)))), one) for one in self.works]
            ranked = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
            return [{**one, "score": 10.5 * score} for score, one in ranked]
        wanted = [one.partition(":") for one in fields.get("filter", "").split(",")]
        return [one for one in self.works if any(_matches(one, name, value) for name, _, value in wanted)]


def _cited(one: Json) -> str:
    return " ".join([*one["title"], *one["container-title"], *(person.get("family", "") for person in one["author"])])


def _matches(one: Json, name: str, value: str) -> bool:
    own = [one["DOI"]] if name == "doi" else [other["DOI"] for other in one.get("update-to", [])]
    return value.lower() in [doi.lower() for doi in own]


def _selected(one: Json, select: str) -> Json:
    return {name: one[name] for name in select.split(",") if name in one} if select else one


def _said(kind: str, message: Json) -> Said:
    answer = {"status": "ok", "message-type": kind, "message-version": "1.0.0", "message": message}
    return Said(json.dumps(answer).encode(), 200, "application/json")
