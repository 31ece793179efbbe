"""What leaves this machine, counted at the level of the operating system, whoever sends it: our code or a library's.

Every command runs traced by strace, by default and with --offline. A process that is not allowed to be traced fails
these tests; where strace is not installed they are skipped (`.ci/run` installs it).
"""

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import certifi
import click
import pytest

from tests.app.conftest import list_commands
from tests.presentation.test_answers import ANSWER
from tests.servers.base import Asked, Said, serving
from tests.servers.eutils import Eutils, Record, article
from tests.servers.models.thinking import Thinking
from tests.traced import STRACE, UPLOAD, Job, Trace, start_trace
from wellsourced.app.cli import command_line as command

pytestmark = pytest.mark.skipif(STRACE is None, reason="strace is not installed on this machine")

FINDING = "Colchicine shortened gout flares by two days compared with placebo."
PAIR = {"claim": FINDING, "evidence": FINDING, "label": "supported"}
SCORES = {"rouge-L": 1.0, "meteor": 1.0, "chrf": 100.0, "google_bleu": 1.0, "character": 0.0}
TOLD_NOT = {"claim": "Metformin caused gout.", "evidence": FINDING, "label": "not_enough"}

FILES = {
    "trials.jsonl": {"_id": "trial-1", "title": "Colchicine in gout", "text": FINDING},
    "queries.jsonl": {"_id": "q1", "text": "colchicine"},
    "qrels.tsv": "query-id\tcorpus-id\tscore\nq1\ttrial-1\t1\n",
    "pairs.jsonl": "".join(json.dumps(row) + "\n" for row in (PAIR, TOLD_NOT) * 60),
    "summaries.jsonl": {"id": "r1", "human_answer": FINDING, "systems": {"gpt4": {"text": FINDING, "scores": SCORES}}},
    "cases.jsonl": {
        "id": "q1",
        "question": "Is colchicine used for gout flares?",
        "answer": "yes",
        "context": [FINDING],
    },
    "answers.jsonl": {"id": "q1", "answer": ANSWER.model_dump(mode="json")},
    "values.csv": "group,value\na,1\na,2\na,3\nb,2\nb,4\nb,5\n",
    "outputs.jsonl": {"id": "o1", "raw_output": "B", "options": {"A": "yes", "B": "no"}, "gold": "B"},
    "preflight.jsonl": {"id": "q1", "predicted": True, "happened": False},
    "asked.jsonl": {"question": "Does colchicine shorten flares?", "document": "trial-1", "answer": FINDING},
    "ours.jsonl": {"question": "What helps in gout?", "answer": FINDING},
    "theirs.jsonl": {"question": "What helps in gout?", "answer": "Nothing."},
    "known.jsonl": {"id": "q1", "question": "What helps?", "gold": FINDING, "answer": FINDING, "relation": "equal"},
    "decisions.csv": "id,decision\nq1,accept\n",
    "note.md": f"# Gout\n\n{FINDING} " + "Allopurinol prevented gout flares in patients who took it every day. " * 5,
    "order.txt": "Order: echocardiography for heart failure with reduced ejection fraction (HFrEF).",
    "record.txt": "72-year-old woman with heart failure and gout.",
    "reply.md": f"{FINDING} [1]\n\nReferences\n\n1. Smith J. Colchicine in gout. J Gout. 2019;1:1-2.\n",
    "tokens.txt": "a-token-that-nobody-guesses-0123456789",
    "wellsourced.toml": '[network]\nemail = "somebody@example.org"\n',
}

EXAMPLES = {
    "library create": "library create notes --add trials.jsonl",
    "library add": "library add notes note.md",
    "library expect": "library expect notes --from asked.jsonl",
    "library errors": "library errors notes",
    "library embed": "library embed notes",
    "library copy": "library copy notes copied",
    "library move": "library move notes here",
    "library list": "library list",
    "library verify": "library verify notes",
    "open": "open trial-1",
    "library recipes": "library recipes",
    "ask": "ask Is colchicine used for gout flares?",
    "check": "check --out checked.json reply.md",
    "checkup breakdown": "checkup breakdown checked.json",
    "checkup export": "checkup export checked.json --out set.jsonl",
    "checkup import": "checkup import set.jsonl",
    "checkup sheet": "checkup sheet checked.json --out sheet.csv",
    "checkup agreement": "checkup agreement sheet.key.jsonl sheet.csv",
    "checkup rejudge": "checkup rejudge checked.json --judge overlap",
    "checkup merge": "checkup merge checked.json",
    "recommend": "recommend --patient record.txt Should she take an SGLT2 inhibitor?",
    "explain": "explain --terms 1 order.txt",
    "chat": "chat",
    "serve": "serve --host 192.0.2.1 --tokens tokens.txt",
    "mcp": "mcp --host 192.0.2.1",
    "search": "search gout flare",
    "search by a query": "search --show-query gout[ti] AND colchicine",
    "search of a library": "search --source notes colchicine",
    "evaluate verification": "evaluate verification --pairs pairs.jsonl --judge overlap",
    "evaluate retrieval": "evaluate retrieval --corpus trials.jsonl --queries queries.jsonl --qrels qrels.tsv",
    "evaluate summaries": "evaluate summaries --published summaries.jsonl --json",
    "evaluate citations": "evaluate citations --answers answers.jsonl --judge overlap",
    "evaluate outputs": "evaluate outputs --recorded outputs.jsonl",
    "evaluate accuracy": "evaluate accuracy --answers known.jsonl",
    "evaluate duplicates": "evaluate duplicates notes",
    "evaluate test": "evaluate test values.csv",
    "evaluate planner explore": "evaluate planner explore --questions cases.jsonl --queries 2",
    "evaluate planner judge": "evaluate planner judge explored.jsonl --judge overlap",
    "evaluate planner rows": "evaluate planner rows explored.jsonl judged.jsonl",
    "evaluate planner compare": "evaluate planner compare explored.jsonl explored.jsonl --qrels qrels.tsv",
    "evaluate planner train": "evaluate planner train rows --base base --out trained",
    "evaluate preflight": "evaluate preflight --rows preflight.jsonl",
    "evaluate questionnaire": "evaluate questionnaire ours.jsonl theirs.jsonl --out study",
    "evaluate ratings": "evaluate ratings study/key.json study/forms/rater-1.csv",
    "evaluate run": "evaluate run cases.jsonl --preset default --preset words --out answered",
    "evaluate report": "evaluate report answered",
    "evaluate compare": "evaluate compare answered",
    "evaluate contexts": "evaluate contexts cases.jsonl --only gold --out contexts",
    "evaluate ablation": "evaluate ablation cases.jsonl --cited 1 --out ablation",
    "evaluate robustness": "evaluate robustness cases.jsonl --variant capitals --out robustness",
    "evaluate uncertainty": "evaluate uncertainty cases.jsonl --out uncertainty",
    "evaluate export": "evaluate export answered --inspect logs",
    "evaluate clinical": "evaluate clinical",
    "evaluate list": "evaluate list",
    "evaluate sets": "evaluate sets",
    "evaluate scorecard": "evaluate scorecard --data . --only search --out scorecard.md",
    "evaluate build imported-questions": "evaluate build imported-questions cases.jsonl",
    "evaluate build reviewed-questions": "evaluate build reviewed-questions cases.jsonl --decisions decisions.csv",
    "evaluate sealed create": "evaluate sealed create cases.jsonl --out sealed --least-rows 1",
    "evaluate sealed score": "evaluate sealed score sealed answered/cases.default.allowed.jsonl --contestant ours",
    "probe agent": "probe agent",
    "setup judges": "setup judges",
    "setup judges calibrate": "setup judges calibrate --pairs pairs.jsonl --judge overlap --dry-run",
    "setup judges measure": "setup judges measure overlap --pairs pairs.jsonl --dry-run",
    "setup set": "setup set policy.statements 5",
    "probe vary": "probe vary Is metformin safe in chronic kidney disease?",
    "setup show": "setup show",
    "setup trust": "setup trust",
    "setup": "setup",
    "doctor": "doctor",
    "doctor of the network": "doctor --network",
    "help": "help privacy",
    "history list": "history list",
    "history show": "history show none",
    "history replay": "history replay none",
    "history verify": "history verify",
    "history export": "history export none run.json",
    "history delete": "history delete --all",
    "history stop": "history stop none",
    "library remove": "library remove notes --yes",
}
"""Each command as it is typed where no source on the network, and no model of a provider, is named."""

NAMED = {
    "search of PubMed": "{pubmed} search --source pubmed colchicine",
    "open of PubMed": "{pubmed} open --source pubmed pubmed:31000001",
    "history verify of an answer": "{pubmed} --set retractions=pubmed history verify answer.json",
    "library digest": "{model} library digest note.md",
    "evaluate build page-questions": "{model} evaluate build page-questions note.md",
    "evaluate build pico-questions": "{model} evaluate build pico-questions trials.jsonl",
    "evaluate build review-questions": "{pubmed} evaluate build review-questions --topic colchicine",
    "check of a page": "{page} check cited.md",
    "ask of PubMed": "{pubmed} --set guidelines=false ask --live pubmed Did colchicine shorten gout flares?",
    "ask of a model": "{model} ask Is colchicine used for gout flares?",
}
"""Commands that name somebody on the network: here servers of the test, on loopback. With --offline nobody is asked."""

TYPED = "How is an acute gout flare treated?\n"
"""What `chat` is asked."""

OTHER_ENDS = {
    "serve": 2, "mcp": 2, "history show": 2, "history replay": 2, "history export": 2,
    "history stop": 2, "setup": 2,
    "evaluate scorecard": 1, "evaluate export": 2, "evaluate planner train": 2,
    "checkup agreement": 2, "evaluate ratings": 2,
}  # fmt: skip
"""Examples that end otherwise than answered (0) or with nothing found (3): an
address of another machine, no such run, no set in the folder, no inspect_ai,
no graph, an empty sheet."""


class Run(NamedTuple):
    """All commands, traced: by default, with --offline, and the control, which has its reports switched on again."""

    default: Trace
    offline: Trace
    control: Trace


@pytest.fixture(scope="module")
def traced(request: pytest.FixtureRequest, guidelines: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """The three processes, which run at once."""
    at_night = "or nightly" in request.config.option.markexpr or request.config.option.markexpr.startswith("nightly")
    root = tmp_path_factory.mktemp("traced")
    with ExitStack() as servers:
        pubmed = servers.enter_context(serving(Eutils({"pubmed": (trial(),)}, pace=0)))
        model = servers.enter_context(serving(Thinking()))
        page = servers.enter_context(serving(cited_page))
        options = {
            "pubmed": f"--set pubmed.url={pubmed.url}/entrez/eutils/",
            "model": f"--model compatible:sim --set compatible.url={model.url}/v1 --set models.cache=false",
            "page": (
                f"--set network.private_hosts={page.url.removeprefix('http://')} --set tracing.doi={page.url}/handles/"
            ),
        }
        plain = {name: words.split() for name, words in EXAMPLES.items()}
        named = {name: words.format(**options).split() for name, words in NAMED.items()}
        *others, last = plain.items()
        commands = {**dict(others), **named, **dict([last])}
        # Who names nobody on the network sends nothing without the flag either; at night it is tried of all commands.
        offline = {name: ["--offline", *words] for name, words in (commands if at_night else named).items()}
        control = Job({"ask": plain["ask"]}, opted_in=True)
        files = {"cited.md": f"{FINDING} ({page.url}/gout)\n"}
        started = Run(
            start(Job(commands, TYPED), root / "default", guidelines, files),
            start(Job(offline, TYPED), root / "offline", guidelines, files),
            start(control, root / "control", guidelines, files, refuse=True),
        )
        yield started
        for trace in started:
            trace.kill()


def start(job: Job, folder: Path, guidelines: Path, files: dict[str, str], *, refuse: bool = False) -> Trace:
    """Start a job with a home, a working directory and a user's folders of its own."""
    home, user = folder / "home", folder / "user"
    folder.mkdir()
    user.mkdir()
    shutil.copytree(guidelines, home)
    for name, content in {**FILES, "answer.json": ANSWER.model_dump_json(), **files}.items():
        (folder / name).write_text(content if isinstance(content, str) else json.dumps(content) + "\n")
    environment = {
        "WELLSOURCED_HOME": str(home),
        "HOME": str(user),
        "LANG": "C.UTF-8",
        "SSL_CERT_FILE": certifi.where(),
    }
    return start_trace(job, folder, environment, refuse=refuse)


def trial() -> Record:
    """What PubMed knows here."""
    return article(
        "31000001", "Colchicine in gout", [("RESULTS", FINDING)], published="2019-05-03", doi="10.1000/Gout.1"
    )


def cited_page(_: Asked) -> Said:
    """The page that a text cites."""
    more = "Allopurinol prevented gout flares in patients who took it every day for a year. " * 12
    head = "<html><head><title>Gout</title></head>"
    page = f"{head}<body><article><h1>Gout</h1><p>{FINDING} {more}</p></article></body></html>"
    return Said(page.encode(), type="text/html")


def commands(group: click.Group, before: str = "") -> Iterator[str]:
    """The names of all commands that there are: "ask", "library add"."""
    for name, one in list_commands(group):
        if isinstance(one, click.Group):
            yield from commands(one, f"{before}{name} ")
        if not isinstance(one, click.Group) or one.invoke_without_command:
            yield before + name


def test_every_command_has_an_example_that_is_traced() -> None:
    assert set(commands(command)) - {*EXAMPLES, *NAMED} == set()


def test_no_command_sends_anything_or_looks_up_a_name_unless_the_network_is_named(traced: Run) -> None:
    outcomes = traced.default.outcomes()
    ends = {name: outcome.status for name, outcome in outcomes.items() if outcome.status not in {0, 3}}
    assert ends == OTHER_ENDS, outcomes
    sent = traced.default.sendings()
    assert [one for one in sent if one.to == "outside"] == []
    assert {one.command for one in sent} == set(NAMED)


def test_offline_nothing_is_sent_not_even_to_servers_of_this_machine(traced: Run) -> None:
    assert set(traced.offline.outcomes()) >= {*NAMED}
    assert traced.offline.sendings() == []


def test_no_library_leaves_an_identifier_or_a_queue_in_the_users_folders(traced: Run) -> None:
    for trace in (traced.default, traced.offline):
        written = {"setup trust": "trusted.json", "setup set": "wellsourced.toml"}
        left = [path.name for path in (trace.folder / "user").rglob("*") if path.is_file()]
        # What matplotlib keeps is a list of this machine's fonts.
        own = [name for name in left if not name.startswith("fontlist-")]
        assert sorted(own) == sorted(name for command, name in written.items() if command in trace.outcomes())


def test_the_trace_would_see_the_reports_if_they_were_on(traced: Run) -> None:
    until = time.monotonic() + 2 * UPLOAD
    while not (outside := [one for one in traced.control.sendings() if one.to == "outside"]):
        assert time.monotonic() < until, "onnxruntime did not report, so these tests could not see it"
        time.sleep(0.2)
    assert outside[0].command == "ask"
    assert [remnant.name for remnant in sorted(traced.control.folder.rglob("deviceid"))] == ["deviceid"]
