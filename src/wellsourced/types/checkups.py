"""The check of somebody else's text: its claims, the sources it names, and what each source says of each claim."""

from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import Literal

from pydantic import Field, NonNegativeInt

from wellsourced.types.answers import Verdict
from wellsourced.types.documents import Document, Reference, Value
from wellsourced.types.public_result import PublicResult, shorten

FetchOutcome = Literal[
    "ok", "empty", "soft 404", "dead", "unknown host", "refused", "server error", "timeout", "tls", "malformed",
    "too large", "unsupported", "offline", "not asked",
]  # fmt: skip
"""What came of asking for the words of a source. Every outcome but `ok` is a finding, never an early end.

dead        404 or 410                       refused       401, 403, 429, a wall against programs, a page behind a login
soft 404    a page that says "not found"     malformed     no address of the web, or one that leads to a private machine
offline     nothing may leave this machine   not asked     the run was stopped before, or nothing names where to ask
"""

SourceStanding = Literal["found", "misattributed", "unmatched", "invented", "unreachable"]
"""Whether a source is what the text says that it is.

found           the work is there, and nothing that the text says of it is otherwise
misattributed   the identifier leads to another work than the title, the authors or the year say
unmatched       too little is said of it, or too many works could be meant: it may well exist
invented        everybody who would know it was asked, answered, and knows no such work
unreachable     somebody who would know it could not be asked: nothing is known
"""


class CitedSource(Value):
    """A source as a text names it.

    key          the number that the text's list gives it, else the next free one; claims and verdicts refer to it
    marks        how the text refers to it: "3", "Smith 2020"; () when it stands in place, as a link does
    written      the entry or the address, as it stands in the text from `start` to `end`
    url …        what could be read of the entry; "" or () when it does not say
    """

    key: str
    written: str
    start: NonNegativeInt
    end: NonNegativeInt
    marks: tuple[str, ...] = ()
    url: str = ""
    doi: str = ""
    pmid: str = ""
    pmcid: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    journal: str = ""
    year: str = ""


class Claim(Value):
    """A statement of the text, which can be understood and judged alone.

    text         the claim, in words of its own where it needs them ("It" → what it is); it stands from `start` to `end`
    cites        keys of the sources whose marks it bears
    dangling     marks that no source of the text belongs to
    """

    number: NonNegativeInt
    text: str
    start: NonNegativeInt
    end: NonNegativeInt
    cites: tuple[str, ...] = ()
    dangling: tuple[str, ...] = ()


class SubmittedText(Value):
    """A text that is to be checked, taken apart.

    document   as it was read: every span is one of document.text
    other      spans that claim nothing about medicine: greetings, disclaimers, questions back, headings
    notes      what its reader should know of how it was read, a sentence each without a full stop
    """

    document: Document
    claims: tuple[Claim, ...] = ()
    sources: tuple[CitedSource, ...] = ()
    other: tuple[tuple[NonNegativeInt, NonNegativeInt], ...] = ()
    notes: tuple[str, ...] = ()


class TextOrigin(Value):
    """Where a checked text comes from; "" for what is not known.

    id         of the answer among others of its file
    question   that it answers
    system     that wrote it: a model, a product
    kind       of question: the set that it was taken from, or what whoever asks calls it
    """

    id: str = ""
    question: str = ""
    system: str = ""
    kind: str = ""


class SourceAddress(Value):
    """What is known of the address of a source (SourceCheckup, URL analysis).

    domain      registered: "nih.gov"; suffix: its last part, "gov"
    country     "US" or "other"; `by` says how that is known: a registration, the suffix, or not at all
    paywalled   None: not known
    archived    of a dead page: whether an archive has it from before; "" when nobody asked
    proxied     the host is a library's, in front of the publisher's
    """

    url: str
    domain: str = ""
    suffix: str = ""
    country: Literal["US", "other", "unknown"] = "unknown"
    by: Literal["registration", "suffix", ""] = ""
    paywalled: bool | None = None
    archived: Literal["once valid", "never seen", "unknown", ""] = ""
    proxied: bool = False


class SourceResolution(Value):
    """What was found for a cited source: the result of its address, and the work that it is.

    fetched      what came of asking for its words; standing: whether it is what the text says
    reason       why, in a sentence without a full stop; "" when all is well
    reference    the work that was found, its retraction and depth of reading with it; None: none was
    differing    what the text says of it and its record says otherwise: "the title", "the year"
    asked        who was asked for it
    """

    key: str
    fetched: FetchOutcome
    standing: SourceStanding
    reason: str = ""
    reference: Reference | None = None
    differing: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    address: SourceAddress | None = None


DifferenceKind = Literal[
    "figure", "negation", "direction", "condition", "quantity word", "certainty", "name", "order", "added", "left out",
    "wording",
]  # fmt: skip


class WordDifference(Value):
    """Words of a claim, and the words of its source's sentence in the place of which they stand.

    Offsets into the two texts, half-open. A side may be empty (start == end): then it is the place at which the words
    of the other side are missing.

    figure         a number, a unit, a bound ("<" for "≥"), how often
    negation       "not", "no", "without", "un-" on one side only
    direction      "increased" for "reduced", "before" for "after"
    condition      "if", "unless", "except", "only" on one side only, or others
    quantity word  "any" for "most", "all" for "some"
    certainty      "is" for "may", "recommended" for "considered", "causes" for "is associated with"
    name           another drug, procedure, gene, or other people
    order          words that both have and that changed places with others
    added          words of the claim to which nothing corresponds
    left out       words of the sentence that the claim lacks although it has those around them
    wording        other words for which none of these is known
    """

    claim_start: NonNegativeInt
    claim_end: NonNegativeInt
    source_start: NonNegativeInt
    source_end: NonNegativeInt
    kind: DifferenceKind


class ClaimSourceVerdict(Value):
    """What one source says of one claim, and where.

    quote        its words from `start` to `end` of its document; "" where nothing of it is near the claim
    section      the headings under which the quote stands
    above        what the quote hangs on: the header of its row, the line that introduces its list
    differences  of a claim that nobody verified: in what it differs from the quote
    missing      names and figures of such a claim that stand nowhere in the source
    own          the claim bears this source's mark
    """

    claim: NonNegativeInt
    source: str
    verdict: Verdict
    quote: str = ""
    start: NonNegativeInt = 0
    end: NonNegativeInt = 0
    section: str = ""
    above: str = ""
    differences: tuple[WordDifference, ...] = ()
    missing: tuple[str, ...] = ()
    own: bool = False


class ShareInterval(Value):
    """A share with its 95 % bootstrap interval; `share` is None when there is nothing to take a share of."""

    part: NonNegativeInt
    of: NonNegativeInt
    share: float | None = None
    low: float | None = None
    high: float | None = None


EditAction = Literal["edited", "removed", "marked", "kept"]


class ClaimEdit(Value):
    """What becomes of a sentence of which a claim does not stand (SourceCleanup). A sentence is never parted.

    claim      the first claim of the sentence that does not stand; `claims`: all that it makes
    action     edited: other words, which were judged anew; removed; marked: as it stands, with a note behind it;
               kept: as it stands, since who was to edit it changed nothing
    before     the sentence, without its marks
    after      its new words; "" when it is removed; as before when it is marked or kept
    note       what is put behind a marked sentence
    reversed   the source says the opposite, and the new words say that
    """

    claim: NonNegativeInt
    claims: tuple[NonNegativeInt, ...] = ()
    action: EditAction = "edited"
    before: str
    after: str
    note: str = ""
    source: str = ""
    reason: str = ""
    reversed: bool = False


class Checkup(PublicResult):
    """A checked text.

    verdicts   of each claim, in order: the best of its pairings; with no source that could be read, silent
    shares     "source validity", "statement support", "response support", "unused sources" … (SourceCheckup, Methods)
    complete   every pair was judged; False: the run was stopped, and goes on from its store
    origin     who wrote the text, and in reply to what
    run        the name of the file, in the folder `checkups` of home, that has the words of its sources; "" for none
    """

    kind: Literal["check"] = "check"
    submitted: SubmittedText
    traced: tuple[SourceResolution, ...] = ()
    pairings: tuple[ClaimSourceVerdict, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    shares: dict[str, ShareInterval] = Field(default_factory=dict)
    edits: tuple[ClaimEdit, ...] = ()
    notes: tuple[str, ...] = ()
    judge: str = ""
    as_of: date | None = None
    complete: bool = True
    origin: TextOrigin = TextOrigin()
    run: str = ""

    def __repr__(self) -> str:
        """Five lines: what was checked, its statements by their status, its sources by their standing, who judged."""
        reference = self.submitted.document.reference
        lines = {
            "Text": reference.title or reference.id,
            "Statements": _list_counts(verdict.status for verdict in self.verdicts),
            "Sources": _list_counts(source.standing for source in self.traced),
            "Judge": self.judge or "–",
            "Complete": "yes" if self.complete else "no",
        }
        return "\n".join(shorten(f"{name}: {text}") for name, text in lines.items())


def _list_counts(names: Iterable[str]) -> str:
    counts = Counter(names)
    named = ", ".join(f"{count} {name}" for name, count in counts.most_common())
    return f"{counts.total()} ({named})" if named else "0"
