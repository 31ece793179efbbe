"""A line of words in the making: white space, entities that were escaped again, raised and lowered letters."""

import re
from html import unescape

from wellsourced.lazy import lazy_regex

_ESCAPED_ENTITY = lazy_regex(r"&(?:amp;)*(?:\#\d{1,7}|\#x[0-9a-f]{1,6}|[a-z]{2,31}\d{0,2});", re.IGNORECASE)
_ESCAPED_MARK = lazy_regex(r"</(?:sup|sub|i|b|em|strong|u)>", re.IGNORECASE)
_MARKED_SPAN = lazy_regex(r"<(sup|sub|i|b|em|strong|u)>([^<]*)</\1>", re.IGNORECASE)
_STRAY_MARK = lazy_regex(r"</?(?:sup|sub|i|b|em|strong|u)>", re.IGNORECASE)


def decode_entities(text: str) -> str:
    """The signs for entities and the words of markup that were escaped more than once: "p &lt; 0.05" is "p < 0.05"."""
    while text != (decoded := _ESCAPED_ENTITY.sub(lambda found: unescape(found[0]), text)):
        text = decoded
    return _read_marks(text) if _ESCAPED_MARK.search(text) else text


def _read_marks(text: str) -> str:
    line = InlineWords()
    before, *marked = _MARKED_SPAN.split(text)
    line.write(before)
    for name, inner, behind in zip(*[iter(marked)] * 3, strict=True):
        line.write_mark(name.lower(), inner)
        line.write(behind)
    return _STRAY_MARK.sub("", "".join(line.parts))


def collapse_whitespace(text: str) -> str:
    """The same words with single spaces between them and none around them."""
    # Half of what records have is a word or a number.
    if text.isalnum():
        return text
    text = decode_entities(text) if "&" in text or ("<" in text and "</" in text) else text
    if "  " in text or "\n" in text or "\t" in text or "\r" in text:
        text = re.sub(r"[ \t\n\r]+", " ", text)
    text = text.strip(" ")
    return text.replace("\x00", "") if "\x00" in text else text


class InlineWords:
    """Running text in the making. Raised marks and numbers are kept apart from the word or number before them.

    "in 2009<sup><xref>3</xref></sup>" reads "in 2009[3]", "10<sup>5</sup>" reads "10^5", "CO<sub>2</sub>" reads "CO2".
    """

    def __init__(self) -> None:
        self.parts: list[str] = []

    def text(self) -> str:
        return collapse_whitespace("".join(self.parts))

    def write(self, text: str | None) -> None:
        if text:
            self.parts.append(text)

    def write_mark(self, name: str, words: str) -> None:
        """Words in an element of this name, with nothing but words in it."""
        if name in ("sup", "sub"):
            self._write_mark(name, words, is_note=False)
        else:
            self.write(words)

    def _write_mark(self, name: str, inner: str, is_note: bool) -> None:
        before, core = "".join(self.parts[-6:])[-8:], inner.strip()
        if name == "sub":
            self.write(f"_{inner}" if before[-1:].isdigit() and core[:1].isdigit() else inner)
        elif name == "xref" and not is_note:
            # A printed number would run into the word or number before it.
            runs_together = re.fullmatch(r"[0-9][0-9,–-]*", inner) and before[-1:].isalnum()
            self.write(f"[{inner}]" if runs_together else inner)
        else:
            self.write(inner.replace(core, superscript_text(before, core, is_note), 1) if core else inner)


def superscript_text(before: str, core: str, is_note: bool) -> str:
    """A superscript on the line. Behind a number or a short unit, digits are a power; behind a word, a note."""
    if is_note:
        alone = before[-1:] in ("[", "(") or core[0] in "[(" or not any(character.isalnum() for character in core)
        return core if alone else f"[{core}]"
    if not before.strip() or before[-1].isspace() or before[-1] in "([":
        return core
    if re.fullmatch(r"[−–-]\s?[0-9]+(\.[0-9]+)?", core):
        return f"^{core}"
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", core) and re.search(r"([0-9]|(?<![^\W\d_])[^\W\d_]{1,3})$", before):
        return f"^{core}"
    if re.fullmatch(r"[0-9][0-9,–\s-]*|[a-z]", core):
        return f"[{core}]"
    # Whatever it is ("1/2", "2+"), its digits must not become part of the number before it.
    return f"^{core}" if core[0].isdigit() and before[-1].isdigit() else core
