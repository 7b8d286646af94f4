# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and vectors."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from operations.operation import BATCHES, MATRICES, Input, Operation, in_family, normal

_SQUARE = "n of n x n"
_HEADS, _LENGTH, _DEPTH = 8, 128, 64


def _two(n: int) -> tuple[Input, ...]:
    return normal(n, n), normal(n, n)


def _heads(batch: int) -> tuple[Input, ...]:
    """Queries, keys and values, batch x length x heads x depth."""
    return tuple(normal(batch, _LENGTH, _HEADS, _DEPTH) for _ in range(3))


def _attention(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    weights = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) * _DEPTH**-0.5, axis=-1)
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v)


def _batched(b: int) -> tuple[Input, ...]:
    return normal(b, 64, 64), normal(b, 64, 64)


_causal: Any = partial(jax.nn.dot_product_attention, is_causal=True)

OPERATIONS = in_family(
    "matrix",
    Operation(
        "matmul",
        jnp.matmul,
        _two,
        sizes=MATRICES,
        dtypes=("f32", "bf16", "f16", "f64", "c64"),
        gradient=(0, 1),
        unit=_SQUARE,
    ),
    Operation(
        "matmul_i8_to_i32",
        partial(jnp.matmul, preferred_element_type=jnp.int32),
        _two,
        sizes=MATRICES,
        dtypes=("i8",),
        unit=_SQUARE,
    ),
    Operation(
        "matmul_by_512",
        jnp.matmul,
        lambda m: (normal(m, 512), normal(512, 512)),
        sizes=(1, 32, 128),
        dtypes=("f32", "bf16"),
        gradient=(0, 1),
        unit="m of m x 512 by 512 x 512",
    ),
    Operation(
        "matmul_batched",
        jnp.matmul,
        _batched,
        sizes=BATCHES,
        dtypes=("f32", "bf16"),
        gradient=(0, 1),
        unit="products of 64 x 64",
    ),
    Operation(
        "einsum",
        partial(jnp.einsum, "bij,kjl->bikl"),
        lambda b: (normal(b, 32, 64), normal(4, 64, 32)),
        sizes=BATCHES,
        gradient=(0, 1),
        unit="batch",
    ),
    Operation(
        "outer", jnp.outer, lambda n: (normal(n), normal(n)), sizes=MATRICES[::2], unit=_SQUARE
    ),
    Operation(
        "matvec",
        jnp.matmul,
        lambda n: (normal(n, n), normal(n)),
        sizes=(32, 128, 512, 1024),
        dtypes=("f32", "bf16", "f64"),
        gradient=(0, 1),
        unit=_SQUARE,
    ),
    Operation("dot", jnp.dot, lambda n: (normal(n), normal(n)), tolerance=100.0),
    Operation(
        "attention",
        _attention,
        _heads,
        sizes=(1, 4, 16),
        dtypes=("f32", "bf16"),
        gradient=(0, 1, 2),
        unit="batch of 8 heads, 128 x 64",
    ),
    Operation(
        "dot_product_attention",
        _causal,
        _heads,
        sizes=(1, 4, 16),
        gradient=(0, 1, 2),
        unit="batch of 8 heads, 128 x 64",
    ),
)
