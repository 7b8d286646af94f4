# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms: powers of two, primes, rows of 250, planes and volumes."""

import jax.numpy as jnp

from operations.operation import POWERS, Operation, in_family, normal

_PRIMES = (1_009, 10_007, 100_003, 999_983)
_COMPLEX = ("c64", "c128")

OPERATIONS = in_family(
    "fourier",
    Operation("fft", jnp.fft.fft, lambda n: (normal(n),), sizes=POWERS, dtypes=_COMPLEX),
    Operation("fft_prime", jnp.fft.fft, lambda n: (normal(n),), sizes=_PRIMES, dtypes=("c64",)),
    Operation("fft_rows", jnp.fft.fft, lambda n: (normal(n // 250, 250),), dtypes=("c64",)),
    Operation("ifft", jnp.fft.ifft, lambda n: (normal(n),), sizes=POWERS, dtypes=("c64",)),
    Operation(
        "rfft",
        jnp.fft.rfft,
        lambda n: (normal(n),),
        sizes=POWERS,
        dtypes=("f32", "f64"),
        gradient=(0,),
    ),
    Operation(
        "irfft", jnp.fft.irfft, lambda n: (normal(n // 2 + 1),), sizes=POWERS, dtypes=("c64",)
    ),
    Operation(
        "fft2",
        jnp.fft.fft2,
        lambda n: (normal(n, n),),
        sizes=(32, 128, 1024),
        dtypes=("c64",),
        unit="n of n x n",
    ),
    Operation(
        "fftn",
        jnp.fft.fftn,
        lambda n: (normal(n, n, n),),
        sizes=(10, 32, 100),
        dtypes=("c64",),
        unit="n of n x n x n",
    ),
)
