# SPDX-License-Identifier: Apache-2.0
"""One platform, in a process that compiles what the lines it reads name.

* ``compile NAME``: answers the seconds of a compilation
* ``trace NAME``: answers where the time of one goes, as spans.py has it

NAME is a string as JSON has it. compare.py starts it.
"""

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import jax
from sides import answer
from spans import times_of
from subjects import PROGRAMS


def _lowered(name: str) -> Any:
    jax.clear_caches()
    program = PROGRAMS[json.loads(name)]
    return jax.jit(program.step, donate_argnums=0).lower(*program.start())


def _compile(name: str) -> dict[str, Any]:
    lowered = _lowered(name)
    start = time.perf_counter()
    lowered.compile()
    return {"seconds": time.perf_counter() - start}


def _trace(name: str) -> dict[str, Any]:
    lowered = _lowered(name)
    with tempfile.TemporaryDirectory(prefix="iree-pjrt-bench-") as folder:
        with jax.profiler.trace(folder):
            lowered.compile()
        return dict(times_of(Path(folder)))


def main() -> None:
    """Answers each line with one of JSON."""
    answer({"compile": _compile, "trace": _trace}, words=1)


if __name__ == "__main__":
    main()
