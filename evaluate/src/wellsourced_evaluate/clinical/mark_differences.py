"""Count the words that are marked as different, of statements as strong language models write them.

    python -m benchmarks.written_statements.mark_differences [FILE …] [--show wrong|right|sentence|clash]

FILE      statements_a.jsonl, statements_b.jsonl (both if none is named), or as_written.pairs.jsonl.gz
marked    of the faulty near copies, those whose wrong words are marked: each word that only the claim has; where it
          only leaves words out, one of those; where they only stand in another order, one of them; and those with a
          mark of another kind than "wording"
right     of the supported near copies: marks, and how many have one of another kind than "wording"
sentence  of all statements, those for which the sentence found lies in their quotes or the other way round
clash     right statements told to clash with a figure (each one is a mistake), and faulty ones
"""

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.written_statements.measure import HERE, read_rows
from wellsourced.claims.differences import find_differences, find_source_sentence
from wellsourced.claims.differences.terms import Term, read_terms
from wellsourced.claims.differences.word_difference import LIGHT_CLASSES
from wellsourced.claims.figure_clash import find_figure_clash
from wellsourced.types import WordDifference


def find_sentence(row: dict[str, Any]) -> str:
    """The sentence that is found for the row's claim; "" without one."""
    span = find_source_sentence(row["claim"], row["evidence"])
    return row["evidence"][span.start : span.end] if span else ""


def is_marked(row: dict[str, Any], sentence: str, found: Sequence[WordDifference]) -> bool:
    """Whether the wrong words of the row are marked.

    Some rows give what the passage says in its own words, others shortened ("71.0% in cancer and 13.8% in
    endometriosis"). Shortened words do not stand in the sentence: then each word counts that the sentence lacks, and
    where it lacks none (arms that changed places), a word of the wrong ones has to be marked as more than "wording".
    """
    claim, (wrong, right) = row["claim"], row["changed"]
    at, there = claim.find(wrong), sentence.find(right)
    if at < 0:
        return _are_pieces_marked(claim, wrong, sentence, found)
    is_shortened = _plain(right) not in _plain(sentence)
    own = _list_own_terms(wrong, sentence if is_shortened else right, is_shortened)
    if own:
        places = [(at + term.start, at + term.end) for term in own]
        return all(any(one.claim_start < end and one.claim_end > start for one in found) for start, end in places)
    only_source = Counter(_keys(right)) - Counter(_keys(wrong))
    theirs = [(there + term.start, there + term.end) for term in read_terms(right) if term.key in only_source]
    if there >= 0 and any(one.source_start < end and one.source_end > start for start, end in theirs for one in found):
        return True
    inside = [one for one in found if one.claim_start < at + len(wrong) and one.claim_end > at]
    if is_shortened:
        return any(one.kind != "wording" and one.claim_start < one.claim_end for one in inside)
    return any(one.kind == "order" for one in inside)


def _are_pieces_marked(claim: str, wrong: str, sentence: str, found: Sequence[WordDifference]) -> bool:
    """The same of wrong words that are given shortened, too: each of them counts wherever it stands in the claim.

    Of a word that stands there twice one place is enough.
    """
    keys, there = set(_keys(wrong)), set(_keys(sentence))
    places = [term for term in read_terms(claim) if term.key in keys and term.kind not in LIGHT_CLASSES]
    lacking = {term.key for term in places} - there
    kinds = [
        (term.key, one.kind)
        for term in places
        for one in found
        if one.claim_start < term.end and one.claim_end > term.start
    ]
    if lacking:
        return lacking <= {key for key, _ in kinds}
    return any(kind != "wording" for _, kind in kinds)


def _list_own_terms(wrong: str, other: str, is_shortened: bool) -> list[Term]:
    """The terms of the wrong words that the other side lacks; of shortened words only those that say something."""
    lacking = Counter(_keys(wrong)) - Counter(_keys(other))
    return [
        term for term in read_terms(wrong) if term.key in lacking and not (is_shortened and term.kind in LIGHT_CLASSES)
    ]


def _keys(text: str) -> list[str]:
    return [term.key for term in read_terms(text)]


def has_found_quote(row: dict[str, Any], sentence: str) -> bool:
    """Whether the sentence and one of the row's quotes are the same, or one lies in the other."""
    plain = _plain(sentence)
    return bool(plain) and any(_plain(quote) in plain or plain in _plain(quote) for quote in row["quotes"])


def _digits(text: str) -> list[str]:
    return re.findall(r"\d+(?:[.,]\d+)*", text)


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip()


def describe_marks(claim: str, sentence: str, found: Sequence[WordDifference]) -> str:
    """The marks in words."""
    return "; ".join(
        f"{one.kind}: “{claim[one.claim_start : one.claim_end]}” ← “{sentence[one.source_start : one.source_end]}”"
        for one in found
    )


def count_marks(rows: Sequence[dict[str, Any]], show: str) -> None:
    """Print how many wrong words are marked, and how much is marked of right statements."""
    near = [row for row in rows if row.get("near_copy")]
    faulty = [row for row in near if row["label"] != "supported" and len(row["changed"]) == 2]
    marked = told = marks = graver = right = 0
    shares: list[float] = []
    kinds: Counter[str] = Counter()
    for row in near:
        sentence = find_sentence(row)
        found = find_differences(row["claim"], sentence, row["evidence"])
        if row["label"] == "supported":
            right, marks = right + 1, marks + len(found)
            other = [one for one in found if one.kind != "wording"]
            graver += bool(other)
            kinds.update(one.kind for one in other)
        elif row in faulty:
            shares.append(sum(one.claim_end - one.claim_start for one in found) / len(row["claim"]))
        is_good = row in faulty and is_marked(row, sentence, found)
        marked += is_good
        told += row in faulty and any(one.kind != "wording" for one in found)
        missed = row in faulty and not is_good
        if show == "all" or (show == "wrong" and missed) or (show == "right" and row["label"] == "supported"):
            print(f"  {row['id']} {row['label']} {row['claim']}\n      {sentence}")
            print(f"      {describe_marks(row['claim'], sentence, found)}\n      {row.get('changed', '')}")
    if near:
        share = sum(shares) / len(shares)
        print(
            f"faulty near copies: the wrong words marked in {marked} of {len(faulty)}, {share:.0%} of the claim marked"
            f", {told} told as more than wording"
        )
        print(
            f"supported near copies: {marks / right:.1f} marks each, {graver} of {right} not only wording {dict(kinds)}"
        )


def count_sentences(rows: Sequence[dict[str, Any]], show: str) -> None:
    """Print for how many statements a sentence of their quotes is found."""
    hits = missing = 0
    for row in rows:
        sentence = find_sentence(row)
        hit = has_found_quote(row, sentence)
        hits, missing = hits + hit, missing + (not sentence)
        if show == "sentence" and not hit:
            print(f"  {row['id']} {row['claim']}\n      found: {sentence}\n      quotes: {row['quotes']}")
    print(f"sentence found: {hits} of {len(rows)}, none {missing}")


def count_clashes(rows: Sequence[dict[str, Any]], show: str) -> None:
    """Print how many statements clash with a figure of their sentence."""
    found: Counter[str] = Counter()
    for row in rows:
        clash = find_figure_clash(row["claim"], find_sentence(row), row["evidence"])
        right = row["label"] == "supported"
        is_figure = (
            not right and len(row.get("changed", ())) == 2 and _digits(row["changed"][0]) != _digits(row["changed"][1])
        )
        found["right" if right else "faulty"] += clash is not None
        found["figure"] += is_figure and clash is not None
        found["figures"] += is_figure
        if show == "clash" and (clash is not None or is_figure):
            print(
                f"  {row['id']} {row['label']} {row['kind']} {clash}\n      {row['claim']}\n      {find_sentence(row)}"
            )
    right = sum(row["label"] == "supported" for row in rows)
    print(
        f"figure clashes: {found['right']} of {right} right ones (mistakes), {found['faulty']} of {len(rows) - right} "
        f"faulty ones, {found['figure']} of {found['figures']} with another number"
    )


def main() -> None:
    """Read the arguments and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--show", default="", help="what to print: wrong, right, all, sentence or clash")
    given = parser.parse_args()
    for path in given.files or sorted(HERE.glob("statements_*.jsonl")):
        rows = read_rows(path)
        print(f"{path.name}: {len(rows)} statements")
        count_marks(rows, given.show)
        count_sentences(rows, given.show)
        count_clashes(rows, given.show)


if __name__ == "__main__":
    main()
