# SPDX-License-Identifier: Apache-2.0
"""Sorts, and what is made of them."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from operations.operation import (
    Operation,
    ascending,
    booleans,
    in_family,
    integers,
    key,
    uniform,
)


def _line(name: str, call: Callable[..., Any], **more: Any) -> Operation:
    return Operation(name, call, lambda n: (uniform(n, low=-120, high=120),), **more)


def _rows(name: str, call: Callable[..., Any], **more: Any) -> Operation:
    return Operation(
        name + "_rows", call, lambda n: (uniform(n // 100, 100, low=-120, high=120),), **more
    )


def _searched(method: str) -> Callable[..., Any]:
    return lambda table, wanted: jnp.searchsorted(table, wanted, method=method)


def _table(n: int) -> tuple[Any, ...]:
    return ascending(n), uniform(1000, low=0.0)


OPERATIONS = in_family(
    "sorting",
    _line("sort", jnp.sort, dtypes=("f32", "bf16", "f64", "i8", "i32", "c64"), gradient=(0,)),
    _line("argsort", jnp.argsort, dtypes=("f32", "i32")),
    Operation(
        "lexsort",
        lambda a, b: jnp.lexsort((a, b)),
        lambda n: (integers(n, high=1000), integers(n, high=100)),
        dtypes=("i32",),
    ),
    Operation(
        "unique",
        lambda x: jnp.unique(x, size=x.size, fill_value=-1),
        lambda n: (integers(n, high=n // 2),),
        dtypes=("i32",),
    ),
    _line("median", jnp.median, dtypes=("f32", "f64"), gradient=(0,)),
    _line("percentile", lambda x: jnp.percentile(x, jnp.array([5, 50, 95])), tolerance=4.0),
    _line("top_k", lambda x: jax.lax.top_k(x, 10), dtypes=("f32", "bf16"), gradient=(0,)),
    _line("top_k_quarter", lambda x: jax.lax.top_k(x, x.size // 4)),
    _rows("top_k", lambda x: jax.lax.top_k(x, 5), gradient=(0,)),
    _line("approx_max_k", lambda x: jax.lax.approx_max_k(x, 10)[0]),
    _rows("sort", jnp.sort, dtypes=("f32", "i32"), gradient=(0,)),
    _rows("argsort", jnp.argsort),
    Operation("searchsorted", _searched("scan"), _table),
    Operation("searchsorted_sort", _searched("sort"), _table),
    Operation(
        "nonzero",
        lambda mask: jnp.nonzero(mask, size=mask.size // 2, fill_value=0)[0],
        lambda n: (booleans(n),),
    ),
    Operation(
        "permutation",
        jax.random.permutation,
        lambda n: (key(), integers(n, high=1 << 30)),
        dtypes=("i32",),
    ),
    Operation(
        "choice",
        lambda k, x: jax.random.choice(k, x, (x.size // 4,), replace=False),
        lambda n: (key(), uniform(n)),
    ),
)
