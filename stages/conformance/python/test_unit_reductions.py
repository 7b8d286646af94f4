# SPDX-License-Identifier: Apache-2.0
"""Reductions along dimensions of one element, in which nothing is reduced."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

REDUCTIONS = {
    "sum": jnp.sum,
    "prod": jnp.prod,
    "max": jnp.max,
    "min": jnp.min,
    "any": jnp.any,
    "argmax": jnp.argmax,
    "argmin": jnp.argmin,
    "xor": lambda x, axis: lax.reduce(x != 0, np.array(False), lambda a, b: a ^ b, [axis]),
    "two at once": lambda x, axis: lax.reduce(
        (x, x == 0),
        (np.zeros((), x.dtype), np.array(True)),
        lambda a, b: (lax.bitwise_or(a[0], b[0]) if x.dtype == bool else a[0] + b[0], a[1] & b[1]),
        [axis],
    ),
    "in float32": lambda x, axis: jnp.sum(x, axis, dtype="float32"),
}
# Which dimension has one element.
SHAPES = {(1, 1000): 0, (1000, 1): 1, (7, 1, 33): 1, (1,): 0, (5, 1, 0): 1}
USES = {
    "as it is": lambda r: r,
    "turned and as it is": lambda r: jax.tree.map(lambda a: (a[..., None], a[None] + a), r),
}


@pytest.mark.combined(
    reduction=REDUCTIONS,
    shape=SHAPES,
    dtype=["float32", "bfloat16", "int8", "bool", "complex64"],
    use=USES,
)
def test_of_one_element(reduction, shape, dtype, use, same):
    numbers = np.random.default_rng(0).choice([-0.0, 0.0, -3.0, 2.5, np.nan], shape)
    # NumPy does not take NaN of bfloat16 for equal.
    if dtype in ("int8", "bool", "bfloat16"):
        numbers = np.nan_to_num(numbers)
    if dtype == "complex64" and reduction in ("max", "min", "argmax", "argmin"):
        dtype = "float16"
    axis = SHAPES[shape]
    same(lambda x: USES[use](REDUCTIONS[reduction](x, axis)), numbers.astype(jnp.dtype(dtype)))


GRADIENTS = {
    "cross": lambda x, y: jnp.cross(x, y),
    "outer": lambda x, y: x[:, :1] * y[:, 1][None],
    "norms kept": lambda x, y: x / jnp.linalg.norm(y, axis=1, keepdims=True),
    "columns": lambda x, y: jnp.stack([x[:, 1] * y[:, 2], y[:, 0] - x[:, 2]], -1),
    "batches": lambda x, y: jax.vmap(jnp.outer)(x[:, :1], y) @ y.T,
}


@pytest.mark.combined(function=GRADIENTS, rows=[1, 5, 333])
def test_gradients(function, rows, on_both):
    def loss(x, y):
        return jnp.sum(jnp.sin(GRADIENTS[function](x, y)))

    x, y = np.random.default_rng(0).standard_normal((2, rows, 3)).astype(np.float32)
    for got, want in on_both(jax.value_and_grad(loss, argnums=(0, 1)), x, y):
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-4)
