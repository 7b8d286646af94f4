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
from typing import Any

from cases import CASES
from sides import Side, in_turns

_SIDE = str(Path(__file__).with_name("side.py"))
_COMPILATIONS = (
    ("compile of a trivial jit", "compile_new"),
    ("compile of the gradient of four layers", "compile_step"),
    ("first call of a trivial jit, with tracing", "first_call"),
)


def _print(what: str, unit: str, answers: tuple[list[Any], list[Any]]) -> None:
    before, after = (min(answer["took"] for answer in side) for side in answers)
    row = {"what": what, "unit": unit, "before": before, "after": after, "ratio": after / before}
    print(json.dumps(row, ensure_ascii=False), flush=True)


def main() -> None:
    """Measures the rows whose name holds ``--only``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="rows whose name holds this")
    parser.add_argument("--rounds", type=int, default=100, help="turns of each build")
    parser.add_argument("--seconds", type=float, default=0.003, help="length of a turn")
    parser.add_argument("--compilations", type=int, default=15, help="turns of compiling")
    options = parser.parse_args()
    envs = json.load(sys.stdin)
    before, after = (Side(name, ["python", _SIDE], envs[name]) for name in ("before", "after"))
    with before, after:
        sides = (before, after)
        for index, case in enumerate(CASES):
            if options.only in case.name:
                for side in sides:
                    side.ask("prepare", index, options.seconds)
                _print(case.name, "µs", in_turns(sides, options.rounds, "turn"))
        for what, kind in _COMPILATIONS:
            if options.only in what:
                for side in sides:
                    side.ask("compile", kind)
                _print(what, "ms", in_turns(sides, options.compilations, "compile", kind))


if __name__ == "__main__":
    main()
