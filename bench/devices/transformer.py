# SPDX-License-Identifier: Apache-2.0
"""A training step of a small transformer, its batch split over devices."""

from functools import partial

import jax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from models.adam import State, Step, adam, descent, started
from models.transformer import loss, parameters, texts


def make_jit_step(mesh: Mesh, rate: float) -> Step:
    """One program over the whole batch: who computes what follows from the inputs' shardings."""
    whole = NamedSharding(mesh, P())
    return jax.jit(descent(loss, rate), donate_argnums=0, out_shardings=(whole, whole))


def make_shard_map_step(mesh: Mesh, rate: float) -> Step:
    """One program for each device's part of the batch: losses and gradients are averaged."""

    @partial(jax.jit, donate_argnums=0)
    @partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("batch")), out_specs=P(), check_vma=False)
    def step(state: State, tokens: jax.Array) -> tuple[State, jax.Array]:
        value, gradients = jax.lax.pmean(jax.value_and_grad(loss)(state[0], tokens), "batch")
        return adam(state, gradients, rate), value

    return step


def initial(mesh: Mesh) -> tuple[State, jax.Array]:
    """The state, on every device, and a batch, a part of it on each."""
    return (
        jax.device_put(started(parameters()), NamedSharding(mesh, P())),
        jax.device_put(texts(), NamedSharding(mesh, P("batch"))),
    )
