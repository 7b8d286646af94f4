# SPDX-License-Identifier: Apache-2.0
"""jax.image: images n x n x 3 to twice or half their sides."""

from typing import Any

import jax

from operations.operation import IMAGES, Operation, in_family, uniform


def _resized(method: str, up: bool, **more: Any) -> Operation:
    def call(x: jax.Array) -> jax.Array:
        side = x.shape[0] * 2 if up else x.shape[0] // 2
        return jax.image.resize(x, (side, side, 3), method)

    return Operation(
        f"resize_{method}_{'up' if up else 'down'}",
        call,
        lambda n: (uniform(n, n, 3, low=0.0),),
        sizes=IMAGES,
        unit="n of an image n x n x 3",
        tolerance=4.0,
        **more,
    )


OPERATIONS = in_family(
    "image",
    _resized("nearest", True),
    _resized("nearest", False),
    _resized("bilinear", True, gradient=(0,)),
    _resized("bilinear", False, gradient=(0,)),
    _resized("cubic", True),
    _resized("cubic", False),
)
