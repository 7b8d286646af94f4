# SPDX-License-Identifier: Apache-2.0
"""A training that goes on from where it was."""

import time
from collections.abc import Callable
from typing import Any

import jax


class Training:
    """Steps from (state, batch) to (state, loss), the batch always the same."""

    def __init__(self, step: Callable[[Any, Any], tuple[Any, Any]], state: Any, batch: Any) -> None:
        self._step, self._state, self._batch = step, state, batch

    def run(self, steps: int) -> dict[str, Any]:
        """Goes that many steps on; ``seconds`` a step, and the ``losses``."""
        losses = []
        start = time.perf_counter()
        for _ in range(steps):
            self._state, loss = self._step(self._state, self._batch)
            losses.append(loss)
        jax.block_until_ready(self._state)
        seconds = (time.perf_counter() - start) / steps
        return {"seconds": seconds, "losses": [float(loss) for loss in losses]}
