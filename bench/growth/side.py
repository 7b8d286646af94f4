# SPDX-License-Identifier: Apache-2.0
"""One platform, in a process that does as the lines it reads say; each cell in a fork of its own.

* ``begin CELL SECONDS``: forks; the fork makes the inputs and compiles; answers ``compile``,
  seconds of tracing, compiling and the first call. This and each later line may take that long.
* ``calls SECONDS``: how many calls take about as long
* ``turn CALLS``: ``took``, seconds a call; each call is waited for
* ``finish FILE``: ends the fork; its results lie in FILE (NumPy's .npz); answers ``rss``, the most
  memory in bytes that was resident between ``begin`` and here, inputs, JAX and compilers included

Where a cell fails, any of them answers ``failed`` (``does not compile``, ``error``, ``timeout`` or
``crash``) and ``message``, and the fork is over; until the next ``begin`` nothing is answered, so
that one line has one answer also if a fork ends while nobody asks.

A fork has imported JAX, and used nothing of it: what a cell does to its process, its memory
included, is the cell's own.

compare.py starts it, with the folder for what forks write to stderr.
"""

import ctypes
import json
import os
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import jax
import numpy as np
from cells import CELLS, Cell
from pairs import calls_for, seconds_of

_PR_SET_PDEATHSIG = 1
_MESSAGE = 300
# What JAX says of every platform that is not its own.
_USUAL = "is experimental and not all JAX functionality"
_Answer = dict[str, Any]


def _first_line(text: str) -> str:
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line and _USUAL not in line), "")[:_MESSAGE]


class _Running:
    """A cell in this process: compiled, and called as often as asked."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        jax.config.update("jax_enable_x64", cell.wide)
        self._arrays = cell.arrays()
        self._arguments = list(jax.device_put(self._arrays))
        jax.block_until_ready(self._arguments)
        # From here on the kernel counts the peak anew.
        Path("/proc/self/clear_refs").write_text("5")
        donated = (0,) if cell.operation.donate else ()
        self._function = jax.jit(cell.function(), donate_argnums=donated)
        self._result: Any = None

    def call(self) -> Any:
        self._result = jax.block_until_ready(self._function(*self._arguments))
        if self._cell.operation.donate:
            self._arguments[0] = self._result
        return self._result

    def begin(self) -> _Answer:
        return {"compile": seconds_of(self.call, 1)}

    def calls(self, seconds: str) -> _Answer:
        return {"calls": calls_for(self.call, float(seconds))}

    def turn(self, calls: str) -> _Answer:
        return {"took": seconds_of(self.call, int(calls)) / int(calls)}

    def finish(self, file: str) -> _Answer:
        status = Path("/proc/self/status").read_text()
        peak = int(status.split("VmHWM:")[1].split()[0]) * 1024
        if self._cell.operation.donate:
            # The state is that of another step on each platform.
            self._arguments = list(jax.device_put(self._arrays))
            self.call()
        leaves = [_saved(leaf) for leaf in jax.tree.leaves(self._result)]
        invariant = self._cell.operation.invariant
        np.savez(file, *(leaves if self._cell.gradient else invariant(*leaves)))
        return {"rss": peak}


def _saved(leaf: Any) -> np.ndarray:
    """As NumPy, which has no bfloat16 in its files."""
    array = np.asarray(leaf)
    return array.astype(np.float32) if array.dtype == jax.numpy.bfloat16 else array


def _answer(answer: _Answer) -> None:
    print(json.dumps(answer), flush=True)


def _live(cell: Cell, seconds: float, errors: Path) -> NoReturn:
    """What a fork does; the kernel ends it when a line takes too long, even in a hanging call."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # If memory runs out, this process goes and no other.
    Path("/proc/self/oom_score_adj").write_text("1000")
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    failure = "does not compile"
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        running = _Running(cell)
        _answer(running.begin())
        signal.setitimer(signal.ITIMER_REAL, 0)
        failure = "error"
        commands: dict[str, Callable[[str], _Answer]] = {
            "calls": running.calls,
            "turn": running.turn,
            "finish": running.finish,
        }
        for line in sys.stdin:
            name, argument = line.split()
            signal.setitimer(signal.ITIMER_REAL, seconds)
            _answer(commands[name](argument))
            signal.setitimer(signal.ITIMER_REAL, 0)
            if name == "finish":
                break
    except Exception as error:
        _answer({"failed": failure, "message": _first_line(str(error)) or type(error).__name__})
    # Without what the runtime does at exit: nothing of it is measured.
    os._exit(0)


def _begin(name: str, seconds: str, errors: Path) -> None:
    child = os.fork()
    if child == 0:
        _live(CELLS[name], float(seconds), errors)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code == 0:
        return
    if code == -signal.SIGALRM:
        _answer({"failed": "timeout", "message": f"no end after {float(seconds):g} s"})
        return
    ended = signal.Signals(-code).name if code < 0 else f"ended with {code}"
    said = _first_line(errors.read_text(errors="replace")) if errors.exists() else ""
    _answer({"failed": "crash", "message": f"{ended} {said}".strip()})


def main() -> None:
    """Answers each line with one of JSON."""
    # The one that started this ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.filterwarnings("ignore", message=r"os\\.fork")
    errors = Path(sys.argv[1], f"{os.getpid()}.stderr")
    # By readline: the fork and this process read the same pipe, a line at a time.
    while line := sys.stdin.readline():
        name, *arguments = line.split()
        if name == "begin":
            _begin(*arguments, errors)


if __name__ == "__main__":
    main()
