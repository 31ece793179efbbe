"""Searching as NCBI does, well enough for tests: AND, OR and NOT from left to right, phrases, field tags, word*."""

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from tests.servers.entrez_records import Record

FIELDS = {
    "": "ALL", "all": "ALL", "all fields": "ALL",
    "ti": "TITL", "title": "TITL",
    "tiab": "TIAB", "title/abstract": "TIAB", "tw": "TIAB", "text word": "TIAB",
    "mh": "MESH", "mesh": "MESH", "mesh terms": "MESH", "majr": "MESH", "mesh major topic": "MESH",
    "pt": "PTYP", "publication type": "PTYP",
    "au": "AUTH", "author": "AUTH",
    "ta": "JOUR", "journal": "JOUR", "jour": "JOUR",
    "uid": "UID", "pmid": "UID", "doi": "AID", "aid": "AID", "pmcid": "AID",
    "dp": "PDAT", "pdat": "PDAT", "date - publication": "PDAT",
    "filter": "FILT", "sb": "FILT",
}  # fmt: skip
"""Tags as people write them → fields of NCBI."""

NAMES = {
    "ALL": "All Fields", "TITL": "Title", "TIAB": "Title/Abstract", "MESH": "MeSH Terms", "PTYP": "Publication Type",
    "AUTH": "Author", "JOUR": "Journal", "UID": "UID", "PDAT": "Date - Publication", "FILT": "Filter",
    "AID": "Article Identifier",
}  # fmt: skip

PARTS = {"ALL": ("TITL", "ABST", "TEXT", "MESH", "PTYP", "AUTH", "JOUR"), "TIAB": ("TITL", "ABST")}

STOPPED = """
    a about again all almost also although always among an and another any are as at be because been before being
    between both but by can could did do does done due during each either enough especially etc for found from further
    had has have having here how however i if in into is it its itself just kg km made mainly make may mg might ml mm
    most mostly must nearly neither no nor obtained of often on our overall perhaps pmid quite rather really regarding
    seem seen several should show showed shown shows significantly since so some such than that the their theirs them
    then there therefore these they this those through thus to upon use used using various very was we were what when
    which while with within without would
"""
"""PubMed's own list (PubMed User Guide, "Stopwords")."""

TOKEN = re.compile(
    r"\s*(?:(?P<mark>[()])|(?P<operator>AND|OR|NOT)(?=[\s()]|$)|\"(?P<phrase>[^\"]*)\"\s*(?:\[(?P<tag>[^\]]*)\])?"
    r"|(?P<run>(?:(?!\s(?:AND|OR|NOT)[\s(])[^()\"\[\]])+)(?:\[(?P<run_tag>[^\]]*)\])?|(?P<stray>.))",
    re.DOTALL,
)


class Matched(NamedTuple):
    """What a query comes to.

    ids          of the records that match, in no order
    translation  the query as it was understood
    unknown      words and phrases that no record has; `fields`, tags that there are not
    """

    ids: frozenset[str]
    translation: str
    unknown: tuple[str, ...]
    fields: tuple[str, ...]


class Index:
    """Records that can be searched. Words are compared in lower case, without accents and a plural s.

    exact   a term of MeSH has to be a whole one, as in the database of MeSH itself
    """

    def __init__(self, records: Iterable[Record], *, exact: bool = False) -> None:
        self.exact = exact
        self.records = {record.id: record for record in records}
        self._words: dict[str, dict[str, set[str]]] = {}
        self._texts: dict[str, dict[str, str]] = {}

    @cached_property
    def everything(self) -> frozenset[str]:
        return frozenset(self.records)

    def search(self, query: str) -> Matched:
        return _Reading(self, query).matched

    def between(self, first: int, last: int) -> frozenset[str]:
        """Published between two days yyyymmdd, both included, in print or on screen."""
        return frozenset(r.id for r in self.records.values() if any(first <= day <= last for day in r.dates))

    def ranked(self, ids: Iterable[str], query: str, sort: str) -> list[str]:
        """By relevance, by date of publication, or, as PubMed does unasked, the newest record first."""
        newest = sorted(ids, key=lambda id: -int(id))
        if sort == "relevance":
            wanted = set(folded(re.sub(r"\[[^\]]*\]|\bNOT\b.*", " ", query))) - STOP_WORDS
            return sorted(newest, key=lambda id: -self._score(id, wanted))
        if sort in ("pub_date", "pub+date", "pub date"):
            return sorted(newest, key=lambda id: -max(self.records[id].dates, default=0))
        return newest

    def words(self, field: str) -> dict[str, set[str]]:
        """Word → ids of the records that have it in that field."""
        if field not in self._words:
            found: dict[str, set[str]] = defaultdict(set)
            for id, text in self.texts(field).items():
                for word in text.split():
                    found[word].add(id)
            self._words[field] = dict(found)
        return self._words[field]

    def texts(self, field: str) -> dict[str, str]:
        """Id → the words of that field, with a blank at both ends."""
        if field not in self._texts:
            parts = PARTS.get(field, (field,))
            self._texts[field] = {
                record.id: " " + " | ".join(" ".join(folded(record.fields.get(part, ""))) for part in parts) + " "
                for record in self.records.values()
            }
        return self._texts[field]

    def _score(self, id: str, wanted: set[str]) -> float:
        title, text = set(self.texts("TITL")[id].split()), set(self.texts("ALL")[id].split())
        return sum(self._rarity(word) * (1 + 2 * (word in title)) for word in wanted & text)

    def _rarity(self, word: str) -> float:
        return math.log(1 + len(self.records) / (1 + len(self.words("ALL").get(word, ()))))


class _Reading:
    """One query being read, from left to right."""

    def __init__(self, index: Index, query: str) -> None:
        self._index = index
        self._tokens = [m for m in TOKEN.finditer(query.strip()) if m.group().strip()]
        self._at = 0
        self._unknown: list[str] = []
        self._fields: list[str] = []
        ids, said = self._expression()
        self.matched = Matched(ids, said, tuple(self._unknown), tuple(self._fields))

    def _expression(self) -> tuple[frozenset[str], str]:
        ids, said = self._operand()
        while self._at < len(self._tokens) and self._tokens[self._at]["mark"] != ")":
            operator = self._tokens[self._at]["operator"] or "AND"
            self._at += bool(self._tokens[self._at]["operator"])
            others, other = self._operand()
            ids = ids & others if operator == "AND" else ids | others if operator == "OR" else ids - others
            said = f"{said} {operator} {other}"
        return ids, said

    def _operand(self) -> tuple[frozenset[str], str]:
        if self._at >= len(self._tokens):
            return frozenset(), ""
        token = self._tokens[self._at]
        self._at += 1
        if token["mark"] == "(":
            ids, said = self._expression()
            self._at += 1
            return ids, f"({said})"
        if token["phrase"] is not None:
            return self._phrase(token["phrase"], self._field(token["tag"] or ""))
        if token["run"] and token["run_tag"] is not None:
            return self._phrase(token["run"].strip(), self._field(token["run_tag"]))
        return self._run(token["run"] or "")

    def _field(self, tag: str) -> str:
        name = FIELDS.get(tag.lower().split(":")[0].strip())
        if name is None:
            self._fields.append(tag)
        return name or "ALL"

    def _run(self, words: str) -> tuple[frozenset[str], str]:
        """Words without a tag: every one of them, somewhere."""
        wanted = [word for word in words.split() if not set(folded(word)) <= STOP_WORDS]
        found = [self._phrase(word, "ALL") for word in wanted]
        ids = frozenset.intersection(*(ids for ids, _ in found)) if found else frozenset()
        return ids, " AND ".join(said for _, said in found)

    def _phrase(self, phrase: str, field: str) -> tuple[frozenset[str], str]:
        ids = frozenset(self._having(phrase, field))
        if not ids and field not in ("PDAT", "FILT", "UID", "AID"):
            self._unknown.append(phrase)
        return ids, f'"{phrase.lower()}"[{NAMES[field]}]'

    def _having(self, phrase: str, field: str) -> Iterable[str]:
        if field == "UID":
            return {phrase} & self._index.everything
        if field == "AID":
            return (id for id, one in self._index.records.items() if f">{phrase.lower()}<".encode() in one.xml.lower())
        if field == "PDAT":
            first, _, last = phrase.partition(":")
            return self._index.between(day(first, first=True), day(last or first, first=False))
        if field == "FILT":
            return self._index.everything
        if phrase.endswith("*"):
            start = "".join(folded(phrase[:-1]))
            return (id for word, ids in self._index.words(field).items() if word.startswith(start) for id in ids)
        return self._with_phrase(folded(phrase), field)

    def _with_phrase(self, wanted: list[str], field: str) -> Iterator[str]:
        sets = [self._index.words(field).get(word, set()) for word in wanted]
        whole = " | " if self._index.exact and field == "MESH" else " "
        together = whole + " ".join(wanted) + whole
        for id in set.intersection(*sets) if sets else set():
            if together in self._index.texts(field)[id]:
                yield id


def folded(text: str) -> list[str]:
    """The words of a text as they are compared."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
    words = re.findall(r"\||[^\W_]+(?:[.,]\d+)*", plain)
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in words]


def day(text: str, *, first: bool) -> int:
    """A date as NCBI takes it (2020, 2020/05, 2020/05/03) as yyyymmdd; a part that is missing is the first or last."""
    year, month, day_, *_ = [*text.strip().split("/"), "", ""]
    if not year.isdigit():
        return 0
    ends = ("1", "1") if first else ("12", "31")
    return int(year) * 10_000 + int(month or ends[0]) * 100 + int(day_ or ends[1])


STOP_WORDS = frozenset(folded(STOPPED))
