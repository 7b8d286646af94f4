# SPDX-License-Identifier: Apache-2.0
"""Programs at sizes around the limits of the stacks that they run on."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

SIZES = [1000, 10000, 100000, 1000000]
NHWC = ("NHWC", "HWIO", "NHWC")


def kernel_gradient(kernel, image):
    return jax.grad(
        lambda k: lax.conv_general_dilated(image, k, (1, 1), "SAME", dimension_numbers=NHWC).sum()
    )(kernel)


@pytest.mark.parametrize("size", [1000, 6500, 8000, 8192])
def test_elements_found(check, size):
    check("nonzero", lambda x: jnp.nonzero(x, size=10), np.ones(size, bool))
    values = np.arange(size, dtype=np.int32) * 7919 % 1000
    check("unique", lambda x: jnp.unique(x, size=1000), values)


@pytest.mark.parametrize("size", [6500, 8000, 8190])
def test_permutations(check, size):
    key = np.array([1, size], np.uint32)
    check("permutation", lambda k: jax.random.permutation(jax.random.wrap_key_data(k), size), key)
    check(
        "choice",
        lambda k: jax.random.choice(jax.random.wrap_key_data(k), size, (9,), replace=False),
        key,
    )


@pytest.mark.parametrize("size", SIZES)
def test_what_follows_a_cumulative_sum(check, size):
    x = np.random.default_rng(size).integers(0, 9, size)
    check("cumsum of integers", lambda x: (jnp.cumsum(x) // 2).astype("float32"), x)
    check("cumsum of booleans", lambda x: jnp.cumsum(x > 4), x)
    check("nonzero", lambda x: jnp.nonzero(x > 4, size=10), x)


def test_gradient_of_a_summed_convolution(check):
    random = np.random.default_rng(0)
    kernel, image = (
        random.uniform(0, 1, shape).astype("float32") for shape in ((3, 3, 64, 64), (8, 28, 28, 64))
    )
    check("gradient of a kernel", kernel_gradient, kernel, image)


@pytest.mark.parametrize("size", SIZES)
def test_sums_of_one_number(check, size):
    integers = np.arange(size, dtype=np.int32)
    check("~(x ^ x)", lambda x: jnp.sum(~(x ^ x)), integers)
    check("x | ~x", lambda x: jnp.sum(x | ~x), integers)
    check("rows", lambda x: jnp.sum(~(x ^ x).reshape(10, -1), axis=1), integers)
    check("products", lambda x: jnp.prod((x ^ x) + 1), integers)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_gradient_of_a_sum(size, dtype):
    # XLA:CPU returns 8192 for a sum of 20000 in bfloat16.
    rows = size // 50

    @jax.jit
    def gradient(bias):
        ones = jnp.ones((rows, 50), dtype)
        return jax.grad(lambda b: jnp.sum((ones + b).astype("float32")))(bias)

    np.testing.assert_array_equal(gradient(np.zeros(50, dtype)), np.full(50, rows, dtype))
