# SPDX-License-Identifier: Apache-2.0
"""Programs that the IREE compiler gets wrong, refuses or does not survive as they come."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax


def test_two_writers_start_from_one_value():
    at = jnp.array([0, 2])
    plus5, plus7, untouched = jax.jit(lambda i: _two_updates(jnp.arange(8), i))(at)
    np.testing.assert_array_equal(plus5, [5, 1, 7, 3, 4, 5, 6, 7])
    np.testing.assert_array_equal(plus7, [0, 8, 2, 10, 4, 5, 6, 7])
    np.testing.assert_array_equal(untouched, np.arange(8))


def _two_updates(x, i):
    return x.at[i].add(5), x.at[i + 1].add(7), x


def test_batched_updates_of_slices():
    update = jax.jit(jax.vmap(lax.dynamic_update_slice, (None, None, 0)))
    got = update(jnp.arange(5), jnp.arange(6, 9), (jnp.arange(4),))
    want = [[6, 7, 8, 3, 4], [0, 6, 7, 8, 4], [0, 1, 6, 7, 8], [0, 1, 6, 7, 8]]
    np.testing.assert_array_equal(got, want)


def test_two_sorts_of_one_iota():
    v = np.array([3, 1, 3, 1, 2, 2, 3, 0])
    up, down = jax.jit(lambda v: (jnp.argsort(v), jnp.argsort(-v)))(v)
    np.testing.assert_array_equal(up, np.argsort(v, kind="stable"))
    np.testing.assert_array_equal(down, np.argsort(-v, kind="stable"))


def test_sorts_are_stable():
    v = np.array([[2, 1, 2, 1, 2], [0, 0, 0, 0, 0]])
    i = np.arange(10).reshape(2, 5)
    keys, order = jax.jit(lambda v, i: lax.sort((v, i), num_keys=1))(v, i)
    np.testing.assert_array_equal(keys, [[1, 1, 2, 2, 2], [0, 0, 0, 0, 0]])
    np.testing.assert_array_equal(order, [[1, 3, 0, 2, 4], [5, 6, 7, 8, 9]])


@pytest.mark.parametrize("dtype", ["uint8", "uint32"])
def test_cumulative_reductions_of_unsigned_integers(dtype):
    v = np.array([1, 2, 250, 4], dtype)
    got = jax.jit(lambda v: (lax.cumsum(v), lax.cummax(v), lax.cumprod(v, reverse=True)))(v)
    np.testing.assert_array_equal(got[0], np.cumsum(v, dtype=dtype))
    np.testing.assert_array_equal(got[1], [1, 2, 250, 250])
    np.testing.assert_array_equal(got[2], np.cumprod(v[::-1], dtype=dtype)[::-1])


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
def test_powers_of_what_is_not_positive(dtype):
    with jax.enable_x64(dtype == "float64"):
        bases = [-2.5, -2, -1, -0.0, 0, 0.5, 1, 3, -np.inf, np.inf, np.nan]
        exponents = [-3, -2, -0.5, 0, 0.5, 1, 2, 3, -np.inf, np.inf, np.nan]
        x, y = (v.ravel() for v in np.meshgrid(bases, exponents))
        got = jax.jit(jnp.power)(jnp.array(x, dtype), jnp.array(y, dtype)).astype("float32")
    with np.errstate(all="ignore"):
        want = np.power(x, y).astype("float32")
    np.testing.assert_allclose(got, want, rtol=2e-2 if dtype == "bfloat16" else 2e-3)
    np.testing.assert_array_equal(np.signbit(got)[got == 0], np.signbit(want)[got == 0])


@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "complex64"])
@pytest.mark.parametrize("size", [3, 5000])
def test_writing_into_a_constant(dtype, size):
    captured = (np.arange(size) % 7).astype(dtype)
    value = captured.dtype.type(1)

    @jax.jit
    def run(i):
        constant = jnp.asarray(captured)
        zeros = jnp.zeros(size, dtype).at[i].set(value)
        return constant.at[i].set(value), zeros, jnp.flip(constant).at[i].set(captured[0])

    for i in (2, 0):
        wants = captured.copy(), np.zeros(size, dtype), captured[::-1].copy()
        for want, written in zip(wants, (value, value, 0), strict=True):
            want[i] = written
        for got, want in zip(run(i), wants, strict=True):
            np.testing.assert_array_equal(got, want)


def test_sorting_a_constant():
    captured = np.array([3, 1, 2], np.float32)

    @jax.jit
    def run():
        x = jnp.asarray(captured)
        return jnp.sort(x), jnp.argsort(x), x

    for _ in range(2):
        for got, want in zip(run(), ([1, 2, 3], [1, 2, 0], [3, 1, 2]), strict=True):
            np.testing.assert_array_equal(got, want)


def test_several_results_of_nothing():
    values, indices = jax.jit(lambda: lax.top_k(jnp.array([3.0, 1.0, 2.0]), 2))()
    np.testing.assert_array_equal(values, [3, 2])
    np.testing.assert_array_equal(indices, [0, 2])


def test_padding_with_complex_constants():
    x = np.array([2, 1j, 3], np.complex64)
    np.testing.assert_array_equal(jnp.pad(x, (1, 2), constant_values=1j), [1j, 2, 1j, 3, 1j, 1j])
    np.testing.assert_array_equal(jnp.convolve(x, x), np.convolve(x, x))
    windows = lax.reduce_window(x, np.complex64(0), lax.add, (2,), (1,), [(1, 1)])
    np.testing.assert_array_equal(windows, [2, 2 + 1j, 3 + 1j, 3])


@pytest.mark.parametrize("dtype", ["int4", "uint4"])
def test_integers_of_four_bits(dtype):
    numbers = np.array([1, -2, 3, -8, 7]) & (15 if dtype == "uint4" else -1)
    x = numbers.astype("int8").astype(jnp.dtype(dtype))
    wide = numbers.astype("int32")
    np.testing.assert_array_equal(np.asarray(jnp.asarray(x)), x)
    np.testing.assert_array_equal(jax.jit(lambda x: x.astype("float32") * 2)(x), wide * 2.0)
    got = jax.jit(lambda x: (x + x, x * x, -x, jnp.maximum(x, 3)))(x)
    wants = wide + wide, wide * wide, -wide, np.maximum(wide, 3)
    for found, want in zip(got, wants, strict=True):
        assert found.dtype == x.dtype
        np.testing.assert_array_equal(found, want.astype("int8").astype(x.dtype))
    np.testing.assert_array_equal(jnp.sum(x.astype("int32")), wide.sum())
    with pytest.raises(jax.errors.JaxRuntimeError, match="less than a byte"):
        jnp.asarray(x[:4]).view("uint8")


@pytest.mark.parametrize("dtype", ["uint8", "uint32", "bool", "float16"])
def test_reversal(dtype):
    x = (np.arange(12).reshape(3, 4) % 5).astype(dtype)
    np.testing.assert_array_equal(lax.rev(x, (0, 1)), x[::-1, ::-1])


@pytest.mark.parametrize("dtype", ["int8", "int32", "float32"])
def test_products_with_masks(dtype):
    x = np.arange(12).reshape(3, 4).astype(dtype)
    mask = np.array([True, False, True, True])
    got = jax.jit(lambda x, mask: x @ mask.astype(dtype))(x, mask)
    np.testing.assert_array_equal(got, x @ mask.astype(dtype))


def test_products_by_an_algorithm():
    x = np.arange(48).reshape(2, 3, 2, 4).astype(jnp.bfloat16)

    def product(x):
        return jnp.einsum("abcd,aecd->acbe", x, x, precision="BF16_BF16_F32")

    wide = x.astype("float32")
    np.testing.assert_allclose(
        jax.jit(product)(x).astype("float32"), np.einsum("abcd,aecd->acbe", wide, wide), rtol=1e-2
    )


@pytest.mark.parametrize("shape", [(512, 200), (1 << 17,), (2, 3 << 15), (65537,), (7, 131, 83)])
def test_reductions_of_large_arrays(shape):
    x = np.random.default_rng(0).standard_normal(shape).astype("float32")
    found = jax.jit(lambda x: (x.sum(), (x * x).sum(), x.max(), x.min(), (x > 4).any()))(x)
    wide = x.astype("float64")
    wants = wide.sum(), (wide * wide).sum(), x.max(), x.min(), (x > 4).any()
    for got, want in zip(found, wants, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-2)


def test_hundreds_of_scalars():
    numbers = [float(i) for i in range(200)]
    assert jax.jit(lambda *x: sum(x))(*numbers) == sum(numbers)
    arrays = [np.full((2, i % 4 + 1), i, np.float32) for i in range(120)]
    norm = jax.jit(lambda arrays: jnp.sqrt(sum(jnp.sum(x * x) for x in arrays)))
    np.testing.assert_allclose(norm(arrays), np.sqrt(sum((x * x).sum() for x in arrays)), rtol=1e-6)


def test_scalars_in_a_loop():
    def step(carry, x):
        values = [carry * (k + 1) + x for k in range(40)]
        return sum(values) * 1e-3, sum(values[::2])

    def loop(s):
        return lax.scan(step, s, jnp.arange(3.0))[0]

    want = 2.0
    for x in range(3):
        want = sum(want * (k + 1) + x for k in range(40)) * 1e-3
    np.testing.assert_allclose(jax.jit(loop)(2.0), want, rtol=1e-5)
    np.testing.assert_allclose(jax.grad(loop)(2.0), 0.82**3, rtol=1e-5)


ROWS = np.arange(40, dtype=np.float32).reshape(10, 4)
AT = np.array([2, 0, 1])


@pytest.mark.parametrize(
    "take",
    [
        lambda x, i: x[3:9, 2][i],
        lambda x, i: x[3, 1:][i],
        lambda x, i: x[3:9, 1:][i, i],
        lambda x, i: x[1::2, 1][i],
        lambda x, i: x[2:7, 1:2][i, i * 0],
    ],
)
def test_elements_of_slices(take):
    np.testing.assert_array_equal(jax.jit(take)(ROWS, AT), take(ROWS, AT))


def test_elements_of_slices_in_a_loop():
    def step(carry, k):
        return carry, (x[1:, 2][AT + k], x[2:, 1:2][AT, 0])

    x = jnp.asarray(ROWS)
    columns, others = jax.jit(lambda: lax.scan(step, 0, jnp.arange(4))[1])()
    np.testing.assert_array_equal(columns, [ROWS[1:, 2][AT + k] for k in range(4)])
    np.testing.assert_array_equal(others, [ROWS[2:, 1][AT]] * 4)


@pytest.mark.combined(count=[1, 2, 5], width=[1, 3], axis=[0, 1])
def test_reversal_of_slices(count, width, axis):
    x = np.arange((count + 3) * width, dtype=np.float32).reshape(-1, width)
    got = jax.jit(lambda x: jnp.flip(x[2 : count + 2], axis))(x)
    np.testing.assert_array_equal(got, np.flip(x[2 : count + 2], axis))


# Functions that are jitted, and begin with a conversion.
@pytest.mark.parametrize(
    "shape", [lambda x: x.reshape(-1), lambda x: x.T, lambda x: x[:, 1].reshape(-1)]
)
def test_functions_of_one_reshaped_array(shape):
    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    expected = [f(shape(x)) for f in (np.mean, np.std, np.var)]
    got = jax.jit(lambda x: tuple(f(shape(x)) for f in (jnp.mean, jnp.std, jnp.var)))(x)
    np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_place_in_masked_elements():
    x, values = np.arange(24, dtype=np.int32).reshape(2, 3, 4), np.arange(5, dtype=np.int32)
    expected = x.copy()
    np.place(expected, x % 3 == 1, values)
    got = jax.jit(lambda x: jnp.place(x, x % 3 == 1, values, inplace=False))(x)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.float16])
def test_cross_products_of_complex_and_real_numbers(dtype):
    a, b = np.array([1 + 2j, -3 + 1j, 4 - 5j], np.complex64), np.array([2, -3, 5], dtype)
    expected = np.cross(a, b.astype(np.complex64))
    np.testing.assert_allclose(jax.jit(jnp.cross)(a, b), expected, rtol=1e-6)
    np.testing.assert_allclose(jax.jit(jnp.cross)(b, a), -expected, rtol=1e-6)
