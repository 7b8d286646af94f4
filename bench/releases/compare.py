# SPDX-License-Identifier: Apache-2.0
"""Two builds of the plugin, each on its own release line of IREE: which is faster at what.

A process has one IREE compiler, so each build lives in a process of its own; they are pinned alike
and take turns. Reads ``{"before": ENV, "after": ENV}`` from its input, the environments in which
``python`` finds JAX and each build. Prints one JSON line per row: what, unit, before, after, ratio.
"""

import argparse
import json
import sys
from pathlib import Path

from cases import CASES
from sides import Side, in_turns

_SIDE = str(Path(__file__).with_name("side.py"))
_COMPILATIONS = (
    ("compile of a trivial jit", "compile_new"),
    ("compile of the gradient of four layers", "compile_step"),
    ("first call of a trivial jit, with tracing", "first_call"),
)


class _Row:
    """The least that either build took for something, over all launches."""

    def __init__(self, what: str, unit: str) -> None:
        self._about = {"what": what, "unit": unit}
        self._took: tuple[list[float], list[float]] = ([], [])

    def add(self, sides: tuple[Side, Side], rounds: int, *words: str) -> None:
        for took, answers in zip(self._took, in_turns(sides, rounds, *words), strict=True):
            took.extend(answer["took"] for answer in answers)

    def print(self) -> None:
        before, after = map(min, self._took)
        row = self._about | {"before": before, "after": after, "ratio": after / before}
        print(json.dumps(row, ensure_ascii=False), flush=True)


def _launch(envs: dict[str, dict[str, str]], names: tuple[str, str]) -> dict[str, Side]:
    return {name: Side(name, ["python", _SIDE], envs[name]) for name in names}


def main() -> None:
    """Measures the rows whose name holds ``--only``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="rows whose name holds this")
    parser.add_argument("--launches", type=int, default=6, help="pairs of processes")
    parser.add_argument("--rounds", type=int, default=30, help="turns of each process")
    parser.add_argument("--seconds", type=float, default=0.003, help="length of a turn")
    parser.add_argument("--compilations", type=int, default=5, help="turns of compiling")
    options = parser.parse_args()
    envs = json.load(sys.stdin)
    cases = {i: _Row(c.name, "µs") for i, c in enumerate(CASES) if options.only in c.name}
    kinds = {k: _Row(what, "ms") for what, k in _COMPILATIONS if options.only in what}
    for launch in range(options.launches):
        print(f"processes {launch + 1} of {options.launches}", file=sys.stderr, flush=True)
        # Where a process lies in memory makes large arrays up to twice as slow, also of one build
        # beside itself: many processes are needed, and either build starts first as often.
        started = _launch(envs, ("before", "after") if launch % 2 == 0 else ("after", "before"))
        with started["before"] as before, started["after"] as after:
            for index, row in cases.items():
                for side in (before, after):
                    side.ask("prepare", index, options.seconds)
                row.add((before, after), options.rounds, "turn")
            for kind, row in kinds.items():
                for side in (before, after):
                    side.ask("compile", kind)
                row.add((before, after), options.compilations, "compile", kind)
    for row in (*cases.values(), *kinds.values()):
        row.print()


if __name__ == "__main__":
    main()
