# SPDX-License-Identifier: Apache-2.0
"""Transpositions of lines that squares of 4, 8 or 16 divide, and of others, as on XLA:CPU."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

DTYPES = ["int8", "bool", "bfloat16", "int32", "float32", "float64", "complex64"]
SHAPES = ["48x64", "1000x100", "100x1000", "999x101", "256x3", "3x256"]
SHAPES += ["5x24x40", "6x8x12", "33x7x20", "3x5x64x16", "2x16x9x16"]
FORMS = {
    "last two": lambda x: jnp.swapaxes(x, -1, -2),
    "turned": lambda x: jnp.transpose(x),
    "first to last": lambda x: jnp.moveaxis(x, 0, -1),
    "last to first": lambda x: jnp.moveaxis(x, -1, 0),
    "and computed": lambda x: jnp.moveaxis(x + x, -1, 0) + jnp.moveaxis(x, -1, 0),
    "and added": lambda x: jnp.moveaxis(x, -1, 0) + jnp.moveaxis(x, -1, 0)[:1],
    "and converted": lambda x: jnp.swapaxes(x.real, -1, -2).astype("int16"),
    "a part": lambda x: jnp.moveaxis(x, -1, 0)[1:, 1:],
}


@pytest.mark.combined(dtype=DTYPES, shape=SHAPES, form=FORMS)
def test_transposes(same, dtype, shape, form):
    sizes = [int(size) for size in shape.split("x")]
    with jax.enable_x64(dtype == "float64"):
        x = np.random.default_rng(0).integers(0, 9, sizes).astype(jnp.dtype(dtype))
        same(FORMS[form], x)
