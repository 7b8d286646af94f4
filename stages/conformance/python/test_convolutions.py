# SPDX-License-Identifier: Apache-2.0
"""Convolutions of the kinds that people use, each with both gradients, beside XLA:CPU."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

# The array, the kernel, how the dimensions are called, and the rest of the convolution.
FORMS = {
    "NHWC": ((4, 28, 28, 16), (3, 3, 16, 24), "NHWC HWIO NHWC", {}),
    "NCHW": ((4, 16, 28, 28), (24, 16, 3, 3), "NCHW OIHW NCHW", {}),
    "1 by 1": ((4, 14, 14, 32), (1, 1, 32, 64), "NHWC HWIO NHWC", {}),
    "strided, as ResNet's first": ((1, 56, 56, 3), (7, 7, 3, 32), "NHWC HWIO NHWC", {"strides": 2}),
    "valid, odd sizes": ((3, 17, 13, 5), (3, 4, 5, 7), "NHWC HWIO NHWC", {"padding": "VALID"}),
    "dilated": ((2, 28, 28, 8), (3, 3, 8, 8), "NHWC HWIO NHWC", {"rhs_dilation": 2}),
    "grouped": ((2, 14, 14, 32), (3, 3, 8, 64), "NHWC HWIO NHWC", {"feature_group_count": 4}),
    "grouped NCHW": ((2, 32, 14, 14), (64, 8, 3, 3), "NCHW OIHW NCHW", {"feature_group_count": 4}),
    "depthwise": ((2, 28, 28, 32), (3, 3, 1, 32), "NHWC HWIO NHWC", {"feature_group_count": 32}),
    "depthwise, strided": (
        (2, 28, 28, 16),
        (3, 3, 1, 32),
        "NHWC HWIO NHWC",
        {"feature_group_count": 16, "strides": 2},
    ),
    "depthwise NCHW": (
        (2, 32, 14, 14),
        (32, 1, 5, 5),
        "NCHW OIHW NCHW",
        {"feature_group_count": 32},
    ),
    "batch groups": ((8, 14, 14, 8), (3, 3, 8, 16), "NHWC HWIO NHWC", {"batch_group_count": 4}),
    "transposed": (
        (2, 14, 14, 16),
        (4, 4, 16, 8),
        "NHWC HWIO NHWC",
        {"lhs_dilation": 2, "padding": ((2, 2), (2, 2))},
    ),
    "1-D": ((4, 400, 16), (9, 16, 16), "NWC WIO NWC", {}),
    "1-D, causal and dilated": (
        (2, 16, 400),
        (16, 16, 3),
        "NCW OIW NCW",
        {"rhs_dilation": 4, "padding": ((8, 0),)},
    ),
    "1-D, a long filter": ((1, 8000, 1), (129, 1, 1), "NWC WIO NWC", {}),
    "a large filter": ((2, 9, 9, 192), (3, 3, 192, 160), "NHWC HWIO NHWC", {}),
    "a large filter, strided, NCHW": (
        (1, 192, 7, 9),
        (160, 192, 3, 3),
        "NCHW OIHW NCHW",
        {"strides": 2, "padding": ((1, 2), (0, 1))},
    ),
    "a large filter, dilated": (
        (2, 8, 11, 256),
        (2, 3, 256, 192),
        "NHWC HWIO NHWC",
        {"rhs_dilation": 2},
    ),
    "a large filter, 1-D": ((2, 50, 256), (5, 256, 256), "NWC WIO NWC", {}),
    "3-D": ((1, 12, 12, 12, 8), (3, 3, 3, 8, 8), "NDHWC DHWIO NDHWC", {}),
    "3-D NCDHW, strided": (
        (1, 8, 12, 12, 12),
        (16, 8, 2, 2, 2),
        "NCDHW OIDHW NCDHW",
        {"strides": 2},
    ),
}


def convolution(names, rank, strides=1, padding="SAME", **more):
    """The function of an array and a kernel, which rounds once."""
    names = tuple(names.split())
    strides = (strides,) * rank
    more = {
        name: (value,) * rank if name.endswith("dilation") else value
        for name, value in more.items()
    }
    return lambda x, k: lax.conv_general_dilated(
        x, k, strides, padding, dimension_numbers=names, **more
    )


def values(rng, shape, dtype):
    """Small whole numbers, whose sums are exact in float32."""
    return jnp.asarray(rng.integers(-2, 3, shape), dtype)


@pytest.mark.combined(dtype=["float32", "bfloat16"], name=FORMS)
def test_with_both_gradients(check, name, dtype):
    shape, kernel, names, more = FORMS[name]
    rng = np.random.default_rng(1)
    x, k = values(rng, shape, dtype), values(rng, kernel, dtype)
    apply = convolution(names, len(shape) - 2, **more)
    weights = values(rng, jax.eval_shape(apply, x, k).shape, dtype)

    def all_of_it(x, k):
        y, back = jax.vjp(apply, x, k)
        return y, *back(weights)

    check("convolution", all_of_it, x, k)


@pytest.mark.combined(seed=range(24))
def test_of_any_size(check, seed):
    """Widths and features that fill tiles and registers, and others; windows, steps, batches."""
    rng = np.random.default_rng(seed)
    rank = 1 + seed % 3
    widths = [1, 2, 5, 7, 11, 13] if rank == 3 else [1, 5, 8, 13, 16, 17, 26, 31, 56]
    space = [int(n) for n in rng.choice(widths, rank)]
    batch, before, after = (
        int(rng.choice(n)) for n in ([1, 3], [1, 3, 8, 16], [3, 8, 10, 16, 32, 48])
    )
    dtype = ("float32", "bfloat16", "float64", "float16")[seed % 4]
    names = "N{0}C {0}IO N{0}C".format("DHW"[3 - rank :])
    more = {"strides": int(rng.integers(1, 3)), "rhs_dilation": int(rng.integers(1, 3))}
    apply = convolution(names, rank, **more)
    with jax.enable_x64(dtype == "float64"):
        x = values(rng, (batch, *space, before), dtype)
        k = values(rng, (*rng.integers(1, 4, rank), before, after), dtype)
        check(str(more), apply, x, k)


def test_mapped_over_arrays_and_kernels(check):
    rng = np.random.default_rng(2)
    x, k = values(rng, (3, 2, 14, 14, 8), "float32"), values(rng, (3, 3, 3, 8, 8), "float32")
    apply = convolution("NHWC HWIO NHWC", 2)
    check("mapped over both", jax.vmap(apply), x, k)
    check("mapped over kernels", jax.vmap(apply, (None, 0)), x[0], k)


def test_transposed_layer(check):
    rng = np.random.default_rng(3)
    x, k = values(rng, (2, 14, 14, 8), "float32"), values(rng, (3, 3, 16, 8), "float32")

    def apply(x, k):
        return lax.conv_transpose(x, k, (2, 2), "SAME", transpose_kernel=True)

    def all_of_it(x, k):
        y, back = jax.vjp(apply, x, k)
        return y, *back(y)

    check("conv_transpose", all_of_it, x, k)


@pytest.mark.parametrize(
    ("dtype", "result"), [("int8", "int32"), ("bfloat16", "float32"), ("float16", "float32")]
)
@pytest.mark.parametrize("groups", [1, 4, 16])
def test_results_of_a_wider_type(check, dtype, result, groups):
    rng = np.random.default_rng(4)
    x = values(rng, (2, 14, 14, 16), dtype)
    k = values(rng, (3, 3, 16 // groups, 32), dtype)
    apply = convolution(
        "NHWC HWIO NHWC", 2, feature_group_count=groups, preferred_element_type=jnp.dtype(result)
    )
    check("wider", apply, x, k)
