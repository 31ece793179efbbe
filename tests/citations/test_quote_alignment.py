import time

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from wellsourced.citations.quote_alignment import QuoteMatch, locate_quote

TEXT = "Aspirin 81 mg/day significantly reduced the risk of stroke (5% vs 8%) in 10² patients."


def found(quote: str, text: str) -> str:
    place = locate_quote(quote, text)
    assert place is not None
    return text[place.start : place.end]


def test_an_exact_quote_is_found_where_it_stands_first() -> None:
    assert locate_quote("risk", f"{TEXT} {TEXT}") == QuoteMatch(TEXT.index("risk"), TEXT.index("risk") + 4, "exact")


@each_row(
    ("quote", "text", "original"),
    [
        ("the risk of stroke", "lowered the  risk\n of stroke", "the  risk\n of stroke"),
        ("a long-term 2-4 mg dose", "as a long‐term 2–4 mg dose", "a long‐term 2–4 mg dose"),
        ('the patient\'s "pain"', "that the patient’s “pain” fell", "the patient’s “pain”"),
        ("treatment of pain", "the treat-\nment of pain", "treat-\nment of pain"),
        ("a well-known COX-2 drug", "a well-\nknown COX-\n2 drug", "a well-\nknown COX-\n2 drug"),
        ("efficacy of finasteride", "eﬃcacy of ﬁnasteride", "eﬃcacy of ﬁnasteride"),
        ("hydrochlorothiazide", "of hydro\u00adchloro\u00adthiazide.", "hydro\u00adchloro\u00adthiazide"),
        ("no effect", "has\ufeff no\u200b effect on", "no\u200b effect"),
        ("5 mg of naïve", "the 5\u00a0mg of nai\u0308ve", "5\u00a0mg of nai\u0308ve"),
        ("12 μg", "12 µg", "12 µg"),
        ("−5 mmHg", "by -5 mmHg", "-5 mmHg"),
    ],
)
def test_typography_may_differ_and_offsets_count_in_the_original(quote: str, text: str, original: str) -> None:
    assert locate_quote(quote, text) is not None
    assert locate_quote(quote, text).kind == "normalised"  # type: ignore[union-attr]
    assert found(quote, text) == original


@each_row(
    ("quote", "text"),
    [
        ("increased the risk", TEXT),
        ("aspirin 81 mg", TEXT),
        ("102 patients", TEXT),
        ("10 patients", TEXT),
        ("12 mg", "a dose of 1½ mg"),
        ("510 mg", "from 5\u00ad10 mg"),
        ("510 mg", "from 5-\n10 mg"),
        ("5 mg", "by −5 mg"),
        ("1000 mg", "1 000 mg"),
        ("m2", "m²"),
        ("5 mg twice", "2.5 mg twice"),
        ("reduced by 5", "reduced by 5.5 points"),
        ("reduced by 5", "reduced by 5% there"),
        ("significant", "an insignificant and non-significant result"),
        ("reduced the risk of stroke.", TEXT),
        ("", TEXT),
        ("\u00ad", TEXT),
    ],
)
def test_a_quote_that_differs_in_a_word_a_number_or_a_sign_is_not_found(quote: str, text: str) -> None:
    assert locate_quote(quote, text) is None


def test_a_quote_is_found_behind_a_place_where_it_would_cut_a_word() -> None:
    text = "An insignificant finding; a significant finding."
    assert found("significant finding", text) == "significant finding"
    assert locate_quote("significant finding", text).start == text.rindex("significant")  # type: ignore[union-attr]


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_words_that_stand_in_a_text_are_found_there(before: str, words: str, after: str) -> None:
    quote = words.strip()
    text = f"{before} {words} {after}"
    place = locate_quote(quote, text)
    if quote and not quote.startswith(("%", "-")):
        assert place is None or place.kind == "exact" or quote not in text or place.start <= text.index(quote)
        if quote[-1].isalpha() and quote[0].isalpha():
            assert place is not None


@given(st.text(alphabet="ab1-\u00ad\u200b \nﬁé\u0301²–’", max_size=40), st.text(alphabet="ab1- \nfié²'", max_size=6))
def test_what_is_found_has_the_letters_and_digits_of_the_quote(text: str, quote: str) -> None:
    place = locate_quote(quote, text)
    if place is not None:
        original = text[place.start : place.end]
        assert [c for c in original if c in "1²"] == [c for c in quote if c in "1²"]
        assert original.replace("ﬁ", "fi").count("a") == quote.count("a")


@each_row(
    ("quote", "text"),
    [
        ("a" * 50_000 + "b", "a" * 100_000),
        ("a b", "a-" + "\n" * 100_000),
        ("a b", "a\u0301" * 50_000),
        ("a" * 100, "a" * 99 + "b" + "a" * 100_000),
        ("a\u00adb", "- " * 50_000),
    ],
)
def test_hostile_text_does_not_hang(quote: str, text: str) -> None:
    started = time.process_time()
    locate_quote(quote, text)
    assert time.process_time() - started < 3
