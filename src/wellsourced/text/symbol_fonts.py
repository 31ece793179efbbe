"""What the glyphs of the fonts Symbol and Wingdings mean: their codes, and U+F020 to U+F0FF, as Unicode characters."""

from functools import lru_cache

from wellsourced.lazy import lazy_regex

_SYMBOL = dict(
    zip(
        (*range(0x20, 0x7F), *range(0xA0, 0xFF)),
        " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
        "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\ufffd〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
        strict=True,
    )
)
"""Adobe's encoding of Symbol (its public file symbol.txt); the sign of a company has no meaning."""

_WINGDINGS = dict(
    zip(
        b'"(*EFJLlmnoqrstuvwx\xa1\xa4\xa7\xa8\xab\xd8\xdf\xe0\xe1\xe2\xe8\xef\xf0\xfb\xfc\xfd\xfe\x9e\x9f',
        "✂☎✉☜☞☺☹●❍■□❑❒⬧⧫◆❖⬥⌧○◉▪◻★➢←→↑↓➔⇦⇨✘✔☒☑·•",
        strict=True,
    )
) | dict(zip(range(0x80, 0x96), "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿", strict=True))
"""What of Wingdings text is written with, by Unicode's own mapping."""

_FONT_NAME = lazy_regex(
    r"(?:[A-Z]{6}\+)?(?:(?P<symbol>Symbol(?:MT|PS)?)|(?P<wingdings>Wingdings))(?:-?Regular|,.*|-.*)?"
)
_STAND_IN = lazy_regex(r"(?:[A-Z]{6}\+)?(?:OpenSymbol|CIDFont\+F\d+|TT[0-9A-F]+t00|)")
"""Names under which programs print signs of either font, whichever it was."""

_RARE_IN_TEXT = frozenset(
    [*range(0xA7, 0xAB), 0xD8, *range(0xDF, 0xE3), 0xE6, 0xE8, *range(0xEF, 0xF1), *range(0xFB, 0xFF)]
)
"""Codes at which Symbol has suits of cards and parts of brackets: no text is written with them."""

OTHER_FORMS = "µ\u2126\u2206"
"""Letters of Symbol under their second names in Unicode."""


@lru_cache(maxsize=256)
def symbol_table(font: str) -> dict[int, str] | None:
    """Codes → characters of the font of this name ("ABCDEF+SymbolMT"); None for a font of letters."""
    match = _FONT_NAME.fullmatch(font)
    return match and (_SYMBOL if match["symbol"] else _WINGDINGS)


def symbol_character(font: str, character: str) -> str:
    """What a character set in a symbol font means: its code, plain or in private use; "" when nobody knows."""
    code, table = ord(character), symbol_table(font)
    is_private = 0xF020 <= code <= 0xF0FF
    code -= 0xF000 * is_private
    if table is None and is_private and _STAND_IN.fullmatch(font):
        table = _WINGDINGS if code in _RARE_IN_TEXT else _SYMBOL
    return (table or {}).get(code, "").replace("\ufffd", "")
