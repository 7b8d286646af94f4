# SPDX-License-Identifier: Apache-2.0
"""Loops of many turns: shown, and left out of the mean."""

from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from operations.operation import BATCHES, Operation, in_family, normal, uniform

_TURNS = 1000
_ROWS = 100
_HIDDEN = 64


def _scalar(x: jax.Array) -> jax.Array:
    return jax.lax.fori_loop(0, _TURNS, lambda i, y: y * 0.999 + i, x[0])


def _running_sums(rows: jax.Array) -> Any:
    return jax.lax.scan(lambda total, row: (total + row, total), rows[0], rows)


def _newton(x: jax.Array) -> jax.Array:
    """Square roots."""

    def goes_on(state: Any) -> jax.Array:
        turn, y = state
        return (turn < 50) & (jnp.max(jnp.abs(y * y - x)) > 1e-3)

    return jax.lax.while_loop(goes_on, lambda s: (s[0] + 1, (s[1] + x / s[1]) / 2), (0, x))[1]


def _lstm(x: jax.Array, weights: jax.Array) -> jax.Array:
    """The last hidden state; ``x`` is time x batch x hidden, ``weights`` 2 hidden x 4 hidden."""

    def step(carry: Any, now: jax.Array) -> tuple[Any, None]:
        h, c = carry
        i, f, g, o = jnp.split(jnp.concatenate([now, h], -1) @ weights, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

    zeros = jnp.zeros_like(x[0])
    return jax.lax.scan(step, (zeros, zeros), x)[0][0]


OPERATIONS = tuple(
    replace(operation, loop=True)
    for operation in in_family(
        "loops",
        Operation(
            "fori_loop_scalar",
            _scalar,
            lambda n: (uniform(1),),
            sizes=(_TURNS,),
            unit="turns",
        ),
        Operation(
            "scan_sums",
            _running_sums,
            lambda n: (uniform(_ROWS, n // _ROWS),),
            gradient=(0,),
            tolerance=10.0,
        ),
        Operation(
            "while_newton", _newton, lambda n: (uniform(n, low=0.5, high=9.0),), tolerance=10
        ),
        Operation(
            "lstm",
            _lstm,
            lambda b: (normal(50, b, _HIDDEN), normal(2 * _HIDDEN, 4 * _HIDDEN, scale=0.1)),
            sizes=BATCHES,
            gradient=(0, 1),
            unit="batch, 50 steps of 64",
            tolerance=10.0,
        ),
        Operation(
            "map_of_rows",
            partial(jax.lax.map, jnp.sort),
            lambda n: (uniform(n // 100, 100),),
            sizes=(1_000, 10_000),
        ),
    )
)
