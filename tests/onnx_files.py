"""ONNX files written by hand, as protocol buffers: the package `onnx` is not among what developers install.

The numbers of the fields are those of onnx.proto (ONNX, intermediate representation 8).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

FLOAT, INT32, INT64 = 1, 6, 7
DTYPES = {np.dtype(np.float32): FLOAT, np.dtype(np.int64): INT64}

Node = tuple[str, Sequence[str], str, Mapping[str, int]]
"""Operator, inputs, output, attributes that are whole numbers."""


def model(
    nodes: Sequence[Node],
    weights: Mapping[str, np.ndarray[Any, Any]],
    inputs: Sequence[str],
    output: str,
    kind: int = INT64,
) -> bytes:
    """A graph whose inputs are int64 (or another kind) of the shape (batch, tokens), and whose output is float32."""
    graph = b"".join(_chunk(1, _node(*node)) for node in nodes) + _chunk(2, b"tiny")
    graph += b"".join(_chunk(5, _tensor(name, value)) for name, value in weights.items())
    graph += b"".join(_chunk(11, _value(name, kind, ("batch", "tokens"))) for name in inputs)
    graph += _chunk(12, _value(output, FLOAT, ()))
    opset = _chunk(1, b"") + _number(2, 17)
    return _number(1, 8) + _chunk(8, opset) + _chunk(7, graph)


def outside(name: str, location: str, shape: tuple[int, ...]) -> bytes:
    """A model whose one weight lies in another file; what it computes is of no interest."""
    there = _chunk(1, b"location") + _chunk(2, location.encode())
    tensor = b"".join(_number(1, size) for size in shape) + _number(2, FLOAT) + _chunk(8, name.encode())
    tensor += _chunk(13, there) + _number(14, 1)
    graph = _chunk(1, _node("Add", ("given", name), "logits", {})) + _chunk(2, b"tiny") + _chunk(5, tensor)
    graph += _chunk(11, _value("given", FLOAT, ("batch", "tokens"))) + _chunk(12, _value("logits", FLOAT, ()))
    return _number(1, 8) + _chunk(8, _chunk(1, b"") + _number(2, 17)) + _chunk(7, graph)


def _node(operator: str, inputs: Sequence[str], output: str, attributes: Mapping[str, int]) -> bytes:
    told = b"".join(_chunk(1, name.encode()) for name in inputs) + _chunk(2, output.encode())
    told += _chunk(4, operator.encode())
    for name, value in attributes.items():
        told += _chunk(5, _chunk(1, name.encode()) + _number(3, value) + _number(20, 2))
    return told


def _tensor(name: str, value: np.ndarray[Any, Any]) -> bytes:
    told = b"".join(_number(1, size) for size in value.shape) + _number(2, DTYPES[value.dtype])
    return told + _chunk(8, name.encode()) + _chunk(9, value.tobytes())


def _value(name: str, kind: int, shape: Sequence[str]) -> bytes:
    dims = b"".join(_chunk(1, _chunk(2, size.encode())) for size in shape)
    tensor = _number(1, kind) + (_chunk(2, dims) if shape else b"")
    return _chunk(1, name.encode()) + _chunk(2, _chunk(1, tensor))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _chunk(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    told = bytearray()
    while value > 127:
        told.append(value & 127 | 128)
        value >>= 7
    return bytes([*told, value])
