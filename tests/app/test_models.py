"""The whole program with a language model: the command, its real client, a provider on loopback that reads."""

import asyncio
import json
import os
import pty
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import Result

from tests.app.conftest import Run
from tests.forked import ForkedCommand, run_forked
from tests.servers.base import Served, serving
from tests.servers.eutils import Eutils, article
from tests.servers.models import Ollama
from tests.servers.models.thinking import (
    DENIAL,
    PREFACE,
    Thinking,
    Twist,
    contradicting,
    denying,
    false,
    form_of,
    indifferent,
    lying,
    paraphrasing,
    saying,
    speaking,
    wording_of,
)
from tests.tables import each_row
from tests.worlds import build_once
from wellsourced import config
from wellsourced.api import stream
from wellsourced.events import AnswerChecked, AnswerCompleted, AnswerDrafted, DraftProgress, Event
from wellsourced.models.base import FENCE_RULE
from wellsourced.orders.explanation import Explanation
from wellsourced.pipeline.written_answer import NO_MEMORY_ANSWER_REASON
from wellsourced.text.languages import reading_grade
from wellsourced.types import Answer, Statement

pydantic_ai_models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")

KEY = "sk-proj-51/Very+Secret"
QUESTION = "What is first-line therapy for heart failure with reduced ejection fraction?"
GERMAN = "Womit wird eine Herzinsuffizienz mit verminderter Auswurffraktion zuerst behandelt?"
BESIDE = "Who won the football world cup in 1954?"

PRESETS = [one.name for one in config.list_presets() if not one.command and one.name != "omni-spo"]
"""Those that need no planner that somebody has trained."""
ALONE = {"chat", "cot"}
DEPTHS = {"default": 4, "lins": 5, "clinfo": 4}
"""Calls that may wait for each other, at most."""

WRITING = {"AnswerDraft", "Draft", "MergedDraft", "RecommendationDraft", "PlainDraft", "MemoryDraft"}
"""The forms in which answers are written."""

PATIENT = """\
Margarethe Quittenbaum, born 12 March 1950, MRN 4482913, phone 555-010-4477, lives at 14 Hollyhock Lane, Wickford.
74-year-old woman, retired lighthouse keeper, with chronic heart failure and an ejection fraction of 30%.
"""
IDENTIFYING = ("Margarethe", "Quittenbaum", "4482913", "555-010-4477", "Hollyhock", "12 March 1950")
PRIVATE = (*IDENTIFYING, "lighthouse", "ejection fraction of 30%")

Typed = Callable[..., Result]


@pytest.fixture(autouse=True)
def real_requests() -> Iterator[None]:
    """A model of pydantic-ai may be asked: its address is on loopback."""
    with pydantic_ai_models.override_allow_model_requests(True):
        yield


@pytest.fixture(scope="module")
def by_word(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the guidelines, which can be searched by word: in two seconds, where vectors take a minute."""

    async def first_use(here: Path) -> None:
        async with config.open_context(config.load({"home": str(here), "encoder": "none"})):
            pass

    return build_once(tmp_path_factory, "guidelines-by-word", lambda here: asyncio.run(first_use(here)))


@pytest.fixture(autouse=True)
def shelf(home: Path, by_word: Path) -> Path:
    """This test's own home, with the guidelines in it."""
    shutil.copytree(by_word, home)
    return home


def model_at(url: str, key: str = KEY, cache: str = "false") -> tuple[str, ...]:
    """Options that name the model behind this address, which is asked whatever another one of its name replied."""
    settings = {"compatible.url": f"{url}/v1", "compatible.key": key, "models.cache": cache}
    return ("--model", "compatible:sim", *(word for name in settings for word in ("--set", f"{name}={settings[name]}")))


def elsewhere(served: Served) -> str:
    """The server by another spelling of its address, in which nobody recognises this machine."""
    return served.url.replace("127.0.0.1", "127.1")


@pytest.fixture
def typed(run: Run) -> Typed:
    """Type a command with that model; whatever is printed, the key is not in it."""

    def type_in(thinking: Thinking, *words: str, stdin: str | None = None) -> Result:
        with serving(thinking) as served:
            told = run(*model_at(served.url), *words, stdin=stdin)
        assert KEY not in told.output
        return told

    return type_in


def thinking(*twists: Twist, seconds: float = 0.0) -> Thinking:
    """A provider that wants its key."""
    return Thinking(*twists, seconds=seconds, key=KEY)


def answer_in(told: Result) -> Answer:
    """The answer that was printed as JSON, which is one."""
    assert told.exception is None or isinstance(told.exception, SystemExit), told.exception
    return Answer.model_validate_json(told.stdout)


OPENED: dict[str, str] = {}
"""The texts of guidelines by their ids: the same in all homes of this module, and opened once."""


def misquoted(answer: Answer, run: Run) -> list[str]:
    """Quotes that do not stand in their document where the citation says."""
    wrong = []
    for citation in (one for statement in answer.statements for one in statement.citations):
        id = citation.passage_id.rpartition("#")[0]
        if id not in OPENED:
            OPENED[id] = run("open", "--all", "--source", "guidelines", id).stdout
        if OPENED[id][citation.start : citation.end] != citation.quote:
            wrong.append(citation.quote)
    return wrong


def texts(statements: tuple[Statement, ...]) -> list[str]:
    return [statement.text for statement in statements]


# --- presets -------------------------------------------------------------------------------------------------------


def find_heart_failure(run: Run) -> str:
    """The id of a guideline that answers the question."""
    found = json.loads(run("search", "--source", "guidelines", QUESTION, "--json").stdout)
    return str(next(hit["reference"]["id"] for hit in found["passages"] if "Heart" in hit["reference"]["title"]))


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_answers_in_the_models_sentences_with_the_sources_words_or_says_that_there_are_none(
    typed: Typed, run: Run, preset: str
) -> None:
    model = thinking(paraphrasing)
    given = ("--given", find_heart_failure(run)) if preset == "oracle" else ()
    told = typed(model, "--set", "live=", "--preset", preset, "ask", "--json", *given, QUESTION)
    assert told.exit_code == 0, told.output
    answer = answer_in(told)
    assert answer.statements
    assert answer.tldr or preset in ALONE
    assert WRITING & {*model.forms}
    assert answer.spent.calls == len(model.bodies)
    assert answer.spent.depth <= DEPTHS.get(preset, answer.spent.depth)
    if preset in ALONE:
        assert answer.basis == "parametric"
        assert {one.verdict.label for one in answer.statements} == {"unjudged"}
        assert not any(one.citations for one in answer.statements)
    else:
        assert answer.basis == "evidence"
        assert all(one.text.startswith(PREFACE) for one in answer.statements)
        assert all(one.citations for one in answer.statements)
        assert misquoted(answer, run) == []


@pytest.mark.slow
def test_the_default_with_everything_searched_by_meaning_too_answers_in_the_models_sentences(
    typed: Typed, run: Run, home: Path, guidelines: Path
) -> None:
    shutil.rmtree(home)
    shutil.copytree(guidelines, home)
    told = typed(thinking(paraphrasing), "--set", "encoder=minilm", "ask", "--json", QUESTION)
    answer = answer_in(told)
    assert answer.statements
    assert all(one.text.startswith(PREFACE) for one in answer.statements)
    assert misquoted(answer, run) == []


@pytest.mark.parametrize("preset", sorted(ALONE))
def test_what_a_model_says_from_memory_is_marked_on_every_page(typed: Typed, preset: str) -> None:
    shown = typed(thinking(), "--preset", preset, "ask", QUESTION).stdout
    assert "From the language model alone: it read no source" in " ".join(shown.split())
    assert shown.count("[no source]") >= 1


@pytest.mark.parametrize(
    "preset", ["default", "rag", "briefcontext", "clinfo", "lins", "omni-prompting", "chat", "cot"]
)
def test_of_options_one_is_chosen(typed: Typed, preset: str) -> None:
    options = ("--option", "A=a beta-blocker", "--option", "B=aspirin")
    told = typed(thinking(), "--set", "live=", "--preset", preset, "ask", "--json", *options, QUESTION)
    assert answer_in(told).choice == "A"
    assert told.exit_code == 0


def test_a_choice_that_is_no_option_is_none_and_said_so(typed: Typed) -> None:
    options = ("--option", "A=a beta-blocker", "--option", "B=aspirin")
    answer = answer_in(typed(thinking(saying(choice="E")), "ask", "--json", *options, QUESTION))
    assert answer.choice == ""
    assert any("chose no option" in note for note in answer.notes)


# --- what stands, and what does not --------------------------------------------------------------------------------

UNCONTROLLED = ("--set", "check.controls=false")
"""This model says the same of every claim: its own check would find that out, and nothing of it would count."""


def test_a_sentence_that_is_not_the_sources_own_is_put_to_the_model_and_tells_whose_word_it_stands_by(
    typed: Typed,
) -> None:
    model = thinking(paraphrasing)
    answer = answer_in(typed(model, *UNCONTROLLED, "ask", "--json", QUESTION))
    assert model.forms.count("ConsistencyReply") == 1
    assert all(one.verdict.reason.startswith("the model: ") for one in answer.statements)


def test_sentences_in_the_sources_own_words_are_put_to_nobody(typed: Typed) -> None:
    model = thinking()
    answer = answer_in(typed(model, "ask", "--json", QUESTION))
    assert "ConsistencyReply" not in model.forms
    assert {one.verdict.reason for one in answer.statements} == {"the source's own words"}


def test_a_lie_is_dropped_and_counted_and_that_the_short_answer_went_with_it_is_told(typed: Typed) -> None:
    honest = answer_in(typed(thinking(), "ask", "--json", QUESTION))
    told = typed(thinking(lying(0)), "ask", "--json", QUESTION)
    answer, lie = answer_in(told), false(honest.statements[0].text)
    assert lie not in texts(answer.statements)
    assert lie in [one.text for one in answer.dropped if one.what == "statement"]
    assert texts(answer.statements) == texts(honest.statements[1:])
    assert answer.tldr == ""
    assert [one.text for one in answer.lost_leads] == [lie]


def test_the_page_of_an_answer_whose_leading_sentence_was_a_lie_counts_it_and_has_a_short_answer_all_the_same(
    typed: Typed,
) -> None:
    shown = typed(thinking(lying(0)), "ask", "--receipt", QUESTION).stdout
    assert re.search("1 (?:contradicted|not supported|not verified), 1 dropped", " ".join(shown.split()))
    brief = typed(thinking(lying(0)), "ask", QUESTION).stdout
    assert "; 1 statement dropped by the check; " in " ".join(brief.split())
    assert "In short\n\n" not in shown


@pytest.mark.parametrize(
    "preset",
    [
        *("default", "lins", "lins-ebm"),
        *(pytest.param(one, marks=pytest.mark.nightly) for one in ("clinfo", "rag", "briefcontext", "omni-original")),
    ],
)
def test_of_a_model_that_only_lies_nothing_is_said_and_the_sources_speak_for_themselves(
    typed: Typed, run: Run, preset: str
) -> None:
    honest = typed(thinking(), "--set", "live=", "--preset", preset, "ask", "--json", QUESTION)
    lies = {false(text) for text in texts(answer_in(honest).statements)}
    words = ("--set", "live=", "--preset", preset, "--set", "check.conflicts=drop")
    answer = answer_in(typed(thinking(lying()), *words, "ask", "--json", QUESTION))
    assert not lies & {*texts(answer.statements)}
    assert lies & {one.text for one in answer.dropped}
    assert answer.statements
    assert {one.verdict.reason for one in answer.statements} == {"the source's own words"}
    assert misquoted(answer, run) == []
    assert any("nothing that compatible:sim wrote passed its check" in note for note in answer.notes)


@pytest.mark.parametrize(
    "preset", ["default", *(pytest.param(one, marks=pytest.mark.nightly) for one in ("lins", "rag"))]
)
def test_that_there_is_no_evidence_is_not_said_of_what_a_source_says(typed: Typed, preset: str) -> None:
    told = typed(thinking(denying), "--set", "live=", "--preset", preset, "ask", "--json", QUESTION)
    stands = [one for one in answer_in(told).statements if one.verdict.label != "contradicts"]
    assert not [one.text for one in stands if one.text.startswith(DENIAL)]


def test_a_lie_from_a_published_preset_that_shows_contradictions_is_never_shown_as_if_it_stood(typed: Typed) -> None:
    told = typed(thinking(lying()), "--set", "live=", "--preset", "lins", "ask", "--json", QUESTION)
    honest = answer_in(typed(thinking(), "--set", "live=", "--preset", "lins", "ask", "--json", QUESTION))
    lies = {false(text) for text in texts(honest.statements)}
    shown = [one for one in answer_in(told).statements if one.text in lies]
    assert {one.verdict.label for one in shown} <= {"contradicts"}


def test_what_its_passages_contradict_is_written_anew_or_dropped(typed: Typed) -> None:
    model = thinking(paraphrasing, contradicting)
    answer = answer_in(typed(model, *UNCONTROLLED, "--set", "check.repair=false", "ask", "--json", QUESTION))
    assert not any(one.text.startswith(PREFACE) for one in answer.statements)
    assert any("contradicts it" in one.reason for one in answer.dropped)


def test_what_its_passages_contradict_is_shown_as_that_where_the_user_wants_it(typed: Typed) -> None:
    settings = (*UNCONTROLLED, "--set", "check.repair=false", "--set", "check.conflicts=show")
    told = typed(thinking(paraphrasing, contradicting), *settings, "ask", "--json", QUESTION)
    assert {one.verdict.label for one in answer_in(told).statements} == {"contradicts"}
    shown = typed(thinking(paraphrasing, contradicting), *settings, "ask", QUESTION).stdout
    assert "(contradicted: " in " ".join(shown.split())


# --- languages -----------------------------------------------------------------------------------------------------


def test_a_german_question_is_searched_for_in_english_and_answered_in_german_with_english_quotes(
    typed: Typed, run: Run
) -> None:
    model = thinking(speaking("de", "Die Leitlinie sagt:", QUESTION))
    answer = answer_in(typed(model, "ask", "--json", GERMAN))
    assert (answer.question.asked, answer.question.text, answer.question.language) == (GERMAN, QUESTION, "de")
    assert answer.statements
    assert all(one.text.startswith("Die Leitlinie sagt: ") for one in answer.statements)
    assert misquoted(answer, run) == []
    (draft,) = (body for body in model.bodies if form_of(body) == "AnswerDraft")
    assert "Write in German." in wording_of(draft).instruction
    assert all(attempt.search.query.text != GERMAN for attempt in answer.attempts)


def test_a_number_that_is_wrong_is_wrong_in_german_too(typed: Typed) -> None:
    lie = speaking("de", "Bei 7777 Kranken:", QUESTION)
    answer = answer_in(typed(thinking(lie), "ask", "--json", GERMAN))
    assert "7777" not in " ".join(texts(answer.statements))


# --- a patient's text ----------------------------------------------------------------------------------------------


@pytest.fixture
def patient(tmp_path: Path) -> str:
    path = tmp_path / "patient.txt"
    path.write_text(PATIENT, encoding="utf-8")
    return str(path)


def judge_document(text: str, words: tuple[str, ...]) -> list[str]:
    return [word for word in words if word.casefold() in text.casefold()]


@pytest.mark.parametrize(
    ("command", "allowed"),
    [
        *(("ask", allowed) for allowed in ("", "local", "ollama", "openai:gpt-5")),
        *(pytest.param("recommend", allowed, marks=pytest.mark.nightly) for allowed in ("", "local", "openai:gpt-5")),
    ],
)
def test_a_model_elsewhere_that_was_not_allowed_never_hears_of_the_patient(
    run: Run, patient: str, command: str, allowed: str
) -> None:
    model = thinking()
    with serving(model) as served:
        words = ("--set", f"patient_to={allowed}", command, "--json", "--patient", patient, QUESTION)
        answer = answer_in(run(*model_at(elsewhere(served)), *words))
    assert model.bodies
    assert judge_document(model.heard, PRIVATE) == []
    assert judge_document(answer.model_dump_json(), PRIVATE) == []


def test_a_model_of_this_machine_is_not_shown_the_patient_where_nobody_may_see_it(typed: Typed, patient: str) -> None:
    model = thinking()
    told = typed(model, "--set", "patient_to=", "ask", "--json", "--patient", patient, QUESTION)
    assert judge_document(model.heard, PRIVATE) == []
    assert answer_in(told).statements


def test_no_search_engine_ever_hears_of_the_patient(run: Run, patient: str) -> None:
    trial = article("31000001", "First-line therapy of heart failure", [("RESULTS", "Beta-blockers are first-line.")])
    model = thinking(saying(population=PATIENT, question=PATIENT))
    with serving(model) as served, serving(Eutils({"pubmed": (trial,)}, pace=0)) as pubmed:
        live = ("--set", f"pubmed.url={pubmed.url}/entrez/eutils/", "--set", "patient_to=all")
        words = ("recommend", "--live", "pubmed", "--json", "--patient", patient, QUESTION)
        answer = answer_in(run(*model_at(served.url), *live, "--set", "guidelines=false", *words))
    assert pubmed.asked
    sent = " ".join(str(asked.fields) for asked in pubmed.asked)
    assert judge_document(sent, IDENTIFYING) == []
    assert judge_document(" ".join(attempt.search.query.text for attempt in answer.attempts), IDENTIFYING) == []


@pytest.mark.parametrize("command", ["ask", pytest.param("recommend", marks=pytest.mark.nightly)])
def test_a_model_elsewhere_that_may_see_the_patient_is_shown_no_identifiers_and_that_is_told(
    run: Run, patient: str, command: str
) -> None:
    model = thinking()
    with serving(model) as served:
        words = ("--set", "patient_to=all", command, "--json", "--patient", patient, QUESTION)
        answer = answer_in(run(*model_at(elsewhere(served)), *words))
    assert "ejection fraction of 30%" in model.heard
    assert judge_document(model.heard, IDENTIFYING) == []
    assert any("masked" in note for note in answer.notes)


def test_whoever_is_named_in_the_question_itself_is_named_to_nobody_elsewhere(run: Run) -> None:
    model = thinking()
    with serving(model) as served:
        named = f"My patient Margarethe Quittenbaum, MRN 4482913, phone 555-010-4477, asks: {QUESTION}"
        answer = answer_in(run(*model_at(elsewhere(served)), "ask", "--json", named))
    assert "first-line therapy" in model.heard
    assert judge_document(model.heard, ("Quittenbaum", "4482913", "555-010-4477")) == []
    assert any("masked" in note for note in answer.notes)


def test_with_phi_refuse_nothing_is_sent_and_the_reason_names_no_identifier(run: Run, patient: str) -> None:
    model = thinking()
    with serving(model) as served:
        words = ("--phi", "refuse", "--set", "patient_to=all", "ask", "--patient", patient, QUESTION)
        told = run(*model_at(elsewhere(served)), *words)
    assert told.exit_code == 2
    assert model.bodies == []
    assert judge_document(told.output, IDENTIFYING) == []


def test_nothing_of_a_patient_is_kept_on_the_disk(typed: Typed, home: Path, patient: str) -> None:
    typed(thinking(), "--set", "patient_to=all", "recommend", "--patient", patient, QUESTION)
    kept = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert [word for word in PRIVATE if word.encode() in kept] == []


# --- what it costs -------------------------------------------------------------------------------------------------


def test_the_same_question_again_costs_no_call_and_has_the_same_answer(typed: Typed) -> None:
    cached = ("--set", "models.cache=true", "ask", "--json", QUESTION)
    first = answer_in(typed(thinking(paraphrasing), *cached))
    again = thinking(paraphrasing)
    # A server that was started anew has another port: a call is the same whatever the address.
    second = answer_in(typed(again, *cached))
    assert again.bodies == []
    assert (second.spent.calls, second.spent.cached) == (0, first.spent.calls)
    assert second.statements == first.statements


def test_without_the_cache_the_same_question_is_asked_anew(typed: Typed, home: Path) -> None:
    first = answer_in(typed(thinking(), "ask", "--json", QUESTION))
    again = thinking()
    second = answer_in(typed(again, "ask", "--json", QUESTION))
    assert len(again.bodies) == second.spent.calls == first.spent.calls > 0
    assert second.spent.cached == 0
    assert not (home / "calls.sqlite").exists()


@pytest.mark.parametrize("preset", ["default", "clinfo", "lins", "omni-reflexion", "briefcontext"])
def test_with_one_call_alone_the_best_that_can_be_said_is_said_and_that_the_budget_is_spent(
    typed: Typed, run: Run, preset: str
) -> None:
    model = thinking(paraphrasing)
    words = ("--set", "live=", "--preset", preset, "--set", "budget.calls=1", "ask", "--json", QUESTION)
    told = typed(model, *words)
    answer = answer_in(told)
    assert told.exit_code == 0
    assert len(model.bodies) == answer.spent.calls == 1
    assert answer.statements
    assert misquoted(answer, run) == []
    assert any("budget" in note for note in answer.notes)


def test_a_model_that_takes_longer_than_the_budget_of_time_is_not_waited_for(typed: Typed) -> None:
    answer = answer_in(typed(thinking(seconds=20), "--set", "budget.seconds=3", "ask", "--json", QUESTION))
    assert {one.verdict.reason for one in answer.statements} == {"the source's own words"}
    assert answer.statements
    assert any("budget" in note for note in answer.notes)


def test_calls_that_need_not_wait_for_each_other_are_made_at_once(typed: Typed) -> None:
    # Long beside what this machine computes meanwhile, however busy it is.
    model = thinking(paraphrasing, seconds=1.5)
    answer = answer_in(typed(model, "--set", "read.batch=4", "ask", "--json", QUESTION))
    assert answer.spent.calls >= 5
    # Depth counts calls that began after another had ended: one after the other it would be the number of calls.
    assert answer.spent.depth + 1 < answer.spent.calls


def test_an_answer_that_is_written_and_checked_takes_five_calls_at_most(typed: Typed) -> None:
    model = thinking(paraphrasing)
    answer = answer_in(typed(model, "--set", "read.batch=16", "ask", "--json", QUESTION))
    assert {"AnswerDraft", "ConsistencyReply"} <= {*model.forms}
    assert answer.spent.calls == len(model.forms) <= 5
    # What is checked and how its words compare is asked at once.
    assert answer.spent.depth <= 3


# --- what goes wrong -----------------------------------------------------------------------------------------------


def test_a_model_that_is_down_costs_the_answer_its_words_and_not_its_sources(run: Run) -> None:
    with serving(thinking()) as served:
        pass
    told = run(*model_at(served.url), "--set", "models.attempts=1", "ask", "--json", QUESTION)
    answer = answer_in(told)
    assert told.exit_code == 0
    assert {one.verdict.label for one in answer.statements} == {"supports"}
    assert {one.verdict.reason for one in answer.statements} == {"the source's own words"}
    assert misquoted(answer, run) == []
    assert any("could not write, so the sections that are closest are shown" in note for note in answer.notes)
    assert answer.basis == "evidence"


def test_where_only_memory_was_to_answer_a_model_that_is_down_is_an_abstention(run: Run) -> None:
    with serving(thinking()) as served:
        pass
    told = run(*model_at(served.url), "--preset", "chat", "--set", "models.attempts=1", "ask", "--json", QUESTION)
    answer = answer_in(told)
    assert told.exit_code == 3
    assert (answer.abstained, answer.basis, answer.reason) == (True, "none", NO_MEMORY_ANSWER_REASON)
    assert any("compatible:sim gave no answer" in note for note in answer.notes)


def test_a_key_that_is_wrong_is_told_without_the_key(run: Run) -> None:
    wrong = "sk-wrong-77/Quite+Secret"
    with serving(thinking()) as served:
        told = run(*model_at(served.url, wrong), "-v", "ask", QUESTION)
    assert told.exit_code == 0
    assert "could not write" in told.stdout
    assert wrong not in told.output


def test_no_key_is_printed_or_kept_whatever_is_asked(typed: Typed, run: Run, home: Path) -> None:
    for words in (("-v", "ask", QUESTION), ("setup", "show"), ("doctor",), ("doctor", "--network")):
        assert typed(thinking(), *words).stdout
    kept = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert KEY.encode() not in kept


@pytest.mark.parametrize(
    "preset",
    [
        *("default", "lins"),
        *(pytest.param(one, marks=pytest.mark.nightly) for one in ("clinfo", "lins-ebm", "rag", "briefcontext")),
    ],
)
def test_what_no_source_answers_a_model_does_not_answer_either(typed: Typed, preset: str) -> None:
    model = thinking(indifferent)
    told = typed(model, "--set", "live=", "--preset", preset, "ask", "--json", BESIDE)
    answer = answer_in(told)
    assert told.exit_code == 3
    assert (answer.abstained, answer.basis) == (True, "none")
    assert not {"MemoryDraft"} & {*model.forms}


def test_lins_lets_a_model_that_is_certain_answer_from_memory_and_marks_it(typed: Typed) -> None:
    model = thinking(indifferent, saying(certain=True))
    told = typed(model, "--set", "live=", "--preset", "lins", "ask", "--json", QUESTION)
    answer = answer_in(told)
    assert answer.basis == "parametric"
    assert {one.verdict.label for one in answer.statements} == {"unjudged"}
    assert answer.spent.depth <= DEPTHS["lins"]


LINS_ON_OLLAMA = ("--preset", "lins", "--set", "models.window=32768", "--set", "encoder=none", "--set", "reranker=none")


def test_lins_answers_offline_by_a_server_on_this_machine_that_its_owner_named_and_is_replayed(run: Run) -> None:
    model = Thinking(api=Ollama())
    with serving(model) as served:
        here = ("--set", f"ollama.url={served.url}/v1", "--offline")
        named = (*here, "--set", f"models.local_servers={served.url}")
        lins = ("--model", "ollama:qwen3", *LINS_ON_OLLAMA, "ask", "--json", QUESTION)
        refused = run(*here, *lins)
        assert refused.exit_code == 2 and "models.local_servers" in refused.stderr and not model.bodies
        assert run(*named, "--model", "ollama:gpt-oss:120b-cloud", "ask", QUESTION).exit_code == 2
        told = run(*named, *lins)
        assert "as models.local_servers allows offline" in told.stderr
        answer = answer_in(told)
        assert (answer.writer, answer.basis) == ("ollama:qwen3", "evidence")
        assert {one.search.source: one.status for one in answer.attempts}["pubmed"] == "failed"
        id = run("history", "list", "--quiet").stdout.splitlines()[1].split()[0]
        again = (*LINS_ON_OLLAMA, *here, "history", "replay", id)
        asked = len(model.bodies)
        # Its replies are stored: nothing is asked.
        assert "in the same order" in run(*again).stdout and len(model.bodies) == asked
        unstored = run("--set", "models.cache=false", *again)
        assert unstored.exit_code == 1
        assert "ollama:qwen3 wrote this answer and was not asked again" in unstored.stdout
        assert len(model.bodies) == asked
        live = run("--set", "models.cache=false", "--set", f"models.local_servers={served.url}", *again)
        assert "in the same order" in live.stdout and len(model.bodies) > asked


@each_row(
    ("words", "sentence"),
    [
        (("--set", "models.local_servers=http://10.0.0.1:1"), "should be an address on this machine"),
        (("--model", "opanai:gpt-5"), "did you mean openai?"),
        (("--model", "compatible:"), "names no model"),
        (("--model", "openai:gpt-5"), "needs an API key"),
        (("--model", "compatible:sim"), "set compatible.url"),
        (("--model", "local:nowhere.gguf"), "run llama-server, and name its model llamacpp:NAME"),
        (("--model", "ollama:qwen3", "--offline"), "offline mode refuses"),
        (("--assistant", "ollama:qwen3"), "The assistant needs a model to help"),
        (("--preset", "chat"), "--model"),
        (("--preset", "lin"), "Presets: lins"),
    ],
)
def test_a_model_that_cannot_be_had_is_bad_use_and_the_remedy_is_named(
    run: Run, words: tuple[str, ...], sentence: str
) -> None:
    told = run(*words, "ask", QUESTION)
    assert told.exit_code == 2
    assert sentence in told.stderr
    assert told.stderr.count("\n") == 1


# --- words of one's own --------------------------------------------------------------------------------------------


def test_a_file_of_prompts_changes_what_the_model_is_told_and_not_the_rule(typed: Typed, tmp_path: Path) -> None:
    path, words = tmp_path / "prompts.toml", "Answer like a ship's surgeon, in short statements."
    path.write_text(f'[WriteAnswer]\ninstruction = "{words}"\n', encoding="utf-8")
    model = thinking()
    told = typed(model, "--set", f"prompts={path}", "ask", "--json", QUESTION)
    assert told.exit_code == 0
    said = {form_of(body): wording_of(body).instruction for body in model.bodies}
    assert said["AnswerDraft"].startswith(words)
    assert said["AnswerDraft"].endswith(FENCE_RULE)
    assert words not in said["ArticlesReply"]


def test_the_prompts_that_are_printed_are_the_prompts_that_are_sent(typed: Typed, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "prompts.toml"
    path.write_text(run("setup", "show", "--prompts").stdout, encoding="utf-8")
    model, same = thinking(), thinking()
    typed(model, "--set", "models.cache=true", "ask", QUESTION)
    typed(same, "--set", "models.cache=true", "--set", f"prompts={path}", "ask", QUESTION)
    # Nothing is asked again, since nothing in any call is different.
    assert same.bodies == []


def test_words_for_a_prompt_that_does_not_exist_are_bad_use(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "prompts.toml"
    path.write_text('[WriteAnswers]\ninstruction = "Say yes."\n', encoding="utf-8")
    with serving(thinking()) as served:
        told = run(*model_at(served.url), "--set", f"prompts={path}", "ask", QUESTION)
    assert told.exit_code == 2
    assert "Did you mean “WriteAnswer”" in told.stderr


# --- drafts --------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def streaming(model: Thinking) -> AsyncIterator[AsyncIterator[Event]]:
    with serving(model) as served:
        flags = {"model": "compatible:sim", "compatible.url": f"{served.url}/v1", "compatible.key": KEY}
        async with config.open_context(config.load({**flags, "encoder": "none", "models.stream": True})) as context:
            yield stream(QUESTION, context)


async def test_a_draft_is_told_as_it_is_written_and_a_lie_in_it_is_in_nothing_that_was_checked() -> None:
    model = thinking(lying(0))
    async with streaming(model) as events:
        told = [event async for event in events]
    drafts = [place for place, event in enumerate(told) if isinstance(event, DraftProgress)]
    written = [event.text for event in told if isinstance(event, DraftProgress)]
    (drafted,) = (event for event in told if isinstance(event, AnswerDrafted))
    lie = drafted.statements[0].text
    assert len(written) > 10
    assert all(later.startswith(earlier[: len(earlier) // 2]) for earlier, later in pairwise(written))
    assert lie in written[-1]
    assert max(drafts) < told.index(drafted)
    stands = next(event for event in told if isinstance(event, AnswerChecked))
    assert lie not in texts(stands.statements)
    assert isinstance(told[-1], AnswerCompleted)
    assert lie not in texts(told[-1].answer.statements)


def test_without_anybody_to_watch_nothing_is_streamed(typed: Typed) -> None:
    model = thinking()
    typed(model, "ask", QUESTION)
    assert not any(body.get("stream") for body in model.bodies)


def on_a_terminal(*words: str) -> tuple[subprocess.CompletedProcess[bytes], str]:
    """The command with a terminal for its stderr, and what that showed."""
    ours, theirs = pty.openpty()
    shown: list[bytes] = []

    def look() -> None:
        # A terminal whose other end is closed is an error to read on Linux, and the end of it elsewhere.
        try:
            while piece := os.read(ours, 4096):
                shown.append(piece)
        except OSError:
            pass

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    with tempfile.TemporaryFile() as printed:
        streams = (None, printed.fileno(), theirs)
        status = ForkedCommand(("--set", "encoder=none", *words), os.environ, streams).wait(60)
        printed.seek(0)
        done = subprocess.CompletedProcess(words, status, printed.read())
    os.close(theirs)
    looking.join(5)
    os.close(ours)
    return done, b"".join(shown).decode()


def test_a_terminal_shows_a_draft_as_a_draft_and_only_the_checked_answer_is_printed() -> None:
    with serving(thinking(lying(0))) as served:
        done, shown = on_a_terminal(*model_at(served.url), "--set", "models.stream=true", "ask", "--json", QUESTION)
    answer = Answer.model_validate_json(done.stdout)
    assert done.returncode == 0
    assert "Draft, not checked: " in shown
    assert KEY not in shown
    lies = [one.text for one in answer.dropped if one.what == "statement"]
    assert lies
    assert not {*lies} & {*texts(answer.statements)}


# --- the other commands --------------------------------------------------------------------------------------------


def test_a_recommendation_states_the_question_for_the_patient_and_rests_on_sources(
    typed: Typed, run: Run, patient: str
) -> None:
    model = thinking(paraphrasing)
    told = typed(model, "recommend", "--json", "--patient", patient, QUESTION)
    answer = answer_in(told)
    assert told.exit_code == 0
    assert {"PicoReply", "RecommendationDraft"} <= {*model.forms}
    assert answer.recommendation is not None
    assert answer.question.pico is not None
    assert answer.statements
    assert misquoted(answer, run) == []


def test_strength_that_no_source_states_is_not_reported(typed: Typed, patient: str) -> None:
    model = thinking(saying(strength="overwhelming", certainty="beyond all doubt"))
    answer = answer_in(typed(model, "recommend", "--json", "--patient", patient, QUESTION))
    assert answer.recommendation is not None
    assert "overwhelming" not in answer.recommendation.model_dump_json()
    assert "beyond all doubt" not in answer.recommendation.model_dump_json()


@pytest.fixture
def order(tmp_path: Path) -> Path:
    path = tmp_path / "order.txt"
    path.write_text("Sacubitril/valsartan for HFrEF. Beta-blocker. Check potassium.", encoding="utf-8")
    return path


def test_an_order_is_explained_term_by_term_in_words_of_sources(typed: Typed, run: Run, order: Path) -> None:
    model = thinking(saying(terms=("HFrEF", "Beta-blocker", "a term that is not there")))
    told = typed(model, "explain", "--json", "--ask", "Why a beta-blocker?", str(order))
    explanation = Explanation.model_validate_json(told.stdout)
    assert told.exit_code == 0
    assert [one.term for one in explanation.terms] == ["HFrEF", "Beta-blocker"]
    text = order.read_text(encoding="utf-8")
    assert all(text[one.start : one.end] == one.term for one in explanation.terms)
    assert explanation.rejected == ("a term that is not there",)
    assert any(one.answer.statements for one in explanation.terms)
    assert all(misquoted(one.answer, run) == [] for one in explanation.terms)
    assert explanation.follow_up is not None
    assert explanation.reading_level is not None
    assert explanation.spent.calls == len(model.bodies)


def test_an_order_is_not_shown_to_a_model_that_may_not_see_it(run: Run, order: Path) -> None:
    model = thinking()
    with serving(model) as served:
        told = run(*model_at(elsewhere(served)), "explain", "--json", "--ask", "Why is this taken?", str(order))
    explanation = Explanation.model_validate_json(told.stdout)
    assert "Terms" not in model.forms
    assert "Beta-blocker. Check potassium" not in model.heard
    assert any("terms found by rule" in note for note in explanation.notes)


def test_an_empty_order_is_bad_use(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text(" \n", encoding="utf-8")
    model = thinking()
    told = typed(model, "explain", str(tmp_path / "empty.txt"))
    assert told.exit_code == 2
    assert model.bodies == []


def test_a_question_that_follows_is_made_to_stand_alone_and_answered(typed: Typed) -> None:
    model = thinking(saying(question="Are beta-blockers recommended in HFrEF?"))
    told = typed(model, "chat", stdin=f"{QUESTION}\nAnd beta-blockers?\n")
    assert told.exit_code == 0, told.output
    assert model.forms.count("StandaloneQuestion") == 1
    assert told.stdout.count("Not medical advice") == 2
    assert "searched for as “Are beta-blockers recommended in HFrEF?”" in " ".join(told.stdout.split())


def test_a_conversation_goes_on_when_the_model_is_down(run: Run) -> None:
    with serving(thinking()) as served:
        pass
    told = run(*model_at(served.url), "--set", "models.attempts=1", "chat", stdin=f"{QUESTION}\nAnd in gout?\n")
    assert told.exit_code == 0
    assert told.stdout.count("Not medical advice") == 2


def test_terms_are_found_in_an_order_in_large_letters_or_small(typed: Typed, order: Path) -> None:
    told = typed(thinking(saying(terms=("hfref",))), "explain", "--json", str(order))
    assert [one.term for one in Explanation.model_validate_json(told.stdout).terms] == ["HFrEF"]


def test_a_reading_level_is_of_sentences_also_where_no_full_stop_ends_them(typed: Typed, order: Path) -> None:
    told = typed(thinking(saying(terms=("HFrEF", "Beta-blocker"))), "explain", "--json", str(order))
    explanation = Explanation.model_validate_json(told.stdout)
    said = "\n".join(text for term in explanation.terms for text in texts(term.answer.statements))
    assert explanation.reading_level == pytest.approx(reading_grade(said), abs=1)


def test_the_doctor_asks_the_model_and_says_how_long_it_took(typed: Typed) -> None:
    model = thinking()
    told = typed(model, "doctor", "--ask-models")
    assert model.forms == ["KeywordsReply"]
    assert "may see a patient's text; answered in " in " ".join(told.stdout.split())


# --- as a process --------------------------------------------------------------------------------------------------


def in_a_process(*words: str) -> int:
    return run_forked(("--set", "encoder=none", *words)).returncode


def test_exit_statuses_with_a_model_are_those_without_one() -> None:
    with serving(thinking()) as served:
        assert in_a_process(*model_at(served.url), "ask", QUESTION) == 0
    with serving(thinking(indifferent)) as served:
        assert in_a_process(*model_at(served.url), "ask", QUESTION) == 3
    assert in_a_process("--model", "opanai:gpt-5", "ask", QUESTION) == 2
