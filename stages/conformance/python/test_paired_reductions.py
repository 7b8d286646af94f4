# SPDX-License-Identifier: Apache-2.0
"""Reductions of several results at once: what is largest and where, in any order of dimensions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax


def both(x, axis):
    """The largest and the sum, of one reduction."""
    return lax.reduce(
        (x, x),
        (np.float32(-np.inf), np.float32(0)),
        lambda a, b: (lax.max(a[0], b[0]), a[1] + b[1]),
        (axis,),
    )


REDUCTIONS = {
    "argmax": lambda x, axis: [jnp.argmax(x, axis)],
    "argmin": lambda x, axis: [jnp.argmin(x, axis)],
    "largest and place": lambda x, axis: [jnp.max(x, axis), jnp.argmax(x, axis)],
    "two numbers": both,
    "the second of two": lambda x, axis: [both(x, axis)[1]],
}
TURNS = {
    "as it is": lambda r: r,
    "turned": lambda r: r.T,
    "turned later": lambda r: (r.astype(jnp.float32) * 2 + 1).T,
    "turned and repeated": lambda r: jnp.broadcast_to(r.T[None], (2, *r.T.shape)),
    "turned and as it is": lambda r: r + r.T if r.shape == r.T.shape else (r, r.T),
    "a product": lambda r: r.astype(jnp.float32).T @ jnp.ones((r.shape[0], 2), jnp.float32),
}


@pytest.mark.combined(shape=[(3, 3, 3), (4, 5, 7), (128, 3, 65)], reduction=REDUCTIONS, turn=TURNS)
def test_results_in_any_order(shape, reduction, turn, on_both):
    def program(x):
        return [TURNS[turn](r) for axis in range(3) for r in REDUCTIONS[reduction](x, axis)]

    x = np.random.default_rng(0).integers(-9, 9, shape).astype(np.float32)
    for got, want in on_both(program, x):
        np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("out_axes", [0, 1])
@pytest.mark.parametrize("in_axes", [0, 1, 2])
def test_mapped(in_axes, out_axes, on_both):
    function = jax.vmap(lambda x: jnp.argmax(x, 0), in_axes=in_axes, out_axes=out_axes)
    x = np.random.default_rng(0).integers(-9, 9, (4, 5, 6)).astype(np.float32)
    for got, want in on_both(function, x):
        np.testing.assert_array_equal(got, want)


COMPUTED = {
    "logarithms": lambda x: -jnp.log(-jnp.log(x)),
    "least and product": lambda x: jnp.minimum(x, 0.5) * 2,
    "bfloat16": lambda x: x.astype(jnp.bfloat16),
    "random": lambda x: x + jax.random.uniform(jax.random.key(0), x.shape),
    "taken": lambda x: x[::-1, ::-1],
    "rounded": lambda x: jnp.round(x * 8),
    "NaN": lambda x: jnp.where(x > 0.5, jnp.nan, jnp.sqrt(x)),
}


@pytest.mark.combined(shape=[(5, 7), (300, 100), (2, 4099), (50000, 2)], computed=COMPUTED)
def test_places_in_what_is_computed(shape, computed, same):
    def program(x):
        y = COMPUTED[computed](x)
        return [f(y, axis) for f in (jnp.argmax, jnp.argmin) for axis in (0, 1, None)]

    # So far apart that errors of rounding put none before another.
    size = shape[0] * shape[1]
    x = 0.1 + 0.8 * np.random.default_rng(0).permutation(size) / size
    same(program, x.astype(np.float32).reshape(shape))


NUMBERS = {
    "equals": lambda rng, shape: rng.integers(-2, 3, shape),
    "zeros of both signs": lambda rng, shape: rng.choice([-0.0, 0.0, -1.0], shape),
    "NaN": lambda rng, shape: np.where(rng.random(shape) < 0.02, np.nan, rng.normal(size=shape)),
    "infinities": lambda rng, shape: rng.choice([-np.inf, np.inf, 0.0], shape),
    "nothing but the least": lambda _, shape: np.full(shape, -np.inf),
    "tiny": lambda rng, shape: rng.choice([0.0, 1e-40, -1e-40, 2e-40], shape),
    "whole range": lambda rng, shape: rng.normal(size=shape) * 1e4,
}
DTYPES = ("f4", "bf16", "f2", "i4", "i2", "i1", "u4", "u2", "u1", "?")


@pytest.mark.combined(shape=[(1, 5), (5, 33), (1000, 17), (3, 40000)], dtype=DTYPES)
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_the_first_of_equals(shape, dtype, on_both):
    def program(x):
        whole = x.reshape(len(NUMBERS), -1)
        return [f(a, 1) for f in (jnp.argmax, jnp.argmin) for a in (x, x.mT, whole)]

    rng = np.random.default_rng(0)
    x = np.stack([numbers(rng, shape) for numbers in NUMBERS.values()])
    for got, want in on_both(program, x.astype(jnp.bfloat16 if dtype == "bf16" else dtype)):
        np.testing.assert_array_equal(got, want)
