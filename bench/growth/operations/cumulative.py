# SPDX-License-Identifier: Apache-2.0
"""Results of which each is made of all elements before it."""

from typing import Any

import jax
import jax.numpy as jnp

from operations.operation import Operation, in_family, uniform


def _recurrence(a: jax.Array, b: jax.Array) -> Any:
    """Solves x[i] = a[i] x[i-1] + b[i], as state space models do."""

    def combine(left: Any, right: Any) -> Any:
        return left[0] * right[0], right[0] * left[1] + right[1]

    return jax.lax.associative_scan(combine, (a, b))[1]


OPERATIONS = in_family(
    "cumulative",
    Operation(
        "cumsum",
        jnp.cumsum,
        lambda n: (uniform(n, low=0, high=2),),
        dtypes=("f32", "bf16", "f64", "i32"),
        gradient=(0,),
        tolerance=4.0,
    ),
    Operation(
        "cumsum_rows",
        lambda x: jnp.cumsum(x, axis=1),
        lambda n: (uniform(n // 100, 100, low=0, high=2),),
        gradient=(0,),
    ),
    Operation(
        "cumprod",
        jnp.cumprod,
        lambda n: (uniform(n, low=0.999, high=1.001),),
        dtypes=("f32", "f64"),
        # XLA:CPU's products of a million such numbers are off by 6e-4, ours by 5e-5.
        tolerance=50.0,
    ),
    Operation("cummax", jax.lax.cummax, lambda n: (uniform(n),), dtypes=("f32", "bf16")),
    Operation("cumlogsumexp", jax.lax.cumlogsumexp, lambda n: (uniform(n),), gradient=(0,)),
    Operation(
        "associative_scan",
        lambda x: jax.lax.associative_scan(jnp.add, x),
        lambda n: (uniform(n, low=0, high=2),),
        tolerance=4.0,
    ),
    Operation(
        "linear_recurrence",
        _recurrence,
        lambda n: (uniform(n, low=0.5, high=0.9), uniform(n)),
        gradient=(0, 1),
    ),
)
