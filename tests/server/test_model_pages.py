"""Pages of a server with a language model: own words for prompts, drafts while they are written, a model that dies."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.server.conftest import OTHER_TOKEN, TOKEN, copy_home, running_server
from tests.server.test_kept_runs import ASKED, ask, finish
from tests.servers.base import Asked, Said, serving
from tests.servers.models.base import Fails, Provider
from tests.servers.models.openai_chat import OpenAIChat
from tests.servers.models.thinking import Thinking, paraphrasing
from wellsourced.prompts.writing import WriteAnswer

BUILT_IN = WriteAnswer.instruction().partition("\n")[0]
OWN = "Write as you would to a colleague on call, ''' and \"quote\" \\ exactly."

pytestmark = pytest.mark.slow

pytest.importorskip("pydantic_ai", reason="the extra `models` is not installed")


@contextmanager
def asking(home: Path, model: Callable[[Asked], Said], *options: str, cache: str = "false") -> Iterator[httpx.Client]:
    """A server whose language model is this one."""
    with serving(model) as served:
        settings = {"model": "compatible:sim", "compatible.url": f"{served.url}/v1", "models.cache": cache}
        with (
            running_server(home, *options, settings=settings) as address,
            httpx.Client(base_url=address, timeout=90) as one,
        ):
            yield one


@pytest.fixture
def home(guidelines: Path, tmp_path: Path) -> Path:
    return copy_home(guidelines, tmp_path, (TOKEN, OTHER_TOKEN))


def test_own_words_are_kept_asked_and_taken_back(home: Path) -> None:
    model = Thinking(paraphrasing)
    with asking(home, model) as pages:
        assert BUILT_IN in pages.get("/prompts/WriteAnswer").text
        assert ">your own<" not in pages.get("/prompts").text
        assert pages.post("/prompts/WriteAnswer", data={"words": OWN, "action": "save"}).status_code == 303
        assert ">your own<" in pages.get("/prompts").text
        page = pages.get(ask(pages)).text
        assert "According to this source" in page
        assert "to a colleague on call" in model.heard and BUILT_IN not in model.heard
        pages.post("/prompts/WriteAnswer", data={"action": "reset", "words": OWN})
        model.bodies.clear()
        ask(pages, "How are gout flares prevented?")
        assert BUILT_IN in model.heard and "on call" not in model.heard
        assert pages.post("/prompts/WriteAnswer", data={"words": " ", "action": "save"}).status_code == 303
        assert pages.get("/prompts/Nothing").status_code == 404
        assert pages.post("/prompts/..%2Fx", data={"words": OWN, "action": "save"}).status_code == 404
        too_long = pages.post("/prompts/WriteAnswer", data={"words": "a" * 1_000_001, "action": "save"})
        assert too_long.status_code == 422 and "too long" in too_long.text


def test_a_preset_that_a_client_chooses_adds_no_source_and_no_model(home: Path) -> None:
    model = Thinking(paraphrasing)
    with asking(home, model) as pages:
        alone = pages.post("/api/v1/ask", json={"question": ASKED, "preset": "chat"}).json()
        assert (alone["basis"], alone["attempts"]) == ("parametric", [])
        judged = pages.post("/api/v1/ask", json={"question": ASKED, "preset": "lins"}).json()
        # The preset searches PubMed, which the owner of this server has not switched on.
        assert {attempt["search"]["source"] for attempt in judged["attempts"]} == {"guidelines"}


def test_own_words_are_nobody_elses(home: Path) -> None:
    with asking(home, Thinking(), "--tokens", str(home / "tokens.txt")) as pages:
        mine, other = ({"authorization": f"Bearer {token}"} for token in (TOKEN, OTHER_TOKEN))
        pages.post("/prompts/WriteAnswer", data={"words": OWN, "action": "save"}, headers=mine)
        assert ">your own<" in pages.get("/prompts", headers=mine).text
        assert ">your own<" not in pages.get("/prompts", headers=other).text
    kept = list((home / "prompts").iterdir())
    assert [path.stat().st_mode & 0o077 for path in kept] == [0]
    assert TOKEN not in str(kept)


@pytest.mark.parametrize("answered", [0, 1])
def test_a_model_that_dies_leaves_an_answer_in_the_sources_own_words_and_says_so(home: Path, answered: int) -> None:
    model = Thinking()

    def dying(asked: Asked) -> Said:
        if len(model.bodies) >= answered:
            return Provider(OpenAIChat(), Fails(503, "overloaded"))(asked)
        return model(asked)

    with asking(home, dying) as pages:
        way = ask(pages, ASKED)
        page = pages.get(way).text
        assert 'class="excerpt' in page
        assert "compatible:sim" in page and ("503" in page or "overloaded" in page)
        assert '"state": "finished"' in pages.get(f"{way}/events").text


def test_of_a_patient_nothing_reaches_the_disk_with_a_model_either(home: Path) -> None:
    record = "Erika Mustermann, born 12 March 1948, has gout and an eGFR of 22; she keeps lighthouses."
    model = Thinking()
    with asking(home, model, cache="true") as pages:
        ask(pages, "Should she take colchicine?", patient=record)
        ask(pages, "How are gout flares treated?")
        finish(
            pages, pages.post("/check", data={"text": f"{record} Colchicine is given for gout flares.", "repair": "1"})
        )
        kept = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert "lighthouses" in model.heard
    assert any(b"calls" in path.name.encode() for path in kept)
    for words in (b"Mustermann", b"lighthouses", b"12 March 1948"):
        assert not [path.name for path, content in kept.items() if words in content]
