# SPDX-License-Identifier: Apache-2.0
"""Arrays put together of columns, whatever the columns are and wherever the array goes."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

TYPES = [
    "bool",
    "int8",
    "uint8",
    "int32",
    "float16",
    "bfloat16",
    "float32",
    "complex64",
    "float8_e4m3fn",
    "int4",
]
WIDE = ["int64", "float64", "complex128"]
# Of x with at least two dimensions, the last of at least 3.
COLUMNS = {
    "of the array": lambda x: [x[..., 1], x[..., 0]],
    "one twice": lambda x: [x[..., 2]] * 2,
    "computed": lambda x: [x[..., 0] + x[..., 1], x[..., 1], x[..., 2] * x[..., 0]],
    "many": lambda x: [x[..., 0] + k for k in range(16)],
    "too many": lambda x: [x[..., 0] + k for k in range(17)],
    "a constant": lambda x: [x[..., 0], jnp.ones_like(x[..., 0]), x[..., 1]],
    "rows": lambda x: [x[0], x[-1], x[0]],
    "turned": lambda x: [jnp.moveaxis(x, 0, -1)[..., 0], jnp.moveaxis(x, 0, -1)[..., 1]],
}
PUT = {
    "last": lambda c: jnp.stack(c, -1),
    "first, then last": lambda c: jnp.moveaxis(jnp.stack(c), 0, -1),
    "first, then anywhere": lambda c: jnp.moveaxis(jnp.stack(c), -1, 0),
    "first": lambda c: jnp.stack(c),
    "last, then first": lambda c: jnp.moveaxis(jnp.stack(c, -1), -1, 0),
    "as a list": lambda c: jnp.stack(c, -1).reshape(-1),
    "of pairs": lambda c: jnp.stack([jnp.stack([a, a], -1) for a in c], -1),
    "beside others": lambda c: jnp.concatenate(
        [jnp.stack(c, -1), c[0][..., None], jnp.stack(c[:2], -1)], -1
    ),
    "and used": lambda c: (jnp.stack(c, -1), jnp.stack(c, -1)[..., 1:], c[0]),
    "one again": lambda c: jnp.stack(c, -1).at[..., 0].set(c[1]),
    "into a number": lambda c: jnp.full((*c[0].shape, 9), 2, c[0].dtype).at[..., 7].set(c[0]),
    "padded": lambda c: jnp.pad(
        c[0][..., None], [(0, 0)] * c[0].ndim + [(2, 1)], constant_values=1
    ),
}
SHAPES = [(2, 3), (1000, 3), (5, 1, 4), (129, 65)]


def array(shape, dtype):
    return np.random.default_rng(0).integers(0, 3, shape).astype(jnp.dtype(dtype))


@pytest.mark.parametrize("dtype", [*TYPES, *WIDE])
def test_columns_of_each_type(dtype, same):
    with jax.enable_x64(dtype in WIDE):
        same(
            lambda x: [
                PUT[put](COLUMNS[columns](x))
                for columns in ("of the array", "rows")
                for put in ("last", "first, then last", "as a list")
            ],
            array((70, 5), dtype),
        )


@pytest.mark.combined(shape=SHAPES, put=PUT)
def test_columns_of_each_kind(shape, put, same):
    same(lambda x: [PUT[put](columns(x)) for columns in COLUMNS.values()], array(shape, "float32"))


TAKEN = {
    "summed": lambda y: (y.sum(-1), y.sum(0), y.max(), y.argmax(-1)),
    "multiplied": lambda y: y.reshape(-1, y.shape[-1]).T @ y.reshape(-1, y.shape[-1]),
    "sorted": lambda y: (jnp.sort(y, -1), jnp.sort(y, 0)),
    "taken": lambda y: (y[::-1], y[..., 1:], y[..., ::2], y[jnp.asarray([1, 0])]),
    "counted": lambda y: jnp.cumsum(y, 0),
    "in a loop": lambda y: lax.fori_loop(
        0, 3, lambda i, z: jnp.stack([z[..., 1], z[..., 0] + i], -1), y[..., :2]
    ),
    "scanned": lambda y: lax.scan(lambda z, r: (jnp.stack([z[1], z[0] + r[1]]), z), y[0, :2], y),
    "chosen": lambda y: lax.cond(y.sum() > 0, lambda: y, lambda: -y),
    "written": lambda y: y.at[jnp.asarray([0, 1]), jnp.asarray([1, 0])].add(1),
}


@pytest.mark.parametrize("taken", TAKEN)
@pytest.mark.parametrize("shape", [(4, 3), (1000, 3)], ids=str)
def test_what_is_made_of_columns(shape, taken, same):
    def program(x):
        return [TAKEN[taken](jnp.stack(COLUMNS[c](x), -1)) for c in ("of the array", "computed")]

    same(program, array(shape, "float32"))


def rotate(x):
    """Rotary embeddings of neighbours."""
    a, b = x[..., ::2], x[..., 1::2]
    return jnp.stack([a * 3 - b, b * 3 + a], -1).reshape(x.shape)


FUNCTIONS = {
    "cross": lambda x: jnp.cross(x, x[::-1] + 1),
    "rotate": lambda x: rotate(jnp.concatenate([x, x, x, x], -1)),
    "dear columns": lambda x: jnp.stack([jnp.exp(x[:, 0]), jnp.sin(x[:, 1]), x[:, 2]], -1),
    "polynomial": lambda x: jnp.vander(x[:, 0], 5),
    "norms": lambda x: jnp.stack([x.sum(-1), x.max(-1), (x * x).mean(-1)], -1),
    "products": lambda x: jnp.stack([x @ x[0], x @ x[1]], -1),
}


@pytest.mark.combined(name=FUNCTIONS, size=[2, 5000])
def test_functions_of_columns_and_their_gradients(size, name, on_both):
    function = FUNCTIONS[name]
    x = np.random.default_rng(0).normal(size=(size, 3)).astype(np.float32)
    for program in (
        function,
        jax.grad(lambda x: (function(x) ** 2).sum()),
        jax.vmap(lambda r: function(jnp.stack([r, r + 1]))),
    ):
        for got, want in on_both(program, x):
            np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5 * np.abs(want).max())


# Of the shape (60, 3, 4) after `x.transpose(order)`, the first or the last of each dimension.
PARTS = {
    "unpacked": lambda t: jnp.hypot(t[0], 2 * t[-1]),
    "steps": lambda t: t[:1, ::2] + t[-1:, ::2],
    "in the middle": lambda t: t[:, 1] * t[:, 2],
    "at the end": lambda t: t[..., 0] - t[..., -1],
    "one row of two": lambda t: t[1:, :1],
    "taken twice": lambda t: t[0].T[0] + t[1].T[1],
}


@pytest.mark.combined(order=list(itertools.permutations(range(3))), taken=PARTS)
def test_parts_of_transposed_arrays(order, taken, on_both):
    function = PARTS[taken]
    x = np.random.default_rng(0).normal(size=(60, 3, 4)).astype(np.float32)
    for program in (
        lambda x: function(jnp.sin(x).transpose(order)),
        jax.grad(lambda x: (function(x.transpose(order)) ** 2).sum()),
    ):
        for got, want in on_both(program, x):
            np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)
