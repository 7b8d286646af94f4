# SPDX-License-Identifier: Apache-2.0
"""How much slower one build of the plugin is than another, in one process, turn and turn about.

``python builds.py BEFORE.so AFTER.so`` in the environment of ``npx pipeline env cpu``. Prints one
JSON line per case: what, before, after (µs), ratio of the least times, median of the ratios.
"""

import argparse
import json
import os
import shutil
import tempfile
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "before,after"
os.environ.pop("PJRT_NAMES_AND_LIBRARY_PATHS", None)

import jax
from jax._src import xla_bridge

from cases import CASES
from pairs import measure


def main() -> None:
    """Measures the cases whose name holds one of ``--only``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--only", nargs="*", default=["scalar add", "chained", "MLP", "matmul 64"])
    parser.add_argument("--rounds", type=int, default=1000, help="turns of each build")
    parser.add_argument("--seconds", type=float, default=0.003, help="length of a turn")
    options = parser.parse_args()
    # The libraries are loaded without the Python package that reads Shardy's dialect.
    jax.config.update("jax_use_shardy_partitioner", False)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("before", "after"):
            # A process can set the compiler up only once, so each build has its own copy.
            compiler = shutil.copy(
                os.environ["IREE_PJRT_COMPILER_LIB_PATH"], Path(folder, f"{name}.so")
            )
            xla_bridge.register_plugin(
                name,
                library_path=getattr(options, name),
                options={"compiler_library_path": str(compiler), "cache_size": 0},
            )
        compare(options)


def compare(options: argparse.Namespace) -> None:
    """Prints the rows."""
    before, after = jax.devices("before")[0], jax.devices("after")[0]
    for case in CASES:
        if not any(text in case.name for text in options.only):
            continue
        pair = measure(case.build(before), case.build(after), options.rounds, options.seconds)
        row = {
            "what": case.name,
            "before": round(pair.xla, 3),
            "after": round(pair.ours, 3),
            "ratio": round(pair.ratio, 4),
            "median_ratio": round(pair.median_ratio, 4),
        }
        print(json.dumps(row, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
