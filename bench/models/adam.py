# SPDX-License-Identifier: Apache-2.0
"""The optimizer Adam (Kingma and Ba 2015)."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Parameters = Any
State = tuple[Parameters, Parameters, Parameters, jax.Array]
Step = Callable[[State, Any], tuple[State, jax.Array]]


def started(parameters: Parameters) -> tuple[Any, ...]:
    """The state before the first step, in NumPy arrays."""
    zeros = jax.tree.map(np.zeros_like, parameters)
    return parameters, zeros, zeros, np.float32(0)


def adam(state: State, gradients: Parameters, rate: float) -> State:
    """The state after a step along the gradients."""
    parameters, first, second, count = state
    count = count + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)

    def moved(value: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
        return value - rate * m / (1 - 0.9**count) / (jnp.sqrt(v / (1 - 0.999**count)) + 1e-8)

    return jax.tree.map(moved, parameters, first, second), first, second, count


def descent(loss: Callable[[Parameters, Any], jax.Array], rate: float) -> Step:
    """A step of training: from (state, batch) to (state, loss before the step)."""

    def step(state: State, batch: Any) -> tuple[State, jax.Array]:
        value, gradients = jax.value_and_grad(loss)(state[0], batch)
        return adam(state, gradients, rate), value

    return step
