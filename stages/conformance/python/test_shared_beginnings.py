# SPDX-License-Identifier: Apache-2.0
"""Concatenations that begin alike: IREE merges their beginnings, and may lose a copy of them."""

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax


def branched(x):
    index = (x.reshape(-1)[0] > 0.5).astype(jnp.int32)
    return lax.switch(index, [jnp.tanh, jnp.cos, lambda q: q * 2], x)


# What both begin with.
BEGINNINGS = {
    "branch": branched,
    "choice": lambda x: lax.cond(x.sum() > 0, jnp.tanh, jnp.cos, x),
    "loop": lambda x: lax.fori_loop(0, 3, lambda i, c: c * 0.5 + 1, x),
    "arithmetic": jnp.tanh,
    "argument": lambda x: x,
}
# Of the beginning v and what both are longer by.
PAIRS = {
    "own rows and others": lambda v, b: ([b, b[:1]], [b, jnp.tanh(v) * 2]),
    "two others": lambda v, b: ([b, v * 2], [b, v + 1]),
    "one of them longer": lambda v, b: ([b, v * 2], [b, v + 1, v]),
    "the same twice": lambda v, b: ([b, v], [b, v], [b, v - 1]),
}


@pytest.mark.combined(pair=PAIRS, beginning=BEGINNINGS)
def test_concatenations_that_begin_alike(pair, beginning, on_both):
    def program(x):
        v = BEGINNINGS[beginning](x)
        both = PAIRS[pair](v, jnp.concatenate([v, v[:1]]))
        return [jnp.concatenate(parts) for parts in both]

    for shape in [(1, 1), (3, 2), (17,), (5, 3, 7)]:
        x = np.random.default_rng(0).uniform(-1, 1, shape).astype(np.float32)
        for got, want in on_both(program, x):
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6, err_msg=str(shape))
