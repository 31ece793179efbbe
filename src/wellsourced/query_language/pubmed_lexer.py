"""A query of PubMed cut into pieces, and what each is: the field tags in all their spellings (PubMed User Guide),
dates, subheadings, words.
"""

import re
from difflib import get_close_matches
from typing import Literal, NamedTuple

from wellsourced.query_language.query_tree import DateRange, Qualifier, QueryNotes, QueryTerm, SearchField, blank_out
from wellsourced.text.dates import month_number
from wellsourced.text.lexicon import word_set
from wellsourced.text.tables import read_rows


class FieldTag(NamedTuple):
    """What a field tag asks for.

    kind      "term": the words stand in `field`; "filter": a filter or a field that no record here is known by
    field     of a term; of dates "published" or "entered"
    known     False: the field is searched in all fields instead, which is told
    distance  of a proximity search, None of any other
    """

    kind: Literal["term", "heading", "qualifier", "dates", "filter"]
    field: SearchField | Literal["published", "entered"] = "all"
    explode: bool = True
    major: bool = False
    known: bool = True
    distance: int | None = None


_TAGS_BY_NAMES = {
    "all, all fields, all field, tw, text word, text words, word": FieldTag("term"),
    "ti, title": FieldTag("term", "title"),
    "ab, abstract": FieldTag("term", "abstract"),
    "tiab, title/abstract, title abstract, ot, other term, tt": FieldTag("term", "title_abstract"),
    "mh, mesh, mesh terms, mesh term, mh:exp, mesh:exp, mesh terms:exp": FieldTag("heading"),
    "mh:noexp, mesh:noexp, mesh terms:noexp, mesh term:noexp": FieldTag("heading", explode=False),
    "majr, mesh major topic, mesh major, majr:exp": FieldTag("heading", major=True),
    "majr:noexp, mesh major topic:noexp": FieldTag("heading", explode=False, major=True),
    "sh, subheading, mesh subheading, mesh subheadings, mesh subheading:noexp, sh:noexp": FieldTag("qualifier"),
    "pt, ptyp, publication type, pt:noexp, publication type:noexp": FieldTag("term", "type"),
    "la, lang, language": FieldTag("term", "language"),
    "au, author, authors, fau, full author name, author - full, 1au, first author, first author name, "
    "author - first, lastau, last author, last author name, author - last, cn": FieldTag("term", "author"),
    "ta, journal, jour, so, is, issn, jid, nlm unique id": FieldTag("term", "journal"),
    "pmid, uid, pmcid, pmc, aid, article identifier, doi, lid": FieldTag("term", "id"),
    "dp, pdat, date - publication, publication date, ppdat, epdat": FieldTag("dates", "published"),
    "edat, date - entrez, date - entry, entrez date, entry date, crdt, date - create, create date, "
    "date - created, mhda, date - mesh, mesh date, dcom, date - completion, lr, date - modification, completion date, "
    "modification date, mdat": FieldTag("dates", "entered"),
    "filter, sb, subset, text, owner, stat": FieldTag("filter"),
    "ad, affiliation, gr, grant, grant number, grants and funding, nm, substance name, supplementary concept, rn, "
    "ec/rn number, pa, pharmacological action, ps, personal name as subject, si, secondary source id, vi, volume, "
    "ip, issue, pg, pagination, ir, investigator, ed, editor, book, isbn, publisher, pubn, auid, "
    "author identifier, pl, place of publication, cois": FieldTag("term", known=False),
}
FIELD_TAGS = {name: tag for names, tag in _TAGS_BY_NAMES.items() for name in names.split(", ")}

PROXIMITY = re.compile(r"(.*):~\s*(\d{1,4})")


def find_tag(said: str) -> FieldTag | None:
    """What a tag asks for, as it stands between the brackets; None when PubMed has none of that name."""
    name = " ".join(said.lower().split()).replace(" :", ":").replace(": ", ":").replace(" / ", "/")
    near = PROXIMITY.fullmatch(name)
    if near:
        field = FIELD_TAGS.get(near[1])
        # PubMed measures distances between words, not between headings or dates.
        return field._replace(distance=int(near[2])) if field and field.kind == "term" else None
    return FIELD_TAGS.get(name)


def find_nearest_tag(said: str) -> str:
    """The tag that was probably meant; "" when none is like it."""
    close = get_close_matches(said.lower().strip()[:40], FIELD_TAGS, n=1, cutoff=0.6)
    return close[0] if close else ""


OPEN_START_YEAR, OPEN_END_YEAR = "1000", "3000"
"""Years that stand for an open end, as PubMed's own forms write them."""

MAX_PERIOD_CHARS = 60
"""Characters that two dates take at most."""

DAY_PATTERN = re.compile(
    r"(?P<year>\d{4})(?:[/. -]?(?P<month>\d{1,2}|[a-z]{3,9})(?:[/. -]?(?P<day>\d{1,2}))?)?(?:\s*\d\d:\d\d)?",
    re.IGNORECASE | re.ASCII,
)


def parse_day(said: str) -> str | None:
    """A date as the tree writes it, as precise as it was said; None when it is no date."""
    found = DAY_PATTERN.fullmatch(said.strip().strip("\"'").strip())
    if not found:
        return None
    month = _month_number(found["month"] or "")
    if month is None:
        return None
    if not month or not found["day"]:
        return f"{found['year']}/{month:02d}" if month else found["year"]
    return f"{found['year']}/{month:02d}/{int(found['day']):02d}" if 1 <= int(found["day"]) <= 31 else None


def _month_number(said: str) -> int | None:
    number = int(said) if said.isdigit() else (month_number(said) or 13) if said else 0
    return number if number <= 12 and (number or not said) else None


def parse_period(
    said: str, separator: str, field: Literal["published", "entered"], at: int, notes: QueryNotes
) -> DateRange | None:
    """A date, or two with a separator between them; None when they are none. "current" is an open end."""
    only = parse_day(said)
    ends = (only, only) if only else _split_period(said, separator)
    if ends is None:
        return None
    first, last = ends
    # The earlier year first is the one way in which it can be meant.
    if first and last and first[:4] > last[:4]:
        notes.add_note(at, f"The dates “{said.strip()}” were swapped: the earlier one comes first")
        first, last = last, first
    return DateRange(
        "" if first[:4] <= OPEN_START_YEAR else first, "" if last[:4] >= OPEN_END_YEAR else last, field, at
    )


def _split_period(said: str, separator: str) -> tuple[str, str] | None:
    """The first way to part it that leaves two dates, or one and an open end."""
    pieces = said[:MAX_PERIOD_CHARS].split(separator)
    for place in range(1, len(pieces)):
        first, last = separator.join(pieces[:place]), separator.join(pieces[place:])
        # A day may hold the separator itself ("2010-05-01"), so every place to part it is tried.
        begun = parse_day(first) if first.strip() else ""
        ended = "" if last.strip().lower() in ("", "current", "present") else parse_day(last)
        if begun is not None and ended is not None and (begun or ended):
            return begun, ended
    return None


QUALIFIER_CODES = {row[0]: row[1] for row in read_rows("wellsourced.query_language", "mesh_qualifiers.tsv")}
QUALIFIER_NAMES = frozenset(QUALIFIER_CODES.values()) | {"pathophysiology"}


def find_qualifier(said: str) -> str | None:
    """The name of a subheading by its two letters or its name; None when there is none."""
    name = " ".join(said.lower().replace(" and ", " & ").split())
    return name if name in QUALIFIER_NAMES else QUALIFIER_CODES.get(name)


def build_qualifier(said: str, at: int, notes: QueryNotes) -> Qualifier:
    """The subheading of a name or its letters; one that MeSH does not have is told, and looked for as it is."""
    name = find_qualifier(said)
    if name is None:
        notes.add_note(at, f"“{said[:40]}” is not a MeSH subheading")
    return Qualifier(name or said.lower(), at)


OPERATORS = ("AND", "OR", "NOT")
TOKEN_PATTERN = re.compile(r"(?P<open>\()|(?P<close>\))|(?P<tag>\[[^\[\]]*\])|(?P<word>[^\s()\[\]\"]+)")
UNCLOSED_TAG = re.compile(r"\[\s*([\w/:~]+)")
PHRASE_BOUNDARY = re.compile(r"\s*(?:\[[^\[\]]*\]|\)|\s(?:AND|OR|NOT)\s|\Z)")
"""Where a phrase ends whose closing quotation mark is missing."""


class PubmedToken(NamedTuple):
    """A piece of a query.

    text   of a phrase or a tag what stands inside; of a word or an operator itself
    at     where it begins, with its quotation mark or bracket
    end    after its last character
    """

    kind: Literal["open", "close", "operator", "quoted", "tag", "word"]
    text: str
    at: int
    end: int


def tokenize_pubmed(query: str, start: int, end: int, notes: QueryNotes) -> list[PubmedToken]:
    """The pieces of query[start:end], repaired where a quotation mark or a bracket has no partner."""
    tokens: list[PubmedToken] = []
    place, even = start, query.count('"', start, end) % 2 == 0
    while place < end:
        if query[place] == '"':
            token, even = _take_phrase(query, place, end, even, notes)
        elif found := TOKEN_PATTERN.match(query, place, end):
            kind, text = str(found.lastgroup), found.group()
            kind = "operator" if text in OPERATORS else kind
            text = text[1:-1] if kind == "tag" else text
            token = PubmedToken(kind, text, found.start(), found.end())  # type: ignore[arg-type]
        # Only a tag that PubMed knows: any other bracket has simply no partner.
        elif (found := UNCLOSED_TAG.match(query, place, end)) and find_tag(found[1]):
            notes.add_note(place, f"The bracket of [{found[1]}] is not closed")
            token = PubmedToken("tag", found[1], place, found.end())
        else:
            if not query[place].isspace():
                notes.add_note(place, f"The bracket “{query[place]}” is unmatched and was left out")
            place += 1
            continue
        place = token.end
        tokens.append(token)
    return _mark_operators(tokens, notes)


def _take_phrase(query: str, place: int, end: int, even: bool, notes: QueryNotes) -> tuple[PubmedToken, bool]:
    """A phrase, and whether the quotation marks that follow have partners."""
    closing = query.find('"', place + 1, end)
    # With an odd number of quotation marks, one that would take in a tag or an operator is the one without a partner.
    if closing >= 0 and (even or not _holds_outside_syntax(query[place + 1 : closing])):
        return PubmedToken("quoted", query[place + 1 : closing], place, closing + 1), even
    boundary = PHRASE_BOUNDARY.search(query, place + 1, end)
    stop = boundary.start() if boundary else end
    notes.add_note(place, "A quotation mark is not closed; the phrase was ended before the next operator or tag")
    return PubmedToken("quoted", query[place + 1 : stop], place, stop), True


def _holds_outside_syntax(phrase: str) -> bool:
    """Whether a phrase holds what should stand outside of it: a tag, an operator, half of a pair of parentheses."""
    tags = (find_tag(found) for found in re.findall(r"\[([^\[\]]*)\]", phrase))
    return any(tags) or bool(re.search(r"\s(?:AND|OR|NOT)\s", phrase)) or phrase.count("(") != phrase.count(")")


def _mark_operators(tokens: list[PubmedToken], notes: QueryNotes) -> list[PubmedToken]:
    """Operators in small letters are operators where nothing else makes sense: beside a tag, a phrase, a group."""
    told: list[PubmedToken] = []
    for place, token in enumerate(tokens):
        if token.kind != "word" or token.text.upper() not in OPERATORS:
            told.append(token)
            continue
        before = told[-1].kind if told else ""
        after = tokens[place + 1].kind if place + 1 < len(tokens) else ""
        if (before in ("close", "quoted", "tag") and after) or (before == "word" and after in ("open", "quoted")):
            notes.add_note(
                token.at, f"“{token.text}” was read as {token.text.upper()}: PubMed needs operators in capitals"
            )
            told.append(token._replace(kind="operator", text=token.text.upper()))
        else:
            word, reading = token.text, "so all words around it are searched"
            if word.lower() == "and":
                reading = "and combines words with AND anyway"
            lead = f"“{word}” is an operator only in capitals ({word.upper()})"
            notes.add_note(token.at, f"{lead}: PubMed ignores it, {reading}")
            told.append(token)
    return told


STOP_WORDS = word_set("""
    a about again all almost also although always among an and another any are as at be because been before being
    between both but by can could did do does done due during each either enough especially etc for found from further
    had has have having here how however i if in into is it its itself just kg km made mainly make may mg might ml mm
    most mostly must nearly neither no nor not obtained of often on or our overall perhaps pmid quite rather really
    regarding seem seen several should show showed shown shows significantly since so some such than that the their
    theirs them then there therefore these they this those through thus to upon use used using various very was we
    were what when which while with within without would
""")
"""Words that PubMed ignores where no field is named (PubMed Help, Stopwords), and its operators in small letters."""

MIN_LETTERS = 4
"""Before the first asterisk (NLM Technical Bulletin 2024;458:e5)."""

OUTER_CHARACTERS = " \t\r\n,;:.!?'`|&+=_/\\<>{}~^-"
"""What may stand around a word and is no part of it."""


def build_term(said: str, field: SearchField, at: int, notes: QueryNotes) -> QueryTerm | None:
    """A word or a phrase as it was said; None, and told, when it holds nothing to look for."""
    words = _normalize_wildcards(" ".join(said.split()), at, notes).strip(OUTER_CHARACTERS)
    truncated, words = words.endswith("*"), words.rstrip("*")
    if not any(map(str.isalnum, words)):
        if said.strip():
            notes.add_note(at, f"“{said.strip()[:40]}” contains no word and was left out")
        return None
    if "*" in words or truncated:
        words, truncated = _drop_early_wildcards(words, truncated, at, notes)
    # What stood before an asterisk that was dropped stands at the end now.
    return QueryTerm(words if truncated else words.rstrip(OUTER_CHARACTERS), field, truncated, at=at)


def _normalize_wildcards(said: str, at: int, notes: QueryNotes) -> str:
    words = blank_out(said, '"#[]')
    if "$" in words:
        words = re.sub(r"\$\d*", "*", words)
        notes.add_note(at, f"“$” in “{said[:40]}” was read as “*”, PubMed's truncation")
    if re.search(r"\w\?\w", words):
        notes.add_note(at, f"“?” in “{said[:40]}” was read as one letter or none; PubMed does not support it")
    words = re.sub(r"(?<!\w)\?|\?(?!\w)|(?<![\w*])\*+", " ", words)
    return " ".join(re.sub(r"\*+", "*", words).split())


def _drop_early_wildcards(words: str, truncated: bool, at: int, notes: QueryNotes) -> tuple[str, bool]:
    begins = words.partition("*")[0]
    # PubMed ignores an asterisk behind fewer letters, and so finds less than whoever wrote it wants: it is told.
    if sum(map(str.isalnum, begins)) >= MIN_LETTERS:
        return words, truncated
    shown = f"{words}*" if truncated else words
    notes.add_note(
        at, f"“{shown[:40]}” has fewer than {MIN_LETTERS} letters before the asterisk, so PubMed ignores the asterisk"
    )
    return " ".join(words.replace("*", " ").split()), False
