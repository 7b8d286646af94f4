# SPDX-License-Identifier: Apache-2.0
"""Networks that classify images: a small one with max pooling, and ResNet-18 (He et al. 2015)."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from models.adam import descent, started
from program import Program

_CLASSES = 10
_Weights = dict[str, Any]


def _weights(generator: np.random.Generator, *shape: int) -> np.ndarray:
    """As He et al. start them: the last axis of a shape is that of the outputs."""
    scale = np.sqrt(2 / np.prod(shape[:-1]))
    return generator.standard_normal(shape, dtype=np.float32) * np.float32(scale)


def _batch(count: int, size: int, channels: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    images = generator.standard_normal((count, size, size, channels), dtype=np.float32)
    return images, generator.integers(_CLASSES, size=count, dtype=np.int32)


def _convolved(x: jax.Array, kernel: jax.Array, stride: int = 1) -> jax.Array:
    layout = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=layout)


def _pooled(x: jax.Array, window: int) -> jax.Array:
    """The largest of each window; neighbours are two apart."""
    return lax.reduce_window(
        x, -jnp.inf, lax.max, (1, window, window, 1), (1, 2, 2, 1), padding="SAME"
    )


def _cross_entropy(scores: jax.Array, labels: jax.Array) -> jax.Array:
    chosen = jnp.take_along_axis(jax.nn.log_softmax(scores), labels[:, None], axis=-1)
    return -chosen.mean()


def _small_start() -> tuple[Any, Any]:
    generator = np.random.default_rng(0)
    weights = {
        "first": _weights(generator, 3, 3, 1, 32),
        "second": _weights(generator, 3, 3, 32, 64),
        "wide": _weights(generator, 7 * 7 * 64, 128),
        "last": _weights(generator, 128, _CLASSES),
    }
    return started(weights), _batch(64, 28, 1)


def _small_loss(weights: _Weights, batch: Any) -> jax.Array:
    images, labels = batch
    x = _pooled(jax.nn.relu(_convolved(images, weights["first"])), 2)
    x = _pooled(jax.nn.relu(_convolved(x, weights["second"])), 2)
    x = jax.nn.relu(x.reshape(len(x), -1) @ weights["wide"])
    return _cross_entropy(x @ weights["last"], labels)


_WIDTHS = (64, 128, 256, 512)
_BLOCKS = 2


def _normalization(width: int) -> _Weights:
    return {"scale": np.ones(width, np.float32), "shift": np.zeros(width, np.float32)}


def _block(generator: np.random.Generator, inputs: int, width: int) -> _Weights:
    block = {
        "first": _weights(generator, 3, 3, inputs, width),
        "first_norm": _normalization(width),
        "second": _weights(generator, 3, 3, width, width),
        "second_norm": _normalization(width),
    }
    if inputs != width:
        block["shortcut"] = _weights(generator, 1, 1, inputs, width)
        block["shortcut_norm"] = _normalization(width)
    return block


def _resnet_start() -> tuple[Any, Any]:
    generator = np.random.default_rng(0)
    blocks, inputs = [], _WIDTHS[0]
    for width in _WIDTHS:
        for _ in range(_BLOCKS):
            blocks.append(_block(generator, inputs, width))
            inputs = width
    weights = {
        "stem": _weights(generator, 7, 7, 3, _WIDTHS[0]),
        "stem_norm": _normalization(_WIDTHS[0]),
        "blocks": blocks,
        "last": _weights(generator, _WIDTHS[-1], _CLASSES),
    }
    return started(weights), _batch(8, 64, 3)


def _normalized(x: jax.Array, norm: _Weights) -> jax.Array:
    """By mean and variance of each channel over the batch, as in training."""
    mean = x.mean(axis=(0, 1, 2))
    variance = ((x - mean) ** 2).mean(axis=(0, 1, 2))
    return (x - mean) * lax.rsqrt(variance + 1e-5) * norm["scale"] + norm["shift"]


def _through_block(x: jax.Array, block: _Weights) -> jax.Array:
    stride = 2 if "shortcut" in block else 1
    inner = jax.nn.relu(_normalized(_convolved(x, block["first"], stride), block["first_norm"]))
    inner = _normalized(_convolved(inner, block["second"]), block["second_norm"])
    if "shortcut" in block:
        x = _normalized(_convolved(x, block["shortcut"], stride), block["shortcut_norm"])
    return jax.nn.relu(x + inner)


def _resnet_loss(weights: _Weights, batch: Any) -> jax.Array:
    images, labels = batch
    x = jax.nn.relu(_normalized(_convolved(images, weights["stem"], 2), weights["stem_norm"]))
    x = _pooled(x, 3)
    for block in weights["blocks"]:
        x = _through_block(x, block)
    return _cross_entropy(x.mean(axis=(1, 2)) @ weights["last"], labels)


PROGRAMS = (
    Program("CNN with max pooling, 64×28×28", _small_start, descent(_small_loss, 1e-3)),
    Program("ResNet-18, 8×64×64×3", _resnet_start, descent(_resnet_loss, 1e-5)),
)
