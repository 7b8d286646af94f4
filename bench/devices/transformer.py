# SPDX-License-Identifier: Apache-2.0
"""A training step of a small transformer, its batch split over devices."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

VOCABULARY, WIDTH, HEADS, LAYERS = 512, 256, 4, 2
BATCH, LENGTH = 16, 64

Parameters = dict[str, Any]
State = tuple[Parameters, Parameters, Parameters, jax.Array]
Step = Callable[[State, jax.Array], tuple[State, jax.Array]]


def _parameters() -> Parameters:
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


def _normalized(x: jax.Array) -> jax.Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)


def _attended(x: jax.Array, layer: Parameters) -> jax.Array:
    batch, length, _ = x.shape
    parts = (x @ layer["attention"]).reshape(batch, length, 3, HEADS, WIDTH // HEADS)
    query, key, value = (parts[:, :, index] for index in range(3))
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) * (WIDTH // HEADS) ** -0.5
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), value)
    return mixed.reshape(batch, length, WIDTH) @ layer["projection"]


def _loss(parameters: Parameters, tokens: jax.Array) -> jax.Array:
    x = parameters["tokens"][tokens] + parameters["places"]
    for layer in parameters["layers"]:
        x = x + _attended(_normalized(x), layer)
        x = x + jax.nn.gelu(_normalized(x) @ layer["wide"]) @ layer["narrow"]
    scores = jax.nn.log_softmax(_normalized(x) @ parameters["tokens"].T)
    following = jnp.take_along_axis(scores[:, :-1], tokens[:, 1:, None], axis=-1)
    return -following.mean()


def _adam(state: State, gradients: Parameters, rate: float) -> State:
    parameters, first, second, count = state
    count = count + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)

    def moved(value: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
        return value - rate * m / (1 - 0.9**count) / (jnp.sqrt(v / (1 - 0.999**count)) + 1e-8)

    return jax.tree.map(moved, parameters, first, second), first, second, count


def make_jit_step(mesh: Mesh, rate: float) -> Step:
    """One program over the whole batch: who computes what follows from the inputs' shardings."""
    whole = NamedSharding(mesh, P())

    @partial(jax.jit, donate_argnums=0, out_shardings=(whole, whole))
    def step(state: State, tokens: jax.Array) -> tuple[State, jax.Array]:
        loss, gradients = jax.value_and_grad(_loss)(state[0], tokens)
        return _adam(state, gradients, rate), loss

    return step


def make_shard_map_step(mesh: Mesh, rate: float) -> Step:
    """One program for each device's part of the batch: losses and gradients are averaged."""

    @partial(jax.jit, donate_argnums=0)
    @partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("batch")), out_specs=P(), check_vma=False)
    def step(state: State, tokens: jax.Array) -> tuple[State, jax.Array]:
        loss, gradients = jax.lax.pmean(jax.value_and_grad(_loss)(state[0], tokens), "batch")
        return _adam(state, gradients, rate), loss

    return step


def initial(mesh: Mesh) -> tuple[State, jax.Array]:
    """The state, on every device, and a batch, a part of it on each."""
    parameters = _parameters()
    zeros = jax.tree.map(np.zeros_like, parameters)
    state = (parameters, zeros, zeros, np.float32(0))
    tokens = np.random.default_rng(1).integers(VOCABULARY, size=(BATCH, LENGTH), dtype=np.int32)
    return (
        jax.device_put(state, NamedSharding(mesh, P())),
        jax.device_put(tokens, NamedSharding(mesh, P("batch"))),
    )
