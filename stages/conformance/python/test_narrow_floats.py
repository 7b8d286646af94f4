# SPDX-License-Identifier: Apache-2.0
"""Floats of 16 and 8 bits: sums of many of them, and every conversion."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax

RANDOM = np.random.default_rng(7)
HALVES = ("bfloat16", "float16")
BYTES = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
NHWC = ("NHWC", "HWIO", "NHWC")


def zero(x):
    return np.zeros((), x.dtype)


def convolution(image, kernel):
    return lax.conv_general_dilated(image, kernel, (1, 1), "SAME", dimension_numbers=NHWC)


def convolution_gradients(image, kernel):
    return jax.grad(lambda *a: jnp.sum(jnp.square(convolution(*a))), (0, 1))(image, kernel)


def bias_gradient(x):
    return jax.grad(lambda b: jnp.sum((x + b).astype("float32")))(x[0])


def two_sums(x):
    def add(left, right):
        return left[0] + right[0], left[1] + right[1]

    return lax.reduce((x, x * 2), (zero(x), zero(x)), add, (0,))


# Each function, with the shapes of its arguments.
SUMS = {
    "product": (jnp.matmul, (256, 1024), (1024, 256)),
    "product of a few rows": (jnp.matmul, (3, 4099), (4099, 5)),
    "batched product": (jnp.matmul, (3, 17, 600), (3, 600, 19)),
    "product with a vector": (jnp.matmul, (64, 3000), (3000,)),
    "inner product": (jnp.matmul, (10000,), (10000,)),
    "contraction over two": (
        lambda a, b: jnp.einsum("ijk,jkl->il", a, b),
        (8, 40, 50),
        (40, 50, 9),
    ),
    "convolution": (convolution, (2, 14, 14, 64), (3, 3, 64, 32)),
    "gradients of a convolution": (convolution_gradients, (2, 9, 9, 64), (3, 3, 64, 16)),
    "sum": (lambda x: lax.reduce(x, zero(x), lax.add, (0,)), (100000,)),
    "sum of rows": (lambda x: lax.reduce(x, zero(x), lax.add, (1,)), (33, 3001)),
    "sum of columns": (lambda x: lax.reduce(x, zero(x), lax.add, (0,)), (3001, 33)),
    "gradient of a bias": (bias_gradient, (4096, 64)),
    "sums of windows": (
        lambda x: lax.reduce_window(x, zero(x), lax.add, (1, 8, 8, 1), (1, 4, 4, 1), "VALID"),
        (2, 64, 64, 16),
    ),
    "cumsum": (jnp.cumsum, (20000,)),
    "cumsum of rows": (lambda x: jnp.cumsum(x, axis=1), (7, 3000)),
    "reversed cumsum": (lambda x: lax.cumsum(x, reverse=True), (10000,)),
    "two sums at once": (two_sums, (10000,)),
    "mean and variance": (lambda x: (jnp.mean(x, 0), jnp.var(x, 0)), (5000, 8)),
}


def in_float64(function, arguments, cpu):
    """Returns what XLA:CPU makes of the arguments as float64."""
    with jax.enable_x64(True):
        wide = [jax.device_put(np.asarray(x, "float64"), cpu) for x in arguments]
        return jax.tree.leaves(jax.jit(function)(*wide))


@pytest.mark.combined(dtype=HALVES, name=SUMS)
def test_sums_round_once(name, dtype, cpu):
    function, *shapes = SUMS[name]
    arguments = [RANDOM.uniform(0.1, 0.4, shape).astype(dtype) for shape in shapes]
    results = jax.tree.leaves(jax.jit(function)(*arguments))
    for got, want in zip(results, in_float64(function, arguments, cpu), strict=True):
        assert got.dtype == dtype
        error = 2 * float(jnp.finfo(dtype).eps)
        np.testing.assert_allclose(np.asarray(got, "float64"), want, rtol=error, atol=error / 10)


@pytest.mark.parametrize("dtype", BYTES[:4])
def test_products_of_bytes(dtype, cpu):
    arguments = [RANDOM.uniform(0, 0.5, s).astype(dtype) for s in ((40, 500), (500, 30))]
    got = jax.jit(jnp.matmul)(*arguments)
    (want,) = in_float64(jnp.matmul, arguments, cpu)
    half_a_step = float(jnp.finfo(dtype).eps) / 2
    np.testing.assert_allclose(np.asarray(got, "float64"), want, rtol=1.001 * half_a_step)


def interesting(dtype):
    """Returns float64 numbers: those of dtype, the middles between them, neighbours, and others."""
    numbers = np.arange(256, dtype=np.uint8).view(dtype).astype("float64")
    finite = np.unique(numbers[np.isfinite(numbers)])
    edges = np.concatenate([finite, (finite[1:] + finite[:-1]) / 2]).astype("float32")
    others = RANDOM.standard_normal(5000) * 10.0 ** RANDOM.uniform(-9, 6, 5000)
    ends = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30, -1e-30, 1e30, -1e30]
    around = [np.nextafter(edges, np.float32(end)) for end in (np.inf, -np.inf)]
    return np.concatenate([edges, *around, others, ends]).astype("float64")


def assert_same_bits(got, want):
    is_nan = np.isnan(np.asarray(want).astype("float32"))
    np.testing.assert_array_equal(np.isnan(np.asarray(got).astype("float32")), is_nan)
    got, want = (np.asarray(x)[~is_nan].view(np.uint8) for x in (got, want))
    np.testing.assert_array_equal(got, want)


@pytest.mark.combined(size=[100, 129, 300, 40_000, 70_000], dtype=[*HALVES, *BYTES[:4]])
def test_counting(dtype, size, on_both):
    def count(x):
        return jnp.arange(size, dtype=dtype), lax.broadcasted_iota(dtype, (3, size), 1) * x

    for got, want in on_both(count, np.ones((), dtype)):
        np.testing.assert_array_equal(*(np.asarray(x, "float32") for x in (got, want)))


@pytest.mark.parametrize("source", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("dtype", BYTES)
def test_rounding_to_bytes(dtype, source):
    with np.errstate(over="ignore"):
        x = interesting(getattr(ml_dtypes, dtype)).astype(source)
    assert_same_bits(jax.jit(lambda x: x.astype(dtype))(x), x.astype(dtype))


@pytest.mark.parametrize("dtype", BYTES[:4])
def test_rounding_float64_to_bytes(dtype, cpu):
    with jax.enable_x64(True):
        x = interesting(getattr(ml_dtypes, dtype))
        convert = jax.jit(lambda x: x.astype(dtype))
        assert_same_bits(convert(x), convert(jax.device_put(x, cpu)))


@pytest.mark.combined(target=["float64", "float32", "bfloat16", "float16"], dtype=BYTES)
def test_bytes_as_wider_floats(dtype, target):
    with jax.enable_x64(True):
        x = np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, dtype))
        with np.errstate(over="ignore"):
            want = x.astype(target)
        got = np.asarray(jax.jit(lambda x: x.astype(target))(x))
    got, want = got.astype("float64"), want.astype("float64")
    np.testing.assert_array_equal(got, want)
    is_number = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(got[is_number]), np.signbit(want[is_number]))


@pytest.mark.parametrize("dtype", BYTES[:4])
def test_arithmetic_with_bytes(dtype, cpu):
    x = np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, dtype))

    def compute(x):
        return x * np.array(0.25, x.dtype), x + x, -x, jnp.maximum(x, x[::-1]), jnp.tanh(x)

    want = jax.jit(compute)(jax.device_put(x, cpu))
    for got, wanted in zip(jax.jit(compute)(x), want, strict=True):
        assert_same_bits(got, wanted)


@pytest.mark.combined(
    target=["float64", "float32", *HALVES, "int32", "uint8", "bool"],
    source=["float64", "float32", *HALVES, "int64", "int8", "bool"],
    size=[1, 1000],
)
def test_conversions(check, source, target, size):
    with jax.enable_x64(True):
        x = (RANDOM.uniform(0, 120, size)).astype(source)
        check(f"{source} to {target}", lambda x: x.astype(target), x)


@pytest.mark.parametrize("dtype", HALVES)
def test_ranges(check, dtype):
    check("linspace", lambda: jnp.linspace(-64, 64, 129, dtype=dtype))
    check("arange", lambda: jnp.arange(100, dtype=dtype) / 8)
