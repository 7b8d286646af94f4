# SPDX-License-Identifier: Apache-2.0
"""Sums of rows that lines of a larger array repeat: updates of rank one, as of BFGS."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

FORMS = {
    "product": lambda w, x, g, v: w - 0.5 * jnp.outer(x, g @ v),
    "product with rows": lambda w, x, g, v: w - 0.5 * jnp.outer(x, v @ g.T),
    "sums": lambda w, x, g, v: w - jnp.outer(x, (g * g).sum(1)),
    "largest": lambda w, x, g, v: w + jnp.maximum(g, v).max(1)[None] * x[:, None],
    "returned too": lambda w, x, g, v: (w - jnp.outer(x, g @ v), g @ v),
    "computed before": lambda w, x, g, v: w + x[:, None] * jnp.where(v > 0, g @ v, 0)[None],
    "in rows and lines": lambda w, x, g, v: g + jnp.outer(g @ v, g @ v) + (g @ v)[:, None],
    "one thing of many": lambda w, x, g, v: w + x[:, None] * (v[None] @ g.T + v),
    "mapped": lambda w, x, g, v: jax.vmap(lambda u: w - jnp.outer(x, g @ u))(jnp.stack([v, v + 1])),
    "in turns": lambda w, x, g, v: jax.lax.fori_loop(0, 3, lambda i, w: w - jnp.outer(x, g @ v), w),
}
SHAPES = [(784, 512), (130, 129), (40, 600), (3, 17)]


@pytest.mark.combined(form=FORMS, shape=SHAPES, dtype=["float32", "float64", "bfloat16", "int32"])
def test_updates(on_both, form, shape, dtype):
    rng = np.random.default_rng(0)
    with jax.enable_x64(dtype == "float64"):
        sizes = (shape, shape[:1], (shape[1], shape[1]), shape[1:])
        arrays = [rng.integers(-2, 3, size).astype(jnp.dtype(dtype)) for size in sizes]
        for got, want in on_both(FORMS[form], *arrays):
            got, want = (np.asarray(x).astype("float64") for x in (got, want))
            tolerance = 0.02 if dtype == "bfloat16" else 1e-5
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * abs(want).max())
