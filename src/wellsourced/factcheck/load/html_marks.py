"""HTML → words in which links, raised numbers, notes, headings and lists can still be recognised."""

from functools import partial
from urllib.parse import urljoin

from wellsourced.lazy import lazy_regex
from wellsourced.readers.base import InMemoryFile
from wellsourced.readers.html_text import HtmlLine, HtmlText, element_words, prune_tree, raise_styled_text
from wellsourced.readers.html_tree import decode_page, parse_html_tree
from wellsourced.readers.xml_records import Element
from wellsourced.text.urls import escape_address

RAISED_NUMBERS = lazy_regex(r"\s*[\[(]?\s*(\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,20})\s*[\])]?\s*,?\s*")


def mark_html(held: InMemoryFile, charset: str = "") -> str:
    """The page's words as its reader has them, with `[words](address)` for links and "## " before headings.

    Raises UnreadableFile.
    """
    tree = parse_html_tree(held, decode_page(held, charset)[0])
    base = next(iter(tree.xpath("//base/@href") or tree.xpath("//link[@rel='canonical']/@href")), "")
    if not base and held.name.startswith(("http://", "https://")):
        base = held.name
    raise_styled_text(tree)
    prune_tree(tree)
    blocks = HtmlText(tree, partial(_LinkedLine, str(base))).blocks(tree)
    return "\n\n".join(f"{'#' * block.level} {block.text}".strip() for block in blocks)


class _LinkedLine(HtmlLine):
    """A line with the addresses of its links, which begin where `base` says."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self._base = base

    def write_element(self, element: Element) -> None:
        link = element if element.tag == "a" else element.find(".//a") if element.tag == "sup" else None
        words = "" if link is None else " ".join(element_words(element).split())
        target = "" if link is None or not words else self._find_target(link)
        numbers = RAISED_NUMBERS.fullmatch(words)
        # A link to a place on the same page, under a number, leads to its list of references.
        if link is not None and numbers and (element.tag == "sup" or target or link.get("href", "").startswith("#")):
            self.write(f"[{numbers[1]}]({target})" if target else f"[{numbers[1]}]")
        elif target and element.tag == "a":
            shown = words.replace("[", "(").replace("]", ")")
            self.write(target if words == target else f"[{shown}]({target})")
        else:
            super().write_element(element)

    def _find_target(self, link: Element) -> str:
        """The address that a link leads to; "" for a place on the same page and for what is no page."""
        written = link.get("href", "").strip()
        if not written or written.startswith("#"):
            return ""
        try:
            address = urljoin(self._base, written)
        except ValueError:
            address = written
        is_page = address.startswith(("http://", "https://", "ftp://", "file://"))
        return escape_address(address) if is_page else ""
