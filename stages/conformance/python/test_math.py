# SPDX-License-Identifier: Apache-2.0
"""Functions of float32 at the ends of their range, and what is found among equals."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

SIZES = np.geomspace(1e-37, 3e38, 500)
ANGLES = np.concatenate([[0.0, -0.0], SIZES, -SIZES, np.linspace(-40, 40, 999)]).astype("float32")


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_angles_of_any_size(name):
    got = jax.jit(getattr(jnp, name))(ANGLES)
    want = getattr(np, name)(ANGLES.astype("float64"))
    np.testing.assert_allclose(got, want, rtol=1e-7, atol=0)
    np.testing.assert_array_equal(np.signbit(got[:2]), np.signbit(want[:2]))
    assert np.isnan(jax.jit(getattr(jnp, name))(np.float32(np.inf)))


@pytest.mark.parametrize("name", ["exp", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh"])
def test_complex_angles_of_any_size(name):
    small = np.array([0.1, -1.3, 2.0, 1e-8, 5.0])
    large = np.array([0.3, 2.0, 100.0, 8.855068e7, 3.9e15, 1e23])
    turned = name in ("sin", "cos", "tan")
    z = (large + 1j * small[:, None] if turned else small[:, None] + 1j * large).astype("complex64")
    got = jax.jit(getattr(jnp, name))(z)
    np.testing.assert_allclose(got, getattr(np, name)(z.astype("complex128")), rtol=5e-7)


def test_absolute_values_of_complex_numbers(on_both):
    ends = np.array([0, -0.0, 1e-30, -3, 4, 1e20, -3e38, -np.inf, np.nan], np.float32)
    z = np.empty((len(ends), len(ends)), np.complex64)
    z.real, z.imag = ends, ends[:, None]
    for got, want in on_both(jnp.abs, z):
        np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_angles_of_few_bits(dtype):
    x = jnp.linspace(-60, 60, 333, dtype=dtype)
    want = jnp.asarray(np.sin(np.asarray(x, "float64"))).astype(dtype)
    np.testing.assert_array_equal(jax.jit(jnp.sin)(x), want)


def test_arcs():
    ends = np.array([-np.inf, -3, -1, -0.6, -0.0, 0, 0.6, 1, 1e-30, 3e38, np.inf], np.float32)
    y, x = (v.ravel() for v in np.meshgrid(ends, ends))
    want = np.arctan2(y, x)
    got = jax.jit(jnp.arctan2)(y, x)
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-37)  # denormals are zero
    np.testing.assert_array_equal(np.signbit(got), np.signbit(want))
    for name in ("arctan", "cbrt"):
        np.testing.assert_allclose(getattr(jnp, name)(ends), getattr(np, name)(ends), rtol=1e-6)
    within = np.linspace(-1, 1, 201, dtype=np.float32)
    np.testing.assert_allclose(jnp.arcsin(within), np.arcsin(within), rtol=1e-6)


def test_large_powers():
    x = np.geomspace(1e-30, 1e30, 300).astype(np.float32)
    np.testing.assert_allclose(jnp.power(x, 1.25), np.power(x.astype("float64"), 1.25), rtol=1e-6)


def test_powers():
    """Of what is special, and of numbers of all sizes: within half a unit and a hundredth."""
    special = [0, -0.0, 1, -1, np.inf, np.nan, 2, -2, 0.5, 3, -2.5, 1e38, 1e-37, 7, 150, 2.0**24]
    x, y = (v.ravel() for v in np.meshgrid(*2 * [np.array([*special, -np.inf, 1 / 3], np.float32)]))
    rng = np.random.default_rng(0)
    x = np.append(x, np.exp(rng.normal(size=9_999) * 20).astype(np.float32))
    y = np.append(y, rng.normal(size=9_999).astype(np.float32) * 3)
    with np.errstate(all="ignore"):
        want = np.power(x.astype("float64"), y.astype("float64"))
        rounded = want.astype(np.float32)
    got = np.asarray(jax.jit(jnp.power)(x, y))
    with np.errstate(all="ignore"):
        apart = np.abs(got - want) / np.spacing(np.abs(rounded))
    denormal = np.abs(rounded) < np.finfo(np.float32).tiny
    right = (got == rounded) | (np.isnan(got) & np.isnan(rounded)) | (apart < 0.51)
    assert np.all(right | (denormal & (got == 0)))
    np.testing.assert_array_equal(np.signbit(got), np.signbit(rounded) & ~np.isnan(got))


def test_sizes_of_complex_numbers():
    z = np.array([1e-30 + 1e-30j, 3e30 + 4e30j, 3 - 4j, 0, np.inf - 1j], np.complex64)
    np.testing.assert_allclose(jnp.abs(z), np.abs(z), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_error_function(dtype):
    x = np.concatenate([np.linspace(-5, 5, 999), [np.inf, -np.inf, 1e-3, np.nan]]).astype(dtype)
    want = np.array([math.erf(number) for number in x.tolist()])
    tolerance = 4 * float(jnp.finfo(dtype).eps)
    np.testing.assert_allclose(jax.jit(lax.erf)(x).astype("float64"), want, rtol=tolerance)


@pytest.mark.combined(
    dtype=["int8", "uint8", "int32", "uint32", "float16", "float32"], shape=[(20,), (3, 500)]
)
def test_top_k_takes_the_first_of_equals(dtype, shape):
    x = np.random.default_rng(0).integers(0, 6, shape).astype(dtype)
    x[..., 3] = np.iinfo(dtype).min if np.issubdtype(dtype, np.integer) else -np.inf
    k = shape[-1]
    values, indices = lax.top_k(x, k)
    want = np.argsort(-x.astype("float64"), axis=-1, kind="stable")[..., :k]
    np.testing.assert_array_equal(indices, want)
    np.testing.assert_array_equal(values, np.take_along_axis(x, want, -1))


def test_top_k_of_what_is_no_number():
    values, indices = lax.top_k(np.array([-np.inf, np.nan, 1, -np.inf], np.float32), 4)
    np.testing.assert_array_equal(values, [np.nan, 1, -np.inf, -np.inf])
    np.testing.assert_array_equal(indices, [1, 2, 0, 3])


def as_float32(x):
    return np.asarray(x).astype(np.float32)


@pytest.mark.combined(
    dtype=[np.float32, np.float16, jnp.bfloat16, jnp.float8_e4m3fn],
    shape=[(17,), (5, 100), (1000,), (3, 5, 7)],
    axis=[None, -1],
)
def test_extremes_of_floats(dtype, shape, axis):
    largest = jax.jit(lambda x: jnp.max(x, axis))
    smallest = jax.jit(lambda x: jnp.min(x, axis))
    most = float(jnp.finfo(dtype).max) if dtype is jnp.float8_e4m3fn else np.inf
    for value in (-3, 2, -most):
        x = np.full(shape, value, np.float32).astype(dtype)
        want = as_float32(x).max(axis)
        np.testing.assert_array_equal(as_float32(largest(x)), want)
        np.testing.assert_array_equal(as_float32(smallest(-x)), -want)
    x[..., 2] = np.nan
    for extreme in (largest(x), smallest(x), largest(-x), smallest(-x)):
        assert np.isnan(as_float32(extreme)).all()


def test_logsumexp_of_what_is_far_below_zero():
    x = np.full((3, 17), -300, np.float32)
    np.testing.assert_allclose(jax.jit(jax.nn.logsumexp)(x), np.log(51) - 300, rtol=1e-6)
    softmax = jax.jit(jax.nn.log_softmax)(x)
    np.testing.assert_allclose(softmax, np.full(x.shape, -np.log(17)), rtol=1e-5)


@pytest.mark.parametrize("size", [4, 8, 16, 40])
def test_every_other_of_a_few_numbers(size):
    def program(x):
        return x.astype(np.int32)[::2] * 2, (x.astype(np.float32) + 1)[1::3].sum()

    x = (np.arange(size) * 5 % 11).astype(np.int8)
    doubled, total = jax.jit(program)(x)
    np.testing.assert_array_equal(doubled, x[::2] * 2)
    assert total == (x[1::3] + 1).sum()


def test_the_sort_of_a_slice_used_elsewhere():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    column, rest = jax.jit(lambda x: (jnp.sort(-x[..., 1], 1), x[1:, :, 1]))(x)
    np.testing.assert_array_equal(column, np.sort(-x[..., 1], 1))
    np.testing.assert_array_equal(rest, x[1:, :, 1])


@pytest.mark.parametrize("shape", [(50,), (3, 50), (50, 70)])
def test_sums_of_one_computed_number(shape):
    def sums(x):
        numbers = jnp.exp(jnp.full(shape, 0.5, np.float32))
        return numbers.sum() + x, numbers.mean(-1) + x, jnp.vdot(numbers, numbers) + x

    count, value = np.prod(shape), np.exp(0.5)
    expected = [count * value, value, count * value**2]
    for got, want in zip(jax.jit(sums)(np.float32(0)), expected, strict=True):
        np.testing.assert_allclose(got, np.full(np.shape(got), want), rtol=1e-4)


def test_sums_of_what_turns_out_to_be_one_number():
    def sums(x):
        return jnp.sum(~x ^ x, 1), jnp.prod(jnp.where(x | ~x, 2, 3), 1), jnp.cumsum(~x ^ x, 1)

    sums_, products, running = jax.jit(sums)(np.array([[False, True, True, False, True]]))
    np.testing.assert_array_equal(sums_, [5])
    np.testing.assert_array_equal(products, [32])
    np.testing.assert_array_equal(running, [[1, 2, 3, 4, 5]])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_products_of_converted_unsigned_integers(dtype):
    x = np.array([[1, np.iinfo(dtype).max], [np.iinfo(dtype).max // 2 + 1, 7]], dtype)
    w = np.array([[1, 2], [3, 4]], np.float32)
    got = jax.jit(lambda x: x.astype(np.float32) @ w)(x)
    np.testing.assert_allclose(got, x.astype(np.float32) @ w, rtol=1e-6)
    got = jax.jit(lambda x: w @ x.T.astype(np.float32).reshape(2, 2))(x)
    np.testing.assert_allclose(got, w @ x.T.astype(np.float32), rtol=1e-6)
