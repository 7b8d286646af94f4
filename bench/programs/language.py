# SPDX-License-Identifier: Apache-2.0
"""A transformer: trained, and asked for token after token with what it has seen in a cache."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from models.adam import descent, started
from models.transformer import (
    BATCH,
    LENGTH,
    empty_cache,
    loss,
    next_scores,
    parameters,
    texts,
)
from program import Program


def _train_start() -> tuple[Any, Any]:
    return started(parameters()), texts()


def _generate_start() -> tuple[Any, Any]:
    return (empty_cache(BATCH), texts()[:, 0], np.int32(0)), parameters()


def _generate(state: Any, weights: Any) -> tuple[Any, jax.Array]:
    """The likeliest next tokens, and the mean of their negative logarithms of probabilities."""
    cache, tokens, place = state
    cache, scores = next_scores(weights, cache, tokens, place)
    # After the last place the text begins anew.
    state = (cache, scores.argmax(axis=-1).astype(jnp.int32), (place + 1) % LENGTH)
    return state, -scores.max(axis=-1).mean()


PROGRAMS = (
    Program("transformer, 16×64 tokens", _train_start, descent(loss, 1e-3)),
    Program("transformer, the next of 16 tokens, KV cache", _generate_start, _generate),
)
