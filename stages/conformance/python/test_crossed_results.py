# SPDX-License-Identifier: Apache-2.0
"""What one operation uses in several ways, as the norms of points in a matrix of distances.

A family: where IREE fuses too much, it computes a part only.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

ROWS = 70


def points(*shape):
    return np.random.default_rng(0).uniform(0.5, 1, shape).astype(np.float32)


@pytest.fixture
def close(on_both):
    """A function (function, *arguments, scale) that compares its results with XLA:CPU's.

    Errors count beside ``scale``, the size of the numbers that are added up.
    """

    def run(function, *arguments, scale=100.0):
        for got, want in on_both(function, *arguments):
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6 * scale)

    return run


VECTORS = {
    "sum": lambda x: x.sum(1),
    "sum of squares": lambda x: (x**2).sum(1),
    "norm": lambda x: jnp.sqrt((x**2).sum(1)),
    "product": lambda x: x.prod(1),
    "matvec": lambda x: x @ x[0],
    "exp": lambda x: jnp.exp(x[:, 0]),
    "two sums": lambda x: x.sum(1) + x.max(1),
}
PAIRS = {
    "sums": lambda v: v[:, None] + v,
    "of two functions": lambda v: jnp.tanh(v)[:, None] + v,
    "choices": lambda v: jnp.where(v[:, None] > v, v[:, None], v),
    "sums of differences": lambda v: (v[:, None] - v).sum(1),
    "neighbours": lambda v: v[1:] - v[:-1],
}


@pytest.mark.combined(pairs=PAIRS, vector=VECTORS)
def test_pairs_of_elements(vector, pairs, close):
    close(lambda x: PAIRS[pairs](VECTORS[vector](x)), points(ROWS, 37), scale=ROWS * 37)


MATRICES = {
    "softmax": lambda x: jax.nn.softmax(x[:, :, 0]),
    "sum": lambda x: x.sum(2),
    "product": lambda x: x[:, :, 0] @ x[:, :, 1],
    "einsum": lambda x: jnp.einsum("ijk,ljk->il", x, x),
}
CROSSED = {
    "symmetric": lambda m: (m + m.T) / 2,
    "centred": lambda m: m - m.mean(0) - m.mean(1)[:, None] + m.mean(),
    "squared": lambda m: m @ m.T,
    "neighbours": lambda m: m[1:] - m[:-1],
    "diagonal": lambda m: m - jnp.diag(m)[:, None] - jnp.diag(m),
}


@pytest.mark.combined(crossed=CROSSED, matrix=MATRICES)
def test_matrices_and_their_transposes(matrix, crossed, close):
    close(lambda x: CROSSED[crossed](MATRICES[matrix](x)), points(ROWS, ROWS, 5), scale=1e4)


@pytest.mark.parametrize("size", [3, 16, 100, 500])
def test_distances(size, close):
    def distances(x):
        squares = (x**2).sum(1)
        return squares[:, None] + squares - 2 * x @ x.T

    x = points(size, 3)
    close(distances, x)
    close(jax.grad(lambda x: jnp.exp(-distances(x)).sum()), x, scale=1e4)


# Products as large as these are packed.
@pytest.mark.parametrize("size", [40, 500])
def test_elements_of_what_is_multiplied(size, close):
    x, y = points(size, size), points(size, size)
    places = np.arange(size)[::3]
    close(lambda x, y: (x @ y, jnp.diag(x)), x, y, scale=size)
    close(lambda x, y: (jnp.tril(x) @ y, jnp.diag(jnp.triu(jnp.tril(x)))), x, y, scale=size)
    close(lambda x, y: (jnp.exp(x) @ y, jnp.exp(x)[places, places[0]] * 2), x, y, scale=3 * size)
    close(lambda x, y: (lambda m: (m @ y, m[places, places]))(x * 2 + y), x, y, scale=3 * size)


ZEROS = np.zeros(2, np.int32)
WHOLE = {
    "doubled": (lambda x: x * 2, lambda x: x * 2),
    "further": (lambda x: x * 2, lambda x: jnp.sin(x * 2)),
    "sums": (lambda x: x + x[0], lambda x: (x + x[0]) * x.sum(0)),
    "transposed": (lambda x: x.T, lambda x: x.T * 2),
}
PARTS = {
    "rows": lambda y: y[ZEROS],
    "columns": lambda y: y[:, ZEROS],
    "inner": lambda y: y[:, :, ZEROS],
    "ones": lambda y: y[:, ZEROS + 1],
    "elements": lambda y: y[ZEROS, ZEROS],
    "along": lambda y: jnp.take_along_axis(y, jnp.zeros_like(y[:2], jnp.int32), 0),
    "batches": lambda y: jax.vmap(lambda x: x[ZEROS])(y),
    "gradient": lambda y: jax.vmap(jax.grad(lambda x: (x.at[ZEROS].add(x[:2]) ** 2).sum()))(y),
}


@pytest.mark.parametrize("part", PARTS)
def test_parts_at_known_indices(part, close):
    def function(x):
        return [(used(x), PARTS[part](source(x))) for used, source in WHOLE.values()]

    close(function, points(3, 5, 7), scale=10)


def test_gradient_of_a_determinant_by_cholesky(close):
    x = points(500, 500) - 0.75
    matrix = x @ x.T + np.eye(500, dtype=np.float32)
    close(jax.grad(lambda m: jnp.log(jnp.diag(jnp.linalg.cholesky(m))).sum()), matrix, scale=10)


def test_constant_parts_in_and_around_a_loop(close):
    """The gradient of a real transform has a mask, which the loop and what follows it share."""

    def loss(x):
        def turn(spectrum, _):
            return spectrum / 2 + jnp.fft.rfft2(x), None

        spectrum, _ = lax.scan(turn, jnp.fft.rfft2(x * 0 + 1), None, length=5)
        return (jnp.fft.irfft2(spectrum) ** 2).sum()

    close(jax.grad(loss), points(8, 8))
