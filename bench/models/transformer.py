# SPDX-License-Identifier: Apache-2.0
"""A small transformer: trained on whole texts, or asked for one token more."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

VOCABULARY, WIDTH, HEADS, LAYERS = 512, 256, 4, 2
BATCH, LENGTH = 16, 64
_SCALE = (WIDTH // HEADS) ** -0.5

Parameters = dict[str, Any]
# Keys and values of all places of each layer, [batch, LENGTH, HEADS, WIDTH / HEADS].
Cache = list[tuple[jax.Array, jax.Array]]


def parameters() -> Parameters:
    """Random ones, the same each time."""
    generator = np.random.default_rng(0)

    def weights(*shape: int) -> np.ndarray:
        return generator.standard_normal(shape, dtype=np.float32) * 0.02

    layer = {
        "attention": (WIDTH, 3 * WIDTH),
        "projection": (WIDTH, WIDTH),
        "wide": (WIDTH, 4 * WIDTH),
        "narrow": (4 * WIDTH, WIDTH),
    }
    return {
        "tokens": weights(VOCABULARY, WIDTH),
        "places": weights(LENGTH, WIDTH),
        "layers": [{name: weights(*shape) for name, shape in layer.items()} for _ in range(LAYERS)],
    }


def texts() -> np.ndarray:
    """A batch of random tokens, [BATCH, LENGTH]."""
    return np.random.default_rng(1).integers(VOCABULARY, size=(BATCH, LENGTH), dtype=np.int32)


def _normalized(x: jax.Array) -> jax.Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)


def _attended(x: jax.Array, layer: Parameters) -> jax.Array:
    batch, length, _ = x.shape
    parts = (x @ layer["attention"]).reshape(batch, length, 3, HEADS, WIDTH // HEADS)
    query, key, value = (parts[:, :, index] for index in range(3))
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) * _SCALE
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), value)
    return mixed.reshape(batch, length, WIDTH) @ layer["projection"]


def _fed_forward(x: jax.Array, layer: Parameters) -> jax.Array:
    return jax.nn.gelu(_normalized(x) @ layer["wide"]) @ layer["narrow"]


def _scores(x: jax.Array, weights: Parameters) -> jax.Array:
    return jax.nn.log_softmax(_normalized(x) @ weights["tokens"].T)


def loss(weights: Parameters, tokens: jax.Array) -> jax.Array:
    """Minus the mean logarithm of the probabilities of tokens [batch, LENGTH], but the first."""
    x = weights["tokens"][tokens] + weights["places"]
    for layer in weights["layers"]:
        x = x + _attended(_normalized(x), layer)
        x = x + _fed_forward(x, layer)
    following = jnp.take_along_axis(_scores(x, weights)[:, :-1], tokens[:, 1:, None], axis=-1)
    return -following.mean()


def empty_cache(batch: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """A cache of which no place was seen yet."""
    zeros = np.zeros((batch, LENGTH, HEADS, WIDTH // HEADS), np.float32)
    return [(zeros, zeros) for _ in range(LAYERS)]


def next_scores(
    weights: Parameters, cache: Cache, tokens: jax.Array, place: jax.Array
) -> tuple[Cache, jax.Array]:
    """The cache with one place more, and the logarithms of the probabilities, [batch, VOCABULARY].

    ``tokens``, [batch], stand at ``place``; of places after it nothing is read.
    """
    x = weights["tokens"][tokens] + weights["places"][place]
    seen = jnp.arange(LENGTH) <= place
    kept: Cache = []
    for layer, (keys, values) in zip(weights["layers"], cache, strict=True):
        parts = _normalized(x) @ layer["attention"]
        query, key, value = parts.reshape(-1, 3, 1, HEADS, WIDTH // HEADS).swapaxes(0, 1)
        keys = jax.lax.dynamic_update_slice_in_dim(keys, key, place, axis=1)
        values = jax.lax.dynamic_update_slice_in_dim(values, value, place, axis=1)
        kept.append((keys, values))
        scores = jnp.einsum("bqhd,bkhd->bhk", query, keys) * _SCALE
        mixed = jnp.einsum("bhk,bkhd->bhd", jax.nn.softmax(jnp.where(seen, scores, -1e9)), values)
        x = x + mixed.reshape(x.shape) @ layer["projection"]
        x = x + _fed_forward(x, layer)
    return kept, _scores(x, weights)
