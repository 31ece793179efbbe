"""Models by name: each is used as it was published, from weights on this machine, and never from a pickle."""

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests.tiny import states, tiny_bert
from wellsourced.encoders.base import Vectors, lift_vectors
from wellsourced.encoders.cache import CachedEncoder
from wellsourced.encoders.sentence_transformer import MedCPT, SentenceTransformerEncoder, find_usage, lift_to_unit_rows
from wellsourced.errors import ModelError, SettingsError
from wellsourced.storage.model_files import find_model, fingerprint

INSTALLED = find_spec("sentence_transformers") is not None
neural = pytest.mark.skipif(not INSTALLED, reason="the extra [neural] is not installed")

TEXTS = ["gout flare", "colchicine for gout flare?", "fracture wrist", "?!", ""]
INSTRUCTION = "Represent this sentence for searching relevant passages: "


def unit(vector: Vectors) -> Vectors:
    return vector / np.linalg.norm(vector)


def encoder(folder: Path) -> SentenceTransformerEncoder:
    return SentenceTransformerEncoder(find_model(str(folder)), threads=1)


@pytest.mark.skipif(INSTALLED, reason="the extra [neural] is installed")
def test_without_the_extra_its_name_is_said(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    here = find_model(str(tmp_path))
    for one in (SentenceTransformerEncoder(here), MedCPT(here, here)):
        with pytest.raises(SettingsError, match=r"the extra “neural”"):
            one.encode(["gout"])
    with pytest.raises(SettingsError, match="is not a folder"):
        find_model("BAAI/bge-small-en-v1.5")


def test_families_are_known_by_their_names() -> None:
    assert find_usage("BAAI/bge-small-en-v1.5") == (INSTRUCTION, "", "cls")
    assert find_usage("bge-m3") == ("", "", "cls")
    assert find_usage("intfloat/multilingual-e5-base") == ("query: ", "passage: ", "mean")
    assert find_usage("intfloat/multilingual-e5-large-instruct") == find_usage("all-MiniLM-L6-v2") == ("", "", "mean")


def test_a_folder_goes_by_its_name_and_what_it_holds(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"weights")
    before = find_model(str(folder))
    assert (before.model_id, before.path) == ("mine", folder)
    assert before.name == f"mine-{fingerprint(folder)[:8]}"
    (folder / "README.md").write_text("words about it")
    assert find_model(str(folder)).name == before.name
    (folder / "model.safetensors").write_bytes(b"weightz")
    assert find_model(str(folder)).name != before.name


def test_lifted_vectors_are_unit_rows_that_rank_as_the_inner_product_does() -> None:
    rng = np.random.default_rng(3)
    passages = (rng.normal(size=(200, 16)) * rng.uniform(0.2, 3, (200, 1))).astype(np.float32)
    queries = rng.normal(size=(5, 16)).astype(np.float32)
    bound = float(np.linalg.norm(passages, axis=1).max()) * 1.5
    rows, asked = lift_to_unit_rows(passages, bound, "passage"), lift_to_unit_rows(queries, bound, "query")
    for one in (rows, asked):
        assert np.linalg.norm(one, axis=1) == pytest.approx(np.ones(len(one)), abs=1e-6)
    assert np.array_equal(np.argsort(rows @ asked.T, axis=0), np.argsort(passages @ queries.T, axis=0))
    # By direction alone the ranking would be another one.
    cosines = passages / np.linalg.norm(passages, axis=1, keepdims=True) @ queries.T
    assert not np.array_equal(np.argsort(cosines, axis=0), np.argsort(passages @ queries.T, axis=0))


def test_lifted_texts_without_words_are_rows_of_zeros() -> None:
    nothing = np.zeros((1, 4), dtype=np.float32)
    assert not lift_to_unit_rows(nothing, 2.0, "passage").any()
    assert not lift_to_unit_rows(nothing, 2.0, "query").any()


@neural
def test_bge_takes_the_first_state_and_puts_its_instruction_before_a_question(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / "bge-small-en-v1.5")
    made = encoder(folder)
    assert made.encode(["gout flare"])[0] == pytest.approx(unit(states(folder, "gout flare")[0]), abs=1e-5)
    asked = unit(states(folder, INSTRUCTION + "gout flare")[0])
    assert made.encode(["gout flare"], "query")[0] == pytest.approx(asked, abs=1e-5)
    assert made.dim == 32


@neural
def test_e5_takes_the_mean_and_says_which_is_question_and_which_is_passage(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / "e5-small-v2")
    for role, prefix in (("query", "query: "), ("passage", "passage: ")):
        expected = unit(states(folder, prefix + "gout flare").mean(axis=0))
        assert encoder(folder).encode(["gout flare"], role)[0] == pytest.approx(expected, abs=1e-5)


@neural
def test_what_a_folder_says_of_itself_counts_more_than_its_name(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules.transformer import Transformer
    from sentence_transformers.sentence_transformer.modules.pooling import Pooling

    plain = tiny_bert(tmp_path / "plain")
    modules = [Transformer(str(plain)), Pooling(32, "mean")]
    folder = tmp_path / "bge-small-en-of-our-own"
    SentenceTransformer(modules=modules, prompts={"query": "searching: "}).save(str(folder))
    expected = unit(states(plain, "searching: gout").mean(axis=0))
    assert encoder(folder).encode(["gout"], "query")[0] == pytest.approx(expected, abs=1e-5)


@neural
def test_a_vector_is_the_same_bit_for_bit_whatever_stands_beside_the_text(tmp_path: Path) -> None:
    for made in (encoder(tiny_bert(tmp_path / "any")), encoder(tiny_bert(tmp_path / "any-dot-v1"))):
        together = made.encode(TEXTS)
        assert np.array_equal(together, np.vstack([made.encode([text]) for text in TEXTS]))
        assert not together[3:].any()
        assert np.linalg.norm(together[:3], axis=1) == pytest.approx(np.ones(3), abs=1e-6)


@neural
def test_a_model_that_compares_by_inner_product_ranks_by_it(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / "any-dot-v1")
    made = encoder(folder)
    own = np.vstack([states(folder, text).mean(axis=0) for text in TEXTS[:3]])
    scores = made.encode(TEXTS[:3]) @ made.encode(TEXTS[:1], "query")[0]
    expected = own @ own[0]
    assert scores / scores[0] == pytest.approx(expected / expected[0], abs=1e-4)
    assert made.dim == 33


@neural
def test_medcpt_reads_title_and_text_as_two_parts_and_compares_by_inner_product(tmp_path: Path) -> None:
    asking, article = tiny_bert(tmp_path / "query", seed=1), tiny_bert(tmp_path / "article", seed=2)
    made = MedCPT(find_model(str(asking)), find_model(str(article)), threads=1)
    texts = ["gout flare\ncolchicine for gout", "fracture wrist\nthis wrist", "colchicine"]
    own = np.vstack([states(article, *text.split("\n"), limit=512)[0] for text in texts])
    question = states(asking, "gout flare?", limit=64)[0]
    rows, asked = made.encode(texts), made.encode(["gout flare?"], "query")[0]
    scores, expected = rows @ asked, own @ question
    assert scores / scores[0] == pytest.approx(expected / expected[0], abs=1e-4)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(3), abs=1e-6)
    assert made.dim == 33
    assert lift_vectors(CachedEncoder(made), own) == pytest.approx(rows, abs=1e-5)
    assert made.encode(["gout " * 600]).any()
    assert np.array_equal(made.encode(["gout " * 70], "query"), made.encode(["gout " * 90], "query"))
    other = MedCPT(find_model(str(article)), find_model(str(article)))
    assert made.name != other.name


@neural
def test_pickled_weights_are_not_read(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    folder = tiny_bert(tmp_path / "old")
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    for one in (encoder(folder), MedCPT(find_model(str(folder)), find_model(str(folder)))):
        with pytest.raises(ModelError, match="weights in safetensors"):
            one.encode(["gout"])


@neural
def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("notes")
    with pytest.raises(ModelError, match="cannot be loaded as an encoder"):
        encoder(tmp_path).encode(["gout"])


@neural
def test_a_name_is_looked_up_on_this_machine_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match=r"nobody/bge-small-en is not on this machine\. Download"):
        find_model("nobody/bge-small-en")
    with pytest.raises(ModelError, match="is not on this machine"):
        find_model("../no such folder")
    commit = "0123456789abcdef0123456789abcdef01234567"
    here = tmp_path / "models--nobody--bge-small-en"
    (here / "refs").mkdir(parents=True)
    (here / "refs" / "main").write_text(commit)
    tiny_bert(here / "snapshots" / commit)
    found = find_model("nobody/bge-small-en")
    assert (found.model_id, found.name) == ("nobody/bge-small-en", "bge-small-en-01234567")
    assert SentenceTransformerEncoder(found, threads=1).use.pooling == "cls"
    assert SentenceTransformerEncoder(found, threads=1).encode(["gout"]).any()


@neural
def test_another_model_under_the_same_name_makes_vectors_of_another_name(tmp_path: Path) -> None:
    first = find_model(str(tiny_bert(tmp_path / "mine", seed=1)))
    shutil.rmtree(tmp_path / "mine")
    second = find_model(str(tiny_bert(tmp_path / "mine", seed=2)))
    assert first.name != second.name
    assert json.loads((tmp_path / "mine" / "config.json").read_text())["hidden_size"] == 32
