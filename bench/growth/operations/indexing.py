# SPDX-License-Identifier: Apache-2.0
"""Reads and writes of chosen places: gathers, scatters, and what is made of them."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from operations.operation import (
    Input,
    Operation,
    ascending,
    in_family,
    integers,
    normal,
    places,
    uniform,
)

_WIDTH = 100


def _scattered(n: int) -> tuple[Input, ...]:
    """An array, a place for each of n numbers, some of them more than once, and the numbers."""
    return uniform(n, low=-9, high=9), integers(n, high=n), uniform(n, low=0.9, high=1.1)


def _segments(call: Callable[..., Any]) -> Callable[..., Any]:
    return lambda values, ids: call(values, ids, num_segments=values.size // 10)


def _segmented(n: int) -> tuple[Input, ...]:
    return normal(n), integers(n, high=n // 10)


# Sums of a place's numbers are in another order.
_SUMS = {"tolerance": 4.0}

OPERATIONS = in_family(
    "indexing",
    Operation(
        "take",
        lambda x, i: x[i],
        lambda n: (normal(n), integers(n, high=n)),
        dtypes=("f32", "bf16", "i8", "c64"),
        gradient=(0,),
        **_SUMS,
    ),
    Operation(
        "take_along_axis",
        lambda x, i: jnp.take_along_axis(x, i, axis=1),
        lambda n: (normal(n // _WIDTH, _WIDTH), integers(n // _WIDTH, 10, high=_WIDTH)),
        gradient=(0,),
        **_SUMS,
    ),
    Operation("roll", lambda x: jnp.roll(x, 7), lambda n: (normal(n),), dtypes=("f32", "i8")),
    Operation(
        "dynamic_slice",
        lambda x, i: jax.lax.dynamic_slice(x, (i[0],), (x.size // 2,)),
        lambda n: (normal(n), integers(1, high=n // 2)),
        gradient=(0,),
    ),
    Operation(
        "dynamic_update_slice",
        lambda x, y, i: jax.lax.dynamic_update_slice(x, y, (i[0],)),
        lambda n: (normal(n), normal(n // 2), integers(1, high=n // 2)),
        gradient=(0, 1),
    ),
    Operation(
        "at_set",
        lambda x, i, y: x.at[i].set(y),
        lambda n: (normal(n), places(n, n // 2), normal(n // 2)),
        dtypes=("f32", "bf16", "i32"),
        gradient=(0, 2),
    ),
    Operation(
        "at_add",
        lambda x, i, y: x.at[i].add(y),
        _scattered,
        dtypes=("f32", "bf16", "f64", "i32", "c64"),
        gradient=(0, 2),
        **_SUMS,
    ),
    Operation("at_multiply", lambda x, i, y: x.at[i].multiply(y), _scattered, **_SUMS),
    Operation("at_max", lambda x, i, y: x.at[i].max(y), _scattered, dtypes=("f32", "i32")),
    Operation("segment_sum", _segments(jax.ops.segment_sum), _segmented, gradient=(0,), **_SUMS),
    Operation("segment_max", _segments(jax.ops.segment_max), _segmented, gradient=(0,)),
    Operation(
        "embedding",
        lambda table, i: table[i],
        lambda n: (normal(n // _WIDTH, _WIDTH), integers(n // _WIDTH, high=n // _WIDTH)),
        dtypes=("f32", "bf16"),
        gradient=(0,),
        **_SUMS,
    ),
    Operation(
        "one_hot",
        lambda i: jax.nn.one_hot(i, _WIDTH),
        lambda n: (integers(n // _WIDTH, high=_WIDTH),),
    ),
    Operation(
        "bincount",
        lambda x: jnp.bincount(x, length=256),
        lambda n: (integers(n, high=256),),
        dtypes=("i32",),
    ),
    Operation("histogram", lambda x: jnp.histogram(x, bins=50), lambda n: (normal(n),)),
    Operation(
        "interp",
        jnp.interp,
        lambda n: (uniform(n, low=0.0), ascending(1000), normal(1000)),
        gradient=(0,),
        # Between places that lie close the slope is steep.
        tolerance=100.0,
    ),
)
