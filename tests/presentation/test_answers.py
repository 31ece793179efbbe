"""How an answer looks in a terminal."""

import json
from datetime import date

from tests.presentation.written import terminal_text, write_lines
from tests.tables import each_row
from wellsourced.app.terminal import format_table
from wellsourced.presentation.blocks import Text
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.presentation.wording import format_size
from wellsourced.text.sanitization import escape_unsafe, sanitize_line, sanitize_text
from wellsourced.types import (
    PLANNING_TIER,
    Answer,
    Attempt,
    Citation,
    Conflict,
    Emergency,
    Evidence,
    Expansion,
    Gap,
    Omission,
    Passage,
    Query,
    Question,
    Reference,
    Retraction,
    Search,
    SourceDifference,
    Statement,
    Verdict,
)

GUIDE = Reference(
    id="doi:10.1000/gout",
    title="Guideline for gout",
    organisation="College of Joints",
    kind="guideline",
    published="2020",
    doi="10.1000/gout",
    depth="digest",
)
TRIAL = Reference(
    id="pubmed:1",
    title="A trial of colchicine.",
    kind="research",
    published="2019-05",
    authors=("Able A", "Baker B", "Clark C", "Dow D"),
    journal="Joints",
    url="https://pubmed.ncbi.nlm.nih.gov/1/",
    depth="abstract",
    retraction=Retraction(status="false", as_of=date(2026, 1, 31)),
)

OTHER = Reference(id="pubmed:2", title="Gout and food.", kind="research", depth="abstract")


def passage(reference: Reference, text: str, start: int, section: str = "") -> Passage:
    return Passage(reference=reference, text=text, start=start, end=start + len(text), section=section)


FLARES = passage(GUIDE, "Colchicine is recommended for gout flares.", 100, "Treatment › Flares")
ICE = passage(GUIDE, "Ice may be added.", 400, "Treatment › Comfort")
PAIN = passage(TRIAL, "Colchicine shortened pain by two days.", 7)


def statement(text: str, *passages: Passage, topic: str = "", lead: bool = False) -> Statement:
    citations = tuple(Citation(passage_id=p.id, quote=p.text, start=p.start, end=p.end) for p in passages)
    verdict = Verdict(label="supports", score=1.0)
    return Statement(text=text, citations=citations, verdict=verdict, topic=topic, lead=lead)


def attempt(source: str, status: str, found: int = 0, error: str = "", words: str = "How is gout treated?") -> Attempt:
    asked = Search(source=source, query=Query(terms=(words,)))
    return Attempt(search=asked, tier="libraries", status=status, found=found, error=error)  # type: ignore[arg-type]


ANSWER = Answer(
    question=Question(text="How is gout treated?"),
    statements=(
        statement(FLARES.text, FLARES, topic="Guideline for gout › Flares"),
        statement("Ice helps.", ICE, topic="Guideline for gout › Flares"),
        statement("It shortens pain, and ice may be added.", PAIN, ICE, lead=True),
    ),
    evidence=tuple(Evidence(passage=p, relevance=0.9) for p in (FLARES, ICE, PAIN)),
    gaps=(Gap(source="trials", status="failed", reason="no answer within 30 s"),),
    attempts=(attempt("guidelines", "ok", 50), attempt("notes", "empty"), attempt("trials", "failed", error="gone")),
    dropped=(
        Omission(what="passage", id="a#0-1", text="a", reason="silent (0.12)", is_judged=True),
        Omission(what="passage", id="b#0-1", text="b", reason="silent (0.34)", is_judged=True),
        Omission(what="statement", id="", text="c", reason="its source does not say it"),
    ),
    timings={"search": 0.25, "read": 0.5},
)


RECEIPT = TerminalPage(width=72, receipt=True)


def test_an_answer_reads_from_the_short_of_it_to_what_is_missing_its_sources_and_what_was_searched() -> None:
    assert terminal_text(ANSWER, TerminalPage(width=72)) == (
        "In short\n"
        "  • It shortens pain, and ice may be added. [1][2]\n"
        "\n"
        "Guideline for gout › Flares\n"
        "  • Colchicine is recommended for gout flares. [2]\n"
        "  • Ice helps. [2]\n"
        "\n"
        "Gaps\n"
        "  trials (failed): no answer within 30 s\n"
        "\n"
        "References\n"
        "  [1] Able A et al. A trial of colchicine. Joints 2019.\n"
        "      https://pubmed.ncbi.nlm.nih.gov/1/ (abstract)\n"
        "      not retracted, as of 2026-01-31\n"
        "  [2] Guideline for gout. College of Joints 2020.\n"
        "      https://doi.org/10.1000/gout (digest of the guideline)\n"
        "\n"
        "Searched: guidelines (50 passages), notes (nothing found), trials\n"
        "(failed); 3 of 5 passages read were relevant; 2 works cited; 1 statement\n"
        "dropped by the check. Answered in 0.8 s, in the sources' own words.\n"
        "Not medical advice: check the sources before you act on them.\n"
    )


def test_a_receipt_shows_every_search_and_what_was_left_out() -> None:
    shown = terminal_text(ANSWER, RECEIPT)
    assert shown.partition("References\n")[2].startswith(
        "  [1] Able A et al. A trial of colchicine. Joints 2019.\n"
        "      https://pubmed.ncbi.nlm.nih.gov/1/ (abstract)\n"
        "      not retracted, as of 2026-01-31\n"
        "  [2] Guideline for gout. College of Joints 2020.\n"
        "      https://doi.org/10.1000/gout (digest of the guideline)\n"
        "\n"
        "What was searched, and how\n"
        "  guidelines: 50 passages found\n"
        "  notes: nothing found\n"
        "  trials: failed (gone)\n"
        "  left out: 2 silent\n"
        "  dropped: “c”: its source does not say it\n"
        "\n"
        "Searched: guidelines (50 passages)"
    )
    assert "Gaps\n  trials (failed): no answer within 30 s\n" in shown


def test_the_short_answer_is_not_said_again_below_it() -> None:
    for page in (TerminalPage(), RECEIPT, TerminalPage(quotes=True, places=True)):
        assert terminal_text(ANSWER, page).count("It shortens pain, and ice may be added.") == 1


def test_a_topic_stands_once_wherever_its_statements_stand() -> None:
    parted = tuple(
        statement(text, ICE, topic=topic) for text, topic in (("A.", "Dose"), ("B.", "Diet"), ("C.", "Dose"))
    )
    shown = terminal_text(ANSWER.model_copy(update={"statements": parted}), TerminalPage())
    assert shown.startswith("Dose\n  • A. [1]\n  • C. [1]\n\nDiet\n  • B. [1]\n")


def test_a_search_that_failed_without_a_gap_is_still_told() -> None:
    shown = terminal_text(ANSWER.model_copy(update={"gaps": ()}), TerminalPage())
    assert "Gaps\n  trials (failed): gone\n" in shown


def test_a_live_source_that_was_down_is_named_before_the_answer_unless_every_source_was() -> None:
    down = attempt("pubmed", "failed", error="no answer")
    alarm = "pubmed could not be searched"
    given = ANSWER.model_copy(update={"attempts": (attempt("trials", "ok", 3), down)})
    assert terminal_text(given, TerminalPage()).lstrip().startswith(alarm)
    assert alarm not in terminal_text(ANSWER.model_copy(update={"attempts": (down,)}), TerminalPage())


def test_searches_of_one_source_are_counted_together_and_a_failed_one_is_told() -> None:
    twice = (attempt("pubmed", "ok", 3), attempt("pubmed", "failed", error="gone"), attempt("notes", "ok", 1))
    shown = terminal_text(ANSWER.model_copy(update={"attempts": twice}), TerminalPage(width=200))
    assert "Searched: pubmed (3 passages, 1 of 2 searches failed), notes (1 passage); " in shown


def test_notes_on_searches_are_told() -> None:
    noted = ("found without “podagra”", "2 records could not be read")
    one = attempt("pubmed", "ok", 3).model_copy(update={"notes": noted})
    shown = terminal_text(ANSWER.model_copy(update={"attempts": (one,), "notes": ("so it is",)}), TerminalPage())
    assert "Notes\n  so it is\n  pubmed: found without “podagra”\n  pubmed: 2 records could not be read\n" in shown


def test_a_word_that_was_replaced_is_told_and_a_synonym_only_in_the_receipt() -> None:
    ways = (
        Expansion(said="alopurinol", meant="allopurinol", kind="spelling", source="wellsourced"),
        Expansion(said="Zyloric", meant="allopurinol", kind="brand", source="wellsourced"),
        Expansion(said="gout", meant="podagra", kind="synonym", source="wellsourced"),
    )
    given = ANSWER.model_copy(update={"question": ANSWER.question.model_copy(update={"expansions": ways})})
    shown = terminal_text(given, TerminalPage())
    assert (
        "Notes\n  read “alopurinol” as “allopurinol” (spelling, wellsourced)\n"
        "  understood “Zyloric” also as “allopurinol” (brand, wellsourced)\n"
    ) in shown
    assert "podagra" not in shown
    assert "podagra" in terminal_text(given, RECEIPT)


def test_quotes_are_shown_under_what_is_not_their_very_words_and_places_on_demand() -> None:
    shown = terminal_text(ANSWER, TerminalPage(width=100, quotes=True))
    assert "  • Colchicine is recommended for gout flares. [2]\n  • Ice helps. [2]\n" in shown
    assert "  • Ice helps. [2]\n      “Ice may be added.” (Comfort)\n" in shown
    assert "    “Colchicine shortened pain by two days.”\n" in shown
    assert "characters" not in shown


def test_with_places_each_citation_shows_its_words_and_where_they_stand_and_nothing_is_said_twice() -> None:
    shown = terminal_text(ANSWER, TerminalPage(width=100, quotes=True, places=True))
    place = "in these words (Treatment › Flares, characters 100–142)"
    assert f"  • Colchicine is recommended for gout flares. [2]\n      {place}\n" in shown
    assert "  • Ice helps. [2]\n      “Ice may be added.” (Treatment › Comfort, characters 400–417)\n" in shown
    assert "    “Colchicine shortened pain by two days.” (characters 7–45)\n" in shown
    assert shown.count("Colchicine is recommended for gout flares.") == 1


def test_a_work_cited_from_several_passages_has_one_number() -> None:
    both = ANSWER.model_copy(update={"statements": (statement("Both.", FLARES, ICE, lead=True),)})
    shown = terminal_text(both, TerminalPage())
    assert "Both. [1]\n" in shown
    assert "[2]" not in shown


def test_a_source_that_was_asked_in_other_words_says_in_which() -> None:
    twice = (attempt("notes", "ok", 3), attempt("notes", "ok", 1, words="podagra"))
    shown = terminal_text(ANSWER.model_copy(update={"attempts": twice}), RECEIPT)
    assert "  notes: 3 passages found\n  notes, query “podagra”: 1 passage found\n" in shown


def test_an_abstention_says_why_what_is_nearest_and_what_to_do_before_what_was_searched() -> None:
    near = (Evidence(passage=ICE, relevance=0.4), Evidence(passage=PAIN, relevance=0.6))
    silent = Answer(
        question=ANSWER.question,
        evidence=near,
        attempts=ANSWER.attempts[:2],
        abstained=True,
        basis="none",
        reason="No source knows.",
    )
    assert terminal_text(silent, TerminalPage(width=72)) == (
        "No answer is given. No source knows.\n"
        "\n"
        "Closest matches, which do not answer it\n"
        "  Able A et al. A trial of colchicine. Joints 2019.\n"
        "    https://pubmed.ncbi.nlm.nih.gov/1/ (abstract)\n"
        "  Guideline for gout. College of Joints 2020.\n"
        "    https://doi.org/10.1000/gout (digest of the guideline)\n"
        "\n"
        "What you can do\n"
        "  Ask one thing at a time, or use other words.\n"
        "  Read what was found: wellsourced search QUESTION\n"
        "  Search PubMed too (your words leave this machine): wellsourced ask\n"
        "    --live pubmed QUESTION\n"
        "\n"
        "Searched: guidelines (50 passages), notes (nothing found); 2 of 2\n"
        "passages read were relevant.\n"
        "Not medical advice: check the sources before you act on them.\n"
    )
    asked = silent.model_copy(update={"attempts": (attempt("pubmed", "failed", error="gone"),)})
    shown = terminal_text(asked, TerminalPage())
    assert "--live" not in shown
    assert "Check what is searched: wellsourced doctor" in shown


def test_what_an_earlier_version_found_instead_is_shown_as_closest_sections() -> None:
    said = [statement(f"Statement {number}.", FLARES).model_dump(mode="json") for number in range(2)]
    silent = ANSWER.model_copy(update={"statements": (), "abstained": True, "basis": "none", "reason": "Not clear."})
    written = silent.model_copy(update={"conflicts": ()}).model_dump(mode="json")
    stored = Answer.model_validate({**written, "version": 2, "found_instead": said, "decision": {"label": "yes"}})
    (section,) = stored.sections
    assert (stored.head, section.passage_id) == ("closest", FLARES.id)
    shown = terminal_text(stored, TerminalPage())
    assert shown.startswith("Closest sections: they may not answer this.\n  Not clear.\n\n[1] ")


def test_an_abstention_in_an_emergency_gives_no_other_advice() -> None:
    alarm = Emergency(kind="chest pain", signs=("chest hurts",), advice="Call an ambulance.")
    silent = Answer(
        question=ANSWER.question, attempts=ANSWER.attempts, abstained=True, reason="No.", basis="none", emergency=alarm
    )
    shown = terminal_text(silent, TerminalPage())
    assert shown.startswith("This may be an emergency (chest pain)\n  Call an ambulance.")
    assert "What you can do" not in shown


def test_without_colour_there_is_no_escape_sequence() -> None:
    assert "\x1b" not in terminal_text(ANSWER, TerminalPage(quotes=True, places=True))
    assert "\x1b" in terminal_text(ANSWER, TerminalPage(quotes=True, colour=True))


@each_row(
    "hostile",
    ["\x1b[2J", "\x9b2J", "\x07", "\r", "\x00", "\u202e", "\u2067", "\u200f", "\u061c", "\x1b]0;title\x07", "\ud800",
     "\u200b", "\u2060", "\ufeff", "\U000e0041", "\u200d", "\u3164"],
)  # fmt: skip
def test_nothing_that_a_source_wrote_commands_the_terminal(hostile: str) -> None:
    reference = TRIAL.model_copy(update={"title": f"A{hostile}B", "url": f"https://x/{hostile}", "journal": hostile})
    bad = passage(reference, f"Colchicine {hostile} helps.", 0, f"Part {hostile}")
    given = Answer(
        question=ANSWER.question,
        statements=(statement(f"Yes {hostile} it does.", bad, topic=f"Topic {hostile}", lead=True),),
        evidence=(Evidence(passage=bad, relevance=0.9),),
        gaps=(Gap(source="x", status="failed", reason=hostile),),
        attempts=(attempt("x", "failed", error=hostile),),
    )
    shown = terminal_text(given, TerminalPage(quotes=True)) + terminal_text(given, RECEIPT._replace(places=True))
    assert not set(hostile).intersection(shown).difference("]0;title[2J")


def test_what_is_replaced_keeps_its_place() -> None:
    text = "a\x1b[31mb\tc\nd"
    assert sanitize_text(text) == "a�[31mb\tc\nd"
    assert len(sanitize_text(text)) == len(text)
    assert sanitize_line(text) == "a�[31mb c d"


def test_letters_that_need_a_joiner_keep_it_and_latin_ones_lose_it() -> None:
    assert (
        sanitize_line("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 do\u200dse")
        == "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 dose"
    )


def test_json_says_the_same_and_hides_nothing_from_a_terminal() -> None:
    data = {"title": "a\u202eb\x9bc\u200bd\U000e0041e", "plain": "naïve “β”"}
    told = escape_unsafe(json.dumps(data, ensure_ascii=False, indent=2))
    assert json.loads(told) == data
    assert "\\u202e" in told
    assert "naïve “β”" in told
    assert sanitize_text(told) == told


def test_a_documents_own_mark_is_never_one_of_ours() -> None:
    said = passage(TRIAL, "Colchicine helps [1] much [3, 5–7], by half [95% CI 1 to 2], in some［２］.", 0, "Part")
    text = said.text
    given = Answer(
        question=ANSWER.question,
        statements=(statement(text, said, lead=True),),
        evidence=(Evidence(passage=said, relevance=0.9),),
    )
    for quotes in (False, True):
        shown = " ".join(terminal_text(given, TerminalPage(width=200, quotes=quotes, places=quotes)).split())
        assert "Colchicine helps ‹1› much ‹3, 5–7›, by half [95% CI 1 to 2], in some‹２›." in shown
        assert shown.partition("References")[0].count("[1]") == 1
    assert given.statements[0].citations[0].quote == text


def test_links_are_never_broken_however_narrow_the_terminal() -> None:
    assert "https://pubmed.ncbi.nlm.nih.gov/1/" in terminal_text(ANSWER, TerminalPage(width=40))


def test_tables_set_numbers_to_the_right() -> None:
    assert (
        format_table([("a", "1,204"), ("longer", "7")], ("name", "count"))
        == "name    count\na       1,204\nlonger      7\n"
    )


@each_row(("number", "said"), [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (3.1e9, "3.1 GB")])
def test_sizes_are_said_as_people_say_them(number: float, said: str) -> None:
    assert format_size(number) == said


def test_a_work_that_may_not_count_any_more_is_named_once_with_the_reason_and_no_other_that_was_left_out() -> None:
    left_out = [
        Omission(what="passage", id="pubmed:7#0-9", text="a", reason="retracted (PubMed, 2020)"),
        Omission(what="passage", id="pubmed:7#10-19", text="b", reason="retracted (PubMed, 2020)"),
        Omission(what="passage", id="pubmed:8#0-9", text="c", reason="under an expression of concern (Crossref)"),
    ]
    shown = terminal_text(ANSWER.model_copy(update={"dropped": (*ANSWER.dropped, *left_out)}), TerminalPage(width=72))
    assert (
        "Left out: retracted, or under an expression of concern\n"
        "  pubmed:7: retracted (PubMed, 2020)\n"
        "  pubmed:8: under an expression of concern (Crossref)\n"
        "\n"
        "Gaps\n"
    ) in shown
    assert "Left out" not in terminal_text(ANSWER, TerminalPage(width=72))


def test_what_was_never_judged_is_not_counted_as_judged() -> None:
    left_out = [
        Omission(what="passage", id="pubmed:7#0-9", text="a", reason="retracted (PubMed, 2020)"),
        Omission(what="passage", id="pubmed:9#0-9", text="b", reason="its document could not be opened"),
    ]
    unjudged = ANSWER.evidence[2].model_copy(update={"judged": Verdict(label="unjudged", score=0)})
    evidence = (*ANSWER.evidence[:2], unjudged)
    given = ANSWER.model_copy(update={"dropped": (*ANSWER.dropped, *left_out), "evidence": evidence})
    assert "2 of 4 passages read were relevant; 3 not read" in " ".join(
        terminal_text(given, TerminalPage(width=72)).split()
    )
    assert "2 of 4 passages read were relevant; 3 not read" in terminal_text(given, RECEIPT)


def test_a_receipt_names_each_dropped_statement_with_the_reason_both_shortened() -> None:
    dropped = Omission.of_statement("word " * 40, "because " * 40)
    shown = " ".join(terminal_text(ANSWER.model_copy(update={"dropped": (dropped,)}), RECEIPT).split())
    assert f"dropped: “{'word ' * 20}…”: {'because ' * 20}…" in shown


def test_a_work_without_an_address_is_named_by_the_id_that_opens_it() -> None:
    own = Reference(id="file:gout-1a2b3c4d", title="Gout clinic protocol", kind="own", depth="full text")
    words = passage(own, "Ice is put on the joint.", 0)
    given = Answer(
        question=ANSWER.question,
        statements=(statement(words.text, words, lead=True),),
        evidence=(Evidence(passage=words, relevance=0.9),),
    )
    assert "[1] Gout clinic protocol. file:gout-1a2b3c4d (full text)\n" in terminal_text(given, TerminalPage(width=72))


def test_where_nobody_judged_relevance_none_is_said_to_be_judged_and_no_work_to_be_relevant() -> None:
    unjudged = Verdict(label="unjudged", score=0)
    evidence = tuple(one.model_copy(update={"judged": unjudged}) for one in ANSWER.evidence)
    beside = Evidence(passage=passage(OTHER, "Gout is common.", 0), relevance=0.9, judged=unjudged)
    given = ANSWER.model_copy(update={"dropped": (), "evidence": (*evidence, beside)})
    shown = " ".join(terminal_text(given, TerminalPage(width=72)).split())
    assert "trials (failed); 4 passages read; 2 works cited" in shown
    assert "were relevant" not in shown
    receipt = terminal_text(given, RECEIPT)
    assert "Relevant, not cited" not in receipt
    judged = beside.model_copy(update={"judged": None})
    assert "Relevant, not cited" in terminal_text(given.model_copy(update={"evidence": (*evidence, judged)}), RECEIPT)


def test_what_was_searched_to_plan_is_not_told_as_read_and_its_failure_is_a_gap() -> None:
    tries = [
        attempt("notes", "ok", 7).model_copy(update={"tier": PLANNING_TIER}),
        attempt("pubmed", "failed", error="no such name").model_copy(update={"tier": PLANNING_TIER}),
    ]
    given = ANSWER.model_copy(update={"attempts": (attempt("guidelines", "ok", 50), *tries), "gaps": ()})
    shown = " ".join(terminal_text(given, TerminalPage(width=72)).split())
    assert "Searched: guidelines (50 passages), pubmed (failed)" in shown
    assert "Gaps pubmed (failed): no such name" in shown
    assert "tried while planning: notes: 7 passages found" in terminal_text(given, RECEIPT)


def test_sources_that_are_left_out_since_others_were_named_are_told() -> None:
    given = ANSWER.model_copy(update={"left_out": ("guidelines", "pubmed")})
    for page in (TerminalPage(width=72), RECEIPT):
        shown = " ".join(terminal_text(given, page).split())
        assert "not searched, since other libraries were named: guidelines, pubmed" in shown
    assert "not searched" not in terminal_text(ANSWER, TerminalPage(width=72))


def test_what_the_draft_lost_and_what_was_not_found_are_gaps_with_and_without_an_answer() -> None:
    missing = {"not_found": ("dose of colchicine",), "lost": ("Duration",), "writer": "m"}
    for given in (
        ANSWER.model_copy(update=missing),
        Answer(question=ANSWER.question, abstained=True, basis="none", reason="Nothing.", **missing),
    ):
        shown = " ".join(terminal_text(given, TerminalPage(width=72)).split())
        assert (
            "Gaps Not found in the passages read: dose of colchicine "
            "Left out: Duration (what the draft said on it failed the check)" in shown
        )


def test_more_notes_than_fit_a_glance_are_in_the_receipt() -> None:
    notes = tuple(f"note {number}" for number in range(9))
    given = ANSWER.model_copy(update={"notes": notes})
    shown = terminal_text(given, TerminalPage(width=72))
    assert "  note 5\n  3 more notes. Details: --receipt\n\n" in shown
    receipt = terminal_text(given, RECEIPT)
    assert all(receipt.count(f"  {note}\n") == 1 for note in notes)


def test_markers_are_never_alone_in_a_line() -> None:
    said = Text("one two three four", citations=(1,), status="verbatim")
    assert write_lines([said], TerminalPage(width=20)) == ["  • one two three", "    four [1]"]
    both = Text("word", citations=(1, 2), status="verbatim")
    assert write_lines([both], TerminalPage(width=5)) == ["  • word [1][2]"]


# --- who checked a draft ---------------------------------------------------------------------------------------------


def written_answer(*statuses: tuple[str, str], checker: str = "") -> Answer:
    """An answer of a model with a lead and a statement of each label and basis."""
    verdicts = [Verdict.model_validate({"label": label, "score": 1.0, "basis": basis}) for label, basis in statuses]
    said = [
        statement(f"It helps {at}.", FLARES, lead=not at).model_copy(update={"verdict": verdict})
        for at, verdict in enumerate(verdicts)
    ]
    parts = {"writer": "openai:writer", "checker": checker, "statements": tuple(said)}
    return ANSWER.model_copy(update=parts)


def authorship(answer: Answer) -> str:
    (line,) = [line for line in terminal_text(answer, TerminalPage(width=400)).splitlines() if "Written by" in line]
    return line.strip()


def test_an_answer_says_how_many_statements_were_checked_and_by_whom() -> None:
    statuses = (("supports", "verbatim"), ("supports", "model"), ("supports", "model"), ("supports", "likeness"))
    written = "Written by openai:writer from the sources below. 4 statements: 1 in the source's own words, 2 checked"
    assert authorship(written_answer(*statuses)) == f"{written}, 1 not verified."
    by_itself = authorship(written_answer(*statuses, checker="openai:writer"))
    assert by_itself == f"{written} by the model that wrote it, 1 not verified."
    by_another = authorship(written_answer(*statuses, checker="local:judge"))
    assert by_another == f"{written} by local:judge, a second model, 1 not verified."


def test_both_places_of_a_difference_are_shown_below_its_statement_and_counted() -> None:
    difference = SourceDifference(kind="population", statement="pregnant women", source="nonpregnant women")
    answer = written_answer(("supports", "model"), ("supports", "model"))
    first = answer.statements[0].model_copy(update={"differences": (difference,)})
    shown = answer.model_copy(update={"statements": (first, *answer.statements[1:])})
    text = terminal_text(shown, TerminalPage(width=400))
    assert "Compare “pregnant women” with its source: “nonpregnant women”." in text
    assert "2 checked (1 of them to be compared with the words of the source below)." in authorship(shown)
    assert json.loads(shown.model_dump_json())["statements"][0]["differences"] == [
        {"kind": "population", "statement": "pregnant women", "source": "nonpregnant women"}
    ]
    assert "differences" not in json.loads(answer.model_dump_json())["statements"][0]


def test_a_conflict_that_only_the_writer_saw_and_the_reasoning_of_a_model_are_shown() -> None:
    conflict = Conflict(about="what was read in parts", sides=(), resolution="High doses may predispose.")
    given = ANSWER.model_copy(update={"conflicts": (conflict,), "reasoning": "The trial tests it.", "writer": "m"})
    shown = terminal_text(given, TerminalPage(width=100))
    assert "settled by the writer: High doses may predispose." in shown
    assert "The language model's reasoning, unchecked" in shown
    assert "The trial tests it." in shown


def test_passages_that_were_read_unjudged_are_counted_without_those_that_nobody_read() -> None:
    passage = ANSWER.evidence[0].passage
    unjudged = tuple(one.model_copy(update={"judged": Verdict(label="unjudged", score=0.0)}) for one in ANSWER.evidence)
    dropped = (
        Omission.of_passage(passage, "read, but no statement cites it"),
        *[Omission.of_passage(passage, "less relevant, not read")] * 37,
    )
    given = ANSWER.model_copy(update={"evidence": unjudged, "dropped": dropped})
    assert f"{len(unjudged) + 1} passages read; 37 not read" in " ".join(terminal_text(given, TerminalPage()).split())
