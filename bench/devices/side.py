# SPDX-License-Identifier: Apache-2.0
"""One platform with some devices, in a process of its own, that does as the lines it reads say.

* ``train KIND STEPS``: trains on, from where it was; answers seconds a step and the losses
* ``compile KIND``: compiles a step that it has not compiled before; answers seconds

KIND is ``jit`` or ``shard_map``. scaling.py starts it.
"""

import sys
import time
from itertools import count
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh
from models.training import Training
from sides import answer
from transformer import initial, make_jit_step, make_shard_map_step

_KINDS = {"jit": make_jit_step, "shard_map": make_shard_map_step}
_RATE = 1e-3


class _Side:
    def __init__(self, devices: int) -> None:
        there = jax.devices()
        if len(there) != devices:
            raise SystemExit(f"{jax.default_backend()} has {len(there)} devices, not {devices}")
        self._mesh = Mesh(np.array(there), "batch")
        self._trainings: dict[str, Training] = {}
        self._numbers = count(1)

    def train(self, kind: str, steps: str) -> dict[str, Any]:
        if kind not in self._trainings:
            step = _KINDS[kind](self._mesh, _RATE)
            self._trainings[kind] = Training(step, *initial(self._mesh))
        return self._trainings[kind].run(int(steps))

    def compile(self, kind: str) -> dict[str, Any]:
        # The rate is a constant of the program: another rate makes another program.
        step = _KINDS[kind](self._mesh, _RATE + 1e-6 * next(self._numbers))
        lowered = step.lower(*initial(self._mesh))
        start = time.perf_counter()
        lowered.compile()
        return {"seconds": time.perf_counter() - start}


def main() -> None:
    """Answers each line with one of JSON."""
    side = _Side(int(sys.argv[1]))
    answer({"train": side.train, "compile": side.compile})


if __name__ == "__main__":
    main()
