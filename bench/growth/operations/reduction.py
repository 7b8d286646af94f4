# SPDX-License-Identifier: Apache-2.0
"""Reductions: of all elements, of rows of 100, of columns, and of what is computed of images."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from operations.operation import Operation, booleans, in_family, uniform


def _all(name: str, call: Callable[..., Any], **more: Any) -> Operation:
    return Operation(name, call, lambda n: (uniform(n, low=-99, high=100),), **more)


def _rows(name: str, call: Callable[..., Any], **more: Any) -> Operation:
    return Operation(
        name + "_rows",
        lambda x: call(x, axis=1),
        lambda n: (uniform(n // 100, 100, low=-99, high=100),),
        **more,
    )


def _columns(name: str, call: Callable[..., Any], **more: Any) -> Operation:
    return Operation(
        name + "_columns",
        lambda x: call(x, axis=0),
        lambda n: (uniform(n // 100, 100, low=-99, high=100),),
        **more,
    )


# The sum of many numbers around 0 is small beside each of them.
_SUMS = {"tolerance": 100.0}

OPERATIONS = in_family(
    "reduction",
    _all("sum", jnp.sum, dtypes=("f32", "bf16", "f64", "i32", "c64"), gradient=(0,), **_SUMS),
    _rows("sum", jnp.sum, dtypes=("f32", "bf16"), **_SUMS),
    _columns("sum", jnp.sum, dtypes=("f32", "bf16"), **_SUMS),
    _all("mean", jnp.mean, dtypes=("f32", "f16"), **_SUMS),
    _all("var", jnp.var, dtypes=("f32", "f64"), gradient=(0,)),
    _rows("var", jnp.var, gradient=(0,)),
    _columns("var", jnp.var, gradient=(0,)),
    _all("max", jnp.max, dtypes=("f32", "bf16", "i8", "i32"), gradient=(0,)),
    _rows("max", jnp.max, dtypes=("f32", "bf16", "f16", "i32"), gradient=(0,)),
    _columns("max", jnp.max),
    _all("argmax", jnp.argmax, dtypes=("f32", "bf16", "f64", "i8", "i32")),
    _rows("argmax", jnp.argmax, dtypes=("f32", "bf16", "i32")),
    _columns("argmin", jnp.argmin, dtypes=("f32", "i32")),
    _all("argmin", jnp.argmin, dtypes=("f32", "i32")),
    _all("logsumexp", jax.nn.logsumexp, dtypes=("f32", "bf16"), gradient=(0,)),
    _rows("logsumexp", jax.nn.logsumexp, gradient=(0,)),
    _all("norm", jnp.linalg.norm, dtypes=("f32", "c64"), gradient=(0,)),
    _rows("norm", jnp.linalg.norm, gradient=(0,)),
    Operation(
        "mean_square_images",
        lambda x: jnp.mean((x - 1) ** 2),
        lambda n: (uniform(n // 250, 10, 25),),
        dtypes=("f32", "bf16"),
        gradient=(0,),
    ),
    Operation("any", jnp.any, lambda n: (booleans(n, part=0.0),)),
    Operation("all_rows", lambda x: jnp.all(x, 1), lambda n: (booleans(n // 100, 100, part=0.99),)),
    Operation("count_nonzero", jnp.count_nonzero, lambda n: (booleans(n),)),
)
