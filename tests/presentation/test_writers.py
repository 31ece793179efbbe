"""The same answers through every writer: every word, number, quoted stretch and status is read back."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.presentation.read_back import (
    FORMS,
    TERMINAL,
    Form,
    find_harm,
    find_losses,
    find_losses_in_terminal,
    list_excerpt_words,
    list_statements,
    plain,
)
from tests.worlds import build_once
from wellsourced import config
from wellsourced.api import ask
from wellsourced.presentation.answers import build_answer
from wellsourced.presentation.blocks import Excerpt, Presentation
from wellsourced.presentation.html import HtmlOptions, write_html, write_html_page
from wellsourced.recommendation import recommend
from wellsourced.types import (
    Answer,
    AnswerSection,
    ArticleCard,
    Citation,
    Conflict,
    ConflictSide,
    Emergency,
    Evidence,
    Gap,
    Gloss,
    LineToCheck,
    Passage,
    Question,
    Recommendation,
    RecordRow,
    Reference,
    SourceDifference,
    Statement,
    TextSpan,
    Verdict,
    VerdictLabel,
)
from wellsourced.types.answers import VerdictBasis

QUESTIONS: dict[str, Question] = {
    "a list in short": Question(
        text="What is first-line drug therapy for heart failure with reduced ejection fraction?"
    ),
    "topics": Question(text="How is an acute gout flare treated?"),
    "a device": Question(text="When should an ICD be placed in heart failure with reduced ejection fraction?"),
    "a dose": Question(text="Which dose of colchicine is used for a gout flare?"),
    "yes or no": Question(text="Is allopurinol recommended as first-line urate-lowering therapy?"),
    "a table": Question(text="What are the LDL-cholesterol targets by cardiovascular risk?"),
    "an abstention": Question(text="Who won the football world cup in 1974?"),
    "an emergency": Question(text="I have crushing chest pain and sweat, what should I do?"),
    "a choice": Question(
        text="Which drug is preferred for long-term urate lowering in gout?",
        options={"A": "allopurinol", "B": "colchicine", "C": "probenecid"},
    ),
    "a patient": Question(text="Should she take metformin?", patient="type 2 diabetes, eGFR 22, takes ibuprofen"),
    "another patient": Question(
        text="Which drugs are recommended for heart failure?", patient="HFrEF, pregnant, potassium 5.8 mmol/L"
    ),
}
"""Put to the guidelines, without a model."""


def statement(
    text: str,
    *cited: tuple[Passage, str],
    label: VerdictLabel = "supports",
    basis: VerdictBasis = "model",
    lead: bool = False,
    topic: str = "",
) -> Statement:
    citations = tuple(
        Citation(passage_id=one.id, quote=words, start=at, end=at + len(words))
        for one, words in cited
        for at in [one.start + one.text.index(words)]
    )
    verdict = Verdict(label=label, score=0.5, basis=basis, reason="the words differ: “two” for “three”")
    return Statement(text=text, citations=citations, verdict=verdict, lead=lead, topic=topic)


HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(2)> &lt;b&gt; \x1b[31mred\x1b[0m \u202egnihtemos\u202c "
    "a \u200bb [1] [2, 3] [here](javascript:alert(3)) ![x](https://evil.example/x.png) <https://evil.example> `code` "
    "**bold** _under_ ~~gone~~ | cell | “quoted” [9]\n# heading\n- item [7]\n> quote\n1. one\n"
    "<!-- hidden --> \x07\x00 end\ufffe"
)

TRIAL = Reference(
    id="pubmed:1",
    title="A trial of colchicine [1] <b>bold</b>.",
    kind="research",
    published="2019-05",
    authors=("Able A", "Baker <i>B</i>"),
    url="https://pubmed.ncbi.nlm.nih.gov/1/",
)
EVIL = Reference(id="web:evil", title=HOSTILE, url="javascript:alert(document.cookie)", organisation=HOSTILE)
SHORTER = "Colchicine shortened the flare by two days."
LONGER = "Colchicine did not shorten the flare."
WORDS = f"{SHORTER} Ice was added. {LONGER}"
PLAIN = Passage(reference=TRIAL, text=WORDS, start=7, end=7 + len(WORDS), section="Results › Pain", page="12–13")
POISONED = Passage(reference=EVIL, text=HOSTILE, start=0, end=len(HOSTILE), section=HOSTILE)
CELLS = "\n".join(f"{row} | {' '.join(HOSTILE.split()).replace(' | ', ' ')} | last" for row in ("Drug", "A", "B"))
TABLED = Passage(reference=EVIL, text=CELLS, start=1_000, end=1_000 + len(CELLS), section=HOSTILE)
EVIDENCE = (
    Evidence(passage=PLAIN, relevance=0.9, card=ArticleCard(summary="Flares were shorter", sample_size="n = 43")),
    Evidence(passage=POISONED, relevance=0.8),
)

STATUSES = Answer(
    question=Question(text="How is gout treated?"),
    statements=(
        statement(SHORTER, (PLAIN, SHORTER), basis="verbatim", lead=True),
        statement("Colchicine works.", (PLAIN, SHORTER), lead=True).model_copy(
            update={"differences": (SourceDifference(kind="population", statement="[all] of them", source="*some*"),)}
        ),
        statement("It never works.", (PLAIN, LONGER), label="contradicts", topic="Doubts"),
        statement("It may work in three days.", (PLAIN, "two days"), (PLAIN, "Ice was added"), basis="likeness"),
        statement("Gout is old.", (PLAIN, LONGER), label="silent", topic="Doubts"),
        statement("Who knows?", (PLAIN, "Ice"), (POISONED, "end"), label="unjudged", topic="Doubts"),
    ),
    evidence=EVIDENCE,
    writer="a-model",
    glosses=(Gloss(term="flare", meaning="a sudden attack"),),
    gaps=(Gap(source="trials", status="failed", reason="no answer within 30 s"),),
    not_found=("the cost",),
    conflicts=(
        Conflict(
            about="Does it shorten the flare?",
            sides=(
                ConflictSide(says="It does", passage_id=PLAIN.id, quote=SHORTER),
                ConflictSide(says="It does not", passage_id=PLAIN.id, quote=LONGER),
            ),
            resolution="the first is newer",
        ),
    ),
)

UNSOURCED = Answer(
    question=Question(text="How is gout treated?"),
    statements=(statement("Rest, and drink [1] much.", label="unjudged", basis="model", lead=True),),
    basis="parametric",
    reasoning="I remember it so",
    writer="a-model",
)

WARNED = Answer(
    question=Question(text="Should she take colchicine?"),
    statements=(statement("Colchicine is an option.", (PLAIN, SHORTER), lead=True),),
    evidence=EVIDENCE,
    recommendation=Recommendation(
        strength="strong",
        record=(RecordRow(kind="renal function", name="eGFR", words="eGFR 9 <b>"),),
        unread=("two dogs <b>",),
        lines=(
            LineToCheck(
                drugs=("colchicine",),
                about=("eGFR",),
                record=("eGFR 9 <b>",),
                passage=POISONED,
                citations=(Citation(passage_id=POISONED.id, quote=HOSTILE, start=0, end=len(HOSTILE)),),
            ),
        ),
        missing=("potassium: the record does not say it",),
    ),
)

HOSTILE_ANSWER = Answer(
    question=Question(text="gout", asked=HOSTILE),
    statements=(
        statement(HOSTILE, (POISONED, HOSTILE), basis="verbatim", lead=True),
        statement(
            f"1. {HOSTILE}", (POISONED, HOSTILE[:60]), (POISONED, HOSTILE[115:160]), topic=HOSTILE, basis="likeness"
        ),
        statement("+ plus", (POISONED, "“quoted” [9]\n# heading"), (PLAIN, SHORTER)),
    ),
    evidence=EVIDENCE,
    emergency=Emergency(kind=HOSTILE, signs=(HOSTILE,), advice=HOSTILE),
    notes=(HOSTILE,),
    gaps=(Gap(source=HOSTILE, status="failed", reason=HOSTILE),),
    reason=HOSTILE,
)

SECTIONS = Answer(
    question=Question(text="gout", asked=HOSTILE),
    head="in your sources",
    sections=tuple(
        AnswerSection(
            passage_id=one.id,
            shown=(TextSpan(start=one.start, end=one.end),),
            marked=((TextSpan(start=one.start, end=one.start + 30),),),
            part=part,
        )
        for one, part in ((PLAIN, "Pain"), (POISONED, HOSTILE), (TABLED, HOSTILE))
    ),
    statements=(statement(SHORTER, (PLAIN, SHORTER), basis="verbatim", lead=True, topic=HOSTILE),),
    not_found=(HOSTILE[:20],),
    evidence=(*EVIDENCE, Evidence(passage=TABLED, relevance=0.7)),
)

MADE = {
    "every status": STATUSES,
    "without a source": UNSOURCED,
    "a line to check": WARNED,
    "hostile": HOSTILE_ANSWER,
    "hostile sections": SECTIONS,
}


@pytest.fixture(scope="module")
def presentations(tmp_path_factory: pytest.TempPathFactory, guidelines: Path) -> dict[str, Presentation]:
    """Real answers from the guidelines, asked once in a run of the tests, and made ones for what these have not."""

    async def ask_all(folder: Path) -> None:
        async with config.open_context(config.load({"home": str(guidelines), "network.offline": True})) as context:
            for name, question in QUESTIONS.items():
                answer = await (recommend if question.patient else ask)(question, context)
                (folder / f"{name}.json").write_text(answer.model_dump_json(), encoding="utf-8")

    folder = build_once(tmp_path_factory, "written-answers", lambda folder: asyncio.run(ask_all(folder)))
    real = {name: Answer.model_validate_json((folder / f"{name}.json").read_text("utf-8")) for name in QUESTIONS}
    return {name: build_answer(answer) for name, answer in (real | MADE).items()}


def test_the_answers_have_something_of_everything(presentations: dict[str, Presentation]) -> None:
    statements = [one for shown in presentations.values() for one in list_statements(shown, TERMINAL)]
    assert {one.status for one in statements} == {"", "contradicted", "not supported", "not verified", "not judged"}
    kinds = {getattr(block, "kind", type(block).__name__) for shown in presentations.values() for block in shown.blocks}
    assert kinds >= {
        "emergency",
        "patient",
        "unsourced",
        "abstention",
        "gap",
        "note",
        "Heading",
        "References",
        "Excerpt",
    }


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_every_word_number_quote_and_status_is_read_back(form: Form, presentations: dict[str, Presentation]) -> None:
    losses = {name: find_losses(shown, form, form.write(shown)) for name, shown in presentations.items()}
    assert {name: found for name, found in losses.items() if found} == {}


@pytest.mark.parametrize("width", [1_000_000, 100, 40])
def test_the_terminal_shows_every_statement_with_its_numbers_and_its_place(
    width: int, presentations: dict[str, Presentation]
) -> None:
    losses = {name: find_losses_in_terminal(shown, width) for name, shown in presentations.items()}
    assert {name: found for name, found in losses.items() if found} == {}


def test_every_word_of_a_statement_is_in_its_tree(presentations: dict[str, Presentation]) -> None:
    for name, answer in MADE.items():
        shown = list_statements(presentations[name], TERMINAL)
        words = {plain(one.text).replace(":", "") for one in shown}
        excerpts = [block for block in presentations[name].blocks if isinstance(block, Excerpt)]
        words |= {line.replace(":", "") for block in excerpts for line in map(plain, list_excerpt_words(block))}
        for one in answer.statements:
            assert any(plain(one.text).replace(":", "") in each for each in words), one.text


def test_json_is_the_value_itself() -> None:
    for answer in MADE.values():
        assert Answer.model_validate_json(answer.model_dump_json()) == answer.model_copy(
            update={"recommendation": answer.recommendation and _without_record(answer.recommendation)}
        )


def _without_record(made: Recommendation) -> Recommendation:
    """What a patient's record says is in no file."""
    rows = tuple(row.model_copy(update={"words": "", "time": ""}) for row in made.record)
    lines = tuple(line.model_copy(update={"record": ()}) for line in made.lines)
    return made.model_copy(update={"record": rows, "unread": (), "lines": lines})


# --- the test can fail ------------------------------------------------------------------------------------------------

FAULTS: dict[str, tuple[Callable[[str], str], str]] = {
    "a number": (lambda text: text.replace("[2]", "", 1), "every status"),
    "a word": (lambda text: text.replace("never", "", 1), "every status"),
    "a status": (lambda text: text.replace("not verified", "verified"), "every status"),
    "a mark": (lambda text: text.replace("<mark>", "", 1).replace("“Ice", "“", 1), "every status"),
    "a line to check": (lambda text: text.replace("the record says", ""), "a line to check"),
    "what is not seen": (lambda text: text.replace("gnihtemos", "\u202egnihtemos"), "hostile"),
    "markup": (lambda text: text.replace("&lt;script", "<script").replace("\\<script\\", "<script"), "hostile"),
}


@pytest.mark.parametrize("form", [form for form in FORMS if form.name != "word"], ids=lambda form: form.name)
def test_what_a_writer_loses_is_found(form: Form, presentations: dict[str, Presentation]) -> None:
    planted = 0
    for fault, (spoil, name) in FAULTS.items():
        written = form.write(presentations[name])
        assert isinstance(written, str)
        if (spoiled := spoil(written)) != written:
            planted += 1
            assert find_losses(presentations[name], form, spoiled) != [], fault
    assert planted >= 5


# --- pages ------------------------------------------------------------------------------------------------------------


def test_two_results_on_one_page_share_no_id_and_every_link_within_it_leads_somewhere(
    presentations: dict[str, Presentation],
) -> None:
    from lxml import html

    options = {"printed_url": lambda place: f"/page?start={place.start}", "document_url": lambda place: "/document"}
    markup = "".join(
        write_html(shown, HtmlOptions(f"r{place}-", **options)) for place, shown in enumerate(presentations.values())
    )
    page = html.fromstring(f"<main>{markup}</main>")
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids)) > 60
    assert {link[1:] for link in page.xpath("//@href") if link.startswith("#")} <= set(ids)
    assert {link.split("=")[0] for link in page.xpath("//@href") if link.startswith("/")} == {
        "/page?start",
        "/document",
    }
    for link in page.xpath("//a[starts-with(@href, 'http')]"):
        assert link.get("rel") == "noopener noreferrer nofollow"
    assert page.xpath("count(//section[@role='alert'])") == 2


def test_a_page_on_its_own_needs_nothing_else(presentations: dict[str, Presentation]) -> None:
    page = write_html_page(presentations["hostile"])
    assert find_harm("html", page) == []
    assert "default-src 'none'" in page
    assert "url(" not in page
    assert "@import" not in page
