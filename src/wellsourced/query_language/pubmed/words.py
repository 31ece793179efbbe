"""PubMed's words: which it ignores, how they are cut short, what of a phrase is asked for."""

import re

from wellsourced.query_language.query_notes import QueryNotes
from wellsourced.query_language.query_tree import QueryTerm, SearchField
from wellsourced.text.lexicon import word_set

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
            notes.add_note(at, f"“{said.strip()[:40]}” holds no word to look for and was left out")
        return None
    if "*" in words or truncated:
        words, truncated = _drop_early_wildcards(words, truncated, at, notes)
    # What stood before an asterisk that was dropped stands at the end now.
    return QueryTerm(words if truncated else words.rstrip(OUTER_CHARACTERS), field, truncated, at=at)


def _normalize_wildcards(said: str, at: int, notes: QueryNotes) -> str:
    """Other languages' wildcards in PubMed's words, or in those of the tree."""
    words = re.sub(r'["#\[\]]', " ", said)
    if "$" in words:
        words = re.sub(r"\$\d*", "*", words)
        notes.add_note(at, f"“$” in “{said[:40]}” was read as “*”, which cuts words short in PubMed")
    if re.search(r"\w\?\w", words):
        notes.add_note(at, f"“?” in “{said[:40]}” was read as one letter or none; PubMed itself does not know it")
    words = re.sub(r"(?<!\w)\?|\?(?!\w)|(?<![\w*])\*+", " ", words)
    return " ".join(re.sub(r"\*+", "*", words).split())


def _drop_early_wildcards(words: str, truncated: bool, at: int, notes: QueryNotes) -> tuple[str, bool]:
    """Words without the asterisks that PubMed does not take."""
    begins = words.partition("*")[0]
    if sum(map(str.isalnum, begins)) >= MIN_LETTERS:
        return words, truncated
    shown = f"{words}*" if truncated else words
    notes.add_note(at, f"“{shown[:40]}” has fewer than {MIN_LETTERS} letters before the asterisk, so PubMed ignores it")
    return " ".join(words.replace("*", " ").split()), False
