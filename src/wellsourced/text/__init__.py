"""Text of any kind: tokens, sentences, passages, quotable spans, dates, typography, languages, rankings of texts.

No I/O. What knows medicine belongs in medicine/, what knows marks and references in citations/, what compares facts in
claims/."""
