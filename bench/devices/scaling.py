# SPDX-License-Identifier: Apache-2.0
"""A data-parallel training step on several devices of the plugin, against as many of XLA:CPU.

Each platform lives in a process of its own, pinned alike (``taskset -c 0,1 python scaling.py``),
and they take turns: while one works the other waits for its next line. Prints one JSON line per
row, as plugin/runtime.py does. Losses of the same steps are compared. No cache of programs is used.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from comparing import check_losses, least_seconds, print_row
from sides import Side, in_turns

_SIDE = Path(__file__).with_name("side.py")


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


def _train(sides: tuple[Side, Side], kind: str, steps: int, rounds: int) -> tuple[float, float]:
    """Returns the seconds a step of both sides; the first turn of each compiles and warms up."""
    first = [side.ask("train", kind, steps) for side in sides]
    check_losses(kind, *(turn["losses"] for turn in first))
    xla, ours = in_turns(sides, rounds, "train", kind, steps)
    return least_seconds(xla), least_seconds(ours)


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
            print_row(what, target, "ms", *(value * 1e3 for value in seconds))
        for devices in (2, 4, 8, 16):
            what = f"compile of the step, shard_map, for {devices} devices"
            if options.only not in what:
                continue
            xla, ours = both(devices)
            with xla, ours:
                answers = in_turns((xla, ours), options.compilations, "compile", "shard_map")
            print_row(what, None, "s", *map(least_seconds, answers))


if __name__ == "__main__":
    main()
