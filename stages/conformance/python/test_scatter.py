# SPDX-License-Identifier: Apache-2.0
"""Scatters leave out what lies outside of the array, gathers move to what lies in it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

DIMS_OF_WINDOWS = lax.ScatterDimensionNumbers(
    update_window_dims=(1, 2), inserted_window_dims=(), scatter_dims_to_operand_dims=(0, 1)
)
# Rows inside, at the edges, just outside, and far outside of the array.
ROWS = np.array([1, 4, -1, 0, 5, 10**9, -(10**9), 3], np.int32)


def rows_by_numpy(x, update, how):
    x = x.copy()
    for row, value in zip(ROWS, update, strict=True):
        # A negative index of jnp counts from the end.
        row = row + len(x) if row < 0 else row
        if 0 <= row < len(x):
            x[row] = how(x[row], value)
    return x


@pytest.mark.parametrize(
    ("name", "how", "dtypes"),
    [
        ("set", lambda _, new: new, ["float32", "int32", "complex64"]),
        ("add", np.add, ["float32", "int32", "complex64"]),
        ("multiply", np.multiply, ["float32", "int32", "complex64"]),
        ("max", np.maximum, ["float32", "int32"]),
    ],
)
def test_rows(name, how, dtypes):
    for dtype in dtypes:
        check_rows(name, how, dtype)


def check_rows(name, how, dtype):
    x = np.arange(1, 11).reshape(5, 2).astype(dtype)
    update = np.arange(3, 19).reshape(8, 2).astype(dtype)
    got = jax.jit(lambda x, i, u: getattr(x.at[i], name)(u))(x, ROWS, update)
    np.testing.assert_array_equal(got, rows_by_numpy(x, update, how))


COMBINED = {
    "set": lambda x, i, u: x.at[i].set(u),
    "add": lambda x, i, u: x.at[i].add(u),
    "largest": lambda x, i, u: x.at[i].max(u),
    "columns": lambda x, i, u: x.at[i, 3:35].add(u[:, :32]),
    "of itself": lambda x, i, u: x.at[i[:1000]].add(x),
    "of one number": lambda x, i, u: x.at[i].add(2),
}


@pytest.mark.combined(combined=COMBINED, dtype=["bfloat16", "int8", "uint8", "float32"])
def test_many_rows_of_a_narrower_type(dtype, combined, on_both):
    """IREE takes the conversion into the scatter, and has no room for it."""
    rng = np.random.default_rng(0)
    updates = np.asarray(jnp.asarray(rng.integers(0, 9, (50_000, 64)), dtype))
    rows = np.arange(50_000) if combined == "set" else rng.integers(-5, 1010, 50_000)
    wider = "float32" if dtype in ("bfloat16", "float32") else "int32"

    def function(x, i, u):
        return COMBINED[combined](x, i, u.astype(wider))

    x = rng.integers(0, 9, (1000, 64)).astype(wider)
    for got, want in on_both(function, x, rows.astype(np.int32), updates):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("index", [0, 4, 5, 10**9, -(10**9)])
def test_one_element(index):
    x = np.arange(5, dtype=np.float32)
    want = x.copy()
    if 0 <= index < 5:
        want[index] = 9
    np.testing.assert_array_equal(jax.jit(lambda x, i: x.at[i].set(9))(x, index), want)


# One window each: of all dimensions but one, a corner, an element, several components.
WINDOWS = {
    "row": lambda x, i: x.at[i],
    "plane": lambda x, i: x.at[:, i],
    "column": lambda x, i: x.at[..., i],
    "corner": lambda x, i: x.at[1:3, i, 2:],
    "element": lambda x, i: x.at[i, i, i],
    "two of three": lambda x, i: x.at[i, :, i + 1],
}
METHODS = ["set", "add", "max", "power"]


@pytest.mark.combined(window=WINDOWS, mode=["drop", "clip", "promise_in_bounds"])
def test_one_window(on_both, window, mode):
    """Several at once: compiling takes the time."""

    def program(x, places):
        # What is promised has to be so.
        if mode == "promise_in_bounds":
            places = places % 2
        refs = [(WINDOWS[window](x, i), method) for i in places for method in METHODS]
        return [getattr(ref, method)(2, mode=mode) for ref, method in refs]

    x = np.arange(1.0, 61.0, dtype=np.float32).reshape(3, 4, 5)
    for got, want in on_both(program, x, np.array([1, 3, -1, 10**9], np.int32)):
        np.testing.assert_array_equal(got, want)


def test_one_window_of_several_arrays(on_both):
    dims = lax.ScatterDimensionNumbers((0,), (1,), (1,))

    def program(x, y, at, u, v):
        column = lax.scatter_add(x, at, u, dims), lax.scatter_max(y, at, v, dims)
        gradient = jax.grad(lambda x: (x[:, at[0]] ** 2).sum())(x)
        return column, gradient, jax.vmap(lambda x, i: x.at[i].set(7))(x, at.repeat(4))

    x = np.arange(20.0, dtype=np.float32).reshape(4, 5)
    arguments = x, -x, np.array([3], np.int32), x[:, 0], x[:, 1]
    for got, want in on_both(program, *arguments):
        np.testing.assert_array_equal(got, want)


def test_the_sign_of_zero_stays():
    x = np.full(3, -0.0, np.float32)
    got = jax.jit(lambda x, i: x.at[i].add(1))(x, np.array([7]))
    np.testing.assert_array_equal(np.signbit(got), [True] * 3)


@pytest.mark.parametrize("add", [True, False], ids=["add", "set"])
def test_a_window_that_does_not_fit_is_left_out(add):
    x = np.zeros((4, 5), np.float32)
    at = np.array([[0, 0], [3, 4], [1, 3], [2, -1], [2, 2]], np.int32)
    update = np.arange(1, 21, dtype=np.float32).reshape(5, 2, 2)
    write = lax.scatter_add if add else lax.scatter
    got = jax.jit(lambda x, i, u: write(x, i, u, DIMS_OF_WINDOWS))(x, at, update)
    want = x.copy()
    want[0:2, 0:2] = update[0]
    want[1:3, 3:5] = update[2]
    want[2:4, 2:4] = want[2:4, 2:4] + update[4] if add else update[4]
    np.testing.assert_array_equal(got, want)


def test_small_and_unsigned_indices():
    x = np.zeros(200, np.float32)
    for dtype, largest in (("uint8", 255), ("uint32", 2**32 - 1), ("int16", 2**15 - 1)):
        at = np.array([150, largest], dtype)
        got = np.asarray(jax.jit(lambda x, i: x.at[i].add(1, mode="drop"))(x, at))
        assert got.sum() == got[150] == 1


def test_in_a_loop():
    def body(i, x):
        return x.at[2 * i].set(i)  # from the third turn on outside of x

    got = jax.jit(lambda x: lax.fori_loop(0, 6, body, x))(jnp.full(5, -1))
    np.testing.assert_array_equal(got, [0, -1, 1, -1, 2])


def test_batched_by_vmap():
    x = np.arange(60, dtype=np.float32).reshape(2, 3, 10)
    at = np.array([[0, 1], [1, 4], [0, 9]], np.int32)
    update = np.arange(30, dtype=np.float32).reshape(5, 3, 2) + 1
    numbers = lax.ScatterDimensionNumbers(
        update_window_dims=(1,), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0, 1)
    )

    def add(x, update):
        return jax.vmap(lambda a: lax.scatter_add(a, at, update, numbers), in_axes=1)(x)

    got = jax.jit(jax.vmap(add, in_axes=(None, 0)))(x, update)
    want = np.repeat(np.moveaxis(x, 1, 0)[None], 5, axis=0).copy()
    for batch in range(5):
        for (row, column), window in zip(at, update[batch], strict=True):
            if column + 2 <= 10:
                want[batch, :, row, column : column + 2] += window
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("index", [0, 4, 5, 10**9, -(10**9)])
def test_gather_of_one(index):
    x = np.arange(5, dtype=np.float32)
    got = jax.jit(lambda x, i: x.at[i].get(mode="clip"))(x, index)
    assert got == x[np.clip(index, 0, 4)]
    got = lax.gather(
        jnp.asarray(x), jnp.array([index]), lax.GatherDimensionNumbers((0,), (), (0,)), (2,)
    )
    start = np.clip(index, 0, 3)
    np.testing.assert_array_equal(got, x[start : start + 2])


def test_gather_of_rows():
    x = np.arange(10, dtype=np.int32).reshape(5, 2)
    got = jax.jit(lambda x, i: jnp.take(x, i, axis=0, mode="clip"))(x, ROWS)
    np.testing.assert_array_equal(got, x[np.clip(ROWS, 0, 4)])
    got = jax.jit(lambda x, i: x[i])(x.astype(np.float32), np.array([1, 7, -1]))
    np.testing.assert_array_equal(got, x[[1, 4, 4]])


def test_without_an_index():
    x, update = np.arange(6.0, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(jnp.asarray(x).at[:].set(update), update)
    np.testing.assert_array_equal(jnp.asarray(x).at[...].add(update), x + 1)
    np.testing.assert_array_equal(jnp.asarray(2).at[()].multiply(3), 6)


@pytest.mark.parametrize("count", [3, 4, 5])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_updates_of_even_and_odd_places(count, axis):
    x = np.moveaxis(np.arange(count * 8, dtype=np.float32).reshape(count, 2, 4), 0, axis)
    even, odd = ((slice(None),) * axis + (slice(first, None, 2),) for first in (0, 1))
    half = (count + 1) // 2

    def deal(x):
        parts = jnp.split(x, [half], axis)
        return jnp.zeros_like(x).at[even].set(parts[0]).at[odd].set(parts[1])

    expected = np.zeros_like(x)
    expected[even], expected[odd] = np.split(x, [half], axis)
    np.testing.assert_array_equal(jax.jit(deal)(x), expected)
    np.testing.assert_array_equal(jax.jit(lambda x: deal(x + 1) - 1)(x), expected)


def test_what_is_updated_and_also_used():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)

    def keep(x):
        y = x * 2
        return y, y.at[::2].add(y[::2]), y.sum(), y.reshape(4, 3).at[1].set(0)

    y = x * 2
    added, cleared = y.copy(), y.reshape(4, 3).copy()
    added[::2] += y[::2]
    cleared[1] = 0
    expected = [y, added, y.sum(), cleared]
    for got, want in zip(jax.jit(keep)(x), expected, strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", [np.int8, np.float32])
def test_padding_of_what_is_updated(dtype):
    x = np.arange(12).reshape(3, 4).astype(dtype)
    expected = x.copy()
    expected[2] = x[0]
    got = jax.jit(lambda x, i: jnp.pad(x.at[i].set(x[0]), ((1, 1), (0, 0))))(x, 2)
    np.testing.assert_array_equal(got, np.pad(expected, ((1, 1), (0, 0))))
    got = jax.jit(lambda x: jnp.pad(jnp.sort(x, 1)[:, ::-1], 1))(x)
    np.testing.assert_array_equal(got, np.pad(x[:, ::-1], 1))
