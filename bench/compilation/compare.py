# SPDX-License-Identifier: Apache-2.0
"""How long programs compile on the plugin and on XLA:CPU of the same jaxlib, and where that goes.

Each platform lives in a process of its own, pinned alike (``taskset -c 0,1 python compare.py``),
and they take turns. No cache of programs is used. Prints one JSON line per program: ``what``,
``xla`` and ``ours`` (seconds, the least of the turns), ``phases`` and ``passes`` (milliseconds of
a turn of its own, by name).
"""

import argparse
import json
import os
import re

from comparing import least_seconds
from sides import in_turns, uncached
from subjects import PROGRAMS

_SIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "side.py")


def main() -> None:
    """Measures the programs whose name holds the regular expression ``--only``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="programs whose name holds this")
    parser.add_argument("--turns", type=int, default=3, help="of each platform, for each program")
    options = parser.parse_args()
    names = [name for name in PROGRAMS if re.search(options.only, name)]
    if not names:
        raise SystemExit(f"--only {options.only}: no such program; there are {', '.join(PROGRAMS)}")
    xla, ours = uncached("cpu", _SIDE), uncached("iree_cpu", _SIDE)
    with xla, ours:
        for name in names:
            answers = in_turns((xla, ours), options.turns, "compile", json.dumps(name))
            least = dict(zip(("xla", "ours"), map(least_seconds, answers), strict=True))
            row = {"what": name} | least | ours.ask("trace", json.dumps(name))
            print(json.dumps(row, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
