# SPDX-License-Identifier: Apache-2.0
"""Operations on each element."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from operations.operation import FLOATS, Operation, booleans, in_family, uniform


def _one(
    name: str, call: Callable[..., Any], low: float = -3.0, high: float = 3.0, **more: Any
) -> Operation:
    return Operation(name, call, lambda n: (uniform(n, low=low, high=high),), **more)


def _two(
    name: str, call: Callable[..., Any], low: float = -100.0, high: float = 100.0, **more: Any
) -> Operation:
    return Operation(
        name,
        call,
        lambda n: (uniform(n, low=low, high=high), uniform(n, low=1, high=100)),
        **more,
    )


OPERATIONS = in_family(
    "elementwise",
    _two("add", jnp.add, dtypes=(*FLOATS, "i8", "i32", "c64")),
    _two("multiply", jnp.multiply, 0.5, 2.0, dtypes=("f32", "c64", "c128", "i32"), gradient=(0, 1)),
    _two("divide", jnp.divide, dtypes=("f32", "bf16", "c64"), gradient=(0, 1)),
    _two("floor_divide", jnp.floor_divide, dtypes=("i32", "i8", "f32")),
    _two("remainder", jnp.remainder, dtypes=("i32", "i8")),
    _two("lax_div", jax.lax.div, dtypes=("i32",)),
    _two("bits", lambda x, y: jnp.bitwise_count((x << 3) ^ y), dtypes=("i32",)),
    _two("arctan2", jnp.arctan2, gradient=(0, 1)),
    _one("exp", jnp.exp, dtypes=(*FLOATS, "c64"), gradient=(0,)),
    _one("tanh", jnp.tanh, dtypes=FLOATS, gradient=(0,)),
    _one("erf", jax.lax.erf, dtypes=("f32", "bf16", "f64"), gradient=(0,)),
    _one("sin", jnp.sin, -20.0, 20.0, dtypes=FLOATS, gradient=(0,)),
    _one("log1p", jnp.log1p, 0.0, 9.0, dtypes=("f32", "bf16", "f64"), gradient=(0,)),
    _one("log", jnp.log, 0.1, 9.0, dtypes=("f32", "bf16"), gradient=(0,)),
    _one("rsqrt", jax.lax.rsqrt, 0.1, 9.0, dtypes=("f32", "bf16"), gradient=(0,)),
    _one("power", lambda x: x**2.5, 0.1, 9.0, dtypes=("f32", "f64"), gradient=(0,)),
    _one("absolute", jnp.abs, dtypes=("f32", "i32", "c64")),
    _one("clip", lambda x: jnp.clip(x, -1, 1), dtypes=("f32", "bf16", "i32"), gradient=(0,)),
    _one("to_bf16", lambda x: x.astype(jnp.bfloat16), dtypes=("f32",)),
    _one("to_f32", lambda x: x.astype(jnp.float32), -100, 100, dtypes=("bf16", "i8", "i32")),
    Operation(
        "where",
        jnp.where,
        lambda n: (booleans(n), uniform(n, low=-9, high=9), uniform(n, low=-9, high=9)),
        dtypes=("f32", "bf16", "i32"),
        gradient=(1, 2),
    ),
)
