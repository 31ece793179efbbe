"""Metrics that need a model: their arithmetic by hand, the model that comes along, and small models made here.

What needs torch runs where it is installed; it is not among what developers install.
"""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tests.onnx_files import model
from wellsourced.app.cli import command_line
from wellsourced.errors import ModelError, SettingsError, UnreadableFile
from wellsourced_evaluate.model_metrics.bertscore import (
    BertScore,
    ScoreBaseline,
    TokenStates,
    align_tokens,
    count_rare_tokens,
    match_greedily,
    read_baseline,
)
from wellsourced_evaluate.model_metrics.comet import Comet, LayerMix, sparsemax
from wellsourced_evaluate.model_metrics.ctc import StateAligner, WordAligner, clean_text, score_summary
from wellsourced_evaluate.model_metrics.metric_models import open_scorers
from wellsourced_evaluate.model_metrics.summary_models import compare_ranks, rank_correlation
from wellsourced_evaluate.model_metrics.token_models import (
    MiniLMTokens,
    TransformerTokens,
    open_token_model,
    pack_sentences,
)
from wellsourced_evaluate.model_metrics.unieval import UniEval, share_of_yes

COMET = Path(__file__).parent / "data" / "comet"


def states(ids: str, rows: list[list[float]]) -> TokenStates:
    """Tokens, a letter each; a dot is what a model puts around a text."""
    return TokenStates(tuple(ids), np.array(rows, np.float32), np.array([one != "." for one in ids]))


TEXT = states("ab", [[1, 0], [0, 1]])
REFERENCE = states("acc", [[1, 0], [0.6, 0.8], [0.8, 0.6]])


def test_every_token_is_matched_with_the_nearest_of_the_other_text() -> None:
    # a: 1, b: 0.8, mean 0.9; a: 1, c: 0.8, c: 0.8, mean 2.6 / 3.
    found = match_greedily(TEXT, REFERENCE)
    assert found == pytest.approx((0.9, 2.6 / 3, 2 * 0.9 * (2.6 / 3) / (0.9 + 2.6 / 3)))
    assert match_greedily(states("", []), REFERENCE) == (0.0, 0.0, 0.0)


def test_what_a_model_puts_around_a_text_is_matched_and_does_not_count() -> None:
    framed = states(".b", [[1, 0], [0, 1]])
    assert match_greedily(framed, REFERENCE).precision == pytest.approx(0.8)
    assert match_greedily(REFERENCE, framed).precision == pytest.approx(2.6 / 3)
    # An alignment knows only what counts: a 0, c 0.8, c 0.6.
    assert align_tokens(REFERENCE, framed) == pytest.approx(1.4 / 3)


def test_rare_tokens_weigh_more() -> None:
    rare = count_rare_tokens([REFERENCE, states("a", [[1, 0]])])
    # Two references: a is in both, log(3 / 3) = 0; c in one, log(3 / 2); b in none, log 3.
    assert rare.weights == pytest.approx({"a": 0.0, "c": math.log(1.5)})
    found = match_greedily(TEXT, REFERENCE, rare)
    assert (found.precision, found.recall) == pytest.approx((0.8, 0.8))


def test_a_baseline_becomes_nought(tmp_path: Path) -> None:
    path = tmp_path / "roberta-large.tsv"
    path.write_text("LAYER,P,R,F\n0,0.3,0.3,0.3\n17,0.8,0.6,0.7\n")
    baseline = read_baseline(path, 17)
    assert baseline == ScoreBaseline(0.8, 0.6, 0.7)
    assert baseline.rescale(BertScore(0.9, 0.6, 0.7)) == pytest.approx((0.5, 0.0, 0.0))
    with pytest.raises(UnreadableFile, match="it has no layer 3"):
        read_baseline(path, 3)


def test_minilm_reads_long_texts_whole_and_finds_a_text_in_itself() -> None:
    minilm = MiniLMTokens()
    gout, same = "Colchicine shortened gout flares by two days.", "Gout attacks were shorter with colchicine."
    one, other, far = (minilm.read_tokens(text) for text in (gout, same, "The train leaves at noon."))
    assert match_greedily(one, one).f1 == pytest.approx(1.0, abs=1e-6)
    assert match_greedily(one, other).f1 > match_greedily(one, far).f1 + 0.2
    # 4 words each, 10 in a stretch: two sentences.
    assert pack_sentences("A b c d. E f g h. I j k l.", lambda text: len(text.split()), 10) == [
        "A b c d. E f g h.",
        "I j k l.",
    ]
    long = minilm.read_tokens(f"{gout} " * 60)
    assert len(long.ids) == 60 * len(one.ids)
    assert minilm.read_tokens("").is_empty


def test_a_model_that_was_exported_gives_its_states(tmp_path: Path) -> None:
    words = [f"[unused{at}]" for at in range(100)] + ["[UNK]", "[CLS]", "[SEP]", "gout", "flares", "trial"]
    (tmp_path / "vocab.txt").write_text("\n".join(words) + "\n")
    weights = {"rows": np.eye(len(words), 8, -98, dtype=np.float32)}  # [CLS], [SEP] and each word its own direction
    graph = model(
        [("Gather", ("rows", "input_ids"), "last_hidden_state", {})], weights, ["input_ids"], "last_hidden_state"
    )
    (tmp_path / "model.onnx").write_bytes(graph)
    opened = open_token_model(str(tmp_path))
    text, reference = (opened.read_tokens(one) for one in ("gout flares", "flares trial"))
    assert text.counts.tolist() == [False, True, True, False]
    assert match_greedily(text, reference) == pytest.approx((0.5, 0.5, 0.5))


def test_layers_are_mixed_by_their_weights() -> None:
    # 0.9 and 0.1 stand: (0.9 + 0.1 − 1) / 2 = 0 is taken from both; of 2 and 0 the second falls away.
    assert sparsemax(np.array([0.9, 0.1], np.float32)) == pytest.approx([0.9, 0.1])
    assert sparsemax(np.array([2.0, 0.0], np.float32)) == pytest.approx([1.0, 0.0])
    mix = LayerMix(np.array([0.25, 0.75], np.float32), 2.0, False)
    assert mix.mix([np.full((1, 2), 4.0, np.float32), np.zeros((1, 2), np.float32)]).tolist() == [[2.0, 2.0]]
    assert share_of_yes([0.0, math.log(3), 5.0], yes=1, no=0) == pytest.approx(0.75)


def test_orders_are_compared_over_all_texts_and_within_reviews() -> None:
    # Ranks 1 2 3 4 and 2 1 4 3: 1 − 6 · 4 / (4 · 15) = 0.6; with ties the ranks are shared.
    pairs = [(1.0, 20.0), (2.0, 10.0), (3.0, 40.0), (4.0, 30.0)]
    assert rank_correlation(pairs) == pytest.approx(0.6)
    assert rank_correlation([(1.0, 1.0), (2.0, 1.0), (3.0, 1.0)]) is None
    found = compare_ranks([pairs, [(9.0, 1.0), (8.0, 2.0), (7.0, 3.0)]])
    assert (found.texts, found.within.mean, found.within.cases) == (7, pytest.approx(-0.2), 2)


def test_a_summary_is_relevant_as_far_as_both_are_aligned() -> None:
    class Letters:
        name, layer, cut = "letters", 1, 0

        def read_tokens(self, text: str) -> TokenStates:
            rows = {"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [0.6, 0.8]}
            return states(text, [rows[one] for one in text])

    aligner = StateAligner(Letters())
    # b in “ac”: 0.8, a: 1; the reference c in “ab”: 0.8.
    assert score_summary(aligner, text="ab", source="ac", reference="c") == pytest.approx((0.9, 0.72))
    assert score_summary(aligner, text="ab", source="", reference="c") == (None, None)
    assert clean_text("  A “B”  c\nd ") == 'a "b" c\nd'


def test_without_a_model_there_is_no_figure_and_it_says_what_is_missing(tmp_path: Path) -> None:
    for package in ("cer", "nltk", "rouge_score_rs", "sacrebleu", "scipy"):
        pytest.importorskip(package)
    scores = {"rouge-L": 0, "meteor": 0, "chrf": 0, "google_bleu": 0, "character": 1}
    systems = {
        name: {"text": text, "scores": {**scores, "bertscore": published}}
        for name, text, published in (
            ("near", "Colchicine shortens gout flares.", 0.9),
            ("far", "The train leaves at noon.", 0.1),
            ("between", "Gout is a disease of joints.", 0.5),
        )
    }
    row = {"id": "r1", "human_answer": "Flares of gout are shorter with colchicine.", "systems": systems}
    (tmp_path / "mine.jsonl").write_text(json.dumps(row) + "\n")
    words = ["evaluate", "summaries", "--published", str(tmp_path / "mine.jsonl"), "--json"]
    told = json.loads(CliRunner().invoke(command_line, [*words, "--metric-model", "bertscore=minilm"]).output)
    figures = told["model_metrics"]
    assert figures["COMET"]["means"] is None
    assert figures["COMET"]["missing"] == "no model was named: --metric-model comet=FOLDER"
    near, far = (figures["BERTScore (MiniLM)"]["means"][name]["mean"] for name in ("near", "far"))
    assert near > far
    assert figures["BERTScore (MiniLM)"]["agreement"]["spearman"] == pytest.approx(1.0)
    assert figures["BERTScore"]["missing"] == "no model was named: --metric-model bertscore=FOLDER"


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="No metric needs a model called bleurt"):
        open_scorers({"bleurt": "x"})
    with pytest.raises(SettingsError, match="There is no folder"):
        open_scorers({"comet": str(tmp_path / "none")})
    with pytest.raises(SettingsError, match="are of BERTScore"):
        open_scorers({}, weighs=True)


@pytest.fixture
def transformers() -> Any:
    pytest.importorskip("torch", reason="the extra `neural` is not installed")
    return pytest.importorskip("transformers", reason="the extra `neural` is not installed")


ENDS = {"cls_token": "<s>", "sep_token": "</s>"}
WORDS = "<s> </s> <pad> <unk> yes no Yes No colchicine shortened gout flares by two days in a trial"
"""What the models that are made here know: 18 words, Yes the seventh, No the eighth."""


def save_tokenizer(transformers: Any, folder: Path, ends: dict[str, str]) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    outside = {"unk_token": "<unk>"}
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS.split())}, **outside))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    if ends:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
        )
    named = {**outside, **ends, "pad_token": "<pad>"}
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=32, **named)
    made.save_pretrained(folder)


@pytest.mark.filterwarnings("default")
def test_bertscore_is_that_of_bert_score(transformers: Any, tmp_path: Path) -> None:
    bert_score = pytest.importorskip("bert_score", reason="the package that it is compared with is not installed")
    save_tokenizer(transformers, tmp_path, ENDS)
    config = transformers.BertConfig(
        vocab_size=18,
        hidden_size=16,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=32,
    )
    transformers.BertModel(config).save_pretrained(tmp_path)
    texts = ["colchicine shortened gout flares", "no trial", "gout " * 50]
    references = ["gout flares by two days", "a trial in gout", "flares"]
    tokens = TransformerTokens(tmp_path, 2)
    read = [[tokens.read_tokens(one) for one in some] for some in (texts, references)]
    for weighs in (False, True):
        theirs = bert_score.score(
            texts, references, model_type=str(tmp_path), num_layers=2, idf=weighs, nthreads=0, device="cpu"
        )
        rare = count_rare_tokens(read[1]) if weighs else None
        for at, (text, reference) in enumerate(zip(*read, strict=True)):
            assert match_greedily(text, reference, rare) == pytest.approx([float(one[at]) for one in theirs], abs=1e-5)
    assert tokens.cut == 1


def save_unieval(transformers: Any, path: Path) -> None:
    """A model of random weights in UniEval's form."""
    save_tokenizer(transformers, path, {})
    config = transformers.T5Config(
        vocab_size=18, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, decoder_start_token_id=2, pad_token_id=2
    )
    transformers.T5ForConditionalGeneration(config).save_pretrained(path)


@pytest.mark.filterwarnings("default")
def test_statements_are_as_fluent_as_their_sentences_are_on_average(transformers: Any, tmp_path: Path) -> None:
    folder = tmp_path / "unieval"
    save_unieval(transformers, folder)
    said = ("Gout flares hurt.", "No trial was found.", "Colchicine helps.")
    answer = {
        "question": {"text": "What helps in gout?"},
        "basis": "parametric",
        "statements": [{"text": one, "verdict": {"label": "unjudged", "score": 0.0}} for one in said],
    }
    rows = ({"id": "three", "answer": answer}, {"id": "none", "answer": {**answer, "statements": []}})
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    typed = (
        "evaluate",
        "citations",
        "--answers",
        str(path),
        "--judge",
        "overlap",
        "--fluency-model",
        str(folder),
        "--json",
    )
    done = CliRunner().invoke(command_line, typed)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    first, second, third = (
        UniEval(folder).answer(f"question: Is this a fluent paragraph? </s> paragraph: {one}") for one in said
    )
    assert found["cases"][0]["values"]["statement_fluency"] == pytest.approx((first + second + third) / 3)
    assert found["cases"][1]["values"]["statement_fluency"] is None
    assert (found["metrics"]["statement_fluency"]["cases"], found["fluency_model"]) == (1, "unieval")


@pytest.mark.filterwarnings("default")
def test_unieval_is_how_likely_yes_is_against_no(transformers: Any, tmp_path: Path) -> None:
    import torch

    save_unieval(transformers, tmp_path)
    asked = UniEval(tmp_path)
    question = "question: Is this a fluent paragraph? </s> paragraph: gout flares"
    loaded = transformers.T5ForConditionalGeneration.from_pretrained(tmp_path).eval()
    given = transformers.AutoTokenizer.from_pretrained(tmp_path)(question, return_tensors="pt")
    with torch.no_grad():
        # As its authors do: the label is any word, and only what comes first is looked at.
        shares = loaded(input_ids=given["input_ids"], labels=torch.tensor([[7]])).logits[0, 0].softmax(0)
    assert asked.score_dimension("fluency", text="gout flares") == pytest.approx(
        float(shares[6] / (shares[6] + shares[7]))
    )
    found = asked.score_summary(text="Gout flares. No trial.", source="a trial in gout", reference="")
    assert found.relevance is None and found.overall is None
    first, second = (
        asked.score_dimension("consistency", text=one, source="a trial in gout")
        for one in ("Gout flares.", "No trial.")
    )
    assert first is not None and second is not None
    assert found.consistency == pytest.approx((first + second) / 2)


@pytest.mark.filterwarnings("default")
def test_comet_is_that_of_unbabel_comet(transformers: Any) -> None:
    # A model of random weights made, and scored, by unbabel-comet 2.2.7.
    comet = Comet(COMET)
    cases = json.loads((COMET / "scored.json").read_text())
    for one in cases:
        found = comet.score(text=one["mt"], source=one["src"], reference=one["ref"])
        assert found == pytest.approx(one["score"], abs=1e-5)
    assert comet.score(text="", source="a", reference="b") is None


@pytest.mark.filterwarnings("default")
def test_words_are_aligned_by_a_classifier_of_their_pieces(transformers: Any, tmp_path: Path) -> None:
    import torch

    save_tokenizer(transformers, tmp_path, ENDS)
    config = transformers.RobertaConfig(
        vocab_size=18,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=40,
        pad_token_id=2,
    )
    config.save_pretrained(tmp_path)
    encoder = transformers.RobertaModel(config, add_pooling_layer=False)
    state = {f"_roberta.{name}": one for name, one in encoder.state_dict().items()}
    for name, bias in (("doc_summ.ckpt", [math.log(3), 0.0]), ("summ_ref.ckpt", [0.0, 0.0])):
        torch.save(
            {**state, "_classifier.weight": torch.zeros(2, 16), "_classifier.bias": torch.tensor(bias)}, tmp_path / name
        )
    # Weights of nought: 3 to 1 from the source, 1 to 1 from the reference.
    found = score_summary(WordAligner(tmp_path), text="gout flares", source="a trial in gout", reference="two days")
    assert found == pytest.approx((0.75, 0.375))
    (tmp_path / "summ_ref.ckpt").unlink()
    with pytest.raises(ModelError, match="cannot be loaded as an aligner of CTC"):
        WordAligner(tmp_path)
