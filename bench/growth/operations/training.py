# SPDX-License-Identifier: Apache-2.0
"""A step of an optimizer, whose state is donated."""

from typing import Any

import jax
import jax.numpy as jnp

from operations.operation import Operation, in_family, normal, uniform

_LAYERS = 4


def _adam(state: Any, gradients: list[jax.Array]) -> Any:
    """The state after a step: weights, first and second moments, each a list of layers."""

    def step(w: jax.Array, m: jax.Array, v: jax.Array, g: jax.Array) -> tuple[jax.Array, ...]:
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        return w - 1e-3 * (m / 0.1) / (jnp.sqrt(v / 0.001) + 1e-8), m, v

    layers = [step(*layer) for layer in zip(*state, gradients, strict=True)]
    return tuple(list(part) for part in zip(*layers, strict=True))


def _inputs(n: int) -> tuple[Any, ...]:
    weights, moments = [[normal(n, n, scale=0.1)] * _LAYERS for _ in range(2)]
    squares = [uniform(n, n, low=0.0)] * _LAYERS
    return (weights, moments, squares), [normal(n, n)] * _LAYERS


OPERATIONS = in_family(
    "training",
    Operation(
        "adam_step_donated",
        _adam,
        _inputs,
        sizes=(32, 128, 512),
        dtypes=("f32", "bf16"),
        unit="n of 4 x n x n",
        donate=True,
    ),
)
