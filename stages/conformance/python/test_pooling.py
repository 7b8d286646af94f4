# SPDX-License-Identifier: Apache-2.0
"""Pooling of all forms with its gradients, generated and at real sizes, beside XLA:CPU."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax._src.lax.windowed_reductions import _select_and_scatter, _select_and_scatter_add

DTYPES = ["float32", "bfloat16", "float16", "int32", "float32", "int8"]


class Form:
    """An array and a window over it, by a seed."""

    def __init__(self, seed, dtype="float32"):
        rng = self.rng = np.random.default_rng(seed)
        rank = int(rng.integers(1, 5))
        self.shape = tuple(int(n) for n in rng.integers(3, 9, rank))
        self.window = tuple(int(rng.integers(1, min(n, 4) + 1)) for n in self.shape)
        self.strides = tuple(int(n) for n in rng.integers(1, 4, rank))
        self.padding = tuple(
            (int(rng.integers(0, w)), int(rng.integers(0, w))) if rng.random() < 0.6 else (0, 0)
            for w in self.window
        )
        self.dtype = dtype

    def values(self, shape=None):
        """Small whole numbers, many of them equal."""
        made = self.rng.integers(-4, 5, self.shape if shape is None else shape)
        return np.asarray(jnp.asarray(made, self.dtype))

    def source(self):
        """A number for each place of the window."""
        shape = [
            (n + low + high - w) // s + 1
            for n, w, s, (low, high) in zip(
                self.shape, self.window, self.strides, self.padding, strict=True
            )
        ]
        return self.values(shape)

    def dilated(self):
        """The window's and the array's dilations."""
        rank = len(self.shape)
        return tuple(tuple(int(n) for n in self.rng.integers(1, 3, rank)) for _ in range(2))

    def of(self):
        """The window, its strides and its padding."""
        return self.window, self.strides, self.padding


def number(value, dtype):
    """A constant, by which JAX knows the reducers that it has gradients of."""
    return np.asarray(value).astype(jnp.dtype(dtype))


def smallest(dtype):
    floats = jnp.issubdtype(dtype, jnp.inexact)
    return number(-np.inf if floats else jnp.iinfo(dtype).min, dtype)


def max_pool(x, window, strides, padding):
    return lax.reduce_window(x, smallest(x.dtype), lax.max, window, strides, padding)


def gradient(pool):
    """Of what the pool makes, each element with a weight of its own."""

    def weighted(x):
        y = pool(x)
        weights = jnp.arange(y.size).reshape(y.shape) % 13 - 5
        return (y * weights.astype(y.dtype)).sum()

    return jax.grad(weighted)


@pytest.mark.combined(seed=range(16))
def test_select_and_scatter_add(check, seed):
    form = Form(seed, DTYPES[seed % 6])
    select = lax.ge_p if seed % 3 else lax.le_p
    check(
        "select_and_scatter_add",
        lambda source, x: _select_and_scatter_add(source, x, select, *form.of()),
        form.source(),
        form.values(),
    )


SELECTS = {
    "gt": lax.gt,
    "lt": lax.lt,
    "abs": lambda a, b: abs(a) >= abs(b),
    "where": lambda a, b: jnp.where(abs(a - b) > 1e6, True, a > b),
}


@pytest.mark.parametrize("select", SELECTS)
@pytest.mark.parametrize("scatter", [lax.max, lax.mul], ids=["max", "mul"])
def test_other_regions(check, select, scatter):
    """Which of equal ones is taken is not said: there are none."""
    form = Form(40)
    form.shape, form.window, form.strides = (3, 7, 9), (1, 3, 2), (1, 2, 1)
    form.padding = ((0, 0), (1, 1), (0, 1))
    signs = form.rng.choice([-1, 1], form.shape)
    x = (form.rng.permutation(189) + 1).reshape(form.shape) * signs.astype("f")
    check(
        "select_and_scatter",
        lambda source, x: _select_and_scatter(
            x, SELECTS[select], *form.of(), source, np.float32(1), scatter
        ),
        form.source(),
        x,
    )


def with_nans(x, rng, share=0.2):
    return np.where(rng.random(x.shape) < share, np.float32(np.nan), x)


@pytest.mark.parametrize(
    ("window", "strides", "share"),
    [
        ((3, 3), (2, 2), 0.2),
        ((9, 9), (1, 1), 0.01),
        ((30, 40), (1, 1), 0.002),
        ((70, 1), (7, 1), 0.01),
    ],
)
def test_the_choice_among_nans_infinities_and_equals(check, window, strides, share):
    rng = np.random.default_rng(1)
    x = with_nans(rng.integers(-3, 4, (4, 80, 40)).astype("f"), rng, share)
    x = np.where(rng.random(x.shape) < 0.3, np.float32(-np.inf), x)
    x[0, :50] = -np.inf
    pads = [(0, 0), *((w // 2, w // 2) for w in window)]
    form = ((1, *window), (1, *strides), pads)
    shape = jax.eval_shape(lambda x: max_pool(x, *form), x).shape
    source = rng.integers(-4, 5, shape).astype("f")
    check(
        "select_and_scatter_add",
        lambda source, x: _select_and_scatter_add(source, x, lax.ge_p, *form),
        source,
        x,
    )


REAL = {
    "28, 2 by 2": ((64, 28, 28, 16), (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
    "112, 3 by 3, as ResNet": ((2, 112, 112, 64), (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
    "NCHW": ((4, 32, 56, 56), (1, 1, 3, 3), (1, 1, 2, 2), ((0, 0), (0, 0), (1, 1), (1, 1))),
    "stride 1": ((8, 28, 28, 32), (1, 3, 3, 1), (1, 1, 1, 1), "SAME"),
    "13 by 13, as YOLO": ((1, 26, 26, 64), (1, 13, 13, 1), (1, 1, 1, 1), "SAME"),
    "all of 64 by 64": ((8, 64, 64, 16), (1, 64, 64, 1), (1, 1, 1, 1), "VALID"),
    "all of 224 by 224": ((1, 224, 224, 3), (1, 224, 224, 1), (1, 224, 224, 1), "VALID"),
    "100,000 in a row": ((100_000,), (1000,), (500,), "SAME"),
    "3-D": ((2, 16, 16, 16, 8), (1, 2, 2, 2, 1), (1, 2, 2, 2, 1), "VALID"),
}


@pytest.mark.parametrize("name", REAL)
def test_real_sizes(check, name):
    shape, *form = REAL[name]
    x = np.random.default_rng(2).integers(-20, 21, shape).astype("f")
    check(name, gradient(lambda x: max_pool(x, *form)), x)


SMALL = ((2, 9, 10, 3), (1, 3, 2, 1), (1, 2, 2, 1), "SAME")


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_second_derivatives(check, dtype):
    shape, *form = SMALL
    rng = np.random.default_rng(3)
    x, t = (jnp.asarray(rng.integers(-9, 10, shape), dtype) for _ in range(2))

    def pool(x):
        return max_pool(x, *form)

    check("jvp", lambda x, t: jax.jvp(pool, (x,), (t,)), x, t)
    squares = gradient(lambda x: pool(x) ** 2 / 4)
    check("hessian times vector", lambda x, t: jax.jvp(squares, (x,), (t,)), x, t)


def test_float64(check):
    shape, *form = SMALL
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        x = np.random.default_rng(3).standard_normal(shape)
        check("gradient in float64", gradient(lambda x: max_pool(x, *form)), x)
        check("jvp in float64", lambda x: jax.jvp(lambda x: max_pool(x, *form), (x,), (x,)), x)


def test_jvp_of_real_sizes(check):
    shape, *form = REAL["112, 3 by 3, as ResNet"]
    # Of equal elements XLA:CPU does not always take the first, and its own gradient another.
    x = np.random.default_rng(4).standard_normal(shape, "f")
    check("jvp", lambda x, t: jax.jvp(lambda x: max_pool(x, *form), (x,), (t,)), x, x[::-1])


def test_mapped(check):
    shape, *form = SMALL
    rng = np.random.default_rng(5)
    x = rng.integers(-9, 10, (3, *shape)).astype("f")
    source = rng.integers(-9, 10, (shape[0], 5, 5, shape[3], 2)).astype("f")
    check("mapped gradient", jax.vmap(gradient(lambda x: max_pool(x, *form))), x)
    padding = lax.padtype_to_pads(shape, *form)

    def one(source, x):
        return _select_and_scatter_add(source, x, lax.ge_p, *form[:2], padding)

    check("mapped over the source only", jax.vmap(one, (-1, None)), source, x[0])


REDUCERS = {
    "max": (lax.max, smallest),
    "min": (lax.min, lambda dtype: number(np.inf, dtype)),
    "add": (lax.add, lambda dtype: number(0, dtype)),
    "mul": (lax.mul, lambda dtype: number(1, dtype)),
    "xor": (lax.bitwise_xor, lambda dtype: number(0, dtype)),
    "the larger": (lambda a, b: jnp.where(abs(a) >= abs(b), a, b), lambda dtype: number(0, dtype)),
    "logaddexp": (jnp.logaddexp, smallest),
}


@pytest.mark.combined(reducer=REDUCERS, seed=range(3))
def test_dilated_windows(check, reducer, seed):
    dtype = "int32" if reducer == "xor" else ["float32", "bfloat16", "float32"][seed]
    form = Form(60 + seed, dtype)
    window_dilation, base_dilation = form.dilated()
    apply, initial = REDUCERS[reducer]
    check(
        reducer,
        lambda x: lax.reduce_window(
            x,
            initial(form.dtype),
            apply,
            *form.of(),
            window_dilation=window_dilation,
            base_dilation=base_dilation,
        ),
        form.values(),
    )


@pytest.mark.parametrize("reducer", [lax.bitwise_and, lax.bitwise_or])
def test_windows_of_booleans(check, reducer):
    form = Form(70)
    initial = reducer is lax.bitwise_and
    x = form.values() > 0
    check("booleans", lambda x: lax.reduce_window(x, initial, reducer, *form.of()), x)


@pytest.mark.parametrize("size", [(2, 9, 9, 3), (8, 56, 56, 32)])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_windows_of_pairs(check, size, dtype):
    """The largest and its place, as an argmax of pools has them."""
    x = jnp.asarray(np.random.default_rng(6).integers(-9, 10, size), dtype)
    row, column = (lax.broadcasted_iota(jnp.int32, size, d) for d in (1, 2))
    place = row * size[2] + column

    def later(a, b):
        (value, at), (other, there) = a, b
        take = (other > value) | ((other == value) & (there < at))
        return jnp.where(take, other, value), jnp.where(take, there, at)

    initial = (smallest(x.dtype), np.int32(2**31 - 1))
    form = ((1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    check("argmax", lambda x, i: lax.reduce_window((x, i), initial, later, *form), x, place)


def average_pool(x, window, strides, padding):
    ones = jnp.ones_like(x)
    total, count = (lax.reduce_window(v, 0.0, lax.add, window, strides, padding) for v in (x, ones))
    return total / count


@pytest.mark.parametrize("shape", [(1, 1, 6, 6), (8, 16, 28, 28)])
@pytest.mark.parametrize("size", [2, 3])
def test_average_pools(check, shape, size):
    x = np.random.default_rng(7).standard_normal(shape, "f")
    window = (1, 1, size, size)
    strides = window if size == 2 else (1, 1, 1, 1)

    def pool(x):
        return average_pool(x, window, strides, "SAME")

    check("average", lambda x: (pool(x), gradient(pool)(x)), x)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_average_of_real_sizes(check, dtype):
    # Whole numbers: XLA:CPU rounds sums of bfloat16 after each term.
    x = jnp.asarray(np.random.default_rng(8).integers(-3, 4, (2, 112, 112, 32)), dtype)

    def pool(x):
        return lax.reduce_window(x, number(0, dtype), lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")

    check("average", lambda x: (pool(x), gradient(pool)(x)), x)


APART = {
    "line": ((1000,), (5,)),
    "rows": ((30, 7), (3, 1)),
    "NHWC": ((2, 14, 13, 8), (1, 2, 2, 1)),
    "NCHW": ((2, 3, 10, 12), (1, 1, 4, 3)),
    "volume": ((1, 4, 5, 6, 3), (1, 2, 3, 2, 1)),
}
PADDED = {
    "apart": lambda size: (size - 1, size - 1, size - 1),
    "before": lambda size: (size, size - 1, size - 1),
    "after": lambda size: (size - 1, size, size - 1),
    "further apart": lambda size: (size - 1, size - 1, size),
    "over each other": lambda size: (size - 1, size - 1, max(size - 2, 0)),
}


@pytest.mark.combined(
    array=APART,
    padded=PADDED,
    fill=[0, 1],
    by=["pad", "window"],
    dtype=["float32", "bfloat16", "int32", "complex64", "int8"],
)
def test_windows_of_one_element(check, array, padded, fill, by, dtype):
    """As gradients of pools of windows side by side have them, and what is almost that."""
    shape, window = APART[array]
    numbers = np.random.default_rng(9).integers(-3, 4, shape)
    x = np.where(numbers == 0, -0.0, numbers) if dtype != "int8" else numbers
    padding = [PADDED[padded](size) for size in window]
    ones = (1,) * len(window)
    zero, fill = number(0, dtype), number(fill, dtype)

    def by_pad(x):
        x = lax.pad(x * 2, fill, padding)
        return lax.reduce_window(x, zero, lax.add, window, ones, "VALID")

    def by_window(x):
        low_high = [(low, high) for low, high, _ in padding]
        dilation = [interior + 1 for *_, interior in padding]
        return lax.reduce_window(
            x * 2, zero, lax.add, window, ones, low_high, base_dilation=dilation
        )

    check("sums", by_pad if by == "pad" else by_window, jnp.asarray(x, dtype))


@pytest.mark.parametrize("cumulative", [lax.cumsum, lax.cummax, lax.cumprod, lax.cumlogsumexp])
def test_cumulative(check, cumulative):
    x = np.random.default_rng(9).integers(0, 2, 20_000).astype("f")
    check("cumulative", cumulative, x)


def test_gradient_of_a_cumulative_sum(check):
    x = np.random.default_rng(9).integers(0, 2, 20_000).astype("f")
    check("gradient", gradient(lambda x: lax.cumsum(x) * x), x)
