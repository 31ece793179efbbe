"""What is let out: pseudonyms that come back as they were, queries without identifiers, addresses that carry none."""

import pytest

from tests.tables import each_row
from wellsourced.errors import IdentifyingPrompt, PersonalDataError
from wellsourced.events import Disclosure, Event
from wellsourced.privacy.loopback import is_loopback
from wellsourced.privacy.privacy_filter import PrivacyFilter
from wellsourced.privacy.pseudonyms import conceal_texts
from wellsourced.types import Query

NOTE = "Mrs Okafor was seen on 12 March 2024. MRN 4482913."
QUESTION = "What helps Okafor? Her number is 4482913."


def query(text: str, kind: str = "text") -> Query:
    return Query.model_validate({"terms": (text,), "kind": kind})


# --- pseudonyms ------------------------------------------------------------------------------------------------------


def test_who_is_announced_in_one_text_is_concealed_in_all_and_comes_back_character_for_character() -> None:
    told = conceal_texts([NOTE, QUESTION])
    assert told.texts[1] == "What helps [NAME 1]? Her number is [RECORD 1]."
    assert not any(word in " ".join(told.texts) for word in ("Okafor", "4482913", "12 March"))
    assert tuple(map(told.pseudonyms.restore, told.texts)) == (NOTE, QUESTION)


def test_the_same_texts_have_the_same_pseudonyms_and_other_people_have_others() -> None:
    assert conceal_texts([NOTE, QUESTION]) == conceal_texts([NOTE, QUESTION])
    told = conceal_texts(["Mrs Okafor and Mrs Hansen met. Okafor left."])
    assert told.texts == ("Mrs [NAME 1] and Mrs [NAME 2] met. [NAME 1] left.",)


def test_brackets_that_stood_in_a_text_already_are_left_alone() -> None:
    told = conceal_texts(["[NAME 1] knows Mrs Okafor."], "elsewhere: [name 2]")
    assert told.texts == ("[NAME 1] knows Mrs [NAME 3].",)
    assert told.pseudonyms.restore("[NAME 1], [name 3], [NAME 9]") == "[NAME 1], Okafor, [NAME 9]"


def test_words_come_back_in_values_and_in_json_that_is_not_finished() -> None:
    pseudonyms = conceal_texts(['Patient: Mrs O"Hara-Okafor was seen. Mrs Okafor left.']).pseudonyms
    (first, *_) = pseudonyms.words
    assert pseudonyms.restore_value({"a": [f"{first}!", 3]}) == {"a": [f"{pseudonyms.words[first]}!", 3]}
    assert pseudonyms.restore_json(f'{{"text": "{first} sa').startswith('{"text": "')


def test_with_refuse_the_kinds_are_told_and_never_the_words() -> None:
    with pytest.raises(IdentifyingPrompt, match=r"date, name, record") as refused:
        PrivacyFilter("refuse").conceal([NOTE])
    assert "Okafor" not in str(refused.value)
    assert PrivacyFilter("refuse").conceal(["Gout hurts."]).texts == ("Gout hurts.",)
    assert PrivacyFilter("allow").conceal([NOTE]).texts == (NOTE,)


# --- queries ---------------------------------------------------------------------------------------------------------


@each_row(
    ("asked", "sent"),
    [
        ("Is colchicine safe for Mrs Okafor, MRN 4482913?", "Is colchicine safe for?"),
        ("Is colchicine safe for [NAME], phone [PHONE 2]?", "Is colchicine safe for?"),
        ("vitamin B12, folate: and St John's wort?", "vitamin B12, folate: and St John's wort?"),
    ],
)
def test_a_query_goes_without_what_identifies_somebody(asked: str, sent: str) -> None:
    assert PrivacyFilter().clear_query(query(asked), "pubmed").text == sent


def test_lesser_words_of_a_query_go_without_what_identifies_somebody_too() -> None:
    asked = Query(terms=("gout flare",), also=("colchicine for Mrs Okafor", "MRN 4482913", "podagra"))
    sent = PrivacyFilter().clear_query(asked, "pubmed")
    assert (sent.terms, sent.also) == (("gout flare",), ("colchicine for", "podagra"))
    with pytest.raises(PersonalDataError, match="set phi to mask"):
        PrivacyFilter("refuse").clear_query(asked, "pubmed")


@each_row(
    "expression",
    ["Smith John[au] AND 2015/01/01:2020/12/31[dp]", "smith john.au. and gout.ti.", "gout[mh] OR gout*[ti]"],
)
def test_an_expression_keeps_its_authors_and_dates_of_publication(expression: str) -> None:
    for phi in ("mask", "refuse"):
        assert PrivacyFilter(phi).clear_query(query(expression, "boolean"), "pubmed").text == expression


def test_an_expression_that_identifies_somebody_is_not_sent_at_all() -> None:
    with pytest.raises(PersonalDataError, match=r"pubmed was not asked.*expressions are never changed"):
        PrivacyFilter().clear_query(query('gout AND "Mrs Okafor"', "boolean"), "pubmed")


def test_nothing_but_an_identifier_is_nothing_to_ask_for() -> None:
    with pytest.raises(PersonalDataError, match="the query is empty"):
        PrivacyFilter().clear_query(query("Mrs Okafor"), "pubmed")


def test_a_name_that_a_model_was_not_shown_is_known_again_where_nothing_announces_it() -> None:
    question = PrivacyFilter  # any object that can be referred to weakly
    exit = PrivacyFilter(scope=lambda: question)
    exit.conceal([NOTE])
    assert exit.clear_query(query("gout okafor colchicine"), "pubmed").text == "gout colchicine"
    assert PrivacyFilter().clear_query(query("gout okafor colchicine"), "pubmed").text == "gout okafor colchicine"


def test_of_a_reference_the_authors_go_and_numbers_of_people_stay() -> None:
    cited = "Okafor John, Smith Anna. Letter on MRN 4482913, 14 Hollyhock Lane, a.smith@example.org. J Gout 2019;1:1-2."
    sent = PrivacyFilter().clear_reference(cited, "Crossref")
    assert sent.startswith("Okafor John, Smith Anna. Letter on")
    assert not any(word in sent for word in ("4482913", "Hollyhock", "@"))


# --- requests --------------------------------------------------------------------------------------------------------


@each_row(
    "url",
    [
        "https://example.org/2019/03/12/john-smith-on-gout",
        "https://example.org/10.1016/S0140-6736(05)66459-8?query=featured_home",
        "https://example.org/search?q=colchicine&date=2020-01-02#section-2",
    ],
)
def test_an_ordinary_address_is_asked_for(url: str) -> None:
    PrivacyFilter("refuse").check_address(url)


@each_row(
    "url",
    [
        "https://example.org/visit?patient=Ngozi+Okafor",
        "https://example.org/mrn-4482913-b/letter",
        "https://example.org/visit?dob=1948-03-12",
        "https://example.org/visit#mail=n.okafor@example.org",
    ],
)
def test_an_address_that_carries_identifiers_is_not(url: str) -> None:
    with pytest.raises(PersonalDataError, match="the address was not opened"):
        PrivacyFilter().check_address(url)
    PrivacyFilter("allow").check_address(url)


def test_behind_all_that_is_cleared_a_number_in_any_field_of_a_request_is_stopped() -> None:
    PrivacyFilter().check_field("31234567,31234568", "pubmed")
    PrivacyFilter().check_field("colchicine Okafor 2019", "crossref")
    with pytest.raises(PersonalDataError, match="crossref was not asked"):
        PrivacyFilter().check_field("letter, phone 555-010-4477", "crossref")


# --- telling ---------------------------------------------------------------------------------------------------------


def test_a_host_is_named_once_and_words_are_told_only_where_that_is_wished() -> None:
    told: list[Event] = []
    for show in (False, True):
        exit = PrivacyFilter(show=show, emit=told.append)
        exit.disclose("api.example.org", "openai:x", "gout")
        exit.disclose("api.example.org", "openai:x", "flares")
    assert [one.words for one in told if isinstance(one, Disclosure)] == ["", "gout", "flares"]


def test_a_password_before_a_host_is_told_to_nobody() -> None:
    told: list[Event] = []
    PrivacyFilter(show=True, emit=told.append).disclose("me:secret@api.example.org:8080", "pubmed", "gout")
    assert [one.host for one in told if isinstance(one, Disclosure)] == ["api.example.org:8080"]


@each_row("host", ["127.0.0.1", "127.1", "0x7f000001", "2130706433", "[::1]", "localhost", "::ffff:127.0.0.1"])
def test_this_machine_is_known_however_it_is_spelled(host: str) -> None:
    assert is_loopback(host)


@each_row("host", ["10.0.0.1", "128.1", "1.127", "localhost.example.org", "127.0.0.1.example.org", "[fe80::1]"])
def test_another_machine_is_not_this_one(host: str) -> None:
    assert not is_loopback(host)
