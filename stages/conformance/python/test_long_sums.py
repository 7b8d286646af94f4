# SPDX-License-Identifier: Apache-2.0
"""Sums of many numbers: their errors beside those of XLA:CPU, and whole numbers exactly."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest


def far(got, wanted):
    return np.max(np.abs(np.asarray(got).astype(wanted.dtype) - wanted)) / np.max(np.abs(wanted))


def assert_near(pair, wanted):
    """Ours may be a few times as far from the truth as XLA:CPU, or some units in the last place."""
    ours, theirs = (far(result, wanted) for result in pair)
    assert ours <= max(4 * theirs, 5e-6), f"{ours} from the truth, XLA:CPU {theirs}"


VALUES = {
    "tenths": lambda rng, shape: np.full(shape, 0.1),
    "uniform": lambda rng, shape: rng.uniform(0, 2, shape),
    "shifted": lambda rng, shape: rng.normal(size=shape) + 10,
}
REDUCTIONS = {
    "sum": (jnp.sum, np.sum),
    "mean": (jnp.mean, np.mean),
    "var": (jnp.var, np.var),
    "squares": (lambda x, axis: (x * x).sum(axis), lambda x, axis: (x * x).sum(axis)),
    "logsumexp": (
        lambda x, axis: jax.nn.logsumexp(x, axis=axis),
        lambda x, axis: np.log(np.exp(x - 20).sum(axis)) + 20,
    ),
}
# Whole arrays, rows, columns, and both; primes, powers of two, and few of many.
SHAPES = [
    ((1_000_003,), 0),
    ((1 << 20,), 0),
    ((3, 400_009), 1),
    ((300_000, 7), 0),
    ((5, 40_009, 3), 1),
    ((2000, 500), (0, 1)),
    ((16, 60, 60, 12), (0, 1, 2)),
    ((70, 4, 3000), (0, 2)),
]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_errors_do_not_grow_with_the_length(device, cpu, name):
    rng = np.random.default_rng(1)
    ours, reference = REDUCTIONS[name]
    program = jax.jit(ours, static_argnames="axis")
    for shape, axis in SHAPES:
        for values in VALUES:
            # Tenths have no variance, and so no scale for its errors.
            if (name, values) == ("var", "tenths"):
                continue
            x = VALUES[values](rng, shape).astype("f")
            pair = [program(jax.device_put(x, where), axis=axis) for where in (device, cpu)]
            assert_near(pair, reference(x.astype("d"), axis))


@pytest.mark.combined(
    length=[65_535, 65_536, 65_537, 70_001, 100_000, 131_101],
    dtype=["float32", "int32", "int8", "bfloat16"],
)
def test_whole_numbers_are_exact(on_both, dtype, length):
    rng = np.random.default_rng(2)
    x = np.asarray(jnp.asarray(rng.integers(-1, 2, (length, 2)), dtype))

    def program(x):
        return x.sum(), x.sum(0), x.T.sum(1), x.max(0), jnp.abs(x).astype("int32").sum(0), x.all()

    for ours, theirs in on_both(program, x):
        np.testing.assert_array_equal(np.asarray(ours), np.asarray(theirs))


@pytest.mark.combined(
    order=list(itertools.permutations(range(3))),
    axes=[(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)],
)
def test_along_any_dimensions(here, axes, order):
    shape = tuple((1030, 70, 3)[d] for d in order)
    x = np.random.default_rng(3).integers(-3, 4, shape).astype("f")
    (ours,) = here(lambda x: x.sum(axes), x)
    np.testing.assert_array_equal(ours, x.sum(axes))


PRODUCTS = {
    "k,k->": ((300_007,), (300_007,)),
    "mk,k->m": ((3, 100_003), (100_003,)),
    "km,k->m": ((100_000, 5), (100_000,)),
    "k,km->m": ((80_000,), (80_000, 2)),
    "k,mk->m": ((80_000,), (2, 80_000)),
    "bk,bk->b": ((2, 70_000), (2, 70_000)),
    "kb,bk->b": ((70_000, 2), (2, 70_000)),
    "bmk,kb->bm": ((2, 3, 70_000), (70_000, 2)),
    "kmb,bk->bm": ((70_000, 3, 2), (2, 70_000)),
    "kmn,k->nm": ((70_000, 3, 2), (70_000,)),
    "jkm,kj->m": ((300, 300, 2), (300, 300)),
    "mk,kn->mn": ((3, 70_000), (70_000, 1)),
    "km,kn->mn": ((70_000, 1), (70_000, 4)),
}


@pytest.mark.parametrize("form", PRODUCTS)
def test_products_of_long_vectors(here, on_both, form):
    rng = np.random.default_rng(4)
    arrays = [rng.integers(-3, 4, shape) for shape in PRODUCTS[form]]
    for dtype in ("float32", "int32"):
        typed = [x.astype(dtype) for x in arrays]
        (ours,) = here(lambda *xs: jnp.einsum(form, *xs), *typed)
        np.testing.assert_array_equal(ours, np.einsum(form, *arrays))
    x, y = (rng.uniform(0, 2, shape).astype("f") for shape in PRODUCTS[form])
    (pair,) = on_both(lambda x, y: jnp.einsum(form, x, y), x, y)
    assert_near(pair, np.einsum(form, x.astype("d"), y.astype("d")))


def test_products_of_narrow_floats(here):
    x = np.asarray(jnp.asarray(np.random.default_rng(5).uniform(0, 1, 100_000), jnp.bfloat16))
    (ours,) = here(jnp.dot, x, x)
    wanted = np.dot(x.astype("d"), x.astype("d"))
    assert abs(float(ours) - wanted) < wanted * 2**-8


def test_gradients(on_both):
    rng = np.random.default_rng(6)
    x, w = rng.normal(size=(70_000, 4)).astype("f"), rng.normal(size=4).astype("f")

    def loss(w, x):
        return jnp.mean(jnp.tanh(x @ w) ** 2) + jnp.linalg.norm(x * w) / 1e3

    for ours, theirs in on_both(jax.grad(loss, argnums=(0, 1)), w, x):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-9)


COMPUTED = {
    "negative": lambda x: -x,
    "difference": lambda x: x[:1] - x,
    "scaled": lambda x: 3 - 2 * x,
    "square": lambda x: x * -x,
    "chosen": lambda x: jnp.where(x > 0, x, -1),
    "compared": lambda x: x != 1,
    "turned": lambda x: -x.T,
}
MANY = [((64, 40, 48), None), ((1030, 66), None), ((4099, 16), None), ((5, 200, 512), (1, 2))]
TOGETHER = {
    "sum": jnp.sum,
    "max": jnp.max,
    "mean and square": lambda x, axis: (jnp.sum(x, axis), jnp.sum(x * x, axis)),
}


@pytest.mark.combined(
    computed=COMPUTED,
    shape=MANY,
    together=TOGETHER,
    dtype=["float32", "float64", "bfloat16", "int32", "int8", "uint8", "complex64"],
)
def test_what_is_computed_in_many_dimensions(check, computed, shape, together, dtype):
    """Small whole numbers: sums are exact in any order, but for bfloat16 of XLA:CPU."""
    (shape, axis), function = shape, COMPUTED[computed]
    rng = np.random.default_rng(3)
    values = rng.integers(0, 3, shape) if dtype == "uint8" else rng.integers(-1, 2, shape)
    if (together, dtype) == ("max", "uint8"):
        pytest.skip("XLA:CPU (jaxlib 0.10.2) compares bytes that were computed as signed ones")
    if dtype == "complex64":
        if computed == "chosen" or together == "max":
            pytest.skip("complex numbers have no order")
        values = values + 1j * rng.integers(-1, 2, shape)
    if computed == "turned" and axis:
        axis = (0, 1)

    def program(x):
        x = function(x)
        return TOGETHER[together](x.astype("float32") if dtype == "bfloat16" else x, axis=axis)

    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        check("reduced", program, jnp.asarray(values, dtype))
