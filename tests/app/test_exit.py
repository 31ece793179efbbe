"""A record of a marked person is sent through every command and every route, and looked for wherever it could arrive.

Commands come from the command line itself, routes from ROUTES: one that is added fails here until it is
covered. The servers are real ones on loopback. With phi=allow the marks must arrive: that proves that they are seen.
"""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple, get_args
from urllib.parse import quote, quote_plus, unquote_plus

import click
import pytest
from click.testing import Result

from tests.app.conftest import Run, list_commands
from tests.servers.base import Asked, Said, Served, serving
from tests.servers.models.thinking import Thinking
from wellsourced.app.cli import command_line
from wellsourced.config.registry import LIVE_SOURCE_REGISTRY, RETRACTION_REGISTRY
from wellsourced.config.settings import LIVE_SOURCES
from wellsourced.privacy import PhiPolicy
from wellsourced.types import Answer, Citation, Evidence, Passage, Question, Reference, Statement, Verdict

pydantic_ai_models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")

SRC = Path(__file__).parents[2] / "src" / "wellsourced"
LABORATORY = Path(__file__).parents[2] / "evaluate" / "src" / "wellsourced_evaluate"
RECORD = """\
Patient: Mrs Ngozi Okafor, born 12 March 1948, MRN 4482913, phone 555-010-4477, ngozi.okafor@example.org,
lives at 14 Hollyhock Lane. She has gout. Colchicine shortened gout flares in Mrs Okafor by two days.
"""
MARKS = ("okafor", "12 march 1948", "4482913", "555-010-4477", "ngozi", "14 hollyhock lane")
QUESTION = "Does colchicine shorten gout flares in Mrs Ngozi Okafor, MRN 4482913, phone 555-010-4477?"
PAGE = f"visit?patient=Mrs+Ngozi+Okafor&mrn={quote_plus('MRN 4482913')}"
PLAIN_NAMES = {"compatible.url": "http://198.51.100.7/v1", "searxng.url": "http://198.51.100.7/search"}


RouteContent = Literal["prompts", "queries", "references", "terms", "ids", "addresses", "nothing"]
"""What a route carries. `ids` are DOIs, PMIDs and domains; `nothing`: files that everybody is given."""


class EgressRoute(NamedTuple):
    """One of the ways by which words can leave this machine.

    name     of the source, the service or the setting
    content   what words it carries
    module   whose calls of the client it is, without "wellsourced."
    """

    name: str
    content: RouteContent
    module: str


ROUTES = (
    EgressRoute("models", "prompts", "config.models"),
    *(EgressRoute(entry.name, "queries", entry.module) for entry in LIVE_SOURCE_REGISTRY.entries.values()),
    EgressRoute("headings", "terms", "sources.eutils"),
    EgressRoute("crossref", "references", "sources.crossref"),
    EgressRoute("doi", "ids", "sources.doi_org"),
    EgressRoute("registrations", "ids", "sources.page_registries"),
    EgressRoute("archive", "addresses", "sources.page_registries"),
    EgressRoute("pages found", "addresses", "sources.web"),
    EgressRoute("pages cited", "addresses", "factcheck.pages.page_fetcher"),
    EgressRoute("pages named", "addresses", "factcheck.load.input_texts"),
    EgressRoute("recipes", "nothing", "ingest.acquisition"),
)


class Route(NamedTuple):
    """A command as it is typed, and what its words are."""

    words: tuple[str, ...]
    stdin: str | None = None


@pytest.fixture(autouse=True)
def real_requests() -> Iterator[None]:
    with pydantic_ai_models.override_allow_model_requests(True):
        yield


def nothing_here(_: Asked) -> Said:
    """Any service: what it is asked has arrived, and it knows nothing."""
    return Said(b"not here", status=404, type="text/plain")


class World:
    """A home with the record in a library of its own, a provider that reads, and one server that is all others."""

    def __init__(self, run: Run, folder: Path, model: Served, others: Served) -> None:
        self.run, self.folder, self.model, self.others = run, folder, model, others
        self.record = folder / "visit.txt"
        self.record.write_text(RECORD, encoding="utf-8")

    def file(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def settings(self) -> dict[str, str]:
        at = self.others.url
        services = ("europe_pmc", "semantic_scholar", "clinical_trials", "crossref", "searxng")
        return {
            "guidelines": "false",
            "reranker": "none",
            "patient_to": "all",
            "network.private_hosts": at.removeprefix("http://"),
            "network.seconds": "20",
            # Another spelling of loopback, in which nobody recognises this machine.
            "compatible.url": f"{self.model.url.replace('127.0.0.1', '127.1')}/v1",
            "pubmed.url": f"{at}/entrez/eutils/",
            **{f"{name}.url": at for name in services},
            **{f"{name}.{part}": said for name in ("brave", "tavily") for part, said in (("url", at), ("key", "k"))},
            **{f"tracing.{name}": at for name in ("doi", "archive_url", "rdap")},
        }

    def type(self, route: Route, *more: str) -> Result:
        options = [word for name, value in self.settings().items() for word in ("--set", f"{name}={value}")]
        return self.run("--model", "compatible:sim", *options, *more, *route.words, stdin=route.stdin)

    def arrived(self) -> str:
        """All that came to any server, decoded and in small letters."""
        said = []
        for asked in (*self.model.asked, *self.others.asked):
            fields = " ".join(asked.fields.values())
            headers = " ".join(f"{name}: {value}" for name, value in asked.headers.items())
            body = asked.body.decode(errors="replace")
            said += [asked.path, fields, headers, body, unquote_plus(body), body.replace("\\n", " ")]
        return unquote_plus("\n".join(said)).casefold()


@pytest.fixture
def world(run: Run, tmp_path: Path) -> Iterator[World]:
    with serving(Thinking()) as model, serving(nothing_here) as others:
        made = World(run, tmp_path, model, others)
        told = run("library", "create", "notes", "--add", str(made.record))
        assert told.exit_code == 0, told.output
        yield made


def asking(command: str, *words: str, stdin: str | None = None) -> Route:
    return Route(
        (command, *(word for name in LIVE_SOURCES for word in ("--live", name)), "--library", "notes", *words), stdin
    )


def text_to_check(world: World) -> str:
    address = f"{world.others.url}/{PAGE}"
    return world.file(
        "text.md",
        f"# Visit\n\n{RECORD}\nColchicine shortened gout flares by two days [1]. Allopurinol prevented flares [2].\n\n"
        f"## References\n\n1. Letter on the patient with MRN 4482913, phone 555-010-4477. J Gout. 2019;1:1-2.\n"
        f"2. Allopurinol in gout. {address}\n",
    )


def pairs(world: World) -> str:
    claims = ("Colchicine shortened gout flares in Mrs Ngozi Okafor.", "Gout did not hurt Mrs Ngozi Okafor.") * 2
    rows = [{"claim": one, "evidence": RECORD, "label": "supported", "id": str(at)} for at, one in enumerate(claims)]
    return world.file("pairs.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


def corpus(world: World) -> tuple[str, ...]:
    row = {"_id": "d1", "title": "Visit", "text": RECORD}
    return (
        "--corpus", world.file("corpus.jsonl", json.dumps(row) + "\n"),
        "--queries", world.file("queries.jsonl", json.dumps({"_id": "q1", "text": QUESTION}) + "\n"),
        "--qrels", world.file("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n"),
    )  # fmt: skip


def beir(world: World) -> str:
    """The same files as BEIR packs them."""
    _, found, _, queries, _, qrels = corpus(world)
    folder = world.folder / "packed"
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    for file, name in ((found, "corpus.jsonl"), (queries, "queries.jsonl"), (qrels, "qrels/test.tsv")):
        (folder / name).write_bytes(Path(file).read_bytes())
    return str(folder)


def known_answers(world: World) -> str:
    """An answer on the record, and the known one."""
    said = "Colchicine harmed Mrs Ngozi Okafor, MRN 4482913, in gout."
    return world.file(
        "known.jsonl", json.dumps({"id": "q1", "question": QUESTION, "answer": said, "gold": said}) + "\n"
    )


def cases(world: World) -> str:
    """A question on the record, and what its answer should say."""
    row = {"id": "q1", "question": QUESTION, "answer": "yes", "must_have": ["It hurt Mrs Ngozi Okafor, MRN 4482913."]}
    row |= {"context": [RECORD]}
    return world.file("cases.jsonl", json.dumps(row) + "\n")


def data_folder(world: World) -> str:
    """A folder of data whose one set is a question on the record."""
    sets = world.folder / "data" / "qa"
    sets.mkdir(parents=True, exist_ok=True)
    row = {"id": "q1", "question": QUESTION, "must_have": ["It hurt Mrs Ngozi Okafor, MRN 4482913."]}
    (sets / "guideline_facts.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    return str(sets.parent)


def out(world: World) -> tuple[str, str]:
    """Where a set that is built goes."""
    return "--out", f"{world.folder}/built.jsonl"


def stored_answers(world: World) -> str:
    """An answer whose statement and passage are words of the record."""
    reference = Reference(id="own:visit", title="Visit")
    passage = Passage(reference=reference, text=RECORD, start=0, end=len(RECORD))
    statement = Statement(
        text="Colchicine harmed Mrs Ngozi Okafor, MRN 4482913, in gout.",
        citations=(Citation(passage_id=passage.id, quote=RECORD[:40], start=0, end=40),),
        verdict=Verdict(label="unjudged", score=0.0),
    )
    answer = Answer(
        question=Question(text=QUESTION), statements=(statement,), evidence=(Evidence(passage=passage, relevance=0.9),)
    )
    return world.file("answers.jsonl", json.dumps({"id": "q1", "answer": answer.model_dump(mode="json")}) + "\n")


def stored_check(world: World) -> str:
    """A check of a text on the record whose two sources are pages of the record in a library."""
    pages = []
    for name in ("one", "other"):
        page = f"---\ntitle: Visit {name}\nurl: https://example.org/{name}\n---\n{RECORD}"
        pages.append(world.file(f"{name}.md", page))
    assert world.run("library", "create", "pages", "--add", world.file("pages.md", "Nothing.")).exit_code == 0
    assert world.run("library", "add", "pages", *pages).exit_code == 0
    cited = "1. https://example.org/one\n2. https://example.org/other\n"
    said = "Colchicine harmed Mrs Ngozi Okafor, MRN 4482913, in gout, and 41 relatives [1, 2]."
    text = world.file("stored.md", f"{said}\n\n## References\n\n{cited}")
    done = world.run("--offline", "check", text, "--judge", "overlap", "--json")
    return world.file("checked.json", done.stdout)


def route_of(command: str, world: World) -> Route:
    """The command with the record in everything that it takes."""
    if command.startswith("checkup "):
        return Route((*command.split(), stored_check(world), "--judge", "model"))
    record, judged = str(world.record), ("--judge", "model")
    routes = {
        "ask": asking("ask", "--patient", record, QUESTION),
        "recommend": asking("recommend", "--patient", record, QUESTION),
        "explain": asking("explain", "--patient", record, "--ask", QUESTION, record),
        "chat": asking("chat", stdin=f"{QUESTION}\nAnd what of Mrs Okafor, MRN 4482913?\n"),
        "search": asking("search", QUESTION),
        "check": Route(("check", "--analyse-urls", "--repair", "--out", f"{world.folder}/r.txt", text_to_check(world))),
        "library digest": Route(("library", "digest", "--again", record)),
        "search --source": Route(("search", "--source", "pubmed", QUESTION)),
        "open": Route(("open", "--all", "--source", "brave", f"url:{world.others.url}/{PAGE}")),
        "probe vary": Route(("probe", "vary", QUESTION)),
        "setup judges calibrate": Route(
            ("setup", "judges", "calibrate", "--dry-run", *judged, "--pairs", pairs(world))
        ),
        "evaluate verification": Route(("evaluate", "verification", *judged, "--pairs", pairs(world))),
        "evaluate retrieval": Route(("--set", "planner=keywords", "evaluate", "retrieval", *corpus(world))),
        "evaluate citations": Route(("evaluate", "citations", *judged, "--answers", stored_answers(world))),
        "evaluate preflight": Route(
            ("--set", "planner=keywords", "evaluate", "preflight", "--fresh", "--beir", beir(world))
        ),
        "evaluate run": Route(
            ("--set", f"live={','.join(LIVE_SOURCES)}", "evaluate", "run", "--fresh", *judged, cases(world))
        ),
        "evaluate scorecard": Route(
            ("evaluate", "scorecard", "--only", "answers", "--fresh", *judged, "--data", data_folder(world))
        ),
        "evaluate accuracy": Route(("evaluate", "accuracy", "--answers", known_answers(world), "--fresh", *out(world))),
        "probe agent": Route(("probe", "agent", "ExtractKeywords", f"question={QUESTION} {RECORD}", "limit=5")),
        "evaluate build review-questions": Route(
            ("evaluate", "build", "review-questions", "--topic", QUESTION, "--fresh", *out(world))
        ),
        "evaluate build page-questions": Route(("evaluate", "build", "page-questions", record, "--fresh", *out(world))),
        "evaluate build pico-questions": Route(("evaluate", "build", "pico-questions", record, "--fresh", *out(world))),
        "evaluate contexts": Route(("evaluate", "contexts", "--only", "gold", "--fresh", *judged, cases(world))),
        "evaluate ablation": Route(("evaluate", "ablation", "--cited", "0", "--fresh", *judged, cases(world))),
        "evaluate robustness": Route(
            ("evaluate", "robustness", "--variant", "politely", "--fresh", *judged, cases(world))
        ),
        "evaluate planner explore": Route(
            ("evaluate", "planner", "explore", "--questions", cases(world), "--queries", "2", "--fresh", *out(world))
        ),
        "evaluate uncertainty": Route(("evaluate", "uncertainty", "--samples", "2", "--fresh", *judged, cases(world))),
    }
    return routes[command]


SENDING = (
    "ask", "recommend", "explain", "chat", "search", "check", "library digest", "search --source", "open",
    "probe vary", "setup judges calibrate", "evaluate verification", "evaluate retrieval",
    "evaluate citations", "evaluate run", "checkup rejudge", "checkup merge",
    "evaluate build review-questions", "evaluate build page-questions", "evaluate build pico-questions",
    "evaluate preflight", "evaluate scorecard",
    "evaluate contexts", "evaluate ablation", "evaluate robustness", "evaluate uncertainty",
    "evaluate planner explore", "evaluate accuracy", "probe agent",
)  # fmt: skip

NOT_MASKED = ("open", "evaluate build review-questions")
"""An id and an expression of PubMed are sent as they are written, or not at all."""

QUIET = {
    "asks nobody": (
        "library create", "library errors", "library embed", "library list", "library verify", "library remove",
        "library recipes", "library copy", "library move",
        "checkup sheet", "checkup agreement", "checkup breakdown", "checkup export", "checkup import",
        "setup judges measure", "evaluate list", "evaluate sets", "evaluate summaries",
        "evaluate questionnaire", "evaluate ratings", "evaluate report", "evaluate outputs", "evaluate compare",
        "evaluate sealed create", "evaluate sealed score", "evaluate duplicates",
        "evaluate build reviewed-questions", "evaluate build imported-questions",
        "evaluate export", "evaluate clinical", "evaluate test",
        "evaluate planner rows", "evaluate planner compare", "evaluate planner train",
        "setup show", "setup set", "setup trust", "setup judges", "help",
        "library expect", "history list", "history show", "history replay", "history export", "history delete",
        "history stop",
    ),
    "fetches what everybody is given": ("library add",),
    "asks a fixed question of ours": ("doctor", "setup"),
    "asks for ids of published works": ("history verify",),
    "asks as evaluate verification does, by the same functions": ("evaluate planner judge",),
    "has no words of its own: what comes to it goes the way of ask and search, by the same functions": ("serve", "mcp"),
}  # fmt: skip
"""Commands by which nobody's words can leave, and why, or why they are tried by others."""


def commands(group: click.Command, path: str = "") -> Iterator[str]:
    if path and (not isinstance(group, click.Group) or group.invoke_without_command):
        yield path
    if not isinstance(group, click.Group):
        return
    for name, one in list_commands(group):
        yield from commands(one, f"{path} {name}".strip())


def test_every_command_is_sent_the_record_or_is_known_to_send_nothing() -> None:
    sending = {name.partition(" --")[0] for name in SENDING}
    assert {*sending, *(name for names in QUIET.values() for name in names)} == {*commands(command_line)}


def marks_in(text: str) -> list[str]:
    return [mark for mark in MARKS if mark in text.casefold()]


def marks_on_disk(home: Path) -> dict[str, list[str]]:
    """Marks in files of home; libraries, and checks that can be gone on with, hold the text on purpose."""
    kept = {}
    for path in home.rglob("*"):
        if path.is_file() and path.relative_to(home).parts[0] not in ("libraries", "checkups", "evaluate"):
            kept[str(path.relative_to(home))] = marks_in(path.read_bytes().decode("utf-8", "replace"))
    return {path: marks for path, marks in kept.items() if marks}


@pytest.mark.parametrize("command", SENDING)
def test_no_command_lets_a_marked_record_out_and_with_allow_it_would_be_seen(
    world: World, home: Path, command: str
) -> None:
    route = route_of(command, world)
    for phi in ("mask", "refuse"):
        told = world.type(route, "--phi", phi)
        assert told.exception is None or isinstance(told.exception, SystemExit), told.exception
        assert marks_in(world.arrived()) == [], (command, phi)
        assert phi == "refuse" or "colchicine" in world.arrived() or command in NOT_MASKED
        assert marks_in(told.stderr) == [], (command, phi)
        if command.startswith("checkup "):
            # Of a source that was read, the words that decided a verdict are kept with it, on purpose; and who is
            # asked a second time would not be asked at all.
            for file in home.glob("verdicts.sqlite3*"):
                file.unlink()
        assert marks_on_disk(home) == {}, (command, phi)
    world.type(route, "--phi", "allow")
    assert marks_in(world.arrived()) != [], command


def test_a_question_whose_answer_is_checked_lets_no_marked_record_out(world: World, home: Path) -> None:
    route = Route(("check", "--question", QUESTION, "--judge", "overlap"))
    told = world.type(route)
    assert "colchicine" in world.arrived()
    assert (marks_in(world.arrived()), marks_in(told.stderr), marks_on_disk(home)) == ([], [], {})
    world.type(route, "--phi", "allow")
    assert marks_in(world.arrived()) != []


def addressed(name: str, world: World) -> Route:
    """The command by which a route is taken."""
    search = ("search", "--source", name, QUESTION)
    return {
        "models": Route(("evaluate", "build", "page-questions", str(world.record))),
        "headings": Route(("ask", "--live", "pubmed", "--library", "notes", QUESTION)),
        "crossref": Route(("check", text_to_check(world))),
        "doi": Route(
            ("check", world.file("doi.md", "Gout hurts [1].\n\n## References\n\n1. doi:10.1000/555-010-4477.x\n"))
        ),
        "registrations": Route(("check", "--analyse-urls", text_to_check(world))),
        "archive": Route(("check", "--analyse-urls", text_to_check(world))),
        "pages found": Route(("open", "--all", "--source", "brave", f"url:{world.others.url}/{PAGE}")),
        "pages cited": Route(("check", text_to_check(world))),
        "pages named": Route(("check", f"{world.others.url}/{PAGE}")),
        "recipes": Route(("library", "recipes")),
    }.get(name) or Route(search)


@pytest.mark.parametrize("name", [one.name for one in ROUTES])
def test_no_route_carries_a_marked_record(world: World, home: Path, name: str) -> None:
    route = addressed(name, world)
    told = world.type(route, "--phi", "mask")
    assert told.exception is None or isinstance(told.exception, SystemExit), told.exception
    assert marks_in(world.arrived()) == []
    assert marks_on_disk(home) == {}
    (says,) = {one.content for one in ROUTES if one.name == name}
    if says == "queries":
        assert any("colchicine" in " ".join(asked.fields.values()) + str(asked.body) for asked in world.others.asked)
        world.others.asked.clear()
        assert world.type(route, "--phi", "refuse").exit_code == 1
        assert world.others.asked == []
        world.type(route, "--phi", "allow")
        assert marks_in(world.arrived()) != []


def test_every_source_service_and_module_that_asks_the_client_is_a_route() -> None:
    names = {one.name for one in ROUTES}
    assert names >= {*LIVE_SOURCES} | ({*RETRACTION_REGISTRY.names} - {"retraction_watch"})
    modules = {
        f"{prefix}{'.'.join(path.relative_to(root).with_suffix('').parts)}": path
        for prefix, root in (("", SRC), ("evaluate.", LABORATORY))
        for path in root.rglob("*.py")
    }
    asking_client = set()
    for module, path in modules.items():
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "client" in text else ():
            called = node.func if isinstance(node, ast.Call) else None
            asks = ("get", "post", "follow", "download", "open_provider_client")
            if isinstance(called, ast.Attribute) and called.attr in asks:
                owner = called.value
                word = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
                if word.strip("_") == "client":
                    asking_client.add(module)
    # What a library's index on a server is sent: tests/sources/opensearch/test_one_node.py, on a real one.
    assert asking_client == {one.module for one in ROUTES} | {"sources.library.opensearch.engine"}


# --- what is told before words go ------------------------------------------------------------------------------------


def test_the_host_is_named_on_stderr_once_and_the_words_are_shown_masked_if_wished(world: World) -> None:
    route = Route(("evaluate", "build", "page-questions", "--fresh", str(world.record)))
    host = world.settings()["compatible.url"].removeprefix("http://").removesuffix("/v1")
    named = world.type(route, "--set", "models.cache=false").stderr
    assert named.count(f"Sending to {host} (compatible:sim)") == 1
    assert "Colchicine shortened" not in named
    shown = world.type(route, "--set", "show_masked=true").stderr
    assert f"Sending to {host} (compatible:sim); masked: " in shown
    assert re.search(r"\| .*MRN \[RECORD 1\], phone \[PHONE 1\]", shown)
    assert marks_in(shown) == []


def test_what_goes_to_a_source_is_shown_without_what_was_left_out(world: World) -> None:
    told = world.type(Route(("search", "--source", "europe_pmc", QUESTION)), "--set", "show_masked=true")
    host = world.others.url.removeprefix("http://")
    assert f"Sending to {host} (europe_pmc):\n| Does colchicine shorten gout flares in?\n" in told.stderr
    assert marks_in(told.stderr) == []


# --- words of the user's own come back as they were ------------------------------------------------------------------


def test_quotes_of_the_users_own_notes_are_located_although_the_model_saw_pseudonyms(world: World) -> None:
    told = world.type(Route(
        words=("ask", "--json", "--library", "notes", "Did colchicine shorten gout flares?")))  # fmt: skip
    answer = json.loads(told.stdout)
    quotes = [one["quote"] for statement in answer["statements"] for one in statement["citations"]]
    assert any("Okafor" in one for one in quotes)
    assert marks_in(world.arrived()) == []
    assert "[name 1]" in world.arrived()
    assert not re.search(r"\[NAME \d", told.stdout)


# --- plain HTTP ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "setting"),
    [
        (("--model", "compatible:sim", "evaluate", "build", "page-questions"), "compatible.url"),
        (("search", "--source", "searxng"), "searxng.url"),
    ],
)
def test_an_address_of_plain_http_elsewhere_is_refused_by_the_setting_that_names_it(
    run: Run, tmp_path: Path, words: tuple[str, ...], setting: str
) -> None:
    page = tmp_path / "page.txt"
    page.write_text(RECORD * 3, encoding="utf-8")
    last = str(page) if "evaluate" in words else "gout"
    told = run("--set", f"{setting}={PLAIN_NAMES[setting]}", *words, last)
    assert told.exit_code == 2
    assert f"{setting} is http://198.51.100.7" in told.stderr
    assert "https://" in told.stderr


def test_a_page_of_plain_http_can_still_be_asked_for(world: World) -> None:
    path = quote("colchicine in gout")
    world.type(Route(("check", f"{world.others.url}/{path}")))
    assert [asked.path for asked in world.others.asked] == [f"/{path}"]


def test_phi_has_three_ways_and_all_are_tried_here() -> None:
    assert {*get_args(PhiPolicy)} == {"mask", "refuse", "allow"}
