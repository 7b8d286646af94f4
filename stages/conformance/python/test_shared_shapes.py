# SPDX-License-Identifier: Apache-2.0
"""Reshaped values that are used again after something that hands them out as they were."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

SHAPES = {
    "reshaped": lambda x: x.reshape(1, -1),
    "flat": lambda x: x.reshape(-1),
    "turned": lambda x: x.T,
}


def written(c):
    return c.at[0].set(c[-1])


HANDED = {
    "by a loop of no turn": lambda v, n: lax.fori_loop(0, n * 0, lambda i, c: written(c), v),
    "by a loop": lambda v, n: lax.fori_loop(0, n, lambda i, c: written(c), v),
    "by a condition": lambda v, n: lax.while_loop(lambda c: c.sum() > 1e6, written, v),
    "by a branch": lambda v, n: lax.cond(n > 0, lambda v: v, written, v),
    "by a switch": lambda v, n: lax.switch(n, [lambda v: v, written, lambda v: v + 1], v),
    "by a function": lambda v, n: jax.jit(lambda v: v)(v),
    "by a scan": lambda v, n: lax.scan(lambda c, x: (c, x), v, jnp.arange(3))[0],
}
USES = {
    "converted": lambda v: v.astype(jnp.float32),
    "largest": lambda v: jnp.max(v.astype(jnp.float32), -1),
    "any": lambda v: jnp.any(v.astype(jnp.float32) > 0.5, -1),
    "softmax": lambda v: jax.nn.softmax(v.astype(jnp.float32), -1),
    "negated": lambda v: -v,
}


@pytest.mark.combined(shape=SHAPES, handed=HANDED, use=USES)
def test_the_same_before_and_after(shape, handed, use, on_both):
    def program(x, n):
        v = SHAPES[shape](x)
        return USES[use](v), USES[use](HANDED[handed](v, n)), v

    x = np.arange(16, dtype=np.int32).reshape(4, 4) - 5
    for got, want in on_both(program, x, np.int32(1)):
        np.testing.assert_allclose(got, want, rtol=1e-6)
