# SPDX-License-Identifier: Apache-2.0
"""A Gaussian process: its length scales and noise are fitted by the marginal likelihood."""

from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
from models.adam import descent, started
from program import Program

_POINTS, _AXES = 500, 3


def _start() -> tuple[Any, Any]:
    generator = np.random.default_rng(0)
    x = generator.uniform(-2, 2, (_POINTS, _AXES)).astype(np.float32)
    noise = generator.standard_normal(_POINTS, dtype=np.float32)
    y = np.sin(2 * x[:, 0]) * np.cos(x[:, 1]) + 0.1 * noise
    logarithms = {
        "scales": np.zeros(_AXES, np.float32),
        "height": np.float32(0),
        "noise": np.float32(-1),
    }
    return started(logarithms), (x, y.astype(np.float32))


def _loss(logarithms: dict[str, jax.Array], batch: Any) -> jax.Array:
    """The negative logarithm of the marginal likelihood, for each point."""
    x, y = batch
    scaled = x * jnp.exp(-logarithms["scales"])
    squares = (scaled**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * scaled @ scaled.T
    kernel = jnp.exp(2 * logarithms["height"] - 0.5 * jnp.maximum(distances, 0))
    factor = jnp.linalg.cholesky(kernel + jnp.exp(2 * logarithms["noise"]) * jnp.eye(len(y)))
    weights = jsl.solve_triangular(factor, y, lower=True)
    return (0.5 * weights @ weights + jnp.log(jnp.diag(factor)).sum()) / len(y)


PROGRAMS = (Program("Gaussian process, 500 points", _start, descent(_loss, 1e-2)),)
