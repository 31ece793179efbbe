"""HTML → words in which links, raised numbers, notes, headings and lists can still be recognised."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

from wellsourced.readers.base import InMemoryFile
from wellsourced.readers.html_tree import decode_page, parse_html_tree
from wellsourced.text.urls import escape_address

Element = Any
"""lxml's."""

HIDDEN_TAGS = frozenset(
    {"script", "style", "noscript", "template", "nav", "form", "button", "svg", "iframe", "head", "select", "textarea"}
)
_BLOCK_TAG_NAMES = """
    p div section article main header footer aside h1 h2 h3 h4 h5 h6 ul ol li table tr blockquote pre dl dt dd figure
    figcaption hr body details summary
"""
BLOCK_TAGS = frozenset(_BLOCK_TAG_NAMES.split())
RAISED_NUMBERS = re.compile(r"\s*[\[(]?\s*(\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,20})\s*[\])]?\s*,?\s*")
UNIT_BEFORE_POWER = re.compile(r"(?:^|[\s/·×(\d])(?:k|c|m|d|µ|n)?(?:m|s|L|g)$|\d$|(?:^|\W)[A-Za-z]$")
HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def mark_html(held: InMemoryFile, charset: str = "") -> str:
    """The page's words, a line for each block: `[words](address)` for links, `[3]` for raised numbers, "## " and "- ".

    What surrounds the main part (menus, forms, heads and feet of a site) is left out where the page says what is what.
    Raises UnreadableFile.
    """
    tree = parse_html_tree(held, decode_page(held, charset))
    base = next(iter(tree.xpath("//base/@href") or tree.xpath("//link[@rel='canonical']/@href")), "")
    if not base and held.name.startswith(("http://", "https://")):
        base = held.name
    mains = tree.xpath("//main | //article | //*[@role='main']")
    # Several articles on a page are teasers or a list: then all of it is read.
    body = mains[0] if len(mains) == 1 else tree.find(".//body")
    written = _MarkedText(str(base))
    written.walk(tree if body is None else body)
    return written.text()


class _MarkedText:
    """The text in the making. Trees are walked with a stack of their own: a page may nest more deeply than Python."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.parts: list[str] = []
        self.item_counts: dict[Element, int] = {}

    def text(self) -> str:
        """Lines without the white space of the source."""
        lines = [line.strip() for line in re.sub(r"[ \t\xa0]+", " ", "".join(self.parts)).split("\n")]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()

    def walk(self, root: Element) -> None:
        """Write an element and all that is in it."""
        stack: list[Element | str] = [root]
        while stack:
            one = stack.pop()
            if isinstance(one, str):
                self.parts.append(one)
            else:
                stack += reversed(list(self._expand_element(one)))

    def _expand_element(self, element: Element) -> Iterator[Element | str]:
        tag = element.tag if isinstance(element.tag, str) else ""
        if not tag or tag in HIDDEN_TAGS or element.get("hidden") is not None:
            return
        if HIDDEN_STYLE.search(element.get("style", "")):
            return
        # Those of the site; inside an article they are the article's own.
        if tag in ("header", "footer", "aside") and not list(element.iterancestors("article", "main")):
            return
        if tag == "br":
            yield "\n"
        elif tag in ("sup", "a") and (mark := self._mark_raised(element) if tag == "sup" else self._mark_link(element)):
            yield mark
        else:
            before, after = self._surround_element(element, tag)
            yield before
            yield _flatten_space(element.text, tag)
            for child in element:
                yield child
                yield _flatten_space(child.tail, tag)
            yield after

    def _mark_raised(self, element: Element) -> str:
        """What is raised, as a mark when it may be one; "" for a raised link that is none, such as "see above"."""
        words = " ".join("".join(element.itertext()).split())
        numbers, link = RAISED_NUMBERS.fullmatch(words), element.find(".//a")
        if not numbers:
            return "" if link is not None else f"^{words}" if len(words) < 4 else words
        # Powers are raised as well, and never linked.
        if link is None and UNIT_BEFORE_POWER.search("".join(self.parts[-3:])[-12:]):
            return f"^{words}"
        target = "" if link is None else self._link_target(link)
        return f"[{numbers[1]}]({target})" if target else f"[{numbers[1]}]"

    def _mark_link(self, element: Element) -> str:
        """A link to another page, or to an entry of the list of this one; "" for any other."""
        words = " ".join("".join(element.itertext()).split())
        target, numbers = self._link_target(element), RAISED_NUMBERS.fullmatch(words)
        if not target:
            # A link to a place on the same page, under a number, leads to its list of references.
            return f"[{numbers[1]}]" if numbers and element.get("href", "").startswith("#") else ""
        shown = words.replace("[", "(").replace("]", ")")
        return target if words == target else f"[{shown}]({target})" if words else ""

    def _link_target(self, link: Element) -> str:
        """The address that a link leads to; "" for a place on the same page and for what is no page."""
        written = link.get("href", "").strip()
        if not written or written.startswith("#"):
            return ""
        try:
            address = urljoin(self.base, written)
        except ValueError:
            address = written
        if not address.startswith(("http://", "https://", "ftp://", "file://")):
            return ""
        return escape_address(address)

    def _surround_element(self, element: Element, tag: str) -> tuple[str, str]:
        if re.fullmatch(r"h[1-6]", tag):
            return "\n\n" + "#" * int(tag[1]) + " ", "\n\n"
        if tag == "li":
            return f"\n{self._item_marker(element)} ", "\n"
        if tag in ("td", "th"):
            return (" | " if element.getprevious() is not None else ""), ""
        if tag == "tr":
            return "\n", "\n"
        parent = element.getparent()
        is_alone = parent is not None and not (element.tail or "").strip() and not (parent.text or "").strip()
        if tag in ("strong", "b") and is_alone:
            return "**", "**"
        inside_item = tag in ("p", "div") and parent is not None and parent.tag in ("li", "td", "th")
        return ("", " ") if inside_item else ("\n\n", "\n\n") if tag in BLOCK_TAGS else ("", "")

    def _item_marker(self, item: Element) -> str:
        parent = item.getparent()
        if parent is None or parent.tag != "ol":
            return "-"
        if item.get("value", "").isdecimal():
            return f"{int(item.get('value'))}."
        first = parent.get("start", "1")
        # Kept with each list: to count the items before this one would take the square of their number.
        count = self.item_counts.get(parent, int(first) if first.isdecimal() else 1)
        self.item_counts[parent] = count + 1
        return f"{count}."


def _flatten_space(words: str | None, tag: str) -> str:
    if not words:
        return ""
    return words if tag == "pre" else re.sub(r"\s+", " ", words)
