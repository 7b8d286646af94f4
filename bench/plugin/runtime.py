# SPDX-License-Identifier: Apache-2.0
"""How fast programs run on the plugin, against XLA:CPU of the same jaxlib.

Both platforms live in this one process, pinned alike (``taskset -c 0,1 python runtime.py``), and
take turns. Prints one JSON line per row: what, target, unit, xla, ours, ratio.
"""

import argparse
import json
import os

os.environ["JAX_PLATFORMS"] = "iree_cpu,cpu"

import jax

from cases import CASES
from pairs import measure


def main() -> None:
    """Measures the cases whose name holds ``--only``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--rounds", type=int, default=300, help="turns of each platform")
    parser.add_argument("--seconds", type=float, default=0.003, help="length of a turn")
    options = parser.parse_args()
    xla, ours = jax.devices("cpu")[0], jax.devices("iree_cpu")[0]
    for case in CASES:
        if options.only not in case.name:
            continue
        pair = measure(case.build(xla), case.build(ours), options.rounds, options.seconds)
        row = {
            "what": case.name,
            "target": case.target,
            "unit": "µs",
            "xla": round(pair.xla, 2),
            "ours": round(pair.ours, 2),
            "ratio": round(pair.ratio, 3),
            "median_ratio": round(pair.median_ratio, 3),
        }
        print(json.dumps(row, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
