# SPDX-License-Identifier: Apache-2.0
"""jax.scipy: special functions, signals, statistics, images."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.scipy import ndimage, signal, special, stats

from operations.operation import IMAGES, Operation, in_family, normal, uniform


def _special(
    name: str, call: Callable[..., Any], low: float = 0.2, high: float = 9.0, **more: Any
) -> Operation:
    return Operation(name, call, lambda n: (uniform(n, low=low, high=high),), **more)


def _sampled(image: jax.Array, rows: jax.Array, columns: jax.Array) -> jax.Array:
    side = image.shape[0] - 1
    return ndimage.map_coordinates(image, [rows * side, columns * side], order=1)


def _signal(n: int) -> tuple[Any, ...]:
    return normal(n), normal(100)


OPERATIONS = in_family(
    "scipy",
    _special("gammaln", special.gammaln, dtypes=("f32", "f64"), gradient=(0,)),
    _special("digamma", special.digamma),
    _special("ndtr", special.ndtr, -3.0, 3.0, gradient=(0,)),
    _special("erfinv", special.erfinv, -0.99, 0.99),
    _special("i0e", special.i0e),
    _special("logsumexp", special.logsumexp),
    Operation(
        "betainc",
        special.betainc,
        lambda n: (
            uniform(n, low=0.5, high=5.0),
            uniform(n, low=0.5, high=5.0),
            uniform(n, low=0.05, high=0.95),
        ),
        sizes=(1_000, 10_000, 100_000),
    ),
    Operation("norm_logpdf", stats.norm.logpdf, lambda n: (normal(n),), gradient=(0,)),
    Operation(
        "convolve",
        lambda x, y: signal.convolve(x, y, mode="same", method="direct"),
        _signal,
        tolerance=4.0,
    ),
    Operation(
        "fftconvolve",
        lambda x, y: signal.fftconvolve(x, y, mode="same"),
        _signal,
        tolerance=4.0,
    ),
    Operation(
        "map_coordinates",
        _sampled,
        lambda n: (
            uniform(n, n, low=0.0),
            uniform(n, n, low=0.0),
            uniform(n, n, low=0.0),
        ),
        sizes=IMAGES,
        gradient=(0,),
        unit="n of an image n x n",
        # A place is rounded before its neighbours are mixed.
        tolerance=20.0,
    ),
    Operation("polyval", jnp.polyval, lambda n: (normal(8), uniform(n)), gradient=(1,)),
)
