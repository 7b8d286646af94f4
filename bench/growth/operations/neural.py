# SPDX-License-Identifier: Apache-2.0
"""Layers and losses of neural networks, on rows of 256."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp

from operations.operation import (
    BATCHES,
    IMAGES,
    POWERS,
    Input,
    Operation,
    in_family,
    integers,
    key,
    normal,
)

_WIDTH = 256
_TRAINED = ("f32", "bf16")


def _rows(n: int) -> tuple[Input, ...]:
    return (normal(n // _WIDTH, _WIDTH),)


def _layer(name: str, call: Callable[..., Any], **more: Any) -> Operation:
    return Operation(name, call, _rows, sizes=POWERS, dtypes=_TRAINED, gradient=(0,), **more)


def _normalized(x: jax.Array, axes: Any) -> jax.Array:
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5)


def _rms_norm(x: jax.Array, scale: jax.Array) -> jax.Array:
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale


def _cross_entropy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
    return -picked.mean()


def _dropout(k: jax.Array, x: jax.Array) -> jax.Array:
    return jnp.where(jax.random.bernoulli(k, 0.9, x.shape), x / 0.9, 0)


def _mlp_inputs(batch: int) -> tuple[Input, ...]:
    widths = (784, 512, 512, 10)
    weights = (normal(*pair, scale=0.04) for pair in pairwise(widths))
    return *weights, normal(batch, widths[0]), integers(batch, high=10)


def _mlp_step(*inputs: jax.Array) -> Any:
    """The weights after a step of gradient descent, and the loss."""
    *weights, x, labels = inputs

    def loss(weights: list[jax.Array]) -> jax.Array:
        y = x
        for layer in weights[:-1]:
            y = jax.nn.relu(y @ layer)
        return _cross_entropy(y @ weights[-1], labels)

    value, gradients = jax.value_and_grad(loss)(weights)
    return [w - 0.1 * g for w, g in zip(weights, gradients, strict=True)], value


OPERATIONS = in_family(
    "neural",
    # Rounding errors of either side add up.
    _layer("softmax", jax.nn.softmax, tolerance=2.0),
    _layer("log_softmax", jax.nn.log_softmax),
    _layer("gelu", jax.nn.gelu),
    _layer("relu", jax.nn.relu),
    _layer("silu", jax.nn.silu),
    Operation(
        "layer_norm",
        lambda x, scale, bias: _normalized(x, -1) * scale + bias,
        lambda n: (*_rows(n), normal(_WIDTH), normal(_WIDTH)),
        sizes=POWERS,
        dtypes=_TRAINED,
        gradient=(0, 1, 2),
        tolerance=4.0,
    ),
    Operation(
        "rms_norm",
        _rms_norm,
        lambda n: (*_rows(n), normal(_WIDTH)),
        sizes=POWERS,
        dtypes=_TRAINED,
        gradient=(0, 1),
        tolerance=4.0,
    ),
    Operation(
        "batch_norm",
        lambda x: _normalized(x, (0, 1, 2)),
        lambda n: (normal(1, n, n, 16),),
        sizes=IMAGES,
        gradient=(0,),
        unit="n of an image n x n x 16",
        tolerance=4.0,
    ),
    Operation(
        "cross_entropy",
        _cross_entropy,
        lambda n: (*_rows(n), integers(n // _WIDTH, high=_WIDTH)),
        sizes=POWERS,
        dtypes=_TRAINED,
        gradient=(0,),
    ),
    Operation("dropout", _dropout, lambda n: (key(), *_rows(n)), sizes=POWERS, gradient=(1,)),
    Operation(
        "mlp_train_step",
        _mlp_step,
        _mlp_inputs,
        sizes=BATCHES,
        dtypes=_TRAINED,
        unit="batch, 784-512-512-10",
        tolerance=4.0,
    ),
    Operation(
        "embedding_and_projection",
        lambda table, i, w: table[i] @ w,
        lambda b: (normal(1000, 64), integers(b, 32, high=1000), normal(64, 256)),
        sizes=BATCHES,
        gradient=(0, 2),
        unit="batch of 32 tokens",
    ),
)
