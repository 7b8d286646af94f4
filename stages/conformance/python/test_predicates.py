# SPDX-License-Identifier: Apache-2.0
"""Arrays selected by one boolean, which the host must not have to read."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

PREDICATES = {
    "of an argument": lambda x, flag: flag,
    "known": lambda x, flag: jnp.float32(x.size) - flag > 0,
    "of a sum": lambda x, flag: jnp.sum(jnp.real(x).astype("float32")) > flag,
    "of NaN": lambda x, flag: jnp.log(flag - 2.0) == 0,
    "of an element": lambda x, flag: (jnp.ravel(x)[:1] == 0).any(),
}
USES = {
    "one": lambda p, x: jnp.where(p, x, -x if x.dtype != bool else ~x),
    "a constant": lambda p, x: jnp.where(p, x, 1),
    "two arrays": lambda p, x: (jnp.where(p, x, 0), jnp.where(p, 0, x[..., ::-1])),
    "twice": lambda p, x: jnp.where(p, jnp.where(~p, x, 1), x.T.reshape(x.shape)),
    "and a sum": lambda p, x: (jnp.where(p, x, 0).sum(dtype=x.dtype), p),
    "by an integer": lambda p, x: lax.select_n(p.astype("int32") + 1, x, x[::-1], x),
    "repeated": lambda p, x: jax.vmap(lambda row: jnp.where(p, row, 0))(x),
    "in a loop": lambda p, x: lax.fori_loop(
        0, 3, lambda i, c: jnp.where(p & (i > 0), c, c[::-1]), x
    ),
    "in a scan": lambda p, x: lax.scan(
        lambda c, row: (jnp.where(p, c, row), jnp.where(c[:1].any(), row, c)), x[0], x
    ),
}


@pytest.mark.combined(
    predicate=PREDICATES,
    use=USES,
    shape=[(1, 1), (7, 3), (1, 1000), (300, 129), (2, 0)],
    dtype=["float32", "bfloat16", "int8", "uint32", "bool", "complex64"],
    flag=[0, 1],
)
def test_selects(predicate, use, shape, dtype, flag, same):
    if shape[1] == 0 and predicate == "of an element":
        predicate = "of an argument"
    x = np.random.default_rng(flag).choice([-0.0, 0.0, 3.0, 2.5], shape).astype(jnp.dtype(dtype))

    def select(x, flag):
        condition = PREDICATES[predicate](x, flag)
        return USES[use](condition.astype(bool), x)

    same(select, x, np.float32(flag))


def clipped(gradients):
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in gradients))
    return [jnp.where(norm < 1.0, g, g / norm) for g in gradients]


GRADIENTS = {
    "variance": lambda x, y: jnp.var(x, axis=0) @ jnp.var(y, axis=0),
    "clipped": lambda x, y: sum(jnp.sum(g**3) for g in clipped([x, y])),
    "if finite": lambda x, y: jnp.sum(jnp.where(jnp.isfinite(jnp.sum(x)), x * y, y)),
    "batch norm": lambda x, y: jnp.sum((x - x.mean(0)) * lax.rsqrt(x.var(0) + 1e-5) * y),
}


@pytest.mark.combined(function=GRADIENTS, rows=[1, 5, 333])
def test_gradients(function, rows, on_both):
    x, y = np.random.default_rng(0).standard_normal((2, rows, 3)).astype(np.float32)
    for got, want in on_both(jax.value_and_grad(GRADIENTS[function], argnums=(0, 1)), x, y):
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-4)
