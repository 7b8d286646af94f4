# SPDX-License-Identifier: Apache-2.0
"""One platform, in a process that does as the lines it reads say.

* ``start NAME``: compiles the program and does its first step; answers as ``train 1``
* ``train STEPS``: goes on by that many; answers seconds a step and the losses

NAME is a string as JSON has it. compare.py starts it.
"""

import json
from typing import Any

import jax
from catalog import PROGRAMS
from models.training import Training
from sides import answer


class _Side:
    def __init__(self) -> None:
        self._training: Training

    def start(self, name: str) -> dict[str, Any]:
        program = PROGRAMS[json.loads(name)]
        step = jax.jit(program.step, donate_argnums=0)
        self._training = Training(step, *jax.device_put(program.start()))
        return self.train("1")

    def train(self, steps: str) -> dict[str, Any]:
        return self._training.run(int(steps))


def main() -> None:
    """Answers each line with one of JSON."""
    side = _Side()
    answer({"start": side.start, "train": side.train}, words=1)


if __name__ == "__main__":
    main()
