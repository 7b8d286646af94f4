# SPDX-License-Identifier: Apache-2.0
"""Reductions of booleans, and the largest and smallest of floats of 16 bits, of all sizes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

SHAPES = [(17, 3), (5, 128), (1009, 100), (3, 333_337)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_booleans(same, shape):
    rng = np.random.default_rng(shape[1])

    def parity(x, axes):
        return lax.reduce(x, False, lax.bitwise_xor, axes)

    def program(x, y):
        return (
            [x.any(axis) for axis in (None, 0, 1)],
            [(~x).all(axis) for axis in (None, 1)],
            [parity(x, axes) for axes in ((0, 1), (0,))],
            (y > 8).any(1),
            jnp.isfinite(y).all(),
        )

    # None, one, and half of them.
    y = rng.uniform(0, 9, shape).astype("f")
    one = np.zeros(shape, bool)
    one[-1, -1] = True
    for x in (np.zeros(shape, bool), one, rng.random(shape) < 0.5):
        same(program, x, y)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_extremes_of_narrow_floats(device, dtype, shape):
    """NumPy says what is right: XLA:CPU loses NaN in some of bfloat16."""
    values = np.random.default_rng(shape[0]).normal(size=shape) - 5
    with_ends = values.copy()
    with_ends[0, 0], with_ends[-1, -1] = np.inf, -np.inf
    with_nan = values.copy()
    with_nan[shape[0] // 2] = np.nan

    def program(numpy, x):
        return [f(x, axis) for f in (numpy.max, numpy.min) for axis in (None, 0, 1)]

    run = jax.jit(lambda x: program(jnp, x))
    for x in (values, -values, with_ends, with_nan):
        narrow = np.asarray(jnp.asarray(x, dtype))
        found, wanted = run(jax.device_put(narrow, device)), program(np, narrow.astype("f"))
        for got, want in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(np.asarray(got).astype("f"), want)
