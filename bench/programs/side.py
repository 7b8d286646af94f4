# SPDX-License-Identifier: Apache-2.0
"""One platform, in a process that does as the lines it reads say.

* ``start NAME``: compiles the program and does its first step; answers as ``train 1``
* ``train STEPS``: goes on by that many; answers seconds a step and the losses

NAME is a string as JSON has it. compare.py starts it.
"""

import json
import sys
import time
from typing import Any

import jax
from catalog import PROGRAMS


class _Side:
    def __init__(self) -> None:
        self._step: Any = None
        self._state: Any = None
        self._batch: Any = None

    def start(self, name: str) -> dict[str, Any]:
        program = PROGRAMS[json.loads(name)]
        self._state, self._batch = jax.device_put(program.start())
        self._step = jax.jit(program.step, donate_argnums=0)
        return self.train("1")

    def train(self, steps: str) -> dict[str, Any]:
        losses = []
        start = time.perf_counter()
        for _ in range(int(steps)):
            self._state, loss = self._step(self._state, self._batch)
            losses.append(loss)
        jax.block_until_ready(self._state)
        seconds = (time.perf_counter() - start) / int(steps)
        return {"seconds": seconds, "losses": [float(loss) for loss in losses]}


def main() -> None:
    """Answers each line with one of JSON."""
    side = _Side()
    commands = {"start": side.start, "train": side.train}
    for line in sys.stdin:
        name, argument = line.split(maxsplit=1)
        print(json.dumps(commands[name](argument)), flush=True)


if __name__ == "__main__":
    main()
