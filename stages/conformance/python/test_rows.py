# SPDX-License-Identifier: Apache-2.0
"""Rows that are reduced, computed and reduced again: normalizations and their gradients."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest


def centered(x, axis):
    return x - x.mean(axis, keepdims=True)


def normalized(x, axis):
    return centered(x, axis) / jnp.sqrt(x.var(axis, keepdims=True) + 1)


def scaled(x, axis):
    least, most = x.min(axis, keepdims=True), x.max(axis, keepdims=True)
    return (x - least) / (most - least + 1)


def twice(x, axis):
    return normalized(abs(normalized(x, axis)), axis)


def both(x, axis):
    """What is between the reductions is a result as well."""
    y = centered(x, axis)
    return y, (y * y).mean(axis), y / (1 + abs(y).sum(axis, keepdims=True))


def mixed(x, axis):
    """Of two arrays, one of which is the same for all rows."""
    y = centered(x * 2, axis) * x[:1]
    return y - (y * x).sum(axis, keepdims=True) / 50


FORMS = {
    "variance": jnp.var,
    "normalized": normalized,
    "softmax": jax.nn.softmax,
    "log_softmax": jax.nn.log_softmax,
    "of length one": lambda x, axis: x / jnp.sqrt(1 + (x * x).sum(axis, keepdims=True)),
    "scaled": scaled,
    "twice": twice,
    "both": both,
    "mixed": mixed,
}
# Rows that are many and few, short, long, of odd lengths, and of two dimensions.
SHAPES = [
    ((4096, 256), (1,)),
    ((1000, 100), (1,)),
    ((333, 1001), (1,)),
    ((100_000, 3), (1,)),
    ((64, 20_000), (1,)),
    ((63, 129), (1,)),
    ((8, 128, 96), (2,)),
    ((70, 30, 40), (1, 2)),
    ((200, 1), (1,)),
]


def pulled_back(form):
    def gradients(x, axis):
        def weights(y):
            return (jnp.arange(y.size) % 7 - 3).reshape(y.shape).astype(y.dtype)

        results, pull_back = jax.vjp(lambda x: form(x, axis=axis), x)
        return pull_back(jax.tree.map(weights, results))

    return gradients


def far(got, wanted):
    """The largest error as a part of the largest number."""
    return np.max(np.abs(np.asarray(got, "d") - wanted)) / (np.max(np.abs(wanted)) + 1e-30)


def assert_as_near(ours, theirs, wanted, dtype):
    """As near to what float64 gives as XLA:CPU, or some units in the last place."""
    for one, other, exact in zip(ours, theirs, wanted, strict=True):
        exact = np.asarray(exact, "d")
        allowed = max(4 * far(other, exact), 32 * float(jnp.finfo(dtype).eps))
        assert far(one, exact) <= allowed


@pytest.mark.combined(
    form=FORMS,
    shape=SHAPES,
    dtype=["float32", "float64", "bfloat16", "float16"],
    gradient=[False, True],
)
def test_rows(device, cpu, form, shape, dtype, gradient):
    (shape, axis), function = shape, FORMS[form]
    program = jax.jit(pulled_back(function) if gradient else function, static_argnames="axis")
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        x = jnp.asarray(np.random.default_rng(1).normal(size=shape) * 3, dtype)
        ways = ((x, device), (x, cpu), (x.astype("float64"), cpu))
        found = [program(jax.device_put(y, where), axis=axis) for y, where in ways]
        assert_as_near(*map(jax.tree.leaves, found), dtype)


MEETING = {
    "in lines and rows": lambda x, s: x + jnp.outer(s, s) + s[:, None],
    "in lines": lambda x, s: x * 2 - s,
    "of lines": lambda x, s: (x - s).sum(1) + (x - s[:, None]).sum(0),
    "turned": lambda x, s: (x.T - s).max(1),
    "reduced again": lambda x, s: (x - s) / (x - s).sum(1, keepdims=True),
}


@pytest.mark.parametrize("form", MEETING)
@pytest.mark.parametrize("size", [64, 130])
def test_rows_that_need_other_rows(check, form, size):
    x = np.random.default_rng(1).integers(1, 5, (size, size)).astype("f")
    check(form, lambda x: MEETING[form](x, x.sum(1)), x)
    check(form, lambda x: MEETING[form](jnp.exp(-x), (x - x.mean(1, keepdims=True)).max(1)), x)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_places_in_rows(check, shape, axis, dtype):
    x = np.random.default_rng(1).integers(-9, 10, shape)

    def places(x):
        y = x - x[..., :1]
        return x.argmax(axis[-1]), y.argmin(axis[-1]), (y > 0).sum(axis), y.max(axis)

    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        check("places", places, jnp.asarray(x, dtype))


@pytest.mark.parametrize("layers", [2, 12])
def test_layers_share_what_is_compiled(device, cpu, layers):
    """As in a transformer: the same two dispatches follow each other many times."""
    x = np.random.default_rng(2).normal(size=(128, 64))
    weights = np.random.default_rng(3).normal(size=(layers, 64, 64)) / 8

    @jax.jit
    @jax.value_and_grad
    def network(x, weights):
        for weight in weights:
            x = x + normalized(x, (1,)) @ weight
        return (normalized(x, (1,)) ** 4).sum()

    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        found = [
            network(*(jax.device_put(y.astype(dtype), where) for y in (x, weights)))
            for dtype, where in (("f", device), ("f", cpu), ("d", cpu))
        ]
        assert_as_near(*map(jax.tree.leaves, found), "float32")
