# SPDX-License-Identifier: Apache-2.0
"""How fast programs are compiled on the plugin, against XLA:CPU of the same jaxlib.

Both platforms live in this one process, pinned alike (``taskset -c 0,1 python compile.py``), and
take turns. Prints one JSON line per row, as runtime.py does. The plugin's own cache is in a folder
of this run; JAX's is off.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

os.environ["JAX_PLATFORMS"] = "iree_cpu,cpu"
os.environ["JAX_ENABLE_COMPILATION_CACHE"] = "0"
_FOLDER = tempfile.TemporaryDirectory(prefix="iree-pjrt-bench-")
os.environ["IREE_PJRT_CACHE_DIR"] = _FOLDER.name

import jax
import jax.numpy as jnp
import numpy as np

# Makes each program differ from all others of the run.
_numbers = count(1)


def _trivial(number: int) -> Callable[[jax.Array], jax.Array]:
    return lambda x: x + number


def _small(number: int) -> Callable[[jax.Array], jax.Array]:
    kinds: tuple[Callable[[jax.Array], jax.Array], ...] = (
        lambda x: jnp.tanh(x) * number,
        lambda x: (x * number).sum(axis=0),
        lambda x: jnp.where(x > number, x, -x).T,
        lambda x: x @ x.T + number,
    )
    return kinds[number % len(kinds)]


def _lower(function: Callable[[jax.Array], jax.Array], x: jax.Array) -> Any:
    return jax.jit(function).lower(x)


def _milliseconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def compile_new(x: jax.Array) -> float:
    """Milliseconds for a trivial program that is in no cache."""
    return _milliseconds(_lower(_trivial(next(_numbers)), x).compile)


def compile_step(x: jax.Array) -> float:
    """Milliseconds for the gradient of four layers of x's width, in no cache."""
    number = next(_numbers)

    def loss(layers: list[jax.Array]) -> jax.Array:
        y = x
        for layer in layers:
            y = jax.nn.relu(y @ layer)
        return (y * number).sum()

    return _milliseconds(jax.jit(jax.grad(loss)).lower([x] * 4).compile)


def compile_known(x: jax.Array) -> float:
    """Milliseconds for a trivial program that the plugin's cache on disk holds."""
    # Both come from one line: the plugin would have to parse a program that moved in its file.
    first, again = [_lower(_trivial(number), x) for number in [next(_numbers)] * 2]
    first.compile()
    return _milliseconds(again.compile)


def first_call(x: jax.Array) -> float:
    """Milliseconds from a new function to its first result."""
    function = jax.jit(_trivial(next(_numbers)))
    return _milliseconds(lambda: jax.block_until_ready(function(x)))


def _programs_a_second(x: jax.Array, programs: int, threads: int) -> float:
    functions = [_small(next(_numbers)) for _ in range(programs)]
    with ThreadPoolExecutor(threads) as pool:
        took = _milliseconds(
            lambda: list(pool.map(lambda function: _lower(function, x).compile(), functions))
        )
    return programs / took * 1e3


def _print(row: dict[str, Any]) -> None:
    print(json.dumps(row, ensure_ascii=False), flush=True)


def _compare(
    what: str,
    target: float | None,
    xla: Callable[[], float],
    ours: Callable[[], float],
    rounds: int,
) -> None:
    turns = [(xla(), ours()) for _ in range(rounds)]
    least = [min(side) for side in zip(*turns, strict=True)]
    row = {"what": what, "target": target, "unit": "ms", "xla": least[0], "ours": least[1]}
    _print(row | {"ratio": least[1] / least[0]})


def _speed_up(x: jax.Array, programs: int, rounds: int) -> float:
    """How much the rate gains by a second thread: the best of either, in turns."""
    turns = [
        [_programs_a_second(x, programs // rounds, threads) for threads in (1, 2)]
        for _ in range(rounds)
    ]
    one, two = (max(side) for side in zip(*turns, strict=True))
    return two / one


def main() -> None:
    """Measures the rows whose name holds ``--only``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="rows whose name holds this")
    parser.add_argument("--rounds", type=int, default=30, help="turns of each platform")
    options = parser.parse_args()
    values = np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 8)
    xla = jax.device_put(values, jax.devices("cpu")[0])
    ours = jax.device_put(values, jax.devices("iree_cpu")[0])
    compile_new(xla), compile_new(ours)
    for what, target, of_xla, of_ours in (
        ("compile of a trivial jit", 9.0, compile_new, compile_new),
        ("compile of the gradient of four layers", None, compile_step, compile_step),
        ("first call of a trivial jit, with tracing", None, first_call, first_call),
        ("a hit in the disk cache, against a compile", 0.5, compile_new, compile_known),
    ):
        if options.only in what:
            _compare(what, target, lambda: of_xla(xla), lambda: of_ours(ours), options.rounds)
    what = "200 different small jits, gain by a second thread"
    if options.only in what:
        row = {"what": what, "target": 1.8, "higher_is_better": True, "unit": "×"}
        gains = [_speed_up(x, 200, 8) for x in (xla, ours)]
        _print(row | {"xla": gains[0], "ours": gains[1], "ratio": gains[1]})


if __name__ == "__main__":
    main()
