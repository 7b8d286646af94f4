# SPDX-License-Identifier: Apache-2.0
"""A data-parallel training step on several devices of the plugin, against as many of XLA:CPU.

Each platform lives in a process of its own, pinned alike (``taskset -c 0,1 python scaling.py``),
and they take turns: while one works the other waits for its next line. Prints one JSON line per
row, as plugin/runtime.py does. Losses of the same steps are compared. No cache of programs is used.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from sides import Side, in_turns

_SIDE = Path(__file__).with_name("side.py")
# Losses are sums in another order: after some steps they are apart by this part at most.
_TOLERANCE = 1e-3


def _side(platform: str, devices: int, cache: str) -> Side:
    count = str(devices)
    env = {
        "JAX_PLATFORMS": platform,
        "JAX_NUM_CPU_DEVICES": count,
        "IREE_PJRT_NUM_DEVICES": count,
        "JAX_ENABLE_COMPILATION_CACHE": "0",
        "IREE_PJRT_CACHE_DIR": cache,
    }
    return Side(platform, [sys.executable, str(_SIDE), count], os.environ | env)


def _print(what: str, target: float | None, unit: str, xla: float, ours: float) -> None:
    row = {"what": what, "target": target, "unit": unit, "xla": xla, "ours": ours}
    print(json.dumps(row | {"ratio": ours / xla}), flush=True)


def _least(answers: list[Any]) -> float:
    return min(answer["seconds"] for answer in answers)


def _train(sides: tuple[Side, Side], kind: str, steps: int, rounds: int) -> tuple[float, float]:
    """Returns the seconds a step of both sides; the first turn of each compiles and warms up."""
    first = [side.ask("train", kind, steps) for side in sides]
    for step, (xla, ours) in enumerate(zip(*(turn["losses"] for turn in first), strict=True)):
        if not abs(ours - xla) <= _TOLERANCE * abs(xla):
            raise SystemExit(f"{kind}: the losses of step {step} are {xla} and {ours}")
    xla, ours = in_turns(sides, rounds, "train", kind, steps)
    return _least(xla), _least(ours)


def main() -> None:
    """Measures the rows whose name holds ``--only``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="rows whose name holds this")
    parser.add_argument("--rounds", type=int, default=20, help="turns of training")
    parser.add_argument("--steps", type=int, default=4, help="steps of a turn")
    parser.add_argument("--compilations", type=int, default=2, help="turns of compiling")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="iree-pjrt-bench-") as cache:

        def both(devices: int) -> tuple[Side, Side]:
            return _side("cpu", devices, cache), _side("iree_cpu", devices, cache)

        for devices, kind, target in ((1, "jit", None), (2, "jit", 1.1), (2, "shard_map", 1.1)):
            what = f"training step, {kind}, on {devices} device{'s' if devices > 1 else ''}"
            if options.only not in what:
                continue
            xla, ours = both(devices)
            with xla, ours:
                seconds = _train((xla, ours), kind, options.steps, options.rounds)
            _print(what, target, "ms", *(value * 1e3 for value in seconds))
        for devices in (2, 4, 8, 16):
            what = f"compile of the step, shard_map, for {devices} devices"
            if options.only not in what:
                continue
            xla, ours = both(devices)
            with xla, ours:
                answers = in_turns((xla, ours), options.compilations, "compile", "shard_map")
            _print(what, None, "s", *map(_least, answers))


if __name__ == "__main__":
    main()
