# SPDX-License-Identifier: Apache-2.0
"""Loops whose lengths do not fill vectors: elementwise, broadcast, transposed, taken by index."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

DTYPES = ["float32", "bfloat16", "float16", "int8", "int32", "bool", "complex64"]
# Rows of 1 to 100 elements, shorter and longer than vectors.
SHAPES = [(1009, 1), (331, 3), (143, 7), (77, 13), (3001, 33), (777, 5), (10_007, 100)]


def values(shape, dtype):
    """Small whole numbers, exact in each type."""
    made = np.random.default_rng(len(shape) + shape[-1]).integers(0, 9, shape)
    return np.asarray(jnp.asarray(made, dtype))


@pytest.mark.parametrize(("dtype", "shape"), list(zip(DTYPES, SHAPES, strict=True)))
def test_rows(same, dtype, shape):
    rows, width = shape
    places = np.random.default_rng(1).integers(0, width, shape, "int32")
    lines = np.random.default_rng(2).integers(-rows, rows, rows // 2, "int32")

    def program(x, row, places, lines):
        return (
            x * row + x[:, :1],
            jnp.where(x == row, x, row),
            x.T + row[:, None],
            jnp.take_along_axis(x, places, 1),
            x[lines] * row,
        )

    same(program, values(shape, dtype), values((width,), dtype), places, lines)


@pytest.mark.parametrize("dtype", DTYPES)
def test_columns(same, dtype):
    """Reductions of columns, whose parts do not fill vectors either."""

    def program(x):
        last = x[:, None] if dtype == "complex64" else jnp.max(x, 0)
        return jnp.sum(x, 0), last, jnp.sum(x.reshape(3, -1, x.shape[1]), 1), jnp.mean(x[:8], 0)

    for rows, columns in [(300, 1), (33, 7), (3000, 25), (30, 100), (999, 130), (60, 1000)]:
        same(program, values((rows, columns), dtype))


@pytest.mark.parametrize("length", [1000, 1_000_003])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_functions_agree_at_the_ends(on_both, dtype, length):
    x = np.asarray(jnp.asarray(np.linspace(-4, 4, length), dtype))

    def program(x):
        return jnp.exp(x), jnp.tanh(x) + x, jax.nn.gelu(x)

    bound = {"float32": 3e-6, "bfloat16": 2e-2, "float16": 3e-3}[dtype]
    for ours, theirs in on_both(program, x):
        np.testing.assert_allclose(
            np.asarray(ours).astype("f"), np.asarray(theirs).astype("f"), rtol=bound, atol=bound
        )


@pytest.mark.parametrize("dtype", ["float32", "int8", "complex64"])
def test_elements_taken_by_index(same, dtype):
    length = 100_003
    index = np.random.default_rng(3).integers(-length, length, length, "int32")
    same(lambda x, i: x[i] + x[::-1], values((length,), dtype), index)


@pytest.mark.parametrize("width", [16, 37, 100])
def test_rows_taken_by_index(same, width):
    """Embeddings with positions, messages along the edges of a graph, and what is made of both."""
    rng = np.random.default_rng(4)
    table, places = values((1009, width), "float32"), values((40, width), "float32")
    tokens = rng.integers(-1009, 1009, (7, 40), "int32")
    edges = rng.integers(0, 1009, (2, 5003), "int32")

    def program(table, places, tokens, edges):
        messages = table[edges[0]] * table[edges[1]]
        of_others = table[tokens[:, ::2] // 3], table[:, ::2][tokens[0]]
        return table[tokens] + places, messages, messages.max(1), *of_others

    same(program, table, places, tokens, edges)
