# SPDX-License-Identifier: Apache-2.0
"""Programs of arrays without elements: nothing to compute is no reason to fail."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

NHWC = ("NHWC", "HWIO", "NHWC")


def ones(shape, dtype="float32"):
    return np.ones(shape, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "bool", "complex64"])
def test_products(check, dtype):
    for m, k, n in itertools.product([0, 3], [0, 2], [0, 4]):
        check(f"{m} x {k} x {n}", jnp.matmul, ones((m, k), dtype), ones((k, n), dtype))


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("bij,bjk->bik", ((4, 3, 0), (4, 0, 3))),
        ("bij,bjk->ik", ((0, 3, 3), (0, 3, 3))),
        ("i,i->", ((0,), (0,))),
        ("i,j->ij", ((0,), (3,))),
        ("ijk,jkl->il", ((2, 0, 3), (0, 3, 2))),
        ("abc,cd->abd", ((2, 3, 0), (0, 5))),
    ],
)
def test_einsum(check, equation, shapes):
    first, second = (ones(shape) for shape in shapes)
    check(equation, lambda x, y: jnp.einsum(equation, x, y) * 2 + 1, first, second)
    check(f"{equation}, added up", lambda x, y: jnp.einsum(equation, x, y).sum(), first, second)


def test_gradients_of_products(check):
    def loss(x, y):
        return jnp.sin(x @ y + 1).sum()

    for m, k, n in [(3, 0, 4), (0, 2, 4), (3, 2, 0)]:
        check(f"{m} x {k} x {n}", jax.grad(loss, (0, 1)), ones((m, k)), ones((k, n)))


@pytest.mark.parametrize(
    ("image", "kernel"),
    [((0, 6, 6, 3), (3, 3, 3, 4)), ((2, 6, 6, 0), (3, 3, 0, 4)), ((2, 6, 6, 3), (3, 3, 3, 0))],
)
def test_convolutions(check, image, kernel):
    def convolve(x, k):
        return lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=NHWC)

    check("forward", lambda x, k: convolve(x, k) + 1, ones(image), ones(kernel))
    gradient = jax.grad(lambda x, k: convolve(x, k).sum(), (0, 1))
    check("gradients", gradient, ones(image), ones(kernel))


UNARY = {
    "sum": lambda x: jnp.sin(x.sum(0)) + 1,
    "max with a start": lambda x: jnp.max(x, axis=0, initial=-1.0) * 2,
    "cumsum": lambda x: jnp.cumsum(x, axis=0),
    "cumsum of the other": lambda x: jnp.cumsum(x, axis=1),
    "sort": lambda x: jnp.sort(x, axis=0),
    "sort of the other": lambda x: jnp.sort(x, axis=1),
    "argsort": lambda x: jnp.argsort(x, axis=1),
    "argmax of rows": lambda x: jnp.argmax(x, axis=1),
    "softmax": lambda x: jax.nn.softmax(x, axis=1),
    "logsumexp of rows": lambda x: jax.nn.logsumexp(x, axis=1),
    "transposed": lambda x: x.T * 2,
    "concatenated": lambda x: jnp.concatenate([jnp.sin(x), jnp.ones((4, 3))]) * 2,
    "padded": lambda x: jnp.pad(x, 1),
    "reversed": lambda x: x[::-1] + 1,
    "rolled": lambda x: jnp.roll(x, 1),
    "gathered": lambda x: jnp.ones((5, 3))[x[:, 0].astype(int)],
    "scattered": lambda x: jnp.ones((5, 3)).at[x[:, 0].astype(int)].add(x),
    "segments": lambda x: jax.ops.segment_sum(x, x[:, 0].astype(int), 3) + 1,
    "a loop": lambda x: lax.fori_loop(0, 3, lambda i, c: (c[0] + c[1].sum(), c[1] * 2), (1.0, x)),
    "a scan": lambda x: lax.scan(lambda c, row: (c + row, row * 2), jnp.ones(3), x),
    "mapped": lambda x: lax.map(lambda row: row * 2, x),
    "where": lambda x: jnp.where(x > 0, x, 1),
    "nonzero": lambda x: jnp.nonzero(x, size=2),
    "the largest": lambda x: lax.top_k(x, 2),
    "of a window": lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2), (1, 1), "VALID"),
    "variance": lambda x: jnp.var(x, axis=1),
    "random": lambda x: x + jax.random.normal(jax.random.key(0), x.shape),
    "fft": lambda x: jnp.fft.fft(x, axis=1),
}


@pytest.mark.parametrize("name", UNARY)
def test_no_rows(check, name):
    check(name, UNARY[name], ones((0, 3)))
