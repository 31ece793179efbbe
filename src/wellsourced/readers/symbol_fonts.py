"""The characters of fonts that draw signs where others have letters: Symbol, Wingdings and their kin, as Unicode."""

from collections.abc import Mapping

from wellsourced.lazy import lazy_regex

_PRIVATE_USE = lazy_regex("[\ue000-\uf8ff]")

UNKNOWN_SIGN = "\ufffd"
"""What stands in a text for a sign that has no Unicode here; whoever writes it tells it as an UnreadablePart."""

_SYMBOL_LOW = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
_SYMBOL_HIGH = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\ufffd⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
_WINGDINGS_LOW = (
    " ✏✂✁👓🔔📖🕯☎✆✉📧📪📫📬📭📁📂📄📃📑🗄⌛⌨🖰🖲💻🖴💾💾✇✍✍✌👌👍👎☜☞☝☟✋☺😐☹💣☠⚐⚐✈☼💧❄✝✞✝✠✡☪☯ॐ☸"
    "♈♉♊♋♌♍♎♏♐♑♒♓&&●○■□□❑❒⬧⧫◆❖⬥⌧⍓⌘❀✿“”"
)
_WINGDINGS_HIGH = (
    "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿❦❦❦❦❧❧❧❧·•⬝○◎◎⊙⊙○▪☐▴✦★✶✴✹✵⌖⌖⟡⌑\ufffd✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘🕙🕚🕛"
    "↲↳↰↱↶↷↺↻↵↴⤶⤷⤴⤵↩↪↫↬⌫⌦⮘➢⮙⮛➲➲➲➲←→↑↓↖↗↙↘⬅➔⬆⬇⬉⬈⬋⬊⇦⇨⇧⇩⬄⇳⬀⬁⬃⬂▫▫✗✓☒☑\ufffd"
)

_SIGNS: Mapping[str, Mapping[int, str]] = {
    "symbol": dict(enumerate(_SYMBOL_LOW, 0x20)) | dict(enumerate(_SYMBOL_HIGH, 0xA0)),
    "wingdings": dict(enumerate(_WINGDINGS_LOW, 0x20)) | dict(enumerate(_WINGDINGS_HIGH, 0x80)),
    "wingdings 2": {0x20: " ", 0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0xA3: "☐"},
    "wingdings 3": {0x20: " ", 0x66: "←", 0x67: "→", 0x68: "↑", 0x69: "↓", 0x70: "▲", 0x71: "▼", 0x75: "▶", 0x7D: "▶"},
    "webdings": {0x20: " ", 0x61: "✓", 0x63: "□", 0x67: "■", 0x72: "✗"},
}


SYMBOL_FONT_NAMES = (b"Symbol", b"ingdings", b"ebdings")
"""What a file names that uses such a font."""


def is_symbol_font(font: str) -> bool:
    """Whether the letters of a font are signs: then what the text says is not what the page shows."""
    return font.lower() in _SIGNS


def decode_signs(text: str, font: str = "") -> str:
    """The text as a page shows it in this font; UNKNOWN_SIGN for a sign without Unicode, and for private use.

    A font of signs is reached by its own codes ("m" is μ in Symbol), or, as Word does it, by U+F000 and more.
    """
    signs = _SIGNS.get(font.lower()) if font else None
    if signs is None and (text.isascii() or not _PRIVATE_USE.search(text)):
        return text
    return "".join(_decode_sign(letter, signs) for letter in text)


def _decode_sign(letter: str, signs: Mapping[int, str] | None) -> str:
    code = ord(letter)
    if signs is not None and (code <= 0xFF or 0xF000 <= code <= 0xF0FF):
        return signs.get(code & 0xFF, UNKNOWN_SIGN)
    return UNKNOWN_SIGN if 0xE000 <= code <= 0xF8FF else letter
