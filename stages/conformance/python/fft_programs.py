# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms made from seeds: any kind, precision, lengths, axes and batch."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

KINDS = ["fft", "ifft", "rfft", "irfft"]
LENGTHS = [1, 2, 3, 4, 5, 8, 11, 13, 27, 30, 64, 97, 100, 125, 127, 128, 250, 499, 512, 1000, 1009]
BATCHES = [1, 2, 3, 4, 5, 7, 8, 9, 30]
# What becomes of a transform: the numbers themselves, what is pulled back to the input, the same
# for each slice of an array.
USES = ["value", "gradient", "vmap", "gradient of vmap"]
# Elements of an array at most.
MOST = 40_000


def noise(rng: np.random.Generator, shape: Sequence[int], dtype: Any) -> np.ndarray:
    """Normally distributed numbers, or parts of them."""
    values = rng.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def shape_of(rng: np.random.Generator, seed: int, rank: int) -> list[int]:
    """Of a batch of arrays of this rank; each length is in turn the last one."""
    lengths = [LENGTHS[seed % len(LENGTHS)]]
    while len(lengths) < rank:
        fits = [n for n in LENGTHS if n * np.prod(lengths) <= MOST / 10]
        lengths.insert(0, int(rng.choice(fits)))
    batch = [int(rng.choice(BATCHES)) for _ in range(int(rng.integers(0, 3)))]
    while batch and np.prod(lengths) * np.prod(batch) > MOST:
        batch.pop()
    return [*batch, *lengths]


def program(seed: int) -> tuple[Callable[..., Any], Sequence[np.ndarray]]:
    """A function and its arguments, float64 or complex128 for odd seeds."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed // 2 % 4]
    rank = int(rng.integers(1, 4))
    real = np.float64 if seed % 2 else np.float32
    dtype = real if kind == "rfft" else np.result_type(real, np.complex64)
    shape = shape_of(rng, seed, rank)
    # The axes need not be the last ones, nor in their order.
    axes = tuple(range(len(shape) - rank, len(shape)))
    if rng.random() < 0.3:
        axes = tuple(int(axis) for axis in rng.permutation(len(shape))[:rank])
    options = {"axes": axes, "norm": str(rng.choice(["backward", "ortho", "forward"]))}
    if kind == "irfft" or rng.random() < 0.3:
        # As long as the array, cut, or filled up with zeros (IREE has none of complex128).
        extra = [0] * rank if real is np.float64 else rng.integers(-1, 2, rank)
        lengths = [max(1, shape[axis] + int(more)) for axis, more in zip(axes, extra, strict=True)]
        if kind == "irfft":
            lengths[-1] = max(1, 2 * (shape[axes[-1]] - 1) + int(rng.integers(0, 2)))
        options["s"] = lengths
    name = f"{kind}n"
    use = USES[seed // 8 % 4]

    def transform(x: Any) -> Any:
        return getattr(jnp.fft, name)(x, **options)

    function = jax.vmap(transform, in_axes=-1, out_axes=1) if "vmap" in use else transform
    x = noise(rng, [*shape, 3] if "vmap" in use else shape, dtype)
    if "gradient" not in use:
        return function, (x,)
    out = jax.eval_shape(function, x)

    def gradient(x: Any, cotangent: Any) -> Any:
        return jax.vjp(function, x)[1](cotangent)[0]

    return gradient, (x, noise(rng, out.shape, out.dtype))


def assert_close(got: Any, want: Any, message: str = "") -> None:
    """Within so many units of the largest number, as errors of a transform are."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    scale = np.abs(want).max(initial=0) or 1
    bound = 20 * float(jnp.finfo(want.dtype).eps)
    np.testing.assert_allclose(got / scale, want / scale, rtol=0, atol=bound, err_msg=message)


def check(seeds: Iterable[int], on_both: Callable[..., Any]) -> None:
    """All of them against XLA:CPU."""
    for seed in seeds:
        with jax.enable_x64(bool(seed % 2)):
            function, arguments = program(seed)
            for got, want in on_both(function, *arguments):
                assert_close(got, want, f"seed {seed}")
