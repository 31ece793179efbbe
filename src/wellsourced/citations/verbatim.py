"""Whether a claim is a text's own sentences, whole."""

from wellsourced.citations.quote_alignment import locate_quote
from wellsourced.text.sentences import split_sentences


def is_verbatim(claim: str, text: str) -> bool:
    """Whether the claim is one or more whole sentences of the text, typography apart."""
    found = locate_quote(claim, text)
    if found is None:
        return False
    spans = split_sentences(text)
    ends = (span.end for span in spans if span.end >= found.end)
    return found.start in {span.start for span in spans} and text[found.end : next(ends, None)] in ("", ".")
