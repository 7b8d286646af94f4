# SPDX-License-Identifier: Apache-2.0
"""Sorts: a generated family, bit by bit as on XLA:CPU, and what is made of sorts, at real sizes."""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sort_programs
from jax import lax

HERE = str(pathlib.Path(__file__).parent)


@pytest.mark.combined(first=range(0, 96, 6))
def test_family(first, device, cpu):
    sort_programs.check(range(first, first + 6), device, cpu)


@pytest.mark.parametrize("first", range(200, 216, 4))
def test_family_in_steps(first, platform, run_script):
    """The lowering for comparators of which nothing is known, of all."""
    run_script(
        f"""
        import sys
        sys.path.insert(0, {HERE!r})
        import jax, sort_programs
        cpu = jax.devices("cpu")[0]
        sort_programs.check(range({first}, {first + 4}), jax.devices()[0], cpu)
        """,
        env={"JAX_PLATFORMS": f"{platform},cpu", "IREE_PJRT_SKIP_PASSES": "RewriteSorts"},
    )


def noise(*shape):
    x = np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)
    x.flat[::11] = x.flat[0]
    for i, special in enumerate([np.nan, np.inf, -np.inf, -0.0, 0.0]):
        x.flat[5 + i :: 997] = special
    return x


@pytest.mark.parametrize(
    "function",
    [
        jnp.sort,
        jnp.argsort,
        lambda x: jnp.argsort(x, descending=True),
        lambda x: jnp.lexsort((x, jnp.round(x))),
        lambda x: jnp.unique(jnp.floor(4 * x), size=20, return_counts=True),
        lambda x: lax.top_k(x, 10),
        lambda x: lax.top_k(-x, 5000),
        lambda x: lax.approx_max_k(x, 3),
        lambda x: jnp.sort(x)[-7:],
        lambda x: jnp.nonzero(x > 0, size=1000),
        lambda x: jnp.searchsorted(jnp.sort(x), x[:99], method="sort"),
        jnp.median,
    ],
)
@pytest.mark.parametrize("size", [5000, 100_000])
def test_large(function, size, same):
    same(function, noise(size))


@pytest.mark.parametrize("dtype", [jnp.float8_e4m3fnuz, jnp.float8_e5m2fnuz])
@pytest.mark.parametrize("size", [9, 300])
def test_floats_whose_zero_has_no_sign(dtype, size, same):
    """XLA has their NaN before all numbers, and takes those too small for float16 for zero."""
    x = np.random.default_rng(0).integers(0, 256, size).astype(np.uint8).view(dtype)
    x[np.abs(x.astype(np.float32)) < 1e-4] = 1
    x[2] = np.nan
    same(lambda x: (jnp.sort(x).astype(np.float32), jnp.argsort(x)), x)


@pytest.mark.parametrize("shape", [(1000, 100), (100, 1000), (7, 3000, 2)])
def test_rows_and_columns(shape, same):
    x = noise(*shape)
    for axis in range(len(shape)):
        same(lambda x, axis=axis: (jnp.sort(x, axis), jnp.argsort(x, axis)), x)
    same(lambda x: lax.top_k(x, 2), x)


def test_percentiles_and_their_gradients(same):
    x = np.random.default_rng(0).permutation(20_000).astype(np.float32)
    same(lambda x: jnp.percentile(x, jnp.array([1.0, 50.0, 99.0])), x)
    same(jax.grad(jnp.median), x)
    same(jax.grad(lambda x: (jnp.sort(x) * jnp.arange(len(x))).sum()), x)
    rows = x.reshape(100, 200)
    same(jax.vmap(jax.grad(lambda x: jnp.sort(x)[:5].sum())), rows)
    same(jax.vmap(lambda x: lax.sort((x, jnp.arange(200)), num_keys=1)), rows)


def test_random_orders(same):
    key = np.array([0, 5], np.uint32)
    same(lambda key: jax.random.permutation(key, 100_000), key)
    same(lambda key: jax.random.choice(key, 50_000, (1000,), replace=False), key)


def test_in_loops_and_branches(same):
    def descending(v):
        return v[jnp.argsort(-v)]

    def turn(carry, row):
        carry = lax.cond(row[0] > 0, jnp.sort, descending, jnp.nan_to_num(carry + row))
        return carry, jnp.argsort(carry)

    same(lambda x: lax.scan(turn, jnp.zeros(300), x), noise(40, 300))


def test_a_sorted_program_is_serialized(device):
    """Its call is bound anew where it is loaded."""
    from jax.experimental.serialize_executable import deserialize_and_load, serialize

    with jax.default_device(device):
        x = noise(3000)
        compiled = jax.jit(jnp.argsort).lower(x).compile()
        loaded = deserialize_and_load(*serialize(compiled))
        np.testing.assert_array_equal(loaded(x), np.argsort(x, kind="stable"))
