# SPDX-License-Identifier: Apache-2.0
"""Elements asked where they lie: images turned, rolled, padded, resized, masked, and copied."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

DTYPES = ["float32", "bfloat16", "int8", "bool", "complex64", "int32"]
# Few channels and many, lengths that fill vectors and that don't, more than one image and one.
SHAPES = [
    (2, 9, 12, 3),
    (3, 16, 8, 17),
    (1, 7, 40, 1),
    (5, 6, 7, 32),
    (64, 5, 4, 2),
    (2, 33, 31, 3),
]
IMAGES = [*zip(DTYPES, SHAPES, strict=True), *(("float32", shape) for shape in SHAPES[1:])]


def image(shape, dtype):
    """Small whole numbers, exact in each type."""
    made = np.random.default_rng(shape[-1]).integers(0, 9, shape)
    return np.asarray(jnp.asarray(made, dtype))


def masks(x):
    """Of rows, columns, both, and of all places."""
    rows, columns = jnp.arange(x.shape[1])[:, None, None], jnp.arange(x.shape[2])[:, None]
    zero = jnp.zeros((), x.dtype)
    return (
        jnp.where(rows > 3, x, zero),
        jnp.where(columns % 3 == 1, x, zero),
        jnp.where(rows >= columns, x, zero),
        jnp.where(lax.iota("int32", x.size).reshape(x.shape) % 5 == 0, x, zero),
        jnp.where(jnp.arange(x.shape[-1]) * columns < rows, x, zero),
    )


@pytest.mark.combined(images=IMAGES)
def test_images(same, images):
    dtype, shape = images
    x = image(shape, dtype)
    same(lambda x: (x[:, ::-1], x[:, :, ::-1], x[..., ::-1], x[::-1, ::-1]), x)
    same(lambda x: (jnp.rot90(x, axes=(1, 2)), jnp.rot90(x, 2, axes=(1, 2))), x)
    same(lambda x: (jnp.roll(x, 3, 2), jnp.roll(x, -2, 1), jnp.roll(x, 1, -1)), x)
    around = ((0, 0), (2, 1), (1, 3), (0, 0))
    same(lambda x: [jnp.pad(x, around, mode=mode) for mode in ("reflect", "edge", "wrap")], x)
    same(lambda x: jnp.concatenate([x[:, :, 1:], x, x[:, :, :1]], 2), x)
    same(lambda x: jnp.concatenate([x[..., :1], x], -1), x)
    same(masks, x)


@pytest.mark.parametrize("shape", SHAPES)
def test_resized(same, shape):
    batch, height, width, channels = shape

    def resized(x, rows, columns):
        return jax.image.resize(x, (batch, rows, columns, channels), "nearest")

    def program(x):
        larger = resized(x, 2 * height, 2 * width), resized(x, height, 3 * width)
        return *larger, resized(x, height // 2, width - 1)

    same(program, image(shape, "float32"))


@pytest.mark.combined(length=[1000, 1009, 30_000], dtype=DTYPES)
def test_lines(same, dtype, length):
    x = image((length,), dtype)
    places = np.random.default_rng(length).integers(-length, length, length // 3, "int32")
    same(lambda x, places: (x[::-1], x[5:-3][::-1], x[places], x[::-2], x[places][::-1]), x, places)


@pytest.mark.combined(
    shape=[(64, 64), (33, 1000), (1000, 17), (9, 30_000), (1025, 300), (3, 5, 700)],
    dtype=["float32", "bfloat16", "int32"],
)
def test_rows_with_a_number_each(same, dtype, shape):
    def program(x):
        first = x[..., :1]
        return x + first, x * x[:1], jnp.where(x > first, x, x[:1] - first)

    same(program, image(shape, dtype))


@pytest.mark.parametrize(
    ("batch", "sizes"), [(1, (128, 128, 64)), (12, (100, 60, 130)), (3, (257, 33, 511))]
)
def test_batches_of_narrow_products(on_both, batch, sizes):
    rows, inner, columns = sizes
    generator = np.random.default_rng(inner)
    a = np.asarray(jnp.asarray(generator.standard_normal((batch, rows, inner)), "bfloat16"))
    b = np.asarray(jnp.asarray(generator.standard_normal((batch, inner, columns)), "bfloat16"))
    (ours, theirs), *_ = on_both(lambda a, b: (a @ b,), a, b)
    ours, theirs = np.asarray(ours, "float32"), np.asarray(theirs, "float32")
    np.testing.assert_allclose(ours, theirs, atol=0.13, rtol=1e-2)
