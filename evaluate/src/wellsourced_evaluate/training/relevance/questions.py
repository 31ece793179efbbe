"""Write the questions that the cross-encoder learns from, and every text that it ranks for them, as token ids.

    python -m …training.relevance.questions DATA OUT

DATA is the folder of the development data. The questions on the guideline digests are those of strangers in
benchmarks/clinical_cases (labelled.py). Of BioASQ, Evidence Inference and MedQuAD every second group is left out, so
that what is fitted on top can be measured on it.

OUT/texts.npz: `ids` (uint16, all texts one after the other), `starts` (int64, texts + 1), and the same of questions.
OUT/questions.json.gz: a list of Asked as dictionaries, and the pool, document and family of each text.
"""

import argparse
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from wellsourced.encoders.wordpiece import load_bert_uncased
from wellsourced_evaluate.training.entailment.texts import cut, rows
from wellsourced_evaluate.training.relevance.labelled import label_cases, list_digest_units

NO_GUIDELINE = "other"
"""What is written for the guideline of a question that is on none."""

MAX_QUESTION_TOKENS, MAX_TEXT_TOKENS = 80, 160
"""Tokens that are read of each, [CLS] and [SEP] included."""

CONSUMER_QUESTIONS = 2_500
MAX_SENTENCES = 8
"""Sentences of a consumer page that are ranked."""

FAMILIES = (
    ("ssc_sepsis_2021", "sepsis3_2016", "rcp_news2_2017"),
    ("acc_aha_stemi_2013", "esc_acs_2023", "timi_ua_nstemi_2000", "aha_acc_chest_pain_2021"),
    ("ats_idsa_cap_2019", "bts_cap_2009"),
    ("ada_diabetes_2024", "ada_dka_hhs_2024"),
    ("acc_aha_ascvd_2013", "acc_aha_cholesterol_2018", "acc_aha_hypertension_2017"),
    ("aha_asa_stroke_2019", "aha_asa_tia_2009", "aha_asa_ich_2022", "aha_asa_sah_2023"),
    ("aasld_cirrhosis_2023", "aasld_nafld_2023", "nice_ugib_2012"),
    ("apa_mdd_2023", "acog_perinatal_depression_2018"),
    ("kdigo_ckd_2024", "kdigo_aki_2012"),
    ("ash_vte_2020", "wells_pe_2000"),
    ("acc_aha_af_2023", "aha_acc_hf_2022", "acc_aha_perioperative_2014"),
)
"""Guidelines that answer each other's questions: none is held wrong for another's, and they are left out together."""


class RankedText(NamedTuple):
    """A unit that is ranked. The pool is what it is drawn from, the family what may answer the same questions."""

    text: str
    pool: str
    document: str
    family: str


class Asked(NamedTuple):
    """A question; places of the texts that answer it, that help beside the answer, and that look like answers."""

    question: str
    answers: tuple[int, ...]
    helps: tuple[int, ...]
    near: tuple[int, ...]
    pool: str
    document: str
    family: str


class QuestionSet:
    """Questions and texts, growing; each text once."""

    def __init__(self) -> None:
        self.texts: list[RankedText] = []
        self.asked: list[Asked] = []
        self._places: dict[RankedText, int] = {}

    def place(self, text: RankedText) -> int:
        """The place of a text, which is added if it is new."""
        if text not in self._places:
            self._places[text] = len(self.texts)
            self.texts.append(text)
        return self._places[text]


def is_kept_back(group: str) -> bool:
    """Whether a group of questions is left for measuring: every second one."""
    return sha256(group.encode()).digest()[0] % 2 == 1


def add_guidelines(found: QuestionSet) -> None:
    """The questions of strangers on the digests."""
    family_of = {name: family[0] for family in FAMILIES for name in family}
    units = list_digest_units()
    places = [
        found.place(RankedText(one.ranked, "guidelines", one.guideline, family_of.get(one.guideline, one.guideline)))
        for one in units
    ]
    for one in label_cases(units):
        answers, helps = (tuple(places[number] for number in some) for some in (one.answers, one.helps))
        document = one.guideline or NO_GUIDELINE
        family = family_of.get(document, document)
        found.asked.append(Asked(one.question, answers, helps, (), "guidelines", document, family))


def add_research(found: QuestionSet, data: Path) -> None:
    """BioASQ: sentences of its snippets answer, those that hold the exact answer above the others."""
    sentences: dict[str, list[tuple[str, int]]] = {}
    for row in rows(data / "corpora/research.jsonl.gz"):
        texts = [row["title"], *cut(row["text"])]
        sentences[row["_id"]] = [
            (one, found.place(RankedText(f"{row['title']}\n{one}", "research", row["_id"], row["_id"])))
            for one in texts
            if one
        ]
    for row in rows(data / "qa/bioasq.jsonl.gz"):
        if is_kept_back(row["group"]):
            continue
        snippets: dict[str, str] = defaultdict(str)
        for one in row["snippets"]:
            snippets[one["pmid"]] += " ".join(one["text"].split()) + "\n"
        said = [
            (text, place)
            for pmid, snippet in snippets.items()
            for text, place in sentences.get(pmid, ())
            if text in snippet
        ]
        exact = _list_exact_answers(row["answer"])
        naming = [place for text, place in said if any(one in text.lower() for one in exact)]
        answers = naming if exact else [place for _, place in said]
        helps = [place for _, place in said if place not in answers]
        if answers:
            found.asked.append(
                Asked(row["question"], tuple(answers), tuple(helps), (), "research", row["group"], row["group"])
            )


def _list_exact_answers(answer: Any) -> list[str]:
    """The names that a factoid or list asks for, in lower case; none for yes or no and summaries."""
    if not isinstance(answer, list):
        return []
    flat = [one for each in answer for one in (each if isinstance(each, list) else [each])]
    return [one.lower() for one in flat if len(one) > 2]


def add_trials(found: QuestionSet, data: Path) -> None:
    """Evidence Inference: sentences that doctors marked answer; the others of the article do not."""
    spans: dict[str, list[tuple[int, int, int]]] = {}
    for row in rows(data / "fulltext/evidence_inference.articles.jsonl.gz"):
        text, at = row["text"], 0
        spans[row["id"]] = []
        for one in cut(text):
            pattern = re.compile(r"\s+".join(map(re.escape, one.split())))
            match = pattern.search(text, at)
            if match and len(one.split()) > 4:
                at = match.end()
                ranked = RankedText(f"{row['title']}\n{one}", "trials", row["id"], row["id"])
                spans[row["id"]].append((match.start(), match.end(), found.place(ranked)))
    for row in rows(data / "qa/evidence_inference.jsonl.gz"):
        marked = [(one["start"], one["end"]) for one in row["evidence"] if one["offset_quality"] != "bad"]
        answers = tuple(
            place
            for start, end, place in spans.get(row["pmcid"], ())
            if any(min(end, stop) - max(start, first) > (end - start) / 2 for first, stop in marked)
        )
        if answers and not is_kept_back(row["group"]):
            found.asked.append(Asked(row["question"], answers, (), (), "trials", row["pmcid"], row["pmcid"]))


def add_consumer_pages(found: QuestionSet, data: Path, random: Random) -> None:
    """MedQuAD: the first sentences of the pages that answer; other pages on the same thing do not."""
    gold: dict[str, list[str]] = defaultdict(list)
    for line in rows_of_table(data / "retrieval/medquad.qrels.tsv.gz"):
        gold[line[0]].append(line[1])
    queries = [
        row
        for row in rows(data / "retrieval/medquad.queries.jsonl.gz")
        if not row["metadata"]["answer_not_unique"] and not is_kept_back(row["metadata"]["group"])
    ]
    drawn = random.sample(queries, min(CONSUMER_QUESTIONS, len(queries)))
    wanted = {row["metadata"]["focus"] for row in drawn}
    pages: dict[str, list[int]] = {}
    for row in rows(data / "corpora/consumer.jsonl.gz"):
        if row["metadata"]["focus"] in wanted:
            focus = row["metadata"]["focus"]
            pages[row["_id"]] = [
                found.place(RankedText(f"{row['title']}\n{one}", "consumer", row["_id"], focus))
                for one in cut(row["text"])[:MAX_SENTENCES]
            ]
    for row in drawn:
        answers = [place for page in gold[row["_id"]] for place in pages.get(page, ())[:4]]
        helps = [place for page in gold[row["_id"]] for place in pages.get(page, ())[4:]]
        focus = row["metadata"]["focus"]
        if answers:
            found.asked.append(Asked(row["text"], tuple(answers), tuple(helps), (), "consumer", focus, focus))


def rows_of_table(path: Path) -> Iterator[list[str]]:
    """The lines of a `.tsv.gz` below its header."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            yield line.rstrip("\n").split("\t")


def write(found: QuestionSet, out: Path) -> None:
    """Token ids and what belongs together."""
    tokenizer = load_bert_uncased()
    out.mkdir(parents=True, exist_ok=True)
    texts = _pack([tokenizer.ids(one.text, MAX_TEXT_TOKENS) for one in found.texts])
    questions = _pack([tokenizer.ids(one.question, MAX_QUESTION_TOKENS) for one in found.asked])
    np.savez_compressed(
        out / "texts.npz", ids=texts[0], starts=texts[1], question_ids=questions[0], question_starts=questions[1]
    )
    pools = [[one.pool, one.document, one.family] for one in found.texts]
    about = json.dumps({"texts": pools, "asked": [one._asdict() for one in found.asked]})
    (out / "questions.json.gz").write_bytes(gzip.compress(about.encode(), mtime=0))


def _pack(rows_of_ids: Sequence[Sequence[int]]) -> tuple[Any, Any]:
    starts = np.cumsum([0, *map(len, rows_of_ids)])
    return np.array([one for row in rows_of_ids for one in row], np.uint16), starts


def count(asked: Sequence[Asked]) -> Mapping[str, tuple[int, int]]:
    """Of each pool the questions, and how many of them nothing answers."""
    pools = sorted({one.pool for one in asked})
    return {
        pool: (
            sum(one.pool == pool for one in asked),
            sum(one.pool == pool and not one.answers for one in asked),
        )
        for pool in pools
    }


def main() -> None:
    """Write everything and print what there is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    found = QuestionSet()
    add_guidelines(found)
    add_research(found, given.data)
    add_trials(found, given.data)
    add_consumer_pages(found, given.data, Random(13))  # noqa: S311 - nothing secret
    write(found, given.out)
    print(f"{len(found.texts)} texts, questions (of them unanswered): {dict(count(found.asked))}")


if __name__ == "__main__":
    main()
