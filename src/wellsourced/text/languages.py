"""In which language a question is asked (by its script, then by its function words; "en" when in doubt), and how hard
an English text is to read.

A table of some 60 words of each language is enough for a sentence. Libraries that were looked at bring a pickle
(py3langid), some 100 MB of models (lingua) or a result that changes from call to call (langdetect).
Languages of one script whose words are not in `languages.tsv` are told by the script's most frequent language.
"""

import re
from collections import Counter, defaultdict
from functools import cache
from typing import NamedTuple

from wellsourced.text.sentences import split_sentences
from wellsourced.text.tables import read_rows

MIN_SCORE = 2.0
"""Function words of another language, shared ones counting in part, before it is believed."""

MIN_SCORE_WITHOUT_ENGLISH = 1.5
"""The same where no function word of English is found."""

MIN_RATIO_TO_ENGLISH = 1.4
"""How many times the score of English it has to have."""

MIN_FUNCTION_WORD_SHARE = 0.2
"""Of the words, how many have to be function words of it: "lupus de novo in situ" has few."""

MAX_COUNTED_WORDS = 20
"""Different words beyond which a text is long: new ones are then hardly function words any more."""

_SCRIPT_LETTERS = {
    "ja": r"[\u3040-\u30ff\uff66-\uff9f]", "zh": r"[\u3400-\u9fff]", "ko": r"[\uac00-\ud7af\u1100-\u11ff]",
    "ru": r"[\u0400-\u04ff]", "ar": r"[\u0600-\u06ff\u0750-\u077f]", "el": r"[\u0370-\u03ff\u1f00-\u1fff]",
    "he": r"[\u0590-\u05ff]", "hi": r"[\u0900-\u097f]", "bn": r"[\u0980-\u09ff]", "ta": r"[\u0b80-\u0bff]",
    "te": r"[\u0c00-\u0c7f]", "th": r"[\u0e00-\u0e7f]", "ka": r"[\u10a0-\u10ff]", "hy": r"[\u0530-\u058f]",
}  # fmt: skip
_LETTERS_WITHIN_SCRIPT = {
    "ru": (("uk", r"[іїєґІЇЄҐ]"), ("sr", r"[ђћџљњјЂЋЏЉЊЈ]"), ("bg", r"ъ(?!е|ё|ю|я)|(?:^|\s)(?:какво|кога|защо)\b")),
    "ar": (("ur", r"[ٹڈڑںےہ]"), ("fa", r"[پچژگیک]")),
    "hi": (("mr", r"ळ|आहे"),),
}
"""Other languages of a script, and the letters that only they have."""

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")


class _LanguageTable(NamedTuple):
    """languages.tsv: the names of languages, letters that only they have, and what each word speaks for."""

    names: dict[str, str]
    letters: dict[str, str]
    weights: dict[str, dict[str, float]]


def detect_language(text: str) -> str:
    """ISO 639-1 of the language of a question; "en" when it is too short, too mixed, or too medical to tell."""
    script = _detect_script(text)
    if script:
        return next(
            (code for code, letters in _LETTERS_WITHIN_SCRIPT.get(script, ()) if re.search(letters, text)), script
        )
    words = [word.lower() for word in _WORD.findall(text)]
    scores = _score_languages(text, words)
    order = list(_load_languages().names)
    best = max(scores, key=lambda code: (scores[code], -order.index(code)), default="en")
    enough = MIN_SCORE if scores["en"] else MIN_SCORE_WITHOUT_ENGLISH
    share = MIN_FUNCTION_WORD_SHARE * min(len(set(words)), MAX_COUNTED_WORDS)
    return "en" if scores[best] < max(enough, MIN_RATIO_TO_ENGLISH * scores["en"], share) else best


def language_name(code: str) -> str:
    """The English name of a language, as prompts and people say it: "German"; the code itself when unknown."""
    return _load_languages().names.get(code, code)


def _detect_script(text: str) -> str:
    """The code of the most frequent language of a script that is not Latin, when it has a third of the letters."""
    letters = sum(map(str.isalpha, text))
    counts = {code: len(re.findall(found, text)) for code, found in _SCRIPT_LETTERS.items()}
    if counts["ja"]:  # Japanese has its own letters beside the Chinese ones
        counts["ja"] += counts.pop("zh")
    best = max(counts, key=lambda code: counts[code])
    return best if counts[best] * 3 > letters else ""


def _score_languages(text: str, words: list[str]) -> dict[str, float]:
    """What speaks for each language: its function words, each once, shared ones in part, and letters of its own."""
    scores: defaultdict[str, float] = defaultdict(float)
    for word in set(words):
        for code, weight in _load_languages().weights.get(word, {}).items():
            scores[code] += weight
    lowered = text.lower()
    for code, letters in _load_languages().letters.items():
        if any(letter in lowered for letter in letters):
            scores[code] += 1
    return scores


@cache
def _load_languages() -> _LanguageTable:
    rows = read_rows("wellsourced.text", "languages.tsv")[1:]
    lists = {code: set(words.split()) for code, _, _, words in rows}
    shared = Counter(word for words in lists.values() for word in words)
    weights: dict[str, dict[str, float]] = {}
    for code, words in lists.items():
        for word in words:
            # A single letter, or a word of five languages, says little; it still counts for each of them.
            weights.setdefault(word, {})[code] = (0.5 if len(word) == 1 else 1.0) / max(1, shared[word] - 1) ** 0.5
    names = {code: name for code, name, _, _ in rows}
    return _LanguageTable(names, {code: letters for code, _, letters, _ in rows if letters}, weights)


MIN_WORDS = 30
"""Words below which a grade says nothing: one long word would move it by a year."""

_SPOKEN_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_VOWELS = re.compile(r"[aeiouy]+")
_SILENT_ENDING = re.compile(r"(?:[^aeiouyl]|[aeiouy]l)e$|[^aeiouydt]ed$|[^aeiouycgszxl]es$|[aeiouy]les$")
"""Ends that are written and not spoken: "care", "scale", "reduced", "takes"; not in "table", "treated", "doses"."""
_SEPARATE_VOWELS = re.compile(
    r"[aeiouy]ing$|(?<![tcsgx])i(?=a|o(?!ur)|en)|i(?=et)|(?<![qg])u(?=a)|e(?=a$|o)|(?<=cr)e(?=at)|(?<=^r)e(?=ac|i)"
    r"|u(?=id$)|(?<=r)u(?=in)"
)
"""Vowels side by side that are two syllables: "trying", "mania", "diet", "actual", "area", "create", "fluid"."""
_IRREGULAR_COUNTS = {"people": 2, "diabetes": 4}


def reading_grade(text: str) -> float | None:
    """The Flesch-Kincaid grade level: 8.0 is read by most who have finished eight years of school.

    None for fewer than 30 words, where it says nothing, and for what is not English, for which it was not made.
    Below 0 for the simplest texts. Syllables are counted by rule, so that a grade is good to about half a year.

    Kincaid, Fishburne, Rogers and Chissom: Derivation of new readability formulas for Navy enlisted personnel,
    Research Branch Report 8-75, 1975.
    """
    words = _SPOKEN_WORD.findall(text)
    if len(words) < MIN_WORDS or detect_language(text) != "en":
        return None
    count = sum(1 for start, end in split_sentences(text) if _SPOKEN_WORD.search(text[start:end])) or 1
    return 0.39 * len(words) / count + 11.8 * sum(map(count_syllables, words)) / len(words) - 15.59


def count_syllables(word: str) -> int:
    """The syllables of an English word, by its letters; at least one. An abbreviation in capitals is spelled out."""
    if word.isupper() and 1 < len(word) <= 5:
        return sum(3 if letter == "W" else 1 for letter in word)
    return sum(
        _count_part_syllables(part)
        for part in word.lower().replace("’", "'").replace("-", "'").split("'")
        if part not in ("", "s", "t", "d", "m")
    )


def _count_part_syllables(part: str) -> int:
    if part in _IRREGULAR_COUNTS:
        return _IRREGULAR_COUNTS[part]
    spoken = _SILENT_ENDING.sub(lambda end: end.group()[:-2] if end.group()[-1] != "e" else end.group()[:-1], part)
    return max(1, len(_VOWELS.findall(spoken)) + len(_SEPARATE_VOWELS.findall(part)))
