# SPDX-License-Identifier: Apache-2.0
"""Programs as people write them, on the plugin and on XLA:CPU of the same jaxlib.

Each platform lives in a process of its own, pinned alike (``taskset -c 0,1 python compare.py``),
and they take turns. The losses of the first steps must be equal, up to the order of sums: where
they are not, this ends with an error. Prints one JSON line per row, as plugin/runtime.py does. No
cache of programs is used.
"""

import argparse
import json
import math
import os

from catalog import PROGRAMS
from comparing import check_losses, least_seconds, print_row
from sides import in_turns, uncached

_SIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "side.py")
_FIRST_STEPS = 10


def _measure(what: str, rounds: int, seconds: float) -> float:
    """Prints the rows of a program; returns the ratio of its steps."""
    xla, ours = uncached("cpu", _SIDE), uncached("iree_cpu", _SIDE)
    with xla, ours:
        begun = [side.ask("start", json.dumps(what)) for side in (xla, ours)]
        first = [side.ask("train", _FIRST_STEPS) for side in (xla, ours)]
        theirs, mine = (answer["losses"] for answer in first)
        # What is nearly nothing by then has the error of what it was.
        check_losses(what, theirs, mine, least=abs(theirs[0]))
        steps = max(1, int(seconds / first[0]["seconds"]))
        answers = in_turns((xla, ours), rounds, "train", steps)
    least = [least_seconds(side) for side in answers]
    print_row(what, None, "ms", *(value * 1e3 for value in least))
    print_row(
        f"{what}: traced, compiled, one step", None, "s", *(each["seconds"] for each in begun)
    )
    return least[1] / least[0]


def main() -> None:
    """Measures the programs whose name holds ``--only``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="programs whose name holds this")
    parser.add_argument("--rounds", type=int, default=10, help="turns of each platform")
    parser.add_argument("--seconds", type=float, default=0.5, help="a turn of XLA:CPU")
    options = parser.parse_args()
    names = [name for name in PROGRAMS if options.only in name]
    if not names:
        raise SystemExit(f"--only {options.only}: no such program; there are {', '.join(PROGRAMS)}")
    ratios = [_measure(name, options.rounds, options.seconds) for name in names]
    print_row("geometric mean of the steps", 1.0, "×", 1.0, math.prod(ratios) ** (1 / len(ratios)))


if __name__ == "__main__":
    main()
