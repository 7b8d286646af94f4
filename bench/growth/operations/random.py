# SPDX-License-Identifier: Apache-2.0
"""jax.random: the same key gives the same numbers on every platform."""

from collections.abc import Callable
from typing import Any

import jax

from operations.operation import Operation, in_family, key, like, normal, uniform


def _drawn(name: str, draw: Callable[[Any, Any], Any], **more: Any) -> Operation:
    """``draw`` takes a key and an array, of which it reads the shape and the dtype."""
    return Operation(name, draw, lambda n: (key(), like(n)), **more)


OPERATIONS = in_family(
    "random",
    _drawn(
        "normal", lambda k, x: jax.random.normal(k, x.shape, x.dtype), dtypes=("f32", "bf16", "f64")
    ),
    _drawn("uniform", lambda k, x: jax.random.uniform(k, x.shape, x.dtype), dtypes=("f32", "bf16")),
    _drawn("randint", lambda k, x: jax.random.randint(k, x.shape, 0, 1000), dtypes=("i32",)),
    _drawn("bernoulli", lambda k, x: jax.random.bernoulli(k, 0.3, x.shape)),
    _drawn("exponential", lambda k, x: jax.random.exponential(k, x.shape)),
    _drawn("truncated_normal", lambda k, x: jax.random.truncated_normal(k, -2.0, 2.0, x.shape)),
    Operation(
        "gamma",
        jax.random.gamma,
        lambda n: (key(), uniform(n, low=0.5, high=5.0)),
        sizes=(1_000, 10_000, 100_000),
        # A number is taken or refused by its size: one that is at the edge may be another.
        tolerance=10.0,
    ),
    Operation(
        "categorical",
        jax.random.categorical,
        lambda n: (key(), normal(n // 100, 100)),
    ),
)
