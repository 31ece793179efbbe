"""Europe PMC's RESTful service on loopback: search in the form “core”, and full texts of what is open.

    with serving(EuropePmcServer([record("123", title="…", abstract="<h4>Results</h4>…")])) as service:
        source = EuropePmc(client, service.url)

Records are JSON as the real service answers it: `record` makes one, `corpus` makes those of ../shared/data. Queries
are read as the service reads them, as far as tests need: words (all of them), "phrases", AND, OR, NOT, parentheses,
FIELD:value for EXT_ID, SRC, DOI, PMCID, TITLE, AUTH, TITLE_ABS and FIRST_PDATE:[a TO b]. Errors of queries come with
status 200.
"""

import gzip
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.servers.base import Asked, Said
from tests.servers.twists import Twist, plainly
from wellsourced.text.tokens import content_stems

Json = dict[str, Any]


class Entry(NamedTuple):
    """A record, and the stems of its title and abstract between blanks."""

    json: Json
    stems: str


Test = Callable[[Entry], bool]

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

LABEL = re.compile(r"([A-Z][A-Za-z/ ]{2,40}): (.+)")


def record(
    id: str,
    *,
    title: str = "",
    abstract: str = "",
    published: str = "",
    doi: str = "",
    pmcid: str = "",
    source: str = "MED",
    types: Iterable[str] = ("Journal Article",),
    links: Iterable[tuple[str, str, str]] = (),
    mesh: Iterable[tuple[str, str]] = (),
    open_access: bool = False,
    author: str = "Doe J",
) -> Json:
    """A record; a date without a day is one in print. `links` are (type, PMID, citation), `mesh` (heading, Y or N)."""
    year, _, rest = published.partition("-")
    month, _, day = rest.partition("-")
    printed = {"dateOfPublication": _printed(year, month), "yearOfPublication": int(year)} if year and not day else {}
    made: Json = {
        "id": id,
        "source": source,
        "pmid": id if source == "MED" else None,
        "pmcid": pmcid,
        "doi": doi,
        "title": title,
        "authorString": f"{author}, Invented Trials Group.",
        "authorList": {
            "author": [
                {"fullName": author, "lastName": author.partition(" ")[0]},
                {"collectiveName": "Invented Trials Group"},
            ]
        },
        "journalInfo": {"issue": "3", "volume": "12", "journal": {"title": "Journal of Invented Trials"}, **printed},
        "pageInfo": "101-9",
        "pubYear": year,
        "abstractText": abstract,
        "pubTypeList": {"pubType": list(types)},
        "commentCorrectionList": {
            "commentCorrection": [
                {"id": pmid, "source": "MED", "type": type_, "reference": citation, "orderIn": place}
                for place, (type_, pmid, citation) in enumerate(links, start=1)
            ]
        },
        "meshHeadingList": {"meshHeading": [{"majorTopic_YN": major, "descriptorName": name} for name, major in mesh]},
        "isOpenAccess": "Y" if open_access else "N",
        "dateOfRevision": "2024-02-29",
        "firstPublicationDate": f"{year}-{month or '01'}-{day or '01'}" if year else "",
        "electronicPublicationDate": published if day else "",
    }
    return {name: value for name, value in made.items() if value not in (None, "")}


def _printed(year: str, month: str) -> str:
    return f"{year} {MONTHS[int(month) - 1]}" if month else year


def corpus(shared: Path) -> Iterator[Json]:
    """corpora/research as records: its labelled lines as headings, and the ids and journals that it names."""
    with gzip.open(shared / "corpora" / "research.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            about = row["metadata"]
            yield record(
                about["pmid"],
                title=row["title"],
                abstract="".join(map(_marked, row["text"].splitlines())),
                published=str(about.get("year") or ""),
                doi=about.get("doi") or "",
                pmcid=about.get("pmcid") or "",
                open_access=bool(about.get("licence")),
            )


def _marked(line: str) -> str:
    escaped = line.replace("&", "&amp;").replace("<", "&lt;")
    labelled = LABEL.fullmatch(escaped)
    return f"<h4>{labelled[1]}</h4>{labelled[2]}" if labelled else f"<p>{escaped}</p>"


class EuropePmcServer:
    """The service. `full_texts`: PMC id → the bytes of its JATS; `twist` changes what it says."""

    def __init__(
        self, records: Iterable[Json], full_texts: Mapping[str, bytes] | None = None, twist: Twist = plainly
    ) -> None:
        self.entries = [Entry(one, _spaced(f"{one.get('title')} {one.get('abstractText')}")) for one in records]
        self.full_texts, self.twist = full_texts or {}, twist

    def __call__(self, asked: Asked) -> Said:
        if asked.path.endswith(("/search", "/searchPOST")):
            return self.twist(asked, self._search(asked.fields))
        pmcid = asked.path.split("/")[-2]
        if asked.path.endswith("/fullTextXML") and pmcid in self.full_texts:
            return self.twist(asked, Said(self.full_texts[pmcid]))
        return self.twist(asked, Said(b"", 404))

    def _search(self, fields: Mapping[str, str]) -> Said:
        try:
            matches = Parser(fields["query"]).test()
            start, size = int(fields.get("cursorMark", "*").replace("*", "0")), int(fields.get("pageSize", 25))
        except (KeyError, ValueError) as error:
            return _said({"version": "6.9", "errCode": 400, "errMsg": f"Invalid query: {error}"})
        wanted = set(content_stems(fields["query"]))
        found = sorted(filter(matches, self.entries), key=lambda one: -sum(f" {word} " in one.stems for word in wanted))
        page = [_of_type(one.json, fields.get("resultType", "lite")) for one in found[start : start + size]]
        answer = {"version": "6.9", "hitCount": len(found), "request": {"queryString": fields["query"]}}
        if start + size < len(found):
            answer["nextCursorMark"] = str(start + size)
        return _said({**answer, "resultList": {"result": page}})


def _of_type(record: Json, type_: str) -> Json:
    """ "idlist" gives no more than the ids; "lite" is taken for "core"."""
    return {name: record[name] for name in ("id", "source", "pmid") if name in record} if type_ == "idlist" else record


def _said(answer: Json) -> Said:
    return Said(json.dumps(answer).encode(), 200, "application/json;charset=UTF-8")


class Parser:
    """The query, read by descent: or, and (also unsaid), not, what stands alone."""

    TOKEN = re.compile(r'\s*(\[[^\]]*\]|"(?:[^"\\]|\\.)*"|[()]|[A-Z_]+:|[^\s()":\[\]]+)')

    def __init__(self, query: str) -> None:
        self._tokens: list[str] = []
        at, query = 0, query.rstrip()
        while at < len(query):
            if not (found := self.TOKEN.match(query, at)):
                raise ValueError(query[at : at + 20])
            self._tokens.append(found[1])
            at = found.end()

    def test(self) -> Test:
        """Whether a record matches. Raises ValueError."""
        whole = self._either()
        if self._tokens:
            raise ValueError(self._tokens[0])
        return whole

    def _next(self) -> str:
        return self._tokens[0] if self._tokens else ""

    def _take(self) -> str:
        if not self._tokens:
            raise ValueError("it ends too early")
        return self._tokens.pop(0)

    def _either(self) -> Test:
        parts = [self._both()]
        while self._next() == "OR":
            self._take()
            parts.append(self._both())
        return lambda one: any(part(one) for part in parts)

    def _both(self) -> Test:
        parts = [self._negated()]
        while self._next() not in ("", ")", "OR"):
            if self._next() == "AND":
                self._take()
            parts.append(self._negated())
        return lambda one: all(part(one) for part in parts)

    def _negated(self) -> Test:
        if self._next() != "NOT":
            return self._alone()
        self._take()
        inner = self._alone()
        return lambda one: not inner(one)

    def _alone(self) -> Test:
        word = self._take()
        if word == "(":
            inner = self._either()
            if self._take() != ")":
                raise ValueError("a parenthesis is not closed")
            return inner
        if word == ")":
            raise ValueError("a parenthesis is not opened")
        return _field(word[:-1], self._take()) if word.endswith(":") else _says(word)


def _field(name: str, value: str) -> Test:
    plain = re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value
    if name == "FIRST_PDATE" and value.startswith("["):
        first, _, last = value[1:-1].partition(" TO ")
        return lambda one: first <= one.json.get("firstPublicationDate", "") <= last
    if name == "TITLE_ABS":
        return _says(value)
    if name in ("TITLE", "AUTH"):
        key = "title" if name == "TITLE" else "authorString"
        wanted = _spaced(plain)
        return lambda one: wanted in _spaced(str(one.json.get(key, "")))
    keys = {"EXT_ID": "id", "SRC": "source", "DOI": "doi", "PMCID": "pmcid", "FIRST_PDATE": "firstPublicationDate"}
    if name not in keys:
        raise ValueError(f"{name} is no field")
    return lambda one: str(one.json.get(keys[name], "")).lower() == plain.lower()


def _says(words: str) -> Test:
    wanted = _spaced(words)
    return lambda one: wanted in one.stems


def _spaced(text: str) -> str:
    return f" {' '.join(content_stems(re.sub(r'<[^<>]*>', ' ', text)))} "
