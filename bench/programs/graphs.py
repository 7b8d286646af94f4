# SPDX-License-Identifier: Apache-2.0
"""A graph network (Kipf and Welling 2016) of the size of Cora: nodes sum what neighbours send."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from models.adam import descent, started
from program import Program

_NODES, _EDGES, _FEATURES, _WIDTH, _CLASSES = 2708, 10556, 256, 64, 7


def _start() -> tuple[Any, Any]:
    generator = np.random.default_rng(0)
    widths = (_FEATURES, _WIDTH, _WIDTH, _CLASSES)
    layers = [
        generator.standard_normal(shape, dtype=np.float32) * np.float32(shape[0] ** -0.5)
        for shape in zip(widths[:-1], widths[1:], strict=True)
    ]
    senders, receivers = generator.integers(_NODES, size=(2, _EDGES), dtype=np.int32)
    degrees = 1 + np.bincount(receivers, minlength=_NODES).astype(np.float32)
    batch = {
        "features": generator.standard_normal((_NODES, _FEATURES), dtype=np.float32),
        "senders": senders,
        "receivers": receivers,
        "shares": (degrees[senders] * degrees[receivers]) ** -0.5,
        "own": 1 / degrees,
        "labels": generator.integers(_CLASSES, size=_NODES, dtype=np.int32),
    }
    return started(layers), batch


def _loss(layers: list[jax.Array], batch: dict[str, jax.Array]) -> jax.Array:
    x = batch["features"]
    for layer in layers:
        x = x if x is batch["features"] else jax.nn.relu(x)
        x = x @ layer
        sent = x[batch["senders"]] * batch["shares"][:, None]
        x = jax.ops.segment_sum(sent, batch["receivers"], _NODES) + x * batch["own"][:, None]
    chosen = jnp.take_along_axis(jax.nn.log_softmax(x), batch["labels"][:, None], axis=-1)
    return -chosen.mean()


PROGRAMS = (Program("graph network, 2,708 nodes, segment_sum", _start, descent(_loss, 1e-2)),)
