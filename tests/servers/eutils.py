"""NCBI's E-utilities on loopback: esearch, efetch and esummary over records in memory.

    with eutils(pubmed=corpus(shared)) as ncbi:
        source = PubMed(client, f"{ncbi.url}/", ...)

`ncbi.asked` is what came in, `ncbi.server` the server: its `limited` counts the answers 429. The records are real ones
(`corpus`, `pubmed_fixtures`, `pmc_fixtures`, which need ../shared/data) or invented (`article`, `full_text`).

It keeps NCBI's manners: an empty list of ids is 400, more than 3 requests a second (10 with the right key) are 429 with
Retry-After, a wrong key is 400 and quoted in the answer, a PMID that does not exist gives an empty set, no more than
9,999 records of a search can be had. What goes wrong there can be had by `twist`: `cut`, `failing`, `page`, `status`,
`once`. The answers follow recorded ones (biopython, Tests/Entrez) in form; matching is as good as tests need.
"""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple
from xml.sax.saxutils import escape

from tests.servers.base import Asked, Said, serving
from tests.servers.entrez_records import (
    Record,
    article,
    corpus,
    from_pmc,
    from_pubmed,
    full_text,
    pmc_fixtures,
    pubmed_fixtures,
    recorded,
)
from tests.servers.entrez_search import Index, day

__all__ = [
    "Eutils",
    "Record",
    "Running",
    "article",
    "corpus",
    "cut",
    "eutils",
    "failing",
    "from_pmc",
    "from_pubmed",
    "full_text",
    "once",
    "page",
    "pmc_fixtures",
    "pubmed_fixtures",
    "recorded",
    "status",
]

MOST = 9_999
"""Records of one search that PubMed gives."""

HEAD = '<?xml version="1.0" encoding="UTF-8" ?>\n'
SETS = {
    "pubmed": (
        b'<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
        b'"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n<PubmedArticleSet>',
        b"</PubmedArticleSet>\n",
    ),
    "pmc": (
        b'<?xml version="1.0" ?>\n<!DOCTYPE pmc-articleset PUBLIC "-//NLM//DTD ARTICLE SET 2.0//EN" '
        b'"https://dtd.nlm.nih.gov/ncbi/pmc/articleset/nlm-articleset-2.0.dtd">\n<pmc-articleset>',
        b"</pmc-articleset>\n",
    ),
}
SUMMARIES = (
    '<!DOCTYPE eSummaryResult PUBLIC "-//NLM//DTD esummary v1 20041029//EN" '
    '"https://eutils.ncbi.nlm.nih.gov/eutils/dtd/20041029/esummary-v1.dtd">\n'
)
EMPTY = "ID list is empty! Possibly it has no correct IDs."

Twist = Callable[[Asked, Said], Said]
"""Changes what is answered: see `cut`, `failing`, `page`, `status`, `once`."""


class Eutils:
    """The server; `serving(Eutils(...))` runs it.

    databases   "pubmed", "pmc" and "mesh" → their records
    key         the only API key that is right; "" knows none
    pace        requests a second without a key, 0 for any number; with the key, 10 / 3 of it
    lost        ids that esearch finds and efetch does not give
    """

    def __init__(
        self,
        databases: Mapping[str, Iterable[Record]],
        *,
        key: str = "",
        pace: float = 3,
        lost: Iterable[str] = (),
        most: int = MOST,
        twist: Twist = lambda _, said: said,
    ) -> None:
        self.databases = {name: Index(records, exact=name == "mesh") for name, records in databases.items()}
        self.key, self.pace, self.lost, self.most, self.twist = key, pace, set(lost), most, twist
        self.limited = 0
        self._recent: deque[float] = deque()
        self._lock = threading.Lock()

    def __call__(self, asked: Asked) -> Said:
        with self._lock:
            return self.twist(asked, self._refusal(asked) or self._answer(asked))

    def _answer(self, asked: Asked) -> Said:
        tool = {
            "esearch.fcgi": self._esearch,
            "efetch.fcgi": self._efetch,
            "esummary.fcgi": self._esummary,
        }.get(asked.path.rpartition("/")[2])
        if tool is None:
            return Said(b"<html><body>404 Not Found</body></html>", 404, "text/html")
        if asked.fields.get("db", "pubmed") not in self.databases:
            return _error("eSearchResult", f"Invalid db name specified: {asked.fields['db']}")
        return tool(asked.fields)

    def _refusal(self, asked: Asked) -> Said | None:
        given = asked.fields.get("api_key", "")
        if given and given != self.key:
            body = {"error": "API key invalid", "api-key": given, "type": "invalid", "status": "unknown"}
            return Said(json.dumps(body).encode(), 400, "application/json")
        most, now = self.pace * (10 / 3 if given else 1), time.monotonic()
        # What left 333 ms apart may arrive closer together; NCBI, too, lets a short burst pass.
        while self._recent and self._recent[0] < now - 0.8:
            self._recent.popleft()
        if not self.pace or len(self._recent) < most:
            self._recent.append(now)
            return None
        self.limited += 1
        limit = f'"count":"{len(self._recent) + 1}","limit":"{most:g}"'
        body = f'{{"error":"API rate limit exceeded","api-key":"{given or "127.0.0.1"}",{limit}}}\n'
        return Said(body.encode(), 429, "application/json", {"Retry-After": "1", "X-RateLimit-Limit": f"{most:g}"})

    def _esearch(self, fields: Mapping[str, str]) -> Said:
        index, term = self.databases[fields.get("db", "pubmed")], fields.get("term", "").strip()
        start, most = int(fields.get("retstart", 0)), min(int(fields.get("retmax", 20)), 10_000)
        if not term:
            return _error("eSearchResult", "Empty term and query_key - nothing todo")
        if start >= self.most:
            return _error(
                "eSearchResult", f"Search Backend failed: Exception:\n'retstart' cannot be larger than {self.most - 1}."
            )
        matched = index.search(term)
        ids, said = self._in_period(fields, matched.ids, matched.translation)
        if fields.get("rettype") == "count":
            return _xml(f"<eSearchResult>\n\t<Count>{len(ids)}</Count>\n</eSearchResult>")
        ranked = index.ranked(ids, term, fields.get("sort", ""))
        shown = ranked[start : min(start + most, self.most)]
        listed = "".join(f"<Id>{id}</Id>\n" for id in shown)
        return _xml(
            f"<eSearchResult><Count>{len(ids)}</Count><RetMax>{len(shown)}</RetMax><RetStart>{start}</RetStart>"
            f"<IdList>\n{listed}</IdList><TranslationSet/><QueryTranslation>{escape(said)}</QueryTranslation>"
            f"{_complaints(matched.unknown, matched.fields, nothing=not ids)}</eSearchResult>"
        )

    def _in_period(self, fields: Mapping[str, str], ids: frozenset[str], said: str) -> tuple[frozenset[str], str]:
        first, last = fields.get("mindate"), fields.get("maxdate")
        # NCBI takes the two together or not at all.
        if fields.get("datetype", "pdat") != "pdat" or not (first and last):
            return ids, said
        index = self.databases[fields.get("db", "pubmed")]
        return ids & index.between(
            day(first, first=True), day(last, first=False)
        ), f"({said}) AND {first}:{last}[Date - Publication]"

    def _efetch(self, fields: Mapping[str, str]) -> Said:
        index, ids = self.databases[fields.get("db", "pubmed")], _ids(fields)
        if not ids:
            return _error("eFetchResult", EMPTY, 400)
        before, after = SETS[fields.get("db", "pubmed")]
        given = [id for id in dict.fromkeys(ids) if id in index.records and id not in self.lost]
        return Said(before + b"\n".join(index.records[id].xml for id in given) + after, type="text/xml")

    def _esummary(self, fields: Mapping[str, str]) -> Said:
        records, ids = self.databases[fields.get("db", "pubmed")].records, _ids(fields)
        if not ids:
            return _error("eSummaryResult", "Neither query_key nor id specified")
        if unknown := [id for id in ids if id not in records]:
            return _error("eSummaryResult", f"UID={unknown[0]}: cannot get document summary")
        summaries = "\n\n".join(records[id].xml.decode() for id in ids)
        return _xml(f"{SUMMARIES}<eSummaryResult>\n{summaries}\n\n</eSummaryResult>\n")


class Running(NamedTuple):
    """A server that is running; `url` has no slash at the end."""

    url: str
    asked: list[Asked]
    server: Eutils


@contextmanager
def eutils(
    pubmed: Iterable[Record] = (),
    pmc: Iterable[Record] = (),
    mesh: Iterable[Record] = (),
    *,
    key: str = "",
    pace: float = 0,
    lost: Iterable[str] = (),
    most: int = MOST,
    twist: Twist = lambda _, said: said,
) -> Iterator[Running]:
    """Run it until the block ends; without `pace` it may be asked as fast as one likes."""
    server = Eutils({"pubmed": pubmed, "pmc": pmc, "mesh": mesh}, key=key, pace=pace, lost=lost, most=most, twist=twist)
    with serving(server) as served:
        yield Running(served.url, served.asked, server)


def cut(tool: str, kept: float = 0.5) -> Twist:
    """The answers of a tool end after a part of their bytes, as if that were all."""
    return _of(tool, lambda said: said._replace(body=_bytes(said)[: int(len(_bytes(said)) * kept)]))


def failing(tool: str, error: str) -> Twist:
    """An <ERROR> inside a 200."""
    roots = {"esearch": "eSearchResult", "esummary": "eSummaryResult"}
    return _of(tool, lambda _: _error(roots.get(tool, "eFetchResult"), error))


def page(tool: str) -> Twist:
    """A page for people, with 200."""
    said = Said(
        b"<!DOCTYPE html>\n<html><head><title>NCBI - WWW Error Blocked Diagnostic</title></head></html>",
        type="text/html",
    )
    return _of(tool, lambda _: said)


def status(tool: str, code: int) -> Twist:
    """Another status, without Retry-After."""
    return _of(tool, lambda _: Said(b"Service Unavailable", code, "text/plain"))


def once(twist: Twist) -> Twist:
    """The first time only that it changes anything."""
    spent: list[bool] = []

    def twisted(asked: Asked, said: Said) -> Said:
        changed = said if spent else twist(asked, said)
        spent.extend([True] if changed is not said else [])
        return changed

    return twisted


def _of(tool: str, change: Callable[[Said], Said]) -> Twist:
    return lambda asked, said: change(said) if asked.path.endswith(f"/{tool}.fcgi") else said


def _bytes(said: Said) -> bytes:
    return said.body if isinstance(said.body, bytes) else b"".join(said.body)


def _ids(fields: Mapping[str, str]) -> list[str]:
    """What NCBI takes for ids: whole numbers above 0, with or without the letters of PMC."""
    given = (id.strip().upper().removeprefix("PMC") for id in fields.get("id", "").split(","))
    return [str(int(id)) for id in given if id.isascii() and id.isdigit() and int(id)]


def _complaints(unknown: Sequence[str], fields: Sequence[str], *, nothing: bool) -> str:
    errors = [f"<PhraseNotFound>{escape(phrase)}</PhraseNotFound>" for phrase in unknown]
    errors += [f"<FieldNotFound>{escape(field)}</FieldNotFound>" for field in fields]
    warnings = "<WarningList><OutputMessage>No items found.</OutputMessage></WarningList>" if nothing else ""
    return (f"<ErrorList>{''.join(errors)}</ErrorList>" if errors else "") + warnings


def _error(root: str, words: str, code: int = 200) -> Said:
    return _xml(f"<{root}>\n\t<ERROR>{escape(words)}</ERROR>\n</{root}>\n", code)


def _xml(body: str, code: int = 200) -> Said:
    return Said((HEAD + body).encode(), code, "text/xml")
