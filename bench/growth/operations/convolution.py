# SPDX-License-Identifier: Apache-2.0
"""Convolutions and pooling, of images n x n with 16 channels."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from operations.operation import BATCHES, IMAGES, Input, Operation, in_family, normal

_CHANNELS = 16
_UNIT = "n of an image n x n x 16"
_NHWC = ("NHWC", "HWIO", "NHWC")


def _conv(
    layout: tuple[str, str, str] = _NHWC, strides: tuple[int, ...] = (1, 1), **more: Any
) -> Any:
    return partial(
        jax.lax.conv_general_dilated,
        window_strides=strides,
        padding="SAME",
        dimension_numbers=layout,
        **more,
    )


def _image(filter_shape: tuple[int, ...]) -> Callable[[int], tuple[Input, ...]]:
    return lambda n: (normal(1, n, n, _CHANNELS), normal(*filter_shape, scale=0.1))


def _square(name: str, call: Any, filter_shape: tuple[int, ...], **more: Any) -> Operation:
    settings: dict[str, Any] = {"sizes": IMAGES, "unit": _UNIT} | more
    return Operation(name, call, _image(filter_shape), gradient=(0, 1), tolerance=4.0, **settings)


def _pool(
    kind: str, window: int, stride: int, padding: str = "VALID"
) -> Callable[[jax.Array], jax.Array]:
    shape, strides = (1, window, window, 1), (1, stride, stride, 1)

    def call(x: jax.Array) -> jax.Array:
        if kind == "max":
            return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, shape, strides, padding)
        sums = jax.lax.reduce_window(x, 0.0, jax.lax.add, shape, strides, padding)
        return sums / (window * window)

    return call


def _pooled(name: str, call: Any, **more: Any) -> Operation:
    return Operation(
        name,
        call,
        lambda n: (normal(1, n, n, _CHANNELS),),
        sizes=IMAGES,
        gradient=(0,),
        unit=_UNIT,
        tolerance=4.0,
        **more,
    )


OPERATIONS = in_family(
    "convolution",
    _square("conv_3x3", _conv(), (3, 3, 16, 16), dtypes=("f32", "bf16")),
    Operation(
        "conv_3x3_batch",
        _conv(),
        lambda b: (normal(b, 28, 28, 16), normal(3, 3, 16, 32, scale=0.1)),
        sizes=BATCHES,
        gradient=(0, 1),
        unit="batch of 28 x 28 x 16",
        tolerance=4.0,
    ),
    Operation(
        "conv_3x3_nchw",
        _conv(("NCHW", "OIHW", "NCHW")),
        lambda n: (normal(1, 16, n, n), normal(16, 16, 3, 3, scale=0.1)),
        sizes=IMAGES,
        gradient=(0, 1),
        unit=_UNIT,
        tolerance=4.0,
    ),
    _square("conv_1x1", _conv(), (1, 1, 16, 32), dtypes=("f32", "bf16")),
    _square("conv_depthwise", _conv(feature_group_count=16), (3, 3, 1, 16), sizes=IMAGES[:3]),
    _square("conv_grouped", _conv(feature_group_count=4), (3, 3, 4, 16), sizes=IMAGES[:3]),
    _square("conv_dilated", _conv(rhs_dilation=(2, 2)), (3, 3, 16, 16), sizes=IMAGES[:3]),
    _square("conv_7x7_strided", _conv(strides=(2, 2)), (7, 7, 16, 16)),
    Operation(
        "conv_transposed",
        lambda x, w: jax.lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=_NHWC),
        _image((3, 3, 16, 16)),
        sizes=IMAGES[:3],
        gradient=(0, 1),
        unit=_UNIT,
        tolerance=4.0,
    ),
    Operation(
        "conv_1d",
        _conv(("NWC", "WIO", "NWC"), (1,)),
        lambda n: (normal(1, n // 16, 16), normal(9, 16, 16, scale=0.1)),
        sizes=(1024, 16_384, 131_072),
        gradient=(0, 1),
        tolerance=4.0,
    ),
    Operation(
        "conv_3d",
        _conv(("NDHWC", "DHWIO", "NDHWC"), (1, 1, 1)),
        lambda n: (normal(1, n, n, n, 8), normal(3, 3, 3, 8, 8, scale=0.1)),
        sizes=(8, 16, 32),
        gradient=(0, 1),
        unit="n of a volume n x n x n x 8",
        tolerance=4.0,
    ),
    _pooled("max_pool_2x2", _pool("max", 2, 2), dtypes=("f32", "bf16")),
    _pooled("max_pool_3x3_overlapping", _pool("max", 3, 2, "SAME")),
    _pooled("avg_pool_2x2", _pool("avg", 2, 2)),
    _pooled("avg_pool_3x3_overlapping", _pool("avg", 3, 2, "SAME")),
)
