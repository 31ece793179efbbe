"""Files like those of SourceCheckup (Wu et al., Nature Communications 2025): statements, sources, and what people say.

Rows of a table or JSON lines with `statement`, `source` (the words of the page) and as far as known `url`, `id`,
`response`; `label`, or `votes` (a list, or words with commas between) of which the majority counts, or a column for
each rater that is called `vote_1`, `vote_2` …. The decisions that the published code writes (`Statement`,
`Citation URL`, `Decision`: "found" or another word) are read where a column `Source` was added: it does not keep pages.

A label is supported or not_supported, as physicians were asked, or one of the three. Raters who come out level leave
no label. Statements of one response, else those on one page, are a group.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from wellsourced_evaluate.pair_sets.base import (
    Fields,
    PairLine,
    PairSet,
    SetFile,
    UnusableLine,
    require_text,
    translate_word,
)

SPELLINGS = {"citation url": "url", "decision": "label", "source_text": "source", "source text": "source"}
"""Other names of fields, in small letters → ours."""


def read_sourcecheckup(file: SetFile) -> Iterator[PairLine]:
    """A pair for each row."""
    return file.translate(_say_pair)


def _say_pair(fields: Fields) -> list[Fields]:
    named = {SPELLINGS.get(name.lower(), name.lower()): value for name, value in fields.items()}
    kept = {name: str(named[name]) for name in ("id",) if named.get(name)}
    group = named.get("response") or named.get("url")
    return [
        {
            **kept,
            **({"group": str(group)} if group else {}),
            "claim": require_text(named, "statement"),
            "evidence": require_text(named, "source"),
            **read_verdict(named),
        }
    ]


def read_verdict(named: Fields) -> Fields:
    """The label of a row, given or voted for, and the votes. Raises UnusableLine."""
    votes = _read_votes(named)
    label = translate_word(named["label"], "label") if named.get("label") else _find_majority(votes)
    return {"label": label, **({"votes": votes} if votes else {})}


def _read_votes(named: Fields) -> list[str]:
    given: Any = named.get("votes") or [value for name, value in named.items() if name.startswith("vote_")]
    words = given.split(",") if isinstance(given, str) else given
    if not isinstance(words, list):
        raise UnusableLine("its votes are no list")
    return [translate_word(word, "vote") for word in words if str(word).strip()]


def _find_majority(votes: list[str]) -> str:
    """What more raters say than anything else. Raises UnusableLine."""
    if not votes:
        raise UnusableLine("it has no label and no votes")
    (first, most), *others = Counter(votes).most_common()
    if others and others[0][1] == most:
        raise UnusableLine("its raters come out level, so that it has no label")
    return first


SOURCECHECKUP = PairSet(
    "sourcecheckup",
    "statements and the pages they cite, with a label or raters' votes (SourceCheckup)",
    (
        frozenset({"statement", "source"}),
        frozenset({"statement", "source_text"}),
        frozenset({"Statement", "Citation URL", "Decision"}),
    ),
    read_sourcecheckup,
)
