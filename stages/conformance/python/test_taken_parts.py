# SPDX-License-Identifier: Apache-2.0
"""Arrays that are put together of parts, and slices of them.

A family: where a slice is of one part, the array in between need not be written.
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

X = np.arange(24, dtype=np.float32).reshape(4, 6) + 1
WAYS = {
    "stack": lambda x: jnp.stack([x[0], x[1] * 2, x[2] * 3, x[3] * 4]),
    "stack of columns": lambda x: jnp.stack([x[:, i] * i for i in range(6)], 1),
    "concatenate": lambda x: jnp.concatenate([x[:1], x[1:] * 2, x[:2] * 3]),
    "of both": lambda x: jnp.concatenate([jnp.concatenate([x, x * 2], 1), jnp.ones((2, 12))]),
    "interleave": lambda x: jnp.zeros((8, 6)).at[::2].set(x).at[1::2].set(x * 2),
    "over each other": lambda x: jnp.ones((6, 6)).at[1:5].set(x).at[2:4, 1:3].set(x[:2, :2] * 5),
    "pad": lambda x: lax.pad(x, np.float32(0), ((1, 1, 0), (0, 2, 1))),
    "an argument": lambda x: x.at[1:3].set(x[:2] * 2).at[:, 2:4].set(7),
}
SLICES = [np.s_[i] for i in range(4)]
SLICES += [np.s_[1:3], np.s_[::2], np.s_[1::2], np.s_[:, 2], np.s_[::-1], np.s_[2:4, 1:3]]
SLICES += [np.s_[1::2, ::3], np.s_[2:2], np.s_[3:, 4:]]


@pytest.mark.parametrize("way", WAYS)
def test_slices_of_parts(way, same):
    same(lambda x: [WAYS[way](x)[taken] for taken in SLICES], X)
    same(lambda x: [WAYS[way](x)[taken] + 1 for taken in SLICES[:4]], X)


@pytest.mark.parametrize("way", WAYS)
def test_slices_of_slices_and_their_gradients(way, same):
    def gradient(x, first, then):
        return jax.grad(lambda x: (WAYS[way](x)[first][then] * 3).sum())(x)

    pairs = list(itertools.product(SLICES[4:7], SLICES[4:9]))
    same(lambda x: [WAYS[way](x)[first][then] for first, then in pairs], X)
    same(lambda x: [gradient(x, first, then) for first, then in pairs], X)


@pytest.mark.parametrize("unroll", [1, 2, 3, 8])
def test_unrolled_scans(same, unroll):
    def program(x):
        def step(c, row):
            return c + row, (c, row * 2)

        return lax.scan(step, x[0], x, unroll=unroll), jax.grad(
            lambda x: lax.scan(lambda c, r: (c * r % 8, c), x[0], x, unroll=unroll)[1].sum()
        )(x)

    same(program, np.tile(X, (3, 1))[:8])
