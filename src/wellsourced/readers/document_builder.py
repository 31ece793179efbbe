"""A document in the making: the fields of its reference, the exact spans of its sections, and the digest it is found
by.
"""

import re
from collections.abc import Mapping

from wellsourced.citations.identifiers import normalize_pmcid, normalize_pmid, plain_doi
from wellsourced.readers.base import normalize_line_ends
from wellsourced.text.typography import remove_break_marks
from wellsourced.types import Document, ReadingDepth, Reference, Section, SourceKind

HEADING_SEPARATOR = " › "
"""Between two headings of a path."""


class DocumentBuilder:
    """Blocks stand a blank line apart. A block of a section may be quoted; what stands outside is only printed.

    Blocks of one section that follow each other directly share a span; a heading between them, or any other block
    outside, ends it. Empty blocks are nothing. What adds a block returns the offset at which its words begin.
    """

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._sections: list[Section] = []
        self._headings: list[tuple[int, str]] = []
        self._length = 0
        self._open = False

    def add_heading(self, words: str) -> int:
        """A block that no passage will ever contain: a heading, or what is not the source's to say."""
        if not (words := words.strip()):
            return self._length
        self._open = False
        return self._append_block(words)

    def open_section(self, heading: str, level: int, label: str | None = None) -> int:
        """A heading of a level, 1 the highest. In the paths of sections it is called `label`; "" leaves it out."""
        start = self.add_heading(heading)
        path = [(above, words) for above, words in self._headings if above < level]
        self._headings = [*path, (level, heading if label is None else label)]
        return start

    def close_sections(self) -> None:
        """What follows stands under no heading."""
        self._headings = []

    def add_block(self, words: str, section: str | None = None) -> int:
        """A block that may be quoted, under a path of headings: `section`, or that of the sections that are open."""
        if not (words := words.strip()):
            return self._length
        title = heading_path(*(heading for _, heading in self._headings)) if section is None else section
        begin = start = self._append_block(words)
        # Blocks that follow each other may be quoted across their edge; a heading between them ended the span.
        if self._open and self._sections[-1].title == title:
            start = self._sections.pop().start
        self._sections.append(Section(title=title, start=start, end=self._length))
        self._open = True
        return begin

    def _append_block(self, words: str) -> int:
        words = remove_break_marks(words)
        start = self._length + 2 if self._blocks else 0
        self._blocks.append(words)
        self._length = start + len(words)
        return start

    @property
    def text(self) -> str:
        return "\n\n".join(self._blocks)

    @property
    def sections(self) -> tuple[Section, ...]:
        """Where the blocks that may be quoted stand. Of a text that is a heading alone, the heading."""
        if not self._sections and self._length:
            return (Section(title="", start=0, end=self._length),)
        return tuple(self._sections)

    def build(self, reference: Reference, digest: str = "", pages: tuple[int, ...] = ()) -> Document:
        return Document(reference=reference, text=self.text, sections=self.sections, digest=digest, pages=pages)


def heading_path(*headings: str) -> str:
    """The path of headings, outermost first; those without words are left out."""
    return HEADING_SEPARATOR.join(heading for heading in headings if heading)


_ROMAN_NUMERALS = {1000: "m", 900: "cm", 500: "d", 400: "cd", 100: "c", 90: "xc", 50: "l", 40: "xl", 10: "x"}
_ROMAN_NUMERALS |= {9: "ix", 5: "v", 4: "iv", 1: "i"}


def roman_numeral(number: int) -> str:
    """A number in Roman numerals, in lower case."""
    words = ""
    for value, letters in _ROMAN_NUMERALS.items():
        words += letters * (number // value)
        number %= value
    return words


def list_label(number: int, style: str) -> str:
    """The number of an item as it is printed: "3", "c", "C", "iii" or "III", by the style "1", "a", "A", "i" or "I"."""
    if style not in ("a", "A", "i", "I") or not 0 < number < 400:
        return str(number)
    label = roman_numeral(number) if style in "iI" else ""
    while style in "aA" and number:
        number, letter = divmod(number - 1, 26)
        label = chr(ord("a") + letter) + label
    return label.upper() if style.isupper() else label


_MEANINGLESS_TITLE = re.compile(
    r"microsoft word|word document|untitled|^document ?[0-9]*$|\.(docx?|pdf|tex|indd|qxd|rtf|dvi)\b", re.IGNORECASE
)


def clean_title(title: str) -> str:
    """The title of the work; "" for what programs put there by themselves, and for one or two words."""
    words = normalize_line_ends(title).split()
    # "Microsoft Word - draft2.docx" is what a program was called with, and would head every quote of the work.
    return "" if len(words) < 3 or _MEANINGLESS_TITLE.search(title) else " ".join(words)


def clean_author_names(authors: str) -> tuple[str, ...]:
    """Names of people; a single word is the name of an account, not a person's."""
    names = (" ".join(name.split()) for name in re.split(r"[;,]|\band\b", normalize_line_ends(authors)))
    return tuple(name for name in names if " " in name)


def parse_iso_date(value: object) -> str:
    """A date as precise as it is given, in ISO 8601: 2022, "2022-05", "2022-05-03T10:00" → "2022-05-03"; else ""."""
    match = re.match(r"[12][0-9]{3}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?(?![0-9])", str(value).strip())
    return match.group() if match else ""


def build_reference(
    fields: Mapping[str, object], *, id: str, title: str, kind: SourceKind, depth: ReadingDepth
) -> Reference:
    """The reference of a document from fields under the names that people give them."""
    dates = (parse_iso_date(fields.get(name)) for name in ("published", "date", "publication_date", "year"))
    return Reference(
        id=id,
        title=title,
        kind=kind,
        depth=depth,
        url=_first_value(fields, "url", "link"),
        doi=plain_doi(_first_value(fields, "doi")),
        pmid=normalize_pmid(_first_value(fields, "pmid")),
        pmcid=normalize_pmcid(_first_value(fields, "pmcid")),
        published=next(filter(None, dates), ""),
        organisation=_first_value(fields, "organisation", "organization", "publisher", "source"),
        authors=_list_values(fields, "authors", "author"),
        journal=_first_value(fields, "journal"),
        publication_types=_list_values(fields, "publication_types", "publication_type"),
    )


def _first_value(fields: Mapping[str, object], *names: str) -> str:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str | int) and str(value).strip():
            return normalize_line_ends(str(value).strip())
    return ""


def _list_values(fields: Mapping[str, object], *names: str) -> tuple[str, ...]:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return tuple(part.strip() for part in normalize_line_ends(value).split(";") if part.strip())
        if isinstance(value, list):
            return tuple(normalize_line_ends(part.strip()) for part in value if isinstance(part, str) and part.strip())
    return ()


PART_LABEL = re.compile(r"(?:^|(?<=[.?!)\]] )|(?<=\n))([A-Z][A-Z0-9 /&,'’()-]{1,70}):\s+")
"""How the label of a part of a structured abstract stands: in capitals, at the start or behind a sentence."""

LABEL_WORD = re.compile(
    r"\b(ABSTRACT|AIMS?|ANALYSIS|BACKGROUND|CASE|CONCLUSIONS?|CONTEXT|COVERED|DESIGN|DISCUSSION|EVIDENCE|FINDINGS|FUNDING"
    r"|HYPOTHESIS|IMPACT|IMPLICATIONS|IMPORTANCE|INTERPRETATION|INTERVENTIONS?|INTRODUCTION|LIMITATIONS|MEASURE(MENT)?S"
    r"|METHOD(OLOGY|S)?|OBJECTIVES?|OPINION|OUTCOMES?|PARTICIPANTS|PATIENTS?|POPULATION|PROBLEM|PROCEDURE|PURPOSES?"
    r"|QUESTION|RATIONALE|REGISTRATION|RELEVANCE|RESULTS?|SAMPLE|SETTINGS?|SIGNIFICANCE|SOURCES|SUBJECTS|SUMMARY"
    r"|SYNTHESIS|UNLABELLED)\b"
)
"""One of these makes it a label; without, it may be a gene, a drug or a diagnosis that its sentence cannot spare."""


def split_labelled_sections(text: str, start: int) -> tuple[Section, ...]:
    """The parts of a structured abstract, each behind its label; without labels, all of it as one part."""
    if ":" not in text:
        return (Section(title="", start=start, end=len(text)),)
    sections, title = [], ""
    for label in PART_LABEL.finditer(text, start):
        if not LABEL_WORD.search(label[1]):
            continue
        sections.append((title, start, label.start()))
        title, start = "" if label[1] == "UNLABELLED" else label[1].strip(), label.end()
    sections.append((title, start, len(text)))
    spans = ((title, start, start + len(text[start:end].rstrip())) for title, start, end in sections)
    return tuple(Section(title=title, start=start, end=end) for title, start, end in spans if end > start)
