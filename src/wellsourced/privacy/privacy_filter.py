"""The filter that words about people pass before they leave this machine, whichever module sends them.

    a prompt      pseudonyms, which are turned back in the reply         conceal
    a query       identifiers are left out of it                         clear_query, clear_words
    a reference   names stay, which are authors; all else is left out    clear_reference
    an address    is not asked for when it carries identifiers           check_address
    any field     of any request is looked at once more                  check_field

With `refuse` nothing of this is sent, with `allow` everything is, as it stands.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import parse_qsl, unquote, urlsplit
from weakref import WeakKeyDictionary

from wellsourced.deidentification import (
    Identifier,
    IdentifierKind,
    detect_explicit_identifiers,
    detect_identifiers,
)
from wellsourced.deidentification.identifiers import merge_overlaps
from wellsourced.errors import IdentifyingPrompt, NextStep, PersonalDataError
from wellsourced.events import Disclosure, Emit, ignore_event
from wellsourced.privacy import PhiPolicy
from wellsourced.privacy.pseudonyms import (
    NUMBER_KINDS,
    ConcealedTexts,
    conceal_texts,
    count_kinds,
    list_kinds,
)
from wellsourced.types import Query

PUBLIC_IN_REFERENCES: frozenset[IdentifierKind] = frozenset({"name", "url"})
"""Kinds that are let go in a reference that a text cites: its authors, and where it stands."""

MIN_KNOWN_LETTERS, MIN_NAME_LETTERS = 3, 4
"""Letters of what is known again although nothing announces it; of one word of a name."""

_PLACEHOLDER = re.compile(r"\[[A-Z]{2,8}(?: \d{1,5})?\]")
"""What `deidentification.mask_identifiers` or a pseudonym left in a text."""

_LABEL = re.compile(
    r"\b(?:Mrs?|Ms|Miss|Dr|Prof|MRN|NHS|DOB|SSN|born(?: on)?|named|called|phone|telephone|tel|mobile|fax|e-?mail"
    r"|address|record|number|no|lives at|living at)\b[\s.:#]*$",
    re.IGNORECASE,
)
"""A word that only announces an identifier: without it nobody searches for that."""

_AUTHOR_FIELD = re.compile(
    r"""(?:"[^"]*"|[\w'’.,-]+(?:\s+[\w'’.-]+){0,3})\s*\[\s*(?:\dau|f?au|lastau|author)[^\]]*\]"""
    r"""|(?:"[^"]*"|[\w'’,-]+(?:\s+[\w'’,-]+){0,3})\.au\.""",
    re.IGNORECASE,
)
"""A name in the field of authors, as PubMed ("Roe J[au]") and Ovid ("roe j.au.") write it."""

_DAY = r"\d{4}(?:[/-]\d{1,2}){0,2}"
_DATE_FIELD = re.compile(
    rf"{_DAY}(?:\s*\[[^\]]*\])?(?:\s*:\s*{_DAY})?\s*\[\s*(?:dp|pdat|edat|crdt|mhda|lr|date|publication)[^\]]*\]", re.I
)
"""Dates in a field of dates: "2015/01/01:2020/12/31[dp]"."""


def find_expression_identifiers(expression: str) -> list[Identifier]:
    """What in an expression may identify somebody; authors and dates of publication do not.

    What says that it is an identifier, and given names with a surname. The wider net of `detect_identifiers` held 21 of
    64 published strategies, whose eponyms and headings are nobody's. Offsets are those of the expression with authors
    and dates taken out.
    """
    from wellsourced.deidentification.person_names import find_given_names

    words = _DATE_FIELD.sub(" ", _AUTHOR_FIELD.sub(" ", expression))
    names = (one for one in find_given_names(words) if " " in words[one.start : one.end])
    return merge_overlaps((*detect_explicit_identifiers(words), *names))


_IGNORED_IN_PATHS: frozenset[IdentifierKind] = frozenset({"name", "date"})
"""Names and dates stand in the paths of articles every day."""

_KINDS_IN_TEXT: frozenset[IdentifierKind] = frozenset({"name", "address", "postcode"})
_NAME_FIELD = re.compile(r"(?i)(?:^|[_.-])(?:full|first|last|given|family|sur|fore|patient)?[_-]?name$")
_WORD_SEPARATOR = re.compile(r"[/_+;,~]|(?<=[a-zA-Z])-|-(?=[a-zA-Z])")
_MIN_TYPED_WORDS = 3
"""Words from which the value of a field is words that somebody typed, not a code."""


def find_url_identifiers(url: str) -> list[Identifier]:
    """What in an address may identify somebody; [] for what is no address.

    Numbers without a label are left alone: articles, trials and pages are known by such.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    path = _WORD_SEPARATOR.sub(" ", unquote(parts.path))
    found = [one for one in detect_explicit_identifiers(path) if one.kind not in _IGNORED_IN_PATHS]
    for name, value in parse_qsl(f"{parts.query}&{unquote(parts.fragment)}"):
        found += _find_in_field(name, value)
    return found


def _find_in_field(name: str, value: str) -> Iterator[Identifier]:
    yield from detect_explicit_identifiers(f"{_WORD_SEPARATOR.sub(' ', name)}: {value}")
    if _NAME_FIELD.search(name):
        yield from (one for one in detect_identifiers(f"Patient name: {value}") if one.kind == "name")
    elif len(value.split()) >= _MIN_TYPED_WORDS:
        yield from find_expression_identifiers(value)
        yield from (one for one in detect_identifiers(value) if one.kind in _KINDS_IN_TEXT)


class PrivacyFilter:
    """What is done with words before they leave this machine.

    phi      what becomes of identifiers
    show     whether what goes is told word for word, as it goes
    emit     hears of each host before the first words go to it; of all that goes where `show` is set
    scope    whose words are known again in what goes to a source: the account of a question, as a rule
    """

    def __init__(
        self,
        phi: PhiPolicy = "mask",
        *,
        show: bool = False,
        emit: Emit = ignore_event,
        scope: Callable[[], object | None] = lambda: None,
    ) -> None:
        self.phi, self.show = phi, show
        self._emit, self._scope = emit, scope
        self._disclosed_hosts: set[tuple[str, str]] = set()
        self._concealed_words: WeakKeyDictionary[object, set[str]] = WeakKeyDictionary()
        self._published_ids: set[str] = set()

    # --- models ------------------------------------------------------------------------------------------------------

    def conceal(self, texts: Sequence[str], avoid: str = "") -> ConcealedTexts:
        """Texts of one call as a model elsewhere may see them; see `pseudonyms.conceal`.

        Raises IdentifyingPrompt where identifiers are to be refused and there are some.
        """
        if self.phi == "allow":
            return ConcealedTexts(tuple(texts))
        concealed = conceal_texts(texts, avoid)
        if self.phi == "refuse" and concealed.pseudonyms.kinds:
            raise IdentifyingPrompt(
                f"Nothing was sent: the prompt may identify a person ({list_kinds(concealed.pseudonyms.kinds)}). "
                "Remove "
                "that, or set phi to mask.",
                next_step=NextStep("allow identifiers", "mask"),
            )
        if (scope := self._scope()) is not None:
            known = self._concealed_words.setdefault(scope, set())
            for pseudonym, words in concealed.pseudonyms.words.items():
                known.add(words)
                # Of a name each of its words is known again.
                if pseudonym.startswith("[NAME "):
                    known.update(re.findall(rf"[^\W\d_]{{{MIN_NAME_LETTERS},}}", words))
        return concealed

    def mark_published(self, *document_ids: str) -> None:
        """These documents were published: they come with wellsourced, or a live source gave them."""
        self._published_ids.update(document_ids)

    def is_public(self, document_id: str) -> bool:
        """Whether a document is known to be published, so that its words go as they are."""
        return document_id in self._published_ids

    # --- sources -----------------------------------------------------------------------------------------------------

    def clear_query(self, query: Query, to: str) -> Query:
        """The query without what identifies somebody.

        An expression is sent as it is written or not at all: it would mean something else. Raises PersonalDataError
        for such an expression, where identifiers are to be refused, and when nothing is left to ask for.
        """
        if self.phi == "allow":
            return query
        if query.kind == "boolean":
            found = find_expression_identifiers(query.text) or self._find_concealed_words(query.text)
            if found:
                raise PersonalDataError(
                    f"{to} was not asked: the expression may identify a person ({list_kinds(count_kinds(found))}). "
                    "Remove "
                    "that; expressions are never changed.",
                    next_step=NextStep("allow identifiers", "allow"),
                )
            return query
        terms = tuple(filter(None, (self.clear_words(term, to) for term in query.terms)))
        if not terms and any(query.terms):
            raise PersonalDataError(
                f"{to} was not asked: without words that may identify a person, the query is empty."
            )
        also = tuple(filter(None, (self.clear_words(term, to) for term in query.also)))
        if (terms, also) == (query.terms, query.also):
            return query
        return query.model_copy(update={"terms": terms, "also": also})

    def clear_words(self, words: str, to: str) -> str:
        """Words that a source is asked for, without identifiers.

        Raises PersonalDataError where they are to be refused.
        """
        if self.phi == "allow":
            return words
        return self._remove_identifiers(words, [*detect_identifiers(words), *self._find_concealed_words(words)], to)

    def clear_reference(self, words: str, to: str) -> str:
        """Words of a reference that a text cites; authors' names stay. Raises as `clear_words` does."""
        if self.phi == "allow":
            return words
        return self._remove_identifiers(
            words, [one for one in detect_explicit_identifiers(words) if one.kind not in PUBLIC_IN_REFERENCES], to
        )

    # --- requests ----------------------------------------------------------------------------------------------------

    def check_address(self, url: str) -> None:
        """Raises PersonalDataError for an address from data that carries identifiers: nobody is asked for it."""
        if self.phi == "allow":
            return
        if found := find_url_identifiers(url):
            raise PersonalDataError(
                f"the address was not opened: it may identify a person ({list_kinds(count_kinds(found))})",
                next_step=NextStep("allow identifiers", "allow"),
            )

    def check_field(self, value: str, to: str) -> None:
        """Raises PersonalDataError for a field of a request with a number or an e-mail address of a person.

        It stands behind all that was cleared before: who forgot that is stopped here. Names and dates are not looked
        for, since authors and years of publication are asked for on purpose.
        """
        if self.phi == "allow" or re.fullmatch(r"[\d,]*", value):
            return
        if found := [one for one in detect_explicit_identifiers(value) if one.kind in NUMBER_KINDS]:
            raise PersonalDataError(
                f"{to} was not asked: the request may identify a person ({list_kinds(count_kinds(found))}). Remove "
                "that.",
                next_step=NextStep("allow identifiers", "allow"),
            )

    # --- telling -----------------------------------------------------------------------------------------------------

    def disclose(self, host: str, to: str, words: str, concealed: str = "") -> None:
        """Tell that words are about to go to a host: the first time, and each time where all is to be shown.

        A name and a password before the host are told to nobody.
        """
        host = host.rpartition("@")[2]
        if self.show or (host, to) not in self._disclosed_hosts:
            self._disclosed_hosts.add((host, to))
            self._emit(Disclosure(host=host, to=to, concealed=concealed, words=words if self.show else ""))

    def _find_concealed_words(self, text: str) -> list[Identifier]:
        """Words that were concealed from a model for the same question: what it replied may repeat them."""
        if (scope := self._scope()) is None:
            return []
        known = [one for one in self._concealed_words.get(scope, ()) if len(one) >= MIN_KNOWN_LETTERS]
        if not known:
            return []
        said = "|".join(map(re.escape, sorted(known, key=lambda one: (-len(one), one))))
        return [Identifier("name", *one.span()) for one in re.finditer(rf"(?i)(?<!\w)(?:{said})(?!\w)", text)]

    def _remove_identifiers(self, words: str, found: Sequence[Identifier], to: str) -> str:
        if found and self.phi == "refuse":
            raise PersonalDataError(
                f"{to} was not asked: the query may identify a person ({list_kinds(count_kinds(found))}). Remove "
                "that, or "
                "set phi to mask.",
                next_step=NextStep("allow identifiers", "mask"),
            )
        beside = [Identifier("name", *one.span()) for one in _PLACEHOLDER.finditer(words)]
        return _cut_spans(words, [*found, *beside]) if found or beside else words


def _cut_spans(words: str, spans: Sequence[Identifier]) -> str:
    """The words without these spans, and without the labels that stood before them."""
    kept, end = [], 0
    for one in sorted(spans, key=lambda each: (each.start, -each.end)):
        if one.end > end:
            kept.append(_LABEL.sub("", words[end : max(one.start, end)]))
            end = one.end
    left = " ".join(" ".join((*kept, words[end:])).split())
    return re.sub(r"(?:\s*[,;:])+(?=\s*(?:[,;:?.!]|$))|\s+(?=[,;:?.!])", "", left).strip(" ,;:")
