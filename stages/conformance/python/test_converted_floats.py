# SPDX-License-Identifier: Apache-2.0
"""Floats as integers, NaN and what is out of range among them: as XLA makes them."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

SOURCES = ["float16", "bfloat16", "float32", "float64", "float8_e4m3fn"]
BYTES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
TARGETS = [*BYTES, "int2", "int4", "uint2", "uint4"]

# Around the ends of each integer's range, and beyond those of any.
ENDS = [
    sign * (2.0**bits + more)
    for bits in (1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64)
    for sign in (-1, 1)
    for more in (-1, -0.5, 0, 0.5, 1)
]
NUMBERS = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 0.99, -0.99, 1e30, -1e30, *ENDS]


def numbers(source, copies=1):
    with warnings.catch_warnings(action="ignore"):
        return np.tile(np.asarray(NUMBERS), copies).astype(jnp.dtype(source))


def to_all(x):
    return [x.astype(target) for target in TARGETS]


def in_turns(x):
    """Each number of its turn alone, so that the host may convert it."""

    def turn(i, totals):
        return [a.at[i].set(x[i].astype(a.dtype)) for a in totals]

    return lax.fori_loop(0, len(x), turn, [jnp.zeros(len(x), target) for target in BYTES])


USES = {
    "arrays": to_all,
    "rows": lambda x: to_all(jnp.maximum(jnp.stack([x, x[::-1]]), -x)),
    "computed from": lambda x: [y.astype("int32") + 1 for y in to_all(x)],
    "sums": lambda x: [jnp.sum(x.astype(target), dtype="int64") for target in BYTES],
    "in turns": in_turns,
    "known": lambda x: to_all(jnp.array(NUMBERS[:9], x.dtype) + x[4]),
}


@pytest.mark.combined(source=SOURCES, use=USES)
def test_nearest_integers(source, use, same):
    with jax.enable_x64(True):
        same(USES[use], numbers(source))


@pytest.mark.parametrize("source", SOURCES[:4])
def test_of_real_sizes(source, same):
    with jax.enable_x64(True):
        same(to_all, numbers(source, 1000))


@pytest.mark.parametrize("number", NUMBERS[:10])
def test_one_number(number, same):
    def chosen(x):
        index = (x / 1).astype("int32")
        branches = [lambda k=k: jnp.float32(k) for k in range(3)]
        return [*to_all(x), lax.switch(index, branches), jnp.arange(5.0)[index]]

    with jax.enable_x64(True):
        same(chosen, np.asarray(number, np.float32))
