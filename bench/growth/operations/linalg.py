# SPDX-License-Identifier: Apache-2.0
"""Linear algebra: of one matrix n x n, and of batches of 32 x 32."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import linalg as scipy_linalg

from operations.operation import (
    BATCHES,
    Input,
    Operation,
    in_family,
    lower_triangular,
    normal,
    positive_definite,
    well_conditioned,
)

_SIZES = (32, 128, 512)
_Matrix = Callable[..., Input]


def _of_one(name: str, call: Callable[..., Any], matrix: _Matrix, **more: Any) -> Operation:
    settings: dict[str, Any] = {"sizes": _SIZES, "unit": "n of n x n", "tolerance": 10.0} | more
    return Operation(name, call, lambda n: (matrix(n, n),), **settings)


def _of_batch(name: str, call: Callable[..., Any], matrix: _Matrix, **more: Any) -> Operation:
    settings: dict[str, Any] = {"sizes": BATCHES, "unit": "matrices of 32 x 32", "tolerance": 10.0}
    return Operation(name + "_batched", call, lambda b: (matrix(b, 32, 32),), **(settings | more))


def _with_right_side(
    name: str, call: Callable[..., Any], matrix: _Matrix, **more: Any
) -> Operation:
    settings: dict[str, Any] = {"sizes": _SIZES, "unit": "n of n x n", "tolerance": 10.0} | more
    return Operation(name, call, lambda n: (matrix(n, n), normal(n, 8)), **settings)


def _from_eigen(values: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, ...]:
    return values, (vectors * values[..., None, :]) @ vectors.swapaxes(-1, -2)


def _from_svd(u: np.ndarray, s: np.ndarray, vt: np.ndarray) -> tuple[np.ndarray, ...]:
    return s, (u * s[..., None, :]) @ vt


def _from_qr(q: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, ...]:
    return q @ r, np.abs(r)


def _svd(x: jax.Array) -> Any:
    return tuple(jnp.linalg.svd(x, full_matrices=False))


def _lstsq(a: jax.Array, b: jax.Array) -> jax.Array:
    return jnp.linalg.lstsq(a, b)[0]


def _triangular(a: jax.Array, b: jax.Array) -> jax.Array:
    return scipy_linalg.solve_triangular(a, b, lower=True)


def _eigh(x: jax.Array) -> Any:
    return tuple(jnp.linalg.eigh(x))


def _qr(x: jax.Array) -> Any:
    return tuple(jnp.linalg.qr(x))


_TWO = ("f32", "f64")

OPERATIONS = in_family(
    "linalg",
    _of_one("cholesky", jnp.linalg.cholesky, positive_definite, dtypes=_TWO, gradient=(0,)),
    _of_batch("cholesky", jnp.linalg.cholesky, positive_definite, gradient=(0,)),
    _with_right_side("solve", jnp.linalg.solve, well_conditioned, dtypes=_TWO, gradient=(0, 1)),
    _of_batch("inv", jnp.linalg.inv, well_conditioned, gradient=(0,)),
    _of_one("inv", jnp.linalg.inv, well_conditioned, dtypes=_TWO, gradient=(0,)),
    _with_right_side("triangular_solve", _triangular, lower_triangular, gradient=(0, 1)),
    _of_one("qr", _qr, normal, dtypes=_TWO, invariant=_from_qr),
    _of_batch("qr", _qr, normal, invariant=_from_qr),
    _of_one("svd", _svd, normal, dtypes=_TWO, invariant=_from_svd),
    _of_batch("svd", _svd, normal, invariant=_from_svd),
    _of_one("eigh", _eigh, positive_definite, dtypes=_TWO, invariant=_from_eigen),
    _of_batch("eigh", _eigh, positive_definite, invariant=_from_eigen),
    _of_batch("det", jnp.linalg.det, well_conditioned, gradient=(0,)),
    _of_one("slogdet", lambda x: tuple(jnp.linalg.slogdet(x)), well_conditioned, gradient=(0,)),
    _with_right_side("lstsq", _lstsq, well_conditioned, tolerance=100.0),
    _of_one("pinv", jnp.linalg.pinv, well_conditioned, tolerance=100.0),
    _of_one("expm", scipy_linalg.expm, well_conditioned),
    _of_one("sqrtm", scipy_linalg.sqrtm, positive_definite, sizes=(32, 64, 128)),
    _of_one("lu", lambda x: scipy_linalg.lu(x), well_conditioned),
)
