"""Write the graphs by which the encoders run in ONNX Runtime, from the weights that they have: three small files.

    .venv/bin/pip install onnx && .venv/bin/python tools/encoder_graphs.py

A graph holds the operations alone; whatever is a weight has a name, and is handed over when the graph is loaded
(storage/model_files.py). MiniLM has two: `minilm_exact.onnx` multiplies in single precision, `minilm_fast.onnx` in
8 bits. For the latter, `minilm_smoothing.npz` says by how much each input of a product is divided, and its weights
multiplied: inputs have a few large numbers, which would leave the others too few steps of 8 bits (SmoothQuant: Xiao et
al., ICML 2023, equation 4, with alpha .8, on passages of the guideline digests). Weights keep within 7 bits, so that
processors that add pairs of products in 16 bits compute the same. `minilm_tensors.json` says where the package's model
keeps what.
"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from wellsourced.encoders import minilm
from wellsourced.encoders.wordpiece import load_bert_uncased
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.storage.model_files import locate_package_file, open_graph, verify_sha256
from wellsourced.text.passages import cut_index_passages, search_text

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

FOLDER = Path(__file__).parents[1] / "src" / "wellsourced" / "encoders"
CONTRIBUTED = "com.microsoft"
PRODUCTS = ("query", "key", "value", "attended", "inner", "outer")
"""The six products of a layer, in the order in which MiniLM's file computes them."""

BIASES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "inner": "intermediate.dense",
    "outer": "output.dense",
}
SMOOTHING = 0.8
CALIBRATION_STEP = 25
"""One passage of so many is looked at for the smoothing."""


class BertShape(NamedTuple):
    """layers, attention heads, and numbers of a token."""

    layers: int
    heads: int
    width: int


MINILM, SPLADE = BertShape(6, 12, 384), BertShape(2, 2, 128)


class GraphWriter:
    """Collects the nodes of a graph; every weight is a named input that is given when the graph is loaded."""

    def __init__(self, shape: BertShape, *, fast: bool) -> None:
        self.shape, self.fast = shape, fast
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[str, onnx.TensorProto] = {}
        self.constants: list[onnx.TensorProto] = []

    def weight(self, name: str, *dims: int, kind: int = TensorProto.FLOAT) -> str:
        tensor = onnx.TensorProto(name=name, data_type=kind, dims=dims, data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="given when it is loaded")
        self.weights[name] = tensor
        return name

    def constant(self, name: str, *values: int) -> str:
        self.constants.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        ours = kind in ("MultiHeadAttention", "DynamicQuantizeMatMul", "Gelu", "FastGelu")
        domain = CONTRIBUTED if ours else ""
        self.nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output

    def embed(self) -> str:
        """The states before the first layer: of words, whose rows are 8 bits with a scale each, and of positions."""
        width = self.shape.width
        rows = self.node("Gather", [self.weight("words", 30522, width, kind=TensorProto.INT8), "ids"], "rows", axis=0)
        scales = self.node("Gather", [self.weight("words.scale", 30522, 1), "ids"], "scales", axis=0)
        words = self.node("Mul", [self.node("Cast", [rows], "numbers", to=TensorProto.FLOAT), scales], "embedded")
        length = self.node("Gather", [self.node("Shape", ["ids"], "shape"), self.constant("second", 1)], "length")
        bounds = [self.constant("start", 0), length, self.constant("axis", 0)]
        positions = self.node("Slice", [self.weight("positions", 256, width), *bounds], "placed")
        states = self.node("Add", [words, positions], "summed")
        return self.normalize(states, "embeddings", "states")

    def normalize(self, states: str, name: str, output: str) -> str:
        width = self.shape.width
        scaling = [self.weight(f"{name}.gamma", width), self.weight(f"{name}.beta", width)]
        return self.node("LayerNormalization", [states, *scaling], output, epsilon=1e-12, axis=-1)

    def add_and_normalize(self, states: str, more: str, name: str) -> str:
        # In two steps: the operation that does both (SkipLayerNormalization) takes 3.1 ms for 110 tokens, these .6.
        return self.normalize(self.node("Add", [more, states], f"{name}.sum"), name, f"{name}.states")

    def smooth(self, states: str, name: str, width: int) -> str:
        return self.node("Mul", [states, self.weight(name, width)], f"{name}.states") if self.fast else states

    def multiply(self, states: str, name: str, sizes: tuple[int, int], bias: str = "") -> str:
        if self.fast:
            weights = [
                self.weight(f"{name}.weight", *sizes, kind=TensorProto.INT8),
                self.weight(f"{name}.scale", sizes[1]),
                self.weight(f"{name}.zero", sizes[1], kind=TensorProto.INT8),
            ]
            return self.node("DynamicQuantizeMatMul", [states, *weights, bias], f"{name}.product")
        product = self.node("MatMul", [states, self.weight(f"{name}.weight", *sizes)], f"{name}.product")
        return self.node("Add", [product, bias], f"{name}.sum") if bias else product

    def dense(self, states: str, name: str, sizes: tuple[int, int]) -> str:
        return self.multiply(states, name, sizes, self.weight(f"{name}.bias", sizes[1]))

    def project(self, states: str, number: int) -> list[str]:
        """Queries, keys and values; in 8 bits by one product, so that its input is turned into 8 bits once."""
        width, parts = self.shape.width, [f"{number}.{part}" for part in PRODUCTS[:3]]
        if not self.fast:
            return [self.multiply(states, part, (width, width)) for part in parts]
        joined = self.multiply(states, f"{number}.attention", (width, 3 * width))
        self.nodes.append(helper.make_node("Split", [joined], parts, axis=-1))
        return parts

    def layer(self, states: str, number: int, gelu: str) -> str:
        width, wide = self.shape.width, 4 * self.shape.width
        parts = self.project(self.smooth(states, f"{number}.query.smoothing", width), number)
        attention = [*parts, self.weight(f"{number}.attention.bias", 3 * width)]
        attended = self.node("MultiHeadAttention", attention, f"{number}.attention", num_heads=self.shape.heads)
        attended = self.dense(attended, f"{number}.attended", (width, width))
        states = self.add_and_normalize(states, attended, f"{number}.attended.norm")
        inner = self.dense(self.smooth(states, f"{number}.inner.smoothing", width), f"{number}.inner", (width, wide))
        curved = self.node(gelu, [inner], f"{number}.curved")
        outer = self.dense(self.smooth(curved, f"{number}.outer.smoothing", wide), f"{number}.outer", (wide, width))
        return self.add_and_normalize(states, outer, f"{number}.outer.norm")

    def write(self, states: str, path: Path, also: tuple[str, ...] = ()) -> None:
        ids = helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "tokens"])
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in (states, *also)]
        initializers = [*self.constants, *self.weights.values()]
        graph = helper.make_graph(self.nodes, path.stem, [ids], outputs, initializers)
        domains = [helper.make_opsetid("", 17), helper.make_opsetid(CONTRIBUTED, 1)]
        path.write_bytes(helper.make_model(graph, opset_imports=domains, ir_version=10).SerializeToString())


def write_minilm(path: Path, *, fast: bool, watched: bool = False) -> None:
    """MiniLM's graph; `watched` gives the inputs of the products as well."""
    writer = GraphWriter(MINILM, fast=fast)
    states, inputs = writer.embed(), list[str]()
    for number in range(MINILM.layers):
        inputs += [states, f"{number}.attended.norm.states", f"{number}.curved"]
        # The faster curve is as near to the exact vectors as the other: what 8 bits round off is more.
        states = writer.layer(states, number, "FastGelu" if fast else "Gelu")
    writer.write(states, path, tuple(inputs) if watched else ())


def write_splade(path: Path) -> None:
    """The graph of SPLADE-tiny up to the states that the vocabulary is multiplied with."""
    writer = GraphWriter(SPLADE, fast=False)
    states = writer.embed()
    for number in range(SPLADE.layers):
        states = writer.layer(states, number, "FastGelu")
    curved = writer.node("FastGelu", [writer.dense(states, "transform", (128, 128))], "transformed")
    writer.write(writer.normalize(curved, "transform.norm", "final"), path)


# --- where MiniLM's file keeps its weights -------------------------------------------------------------------------


def locate_tensors(path: Path) -> dict[str, dict[str, Any]]:
    """Our name → {"offset", "shape", "kind"} in bytes of the package's file, for weights, scales, biases and norms."""
    raw, names = path.read_bytes(), list_tensor_names(onnx.load(path))
    found = {}
    for tensor in onnx.load(path).graph.initializer:
        if tensor.name in names:
            offset = raw.find(tensor.raw_data)
            if not tensor.raw_data or raw.find(tensor.raw_data, offset + 1) != -1:
                raise SystemExit(f"The bytes of {tensor.name} stand in {path} more than once, or nowhere.")
            kind = np.dtype(helper.tensor_dtype_to_np_dtype(tensor.data_type)).name
            found[names[tensor.name]] = {"offset": offset, "shape": list(tensor.dims), "kind": kind}
    return found


def list_tensor_names(model: onnx.ModelProto) -> dict[str, str]:
    """The file's name → ours."""
    known = {one.name for one in model.graph.initializer}
    products = [node.input[1] for node in model.graph.node if node.op_type == "MatMul"]
    matrices = [name for name in products if f"{name}_q" in known]
    names = {}
    for source, name in (("word", "words"), ("position", "positions")):
        names[f"inner.embeddings.{source}_embeddings.weight_q"] = name
        names[f"inner.embeddings.{source}_embeddings.weight_scale"] = f"{name}.scale"
    names["inner.embeddings.token_type_embeddings.weight"] = "token_types"
    names |= name_norm("inner.embeddings.", "embeddings")
    for number in range(MINILM.layers):
        source = f"inner.encoder.layer.{number}."
        for place, part in enumerate(PRODUCTS):
            matrix = matrices[len(PRODUCTS) * number + place]
            names |= {f"{matrix}_q": f"{number}.{part}.weight", f"{matrix}_scale": f"{number}.{part}.scale"}
            names[f"{source}{BIASES[part]}.bias"] = f"{number}.{part}.bias"
        names |= name_norm(f"{source}attention.output.", f"{number}.attended.norm")
        names |= name_norm(f"{source}output.", f"{number}.outer.norm")
    return names


def name_norm(source: str, name: str) -> dict[str, str]:
    """The two weights of a normalisation, by the file's names and by ours."""
    return {f"{source}LayerNorm.weight": f"{name}.gamma", f"{source}LayerNorm.bias": f"{name}.beta"}


# --- smoothing -----------------------------------------------------------------------------------------------------


def write_smoothing(watched: "InferenceSession", weights: dict[str, NDArray[Any]], path: Path) -> None:
    """By how much inputs of products are multiplied, so that inputs and weights have outliers alike."""
    names = [one.name for one in watched.get_outputs()[1:]]
    highest = {name: np.zeros(1, np.float32) for name in names}
    for text in list_passages():
        ids = np.array([load_bert_uncased().ids(text, 256)], np.int64)
        for name, states in zip(names, watched.run(names, {"ids": ids}), strict=True):
            highest[name] = np.maximum(highest[name], np.abs(states[0]).max(axis=0))
    found = {}
    for number in range(MINILM.layers):
        for place, parts in enumerate((PRODUCTS[:3], PRODUCTS[4:5], PRODUCTS[5:])):
            inputs = np.maximum(highest[names[3 * number + place]], 1e-5)
            rows = np.maximum(
                np.abs(np.hstack([weights[f"{number}.{part}.weight"] for part in parts])).max(axis=1), 1e-5
            )
            factors = inputs**SMOOTHING / np.maximum(rows, 1e-5) ** (1 - SMOOTHING)
            found[f"{number}.{parts[0]}.smoothing"] = (np.exp(np.log(factors).mean()) / factors).astype(np.float32)
    np.savez(path, **found)


def list_passages() -> list[str]:
    """Some of the digests, spread over all of them."""
    every = [search_text(one, passage) for one in read_guidelines() for passage in cut_index_passages(one)]
    return every[::CALIBRATION_STEP]


def main() -> None:
    """Write all files; MiniLM's smoothing last but one, with the exact graph that was just written."""
    model = verify_sha256(
        locate_package_file(minilm.PACKAGE, minilm.WEIGHTS_FILE, minilm.REQUIREMENT),
        minilm.WEIGHTS_SHA256,
        minilm.REQUIREMENT,
    )
    (FOLDER / minilm.TENSORS_FILE).write_text(json.dumps(locate_tensors(model), indent=0) + "\n", encoding="utf-8")
    write_splade(FOLDER / "splade_states.onnx")
    write_minilm(FOLDER / minilm.EXACT_GRAPH, fast=False)
    write_minilm(FOLDER / minilm.FAST_GRAPH, fast=True)
    weights = minilm.load_exact_weights(model)
    watched = FOLDER / "watched.onnx"
    write_minilm(watched, fast=False, watched=True)
    write_smoothing(open_graph(watched.read_bytes(), weights, 2), weights, FOLDER / minilm.SMOOTHING_FILE)
    watched.unlink()
    sys.stdout.write("".join(f"{path.stat().st_size:>9,} {path.name}\n" for path in sorted(FOLDER.glob("*.onnx"))))


if __name__ == "__main__":
    main()
