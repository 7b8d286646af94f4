# SPDX-License-Identifier: Apache-2.0
"""What each program begins with: its source holds this file."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

f32, f64, f16, bf16 = jnp.float32, jnp.float64, jnp.float16, jnp.bfloat16
c64, c128 = jnp.complex64, jnp.complex128
i32, i8, u8, boolean = jnp.int32, jnp.int8, jnp.uint8, jnp.bool_


def array(shape, dtype, kind, seed):
    """Numbers of a kind: spread, with ties, mostly zeros, or mixed in size."""
    r = np.random.default_rng(seed)
    x = r.standard_normal(shape) * 2
    x = {
        "spread": lambda: x,
        "ties": lambda: np.round(x),
        "sparse": lambda: x * (r.uniform(size=shape) < 0.2),
        "mixed": lambda: x * 10 ** r.uniform(-3, 2, shape),
    }[kind]()
    dtype = jnp.dtype(dtype)
    if dtype == jnp.bool_:
        return np.asarray(x > 0)
    if dtype.kind == "c":
        x = x + 1j * r.standard_normal(shape)
    return np.asarray(abs(x) if dtype.kind == "u" else x).astype(dtype)


def _inexact(arguments):
    return [i for i, x in enumerate(arguments) if jnp.issubdtype(x.dtype, jnp.floating)]


def _partial(function, arguments, numbers):
    """The function of some of its arguments."""

    def of_some(*some):
        every = list(arguments)
        for i, x in zip(numbers, some, strict=True):
            every[i] = x
        return function(*every)

    return of_some


def gradient(function):
    """Gradients of a bounded number made of the results, by all arguments of floats."""

    def total(*arguments):
        parts = [r for r in function(*arguments) if jnp.issubdtype(r.dtype, jnp.inexact)]
        return sum(jnp.sum(jnp.arctan(r.real.astype(jnp.result_type(float)))) for r in parts)

    def of_all(*arguments):
        numbers = _inexact(arguments)
        some = [arguments[i] for i in numbers]
        of_some = _partial(total, arguments, numbers)
        return jax.grad(of_some, argnums=tuple(range(len(some))))(*some)

    return of_all


def tangent(function):
    """Results and their tangents, along the arguments of floats, turned around."""

    def of_all(*arguments):
        numbers = _inexact(arguments)
        some = [jnp.asarray(arguments[i]) for i in numbers]
        along = [jnp.flip(x) for x in some]
        return jax.jvp(_partial(function, arguments, numbers), some, along)

    return of_all
