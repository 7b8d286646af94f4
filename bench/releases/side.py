# SPDX-License-Identifier: Apache-2.0
"""The plugin on one release line of IREE, in a process that does as the lines it reads say.

* ``prepare CASE SECONDS``: builds a case of plugin/cases.py; a turn of it takes about as long
* ``turn``: microseconds a call of that case
* ``compile KIND``: milliseconds, of a program that it has not compiled before

compare.py starts it.
"""

from collections.abc import Callable
from typing import Any

import compile as compiling  # sets JAX's environment: before jax
import jax
import numpy as np
from cases import CASES
from pairs import calls_for, seconds_of
from sides import answer


class _Side:
    def __init__(self) -> None:
        self._device = jax.devices("iree_cpu")[0]
        values = np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 8)
        self._x = jax.device_put(values, self._device)
        self._call: Callable[[], Any]
        self._count = 0

    def prepare(self, case: str, seconds: str) -> dict[str, Any]:
        self._call = CASES[int(case)].build(self._device)
        self._count = calls_for(self._call, float(seconds))
        return {"calls": self._count}

    def turn(self) -> dict[str, Any]:
        return {"took": seconds_of(self._call, self._count) / self._count * 1e6}

    def compile(self, kind: str) -> dict[str, Any]:
        return {"took": getattr(compiling, kind)(self._x)}


def main() -> None:
    """Answers each line with one of JSON."""
    side = _Side()
    answer({"prepare": side.prepare, "turn": side.turn, "compile": side.compile})


if __name__ == "__main__":
    main()
