"""Languages by the names that a model is told them by."""

import re

_NAME_LIST = """
ar Arabic, bg Bulgarian, bn Bengali, ca Catalan, cs Czech, da Danish, de German, el Greek, en English, es Spanish,
et Estonian, fa Persian, fi Finnish, fr French, he Hebrew, hi Hindi, hr Croatian, hu Hungarian, id Indonesian,
it Italian, ja Japanese, ko Korean, lt Lithuanian, lv Latvian, ms Malay, nb Norwegian Bokmål, nl Dutch, no Norwegian,
pl Polish, pt Portuguese, ro Romanian, ru Russian, sk Slovak, sl Slovenian, sq Albanian, sr Serbian, sv Swedish,
sw Swahili, ta Tamil, te Telugu, th Thai, tl Tagalog, tr Turkish, uk Ukrainian, ur Urdu, vi Vietnamese, zh Chinese
"""
_LANGUAGE_CODE = re.compile(r"[A-Za-z]{2,3}(?:-\w{2,8})?")
LANGUAGE_NAMES = dict(entry.split(" ", 1) for entry in _NAME_LIST.replace("\n", " ").strip().split(", "))
"""ISO 639-1 → the language's name in English."""


def language_name(code: str) -> str:
    """The language's name; one that has none here by its code; English where there is no code."""
    if not _LANGUAGE_CODE.fullmatch(code):
        return LANGUAGE_NAMES["en"]
    return LANGUAGE_NAMES.get(code[:2].lower(), f"the language with the code “{code}” (ISO 639)")
