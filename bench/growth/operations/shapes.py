# SPDX-License-Identifier: Apache-2.0
"""Arrays in another shape or order, on rows of 100; and a product with a sparse matrix."""

import jax
import jax.numpy as jnp
from jax.experimental import sparse

from operations.operation import IMAGES, Input, Operation, in_family, integers, normal


def _rows(n: int) -> tuple[Input, ...]:
    return (normal(n // 100, 100),)


def _sparse_inputs(n: int) -> tuple[Input, ...]:
    """A square matrix of which n elements are not 0, ten in a row, and 8 columns."""
    side = n // 10
    return normal(n), integers(n, 2, high=side), normal(side, 8)


def _sparse_product(values: jax.Array, indices: jax.Array, dense: jax.Array) -> jax.Array:
    side = dense.shape[0]
    return sparse.BCOO((values, indices), shape=(side, side)) @ dense


OPERATIONS = in_family(
    "shapes",
    Operation("transpose", jnp.transpose, _rows, dtypes=("f32", "bf16", "i8")),
    Operation(
        "transpose_nchw",
        lambda x: jnp.transpose(x, (0, 3, 1, 2)),
        lambda n: (normal(1, n, n, 16),),
        sizes=IMAGES,
        unit="n of an image n x n x 16",
    ),
    Operation(
        "concatenate",
        lambda x, y: jnp.concatenate([x, y], axis=1),
        lambda n: _rows(n) * 2,
        gradient=(0, 1),
    ),
    Operation(
        "stack_columns",
        lambda x, y, z: jnp.stack([x, y * 2, z + 1], -1),
        lambda n: (normal(n), normal(n), normal(n)),
        dtypes=("f32", "bf16", "i8"),
        gradient=(0, 1, 2),
    ),
    Operation(
        "cross",
        jnp.cross,
        lambda n: (normal(n // 3, 3), normal(n // 3, 3)),
        gradient=(0, 1),
        unit="elements, in rows of 3",
    ),
    Operation("pad", lambda x: jnp.pad(x, 1), _rows, dtypes=("f32", "i8"), gradient=(0,)),
    Operation("reverse", lambda x: x[:, ::-1], _rows),
    Operation("reverse_line", lambda x: x[::-1], lambda n: (normal(n),)),
    Operation("strided", lambda x: x[::2, ::3], _rows, gradient=(0,)),
    Operation("tile", lambda x: jnp.tile(x, (2, 3)), _rows, gradient=(0,), tolerance=4.0),
    Operation("repeat", lambda x: jnp.repeat(x, 3, axis=1), _rows),
    Operation(
        "broadcast", lambda x: jnp.broadcast_to(x, (100, x.size)), lambda n: (normal(n // 100),)
    ),
    Operation(
        "sparse_product",
        _sparse_product,
        _sparse_inputs,
        sizes=(1_000, 10_000, 100_000),
        gradient=(0, 2),
        unit="elements that are not 0",
        tolerance=4.0,
    ),
)
