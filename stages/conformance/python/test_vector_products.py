# SPDX-License-Identifier: Apache-2.0
"""Products of a matrix and a vector, from either side, one or many at a time; gradients of them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

# Of a matrix m x n, and vectors of m and n elements.
PRODUCTS = {
    "matrix, vector": lambda a, v, w: a @ w,
    "vector, matrix": lambda a, v, w: v @ a,
    "transposed": lambda a, v, w: (a.T @ v, w @ a.T),
    "a row": lambda a, v, w: (v[None] @ a, w[None] @ a.T),
    "a column": lambda a, v, w: (a @ w[:, None], a.T @ v[:, None]),
    "and what comes after": lambda a, v, w: jnp.maximum(v @ a + w, 0) * 2,
    "several": lambda a, v, w: (
        jnp.einsum("ij,kij->ki", a, jnp.stack([a, a * 2])),
        jnp.einsum("kj,kij->ki", jnp.stack([w, w * 2]), jnp.stack([a, a + 1])),
        jnp.einsum("ki,kij->kj", jnp.stack([v, v * 2]), jnp.stack([a, a + 1])),
    ),
    "of what is computed": lambda a, v, w: (-a @ (w + 1), (v * 2) @ (a + 1)),
    "in turns": lambda a, v, w: jax.lax.map(lambda x: a @ x, jnp.stack([w, w * 2])),
    "mapped": lambda a, v, w: jax.vmap(lambda x, y: (a @ x, y @ a))(
        jnp.stack([w, w * 2]), jnp.stack([v, v * 2])
    ),
}
SHAPES = [(3, 5), (7, 64), (64, 65), (100, 1000), (512, 512), (2, 4097)]
TOLERANCES = {"bfloat16": 2e-2, "float16": 5e-3, "float64": 1e-12, "int32": 0}


@pytest.mark.combined(product=PRODUCTS, dtype=["float32", "complex64", *TOLERANCES], shape=SHAPES)
def test_products_of_vectors(product, dtype, shape, on_both):
    tolerance = TOLERANCES.get(dtype, 2e-6)
    with jax.enable_x64(dtype == "float64"):
        rng = np.random.default_rng(0)
        shapes = (shape, shape[:1], shape[1:])
        arrays = [rng.integers(-4, 5, s).astype(jnp.dtype(dtype)) for s in shapes]
        for got, want in on_both(PRODUCTS[product], *arrays):
            got, want = (np.asarray(x).astype("complex128") for x in (got, want))
            least = tolerance * abs(want).max()
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=least)


@pytest.mark.combined(product=PRODUCTS)
def test_gradients_of_products_of_vectors(product, on_both):
    def loss(*arrays):
        return sum(jnp.sum(jnp.sin(r)) for r in jax.tree.leaves(PRODUCTS[product](*arrays)))

    for m, n in SHAPES[:5]:
        rng = np.random.default_rng(0)
        arrays = [rng.standard_normal(s).astype(np.float32) / 8 for s in ((m, n), (m,), (n,))]
        for got, want in on_both(jax.grad(loss, argnums=(0, 1, 2)), *arrays):
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
