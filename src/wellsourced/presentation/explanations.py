"""A medical order in plain language, as blocks: what was asked about it, each term under its name, and once what is
true of all of it.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wellsourced.presentation.answers import build_content, build_gaps, list_missing_parts
from wellsourced.presentation.blocks import Block, Heading, List, Presentation, Text
from wellsourced.presentation.receipts import build_closing, describe_usage
from wellsourced.presentation.references import build_references, number_references
from wellsourced.types import Answer

if TYPE_CHECKING:
    from wellsourced.orders.explanation import ExplainedTerm, Explanation

PLAIN_GRADE = 8
"""Years of schooling that what patients read should take at most, as health services advise."""

SIGNS_ANCHOR = "signs"


def build_explanation(explained: "Explanation") -> Presentation:
    """The answer to what was asked, the signs, each term that was explained; then what was not, and how it was made."""
    return Presentation("", tuple(_build_blocks(explained)))


def _build_blocks(explained: "Explanation") -> Iterator[Block]:
    asked, terms = explained.follow_up, explained.terms
    answers = [*(term.answer for term in terms), *([asked] if asked else [])]
    # The order itself comes first: what it says needs no other source.
    yield List("The order itself says", tuple(Text(f"“{sentence.text}”") for sentence in explained.own))
    if asked:
        yield from _build_titled(asked.question.asked or asked.question.text, asked)
    signs = [Text(f"{each.sign}: {each.meaning}{' *' if each.source else ''}") for each in explained.signs]
    signs += [Text(f"* {source}", "aside") for source in dict.fromkeys(one.source for one in explained.signs) if source]
    title = "Prescription abbreviations in plain words (our wording)"
    yield List(title, tuple(signs), anchor=SIGNS_ANCHOR)
    for term in terms:
        if not term.answer.abstained:
            yield from _build_titled(_name_term(term), term.answer, name_anchor(term))
    yield from _build_unexplained(explained)
    yield List("About this explanation", tuple(map(Text, dict.fromkeys(_list_notes(explained)))))
    yield build_gaps(list(dict.fromkeys(gap for answer in answers for gap in answer.gaps)))
    yield from build_closing(answers)


def name_anchor(term: "ExplainedTerm") -> str:
    """The anchor of what explains a term."""
    return f"term-{term.start}"


def _build_titled(title: str, answer: Answer, anchor: str = "") -> Iterator[Block]:
    """An answer under its title, down to its references."""
    cited = number_references(answer)
    yield Heading(title, level=1, anchor=anchor)
    yield from build_content(answer, cited)
    yield build_references(cited)
    yield List("Not answered here", tuple(map(Text, list_missing_parts(answer))), "gap")


def _name_term(term: "ExplainedTerm") -> str:
    """A term with its long form: "TTE (transthoracic echocardiography)"."""
    return f"{term.term} ({term.long_form})" if term.long_form else term.term


def _build_unexplained(explained: "Explanation") -> Iterator[Block]:
    """The terms for which nothing was found, and words that nobody knows, in one place: others come first."""
    if not (explained.terms or explained.unknown):
        yield Text("The order has no terms that need explaining, as far as can be seen.")
    # What stands among the signs is explained there.
    signs = {each.sign.casefold() for each in explained.signs}
    unexplained = [
        Text(f"{_name_term(term)}: {term.answer.reason}")
        for term in explained.terms
        if term.answer.abstained and term.term.casefold() not in signs
    ]
    unexplained += [Text(f"{word}: not known as a term or an abbreviation") for word in explained.unknown]
    yield List("Not explained", tuple(unexplained))


def _list_notes(explained: "Explanation") -> Iterator[str]:
    """How the explanation was made, how hard it is to read, and what models were asked for it."""
    yield from explained.notes
    yield from (note for term in explained.terms for note in term.answer.notes)
    yield from explained.follow_up.notes if explained.follow_up else ()
    if (grade := explained.reading_level) is not None:
        advice = f" (grade {PLAIN_GRADE} is advised for patients)" if grade > PLAIN_GRADE else ""
        yield f"reading level: grade {grade:.0f} by Flesch–Kincaid{advice}"
    if explained.spent.calls or explained.spent.cached:
        yield describe_usage(explained.spent)
