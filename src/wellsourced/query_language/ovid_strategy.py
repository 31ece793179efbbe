"""Strategies for Ovid MEDLINE: one step a line, later lines refer to earlier ones, the last line is the result.

    1  exp Hypertension/
    2  hypertens$.tw.
    3  1 or 2
    4  limit 3 to ed=20100101-20201231

Lines may carry their numbers or not; without them the place of a line counts. Typing errors that can be meant in one
way only are repaired and told.
"""

import re
from collections.abc import Container, Iterable
from itertools import product
from math import prod

from wellsourced.query_language import ovid_parser, query_tree
from wellsourced.query_language.pubmed_lexer import OUTER_CHARACTERS, build_qualifier, parse_period
from wellsourced.query_language.strategy_steps import StrategySteps, split_steps
from wellsourced.text.lexicon import word_set

TRUNCATION = re.compile(r"(?<=[\w?#])(?:[$*]|(?<=[A-Za-z]):(?=\d?(?:\s|\Z)))(\d{0,3})")
"""The end of a word that may go on, by so many letters at most."""

FINAL_TRUNCATION = re.compile(r"(?<=[\w?#])([$*]|(?<=[^\W\d]):)(\d{0,3})\Z", re.ASCII)
TRAILING_CHARACTERS = OUTER_CHARACTERS.replace("?", "")
STRAY_WILDCARDS = re.compile(r"(?<![\w?#*])[?#*]+")
"""Wildcards that stand for no letter of any word."""


def build_word_node(
    said: str, place: ovid_parser.SearchPlace, at: int, notes: query_tree.QueryNotes
) -> query_tree.Node | None:
    """A word or a phrase where it has to stand; None, and told, when it holds nothing to look for."""
    # Dates are read as days, with their slashes and dashes: they must not be cleaned as words are.
    if place in ("published", "entered"):
        return _build_dates(said, place, at, notes)
    term = _build_term(said, at, notes)
    if term is None:
        return None
    if place == "exact heading":
        # A heading is known by its whole name; one with a wildcard can only be looked for among the headings' words.
        whole = not (term.truncated or query_tree.has_wildcard(term.words))
        return query_tree.MeshHeading(term.words, explode=False, at=at) if whole else term._replace(field="heading")
    if place == "qualifier":
        return build_qualifier(term.words, at, notes)
    return term._replace(field="title_abstract" if place == "keyword" else place)  # type: ignore[arg-type]


def _build_term(said: str, at: int, notes: query_tree.QueryNotes) -> query_tree.QueryTerm | None:
    words = query_tree.blank_out(said).rstrip(TRAILING_CHARACTERS.replace(":", ""))
    ending = FINAL_TRUNCATION.search(words)
    # A cut in the middle of a phrase: so many letters, or any.
    words = TRUNCATION.sub(
        lambda cut: "?" * min(int(cut[1]), 5) if cut[1] else "*", words[: ending.start()] if ending else words
    )
    words = re.sub(r"\*+", "*", STRAY_WILDCARDS.sub(" ", words.replace("$", " ")))
    words = " ".join(words.split()).lstrip(OUTER_CHARACTERS + "#*").rstrip(TRAILING_CHARACTERS)
    if not any(map(str.isalnum, words)):
        notes.add_note(at, f"“{said.strip()[:40]}” contains no word and was left out")
        return None
    letters = min(int(ending[2]), 99) if ending and ending[2] else None
    return query_tree.QueryTerm(words.rstrip("*"), "all", bool(ending) or words.endswith("*"), letters, at)


def _build_dates(said: str, place: ovid_parser.SearchPlace, at: int, notes: query_tree.QueryNotes) -> query_tree.Node:
    days = said.translate(dict.fromkeys(map(ord, '$*?#"')))
    found = parse_period(days, "-", "entered" if place == "entered" else "published", at, notes)
    if found:
        return found
    notes.add_note(at, f"“{said.strip()[:40]}” is not a usable date and was ignored")
    # It narrows nothing, rather than finding nothing: too much is seen by whoever reads, too little by nobody.
    return query_tree.Everything(f"{days.strip()} (date)", at)


LIMIT_LINE = re.compile(r"\s*(?:\.\.l/|limit\b)\s*(?P<line>#?\d{1,3}\b)?\s*(?:to\b)?\s*(?P<to>.*)", re.I | re.S)
DEDUPLICATION_LINE = re.compile(r"\s*(?:remove duplicates from|\.\.dedup)\s+(?P<line>#?\d{1,3})\s*", re.I)
"""A step that asks for a line once more: every search here counts a work once."""

DATE_LIMIT = re.compile(r'(?P<field>ed|ep|dt|up|da|dc|ez|yr|dp)\s*=\s*"?\s*(?P<days>[^"]*?)\s*"?', re.I)

LANGUAGES = word_set("""
    afrikaans albanian arabic bulgarian catalan chinese croatian czech danish dutch english estonian finnish french
    german greek hebrew hungarian icelandic italian japanese korean latvian lithuanian macedonian norwegian persian
    polish portuguese romanian russian serbian slovak slovenian spanish swedish thai turkish ukrainian vietnamese
""")
PUBLICATION_TYPES = frozenset(
    (
        "case reports", "clinical study", "clinical trial", "clinical trial, all", "clinical trial, phase i",
        "clinical trial, phase ii", "clinical trial, phase iii", "clinical trial, phase iv", "comment",
        "comparative study", "controlled clinical trial", "editorial", "evaluation studies", "guideline", "letter",
        "meta analysis", "meta-analysis", "multicenter study", "news", "observational study", "practice guideline",
        "pragmatic clinical trial", "randomized controlled trial", "review", "systematic review", "validation study",
    )
)  # fmt: skip
MAX_LIMIT_CHARS = 400
"""Characters of a limit that is looked into."""

CHECK_TAGS = {"humans": "Humans", "human": "Humans", "animals": "Animals", "animal": "Animals", "male": "Male"}
CHECK_TAGS |= {"female": "Female", "pregnancy": "Pregnancy"}


def parse_limit(said: str, at: int, notes: query_tree.QueryNotes) -> query_tree.Node:
    """What a limit asks for; of one that no record can be held against, Everything, and it is told."""
    said = said.strip().rstrip(".")
    # Parentheses and words are looked for again on every level; a limit this long is none.
    if len(said) > MAX_LIMIT_CHARS:
        return _note_unknown_limit(said, at, notes)
    while said.startswith("(") and said.endswith(")") and _is_in_parentheses(said):
        said = said[1:-1].strip()
    # "or" first: it binds less than "and", and the parts are read on their own.
    for word, kind in ((" or ", query_tree.Or), (" and ", query_tree.And)):
        parts = _split_at_word(said, word)
        if len(parts) > 1:
            return query_tree.combine_nodes(kind, tuple(parse_limit(part, at, notes) for part in parts))
    return _parse_single_limit(said, at, notes)


def _parse_single_limit(said: str, at: int, notes: query_tree.QueryNotes) -> query_tree.Node:
    name = " ".join(said.strip('" ').lower().split())
    dates = DATE_LIMIT.fullmatch(said)
    if dates:
        field = dates["field"].lower()
        found = parse_period(dates["days"], "-", "published" if field in ("yr", "dp") else "entered", at, notes)
        if found:
            return found
    if name in CHECK_TAGS:
        return query_tree.MeshHeading(CHECK_TAGS[name], explode=False, at=at)
    if name.removesuffix(" language") in LANGUAGES:
        return query_tree.QueryTerm(name.removesuffix(" language"), "language", at=at)
    if name in PUBLICATION_TYPES:
        return query_tree.QueryTerm(name.removesuffix(", all"), "type", at=at)
    return _note_unknown_limit(said, at, notes)


def _note_unknown_limit(said: str, at: int, notes: query_tree.QueryNotes) -> query_tree.Everything:
    notes.add_note(at, f"The limit to {said[:60]} is not supported here and was ignored")
    words = re.sub(r"[^\w ,.()-]", " ", said[:MAX_LIMIT_CHARS])
    return query_tree.Everything(f"limit to {words[:200]}", at)


def _split_at_word(said: str, word: str) -> list[str]:
    """Parts with a word between them, outside of parentheses and quotation marks."""
    parts, depth, quoted, begin, lower = [], 0, False, 0, said.lower()
    for place, character in enumerate(said):
        quoted ^= character == '"'
        depth += (character == "(") - (character == ")")
        if not quoted and depth <= 0 and lower.startswith(word, place) and place >= begin:
            parts.append(said[begin:place].strip())
            begin = place + len(word)
    return [part for part in (*parts, said[begin:].strip()) if part]


def _is_in_parentheses(said: str) -> bool:
    depth = 0
    for place, character in enumerate(said):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place == len(said) - 1
    return False


ANYWHERE: tuple[ovid_parser.SearchPlace, ...] = ("all",)
MAX_PHRASES = 400
"""Into which "(a or b) adj (c or d)" is written out."""


def build_node(
    written: ovid_parser.OvidSyntax, notes: query_tree.QueryNotes, where: tuple[ovid_parser.SearchPlace, ...] = ANYWHERE
) -> query_tree.Node | None:
    """What a line asks for, its words in these places unless they have their own; None when it is nothing."""
    if isinstance(written, ovid_parser.ResolvedOperand):
        return written.node
    if isinstance(written, ovid_parser.OvidWords):
        return _join_alternatives(build_word_node(written.text, place, written.at, notes) for place in where)
    if isinstance(written, ovid_parser.FieldedOperand):
        return build_node(written.inner, notes, _search_places(written, notes))
    if isinstance(written, ovid_parser.AdjacentOperands):
        return _join_alternatives(_build_adjacent(written, place, notes) for place in where)
    parts = [build_node(part, notes, where) for part in written.parts]
    if written.operator == "or":
        return _join_alternatives(parts)
    if written.operator == "not":
        kept, left_out = parts
        return query_tree.Not(kept, left_out, kept.at) if kept and left_out else kept
    known = tuple(part for part in parts if part)
    return query_tree.combine_nodes(query_tree.And, known) if known else None


def _search_places(
    written: ovid_parser.FieldedOperand, notes: query_tree.QueryNotes
) -> tuple[ovid_parser.SearchPlace, ...]:
    """Where words have to stand; fields that no record is known by are told."""
    for code in written.codes:
        if code in ovid_parser.UNSUPPORTED_FIELDS:
            notes.add_note(written.at, f"The field .{code}. is not supported here; all fields are searched")
        elif code not in ovid_parser.FIELD_PLACES:
            notes.refuse(written.at, f".{code}. is not an Ovid MEDLINE field", "Write one such as .ti. or .ti,ab.")
    return ovid_parser.merge_places(written.codes)


def _join_alternatives(found: Iterable[query_tree.Node | None]) -> query_tree.Node | None:
    parts = tuple(part for part in found if part)
    return query_tree.combine_nodes(query_tree.Or, parts) if parts else None


def _build_adjacent(
    written: ovid_parser.AdjacentOperands, place: ovid_parser.SearchPlace, notes: query_tree.QueryNotes
) -> query_tree.Node | None:
    """Words next to each other, or not far apart."""
    found = tuple(part for part in (build_node(one, notes, (place,)) for one in written.parts) if part)
    if len(found) < 2:
        return found[0] if found else None
    if written.distance is not None:
        return query_tree.Near(found, written.distance, found[0].at)
    phrases = _expand_phrases(found)
    if phrases:
        return query_tree.combine_nodes(query_tree.Or, phrases)
    notes.add_note(written.at, "ADJ between these was read in either order: they are too many, or not words")
    return query_tree.Near(found, 0, found[0].at)


def _expand_phrases(parts: tuple[query_tree.Node, ...]) -> tuple[query_tree.QueryTerm, ...]:
    """Every phrase that begins with one of the first words, goes on with one of the second; () when not to be had."""
    choices = [part.parts if isinstance(part, query_tree.Or) else (part,) for part in parts]
    # ADJ keeps the order, which only phrases written out can; of too many, either order is asked for, and told.
    if prod(map(len, choices)) > MAX_PHRASES or not all(
        isinstance(one, query_tree.QueryTerm) for choice in choices for one in choice
    ):
        return ()
    rows: Iterable[tuple[query_tree.QueryTerm, ...]] = product(*choices)  # type: ignore[assignment]
    return tuple(
        row[-1]._replace(words=" ".join([*map(_inner_words, row[:-1]), row[-1].words]), at=row[0].at) for row in rows
    )


def _inner_words(term: query_tree.QueryTerm) -> str:
    """A word that is cut short, in the middle of a phrase."""
    if not term.truncated:
        return term.words
    return f"{term.words}*" if term.letters is None else term.words + "?" * min(term.letters, 5)


def parse_ovid(query: str) -> query_tree.ParsedQuery:
    """What a strategy asks for, with notes on what was repaired. Raises BadQuery with the place of the fault."""
    notes = query_tree.QueryNotes(query)
    notes.check_length()
    text = query_tree.straighten_typography(query)
    steps = StrategySteps(notes)
    result: query_tree.Node | None = None
    for step in split_steps(text):
        steps.begin_step(step)
        found = parse_ovid_line(text, step.start, step.end, steps, notes)
        if found is None:
            notes.add_note(step.start, f"Line {step.label} is empty")
            continue
        result = found
        steps.finish_step(found)
    return finish_strategy(result, steps, notes)


def finish_strategy(
    result: query_tree.Node | None, steps: StrategySteps, notes: query_tree.QueryNotes
) -> query_tree.ParsedQuery:
    """What the last line of a strategy came to. Raises BadQuery when that is nothing, or too deep."""
    steps.note_unused_lines()
    if result is None:
        notes.refuse(0, "The strategy is empty", "Write at least one word or heading.")
    # Lines that refer to lines may each be flat and deep together; what walks the tree calls itself.
    if query_tree.tree_depth(result) > 2 * query_tree.MAX_LEVELS:
        notes.refuse(0, "The lines refer to each other too deeply", "Split the strategy into several.")
    return query_tree.ParsedQuery(result, notes.list_notes())


def parse_ovid_line(
    text: str, start: int, end: int, steps: StrategySteps, notes: query_tree.QueryNotes, labels: Container[str] = ()
) -> query_tree.Node | None:
    """What text[start:end], one line, asks for; None when it is nothing. `labels` name lines beside their numbers."""
    # Before the line is read as words: "limit" and "to" would be words to look for.
    limited = LIMIT_LINE.fullmatch(text, start, end)
    if limited:
        at = limited.start("line") if limited["line"] else start
        steps.expect_references([limited["line"] or ""])
        before = steps.resolve_line(limited["line"], at) if limited["line"] else steps.resolve_last_line(at)
        return query_tree.combine_nodes(
            query_tree.And, (before, parse_limit(limited["to"], limited.start("to"), notes))
        )
    if deduplicated := DEDUPLICATION_LINE.fullmatch(text, start, end):
        steps.expect_references([deduplicated["line"]])
        return steps.resolve_line(deduplicated["line"], deduplicated.start("line"))
    tokens = ovid_parser.tokenize_ovid(text, start, end, notes, labels)
    steps.expect_references([token.text for token in tokens if token.kind == "line"])
    written = ovid_parser.OvidLineParser(text, tokens, steps, notes).parse_line()
    return build_node(written, notes) if written else None
