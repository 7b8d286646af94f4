# SPDX-License-Identifier: Apache-2.0
"""Cumulative reductions: their errors beside those of XLA:CPU, and exact ones at all lengths."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

# Around the lengths from which blocks are scanned, and blocks of blocks; a prime, and one of many.
LENGTHS = [1, 128, 129, 1009, 4097, 131_101]
EXACT = {"cummax": np.maximum, "cummin": np.minimum, "cumsum": np.add, "cumprod": np.multiply}
ROUNDED = {"cumsum": np.add, "cumprod": np.multiply, "cumlogsumexp": np.logaddexp}


def reference(ufunc, x, axis, reverse, dtype):
    turned = np.flip(x, axis) if reverse else x
    found = ufunc.accumulate(turned.astype(dtype), axis, dtype=dtype)
    return np.flip(found, axis) if reverse else found


def worst(got, wanted):
    """The largest error beside the largest number so far."""
    got = np.asarray(got).astype(wanted.dtype)
    return np.max(np.abs(got - wanted)) / np.max(np.abs(wanted))


def assert_as_near(pair, wanted, unit):
    """Ours may be a few times as far from the truth as XLA:CPU is."""
    ours, theirs = (worst(result, wanted) for result in pair)
    assert ours <= 4 * theirs + 4 * unit, f"{ours} from the truth, XLA:CPU {theirs}"


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *((name, dtype) for name in EXACT for dtype in ("float32", "int32")),
        *(("cumsum", dtype) for dtype in ("bfloat16", "uint8", "int8")),
    ],
)
def test_whole_numbers_are_exact_at_all_lengths(here, name, dtype, reverse):
    few = [0, 1] if dtype == "bfloat16" else [-2, 0, 1, 3]
    values = [-1, 1] if name == "cumprod" else few
    rng = np.random.default_rng(1)
    # Sums of bfloat16 are whole numbers that it has up to 256.
    most = 250 if (name, dtype) == ("cumsum", "bfloat16") else max(LENGTHS)
    arrays = [rng.choice(values, min(n, most)) for n in LENGTHS]
    arrays = [np.asarray(jnp.asarray(x % 256 if dtype == "uint8" else x, dtype)) for x in arrays]
    scan = getattr(lax, name)
    found = here(lambda xs: [scan(x, reverse=reverse) for x in xs], arrays)
    for ours, x in zip(found, arrays, strict=True):
        kind = x.dtype if "int" in dtype else np.float64
        wanted = reference(EXACT[name], x, 0, reverse, kind)
        np.testing.assert_array_equal(np.asarray(ours).astype(kind), wanted)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((300, 3), 0),
        ((3, 300), 1),
        ((300, 16), 0),
        ((2, 257, 5), 1),
        ((2, 257, 40), 1),
        ((4, 1, 4099), 2),
        ((2, 3, 5, 130), 3),
        ((130, 1), 0),
    ],
)
def test_along_any_axis(here, name, shape, axis):
    x = np.random.default_rng(2).choice([-1, 1], shape).astype("f")
    scan = getattr(lax, name)
    ways = [False, True]
    found = here(lambda x: [scan(x, axis=axis, reverse=reverse) for reverse in ways], x)
    for reverse, ours in zip(ways, found, strict=True):
        np.testing.assert_array_equal(ours, reference(EXACT[name], x, axis, reverse, np.float64))


@pytest.mark.combined(name=ROUNDED, values=["tenths", "normal"], reverse=[False, True])
def test_errors_do_not_grow_with_the_length(on_both, name, values, reverse):
    rng = np.random.default_rng(3)
    for shape, axis in [((1000,), 0), ((300_007,), 0), ((3, 40_000), 1), ((40_000, 20), 0)]:
        x = {
            "tenths": np.full(shape, 0.1),
            "normal": rng.normal(size=shape),
        }[values]
        if name == "cumprod":
            x = np.exp((x - x.mean()) / np.sqrt(shape[axis]))
        x = x.astype("f")
        scan = functools.partial(getattr(lax, name), axis=axis, reverse=reverse)
        (pair,) = on_both(scan, x)
        assert_as_near(pair, reference(ROUNDED[name], x, axis, reverse, np.float64), 6e-8)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_narrow_floats_are_summed_in_wide_ones(here, dtype):
    x = np.asarray(jnp.asarray(np.random.default_rng(4).uniform(0, 1e-2, 100_000), dtype))
    (ours,) = here(lax.cumsum, x)
    unit = float(jnp.finfo(dtype).eps)
    assert worst(ours, reference(np.add, x, 0, False, np.float64)) < unit


def test_complex_numbers(on_both):
    rng = np.random.default_rng(5)
    x = (rng.normal(size=50_000) + 1j * rng.normal(size=50_000)).astype("c8")
    (pair,) = on_both(lax.cumsum, x)
    assert_as_near(pair, reference(np.add, x, 0, False, np.complex128), 6e-8)


def test_infinities_and_nans_go_on_to_the_end(on_both):
    x = np.random.default_rng(6).normal(size=5000).astype("f")
    x[3000], x[4000] = np.inf, np.nan
    found = on_both(
        lambda x: [lax.cumsum(x), lax.cummax(x), lax.cumsum(x, reverse=True), lax.cumlogsumexp(-x)],
        x,
    )
    for ours, theirs in found:
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-4)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cumlogsumexp"])
def test_gradients(on_both, name):
    x = np.random.default_rng(7).uniform(0.99, 1.01, 300).astype("f")
    weights = np.arange(300, dtype="f") / 300
    scan = getattr(lax, name)
    ((ours, theirs),) = on_both(jax.grad(lambda x: (scan(x) * weights).sum()), x)
    np.testing.assert_allclose(ours, theirs, rtol=1e-4)


def test_within_larger_programs(on_both):
    x = np.random.default_rng(8).uniform(size=(50, 3000)).astype("f")

    def program(x):
        sums = jax.vmap(lambda row: jnp.cumsum(jnp.sin(row)) / jnp.sum(row))(x)
        return jnp.exp(-sums).T, lax.fori_loop(0, 3, lambda _, y: jnp.cumsum(y, axis=1) / 1e3, x)

    for ours, theirs in on_both(program, x):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5)
