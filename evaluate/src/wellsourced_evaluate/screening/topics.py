"""Topics of systematic reviews: what was searched for, and the PMIDs of what was relevant.

CLEF-TAR (Kanoulas et al., CLEF 2017 to 2019; github.com/CLEF-TAR/tar): a file for each topic with “Topic: CD007431”,
“Title: …”, “Query:” and the lines of a Boolean query, and “Pids:” with what it found then; some have “Objective:” and
no query. Judgements stand in files of their own (TREC's four columns), by abstracts and by contents. As JSON lines:
`id`, `title`, `boolean_query`, `relevant_pmids_abstract_level`, `relevant_pmids_full_text_level`. PubMedRS-200 (Lozano
et al., PSB 2024) has no query: `id`, `question`, `gold_ref_pmids` (what the review cites), `source_pmid` (the review).
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.readers.decompressed_file import iter_lines, read_whole_text
from wellsourced_evaluate.beir import Qrels, hash_file, read_qrels
from wellsourced_evaluate.recorded_rows import draw_cases, refuse_faults

Level = Literal["content", "abstract"]
"""By what works were judged: after their contents were read, or their abstracts alone."""

LEVEL_KEYS: Mapping[Level, str] = {
    "content": "relevant_pmids_full_text_level",
    "abstract": "relevant_pmids_abstract_level",
}

LINE_ENDINGS = (".jsonl", ".jsonl.gz")
REMEDY = "Give CLEF-TAR's files of topics, or JSON lines with id, boolean_query or question, and relevant PMIDs."
SECTION = re.compile(r"^(Topic|Title|Objective|Query|Pids):[ \t]*", re.MULTILINE)
PMID = re.compile(r"\d{1,8}")


class ReviewTopic(NamedTuple):
    """A review and its search.

    query     its Boolean query; "" where it has none, and then `question` is searched for
    relevant  PMIDs; None: nobody judged
    recorded  how many PMIDs the search found when the set was made; None: not recorded
    source    the PMID of the review itself, which may not be found; ""
    """

    id: str
    title: str
    query: str
    question: str
    relevant: tuple[str, ...] | None
    recorded: int | None = None
    source: str = ""


class ReviewTopics(NamedTuple):
    """The topics that are measured, what tells two sets apart, and how many topics there are."""

    topics: tuple[ReviewTopic, ...]
    files: Mapping[str, str]
    recorded: int


class _BadTopic(Exception):
    """What a topic lacks."""


def read_topics(path: Path, qrels: Path | None = None, level: Level = "content", limit: int = 0) -> ReviewTopics:
    """Every topic of a file, or of the files of a folder; with a limit, so many of them, drawn with a fixed seed.

    qrels   judgements that stand in a file of their own; None: those that stand with the topics, by `level`

    Raises UnreadableFile that names what cannot be used, and where judgements are of none of these topics.
    """
    judged, notes = read_qrels(qrels) if qrels else ({}, [])
    if qrels:
        refuse_faults(qrels, notes)
    paths = sorted(one for one in path.iterdir() if one.is_file()) if path.is_dir() else [path]
    found: dict[str, ReviewTopic] = {}
    faults: list[str] = []
    for one in paths:
        for where, topic in _read_file(one, level):
            place = f"{one.name}, {where}" if path.is_dir() else where
            if isinstance(topic, str):
                faults.append(f"{place}: {topic}")
            elif topic.id in found:
                faults.append(f"{place}: the topic {topic.id} came already")
            else:
                found[topic.id] = _judge(topic, judged) if qrels else topic
    refuse_faults(path, faults)
    if not found:
        raise UnreadableFile(path, "it holds no topic", REMEDY)
    if qrels and not found.keys() & judged.keys():
        reason = f"it judges none of the topics, which are called like “{next(iter(found))}”"
        raise UnreadableFile(qrels, reason, "Give the judgements of these topics.")
    files = {one.name: hash_file(one)[:16] for one in (*paths, *([qrels] if qrels else []))}
    return ReviewTopics(draw_cases([*found.values()], limit), files, len(found))


def _judge(topic: ReviewTopic, judged: Qrels) -> ReviewTopic:
    grades = judged.get(topic.id)
    return topic._replace(relevant=None if grades is None else tuple(id for id, grade in grades.items() if grade > 0))


def _read_file(path: Path, level: Level) -> Iterator[tuple[str, ReviewTopic | str]]:
    """Where a topic stands, and the topic or what is wrong with it."""
    if not path.name.endswith(LINE_ENDINGS):
        yield "its topic", _parse_release(read_whole_text(path))
        return
    for number, line in iter_lines(path):
        try:
            topic: ReviewTopic | str = _build_topic(json.loads(line.decode("utf-8")), level)
        except _BadTopic as bad:
            topic = str(bad)
        except (ValueError, RecursionError):
            topic = "it is no JSON"
        yield f"line {number}", topic


def _parse_release(text: str) -> ReviewTopic | str:
    """A file of CLEF-TAR."""
    places = list(SECTION.finditer(text))
    ends = [one.start() for one in places[1:]] + [len(text)]
    parts = {one[1]: text[one.end() : end].strip() for one, end in zip(places, ends, strict=True)}
    if not parts.get("Topic"):
        return "it names no topic"
    pids = parts.get("Pids", "").split()
    if strange := next((id for id in pids if not PMID.fullmatch(id)), ""):
        return f"“{strange}” among its Pids is no PMID"
    title, query = parts.get("Title", ""), parts.get("Query", "")
    question = "" if query else title
    return ReviewTopic(parts["Topic"], title, query, question, None, len(pids) if "Pids" in parts else None)


def _build_topic(fields: Any, level: Level) -> ReviewTopic:
    if not isinstance(fields, dict):
        raise _BadTopic("it is no JSON object")
    said = {name: fields.get(name) for name in ("id", "title", "boolean_query", "question", "source_pmid")}
    if wrong := next((name for name, value in said.items() if not isinstance(value, str | int | None)), ""):
        raise _BadTopic(f"its {wrong} is no text")
    id, title, query, question, source = (str(value or "").strip() for value in said.values())
    if not id:
        raise _BadTopic("it has no id")
    if not (query or question or title):
        raise _BadTopic("it has no boolean_query and no question")
    key = LEVEL_KEYS[level] if LEVEL_KEYS[level] in fields else "gold_ref_pmids"
    relevant = _read_pmids(fields, key)
    return ReviewTopic(id, title, query, "" if query else question or title, relevant, None, source)


def _read_pmids(fields: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    values = fields.get(name)
    if values is None:
        return None
    if not isinstance(values, list) or not all(PMID.fullmatch(str(one)) for one in values):
        raise _BadTopic(f"its {name} are no list of PMIDs")
    return tuple(dict.fromkeys(str(one) for one in values))
