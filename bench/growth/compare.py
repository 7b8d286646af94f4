# SPDX-License-Identifier: Apache-2.0
"""The plugin against XLA:CPU of the same jaxlib, cell by cell of the growth table.

Each platform lives in a process of its own (side.py), pinned alike, and they take turns. Reads
``{"envs": {"xla": ENV, "ours": ENV}, "cells": [ID], "seconds": 0.2, "limit": 30}`` from its input:
the environments in which ``python`` finds JAX, how long each side is timed, and the longest that
one step of a cell may take. Prints one JSON line per cell, as it is done.
"""

import json
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import Any

from agreement import difference, tolerance_of
from cells import CELLS, Cell
from sides import Side

_SIDE = str(Path(__file__).with_name("side.py"))
_TURNS = (3, 10)
# How much later than the fork itself the process that forks is given up.
_GRACE = 20.0
_Answer = dict[str, Any]


def _brief(value: float) -> float:
    return float(f"{value:.4g}")


class _Platform:
    """A side that is started again where it has ended."""

    def __init__(self, name: str, env: dict[str, str], folder: str, limit: float) -> None:
        self._name, self._env, self._folder, self._limit = name, env, folder, limit
        self._side: Side | None = None

    def ask(self, *words: str | int | float) -> _Answer:
        """Its answer, which has ``failed`` also where the whole process has ended or hangs."""
        if self._side is None:
            self._side = Side(self._name, ["python", _SIDE, self._folder], self._env)
        timer = threading.Timer(self._limit + _GRACE, self.end)
        timer.start()
        try:
            return self._side.ask(*words)
        except (SystemExit, OSError, ValueError) as error:
            self.end()
            return {"failed": "crash", "message": str(error)}
        finally:
            timer.cancel()

    def end(self) -> None:
        """Ends the process; the next question starts another."""
        side, self._side = self._side, None
        if side is not None:
            side.__exit__()


class _Half:
    """A cell on one platform: what is known of it, until it fails."""

    def __init__(self, platform: _Platform, file: Path) -> None:
        self._platform = platform
        self.file = file
        self.found: _Answer = {}
        self.took: list[float] = []

    def ask(self, *words: str | int | float) -> _Answer:
        """Keeps what is answered; nothing is asked after a failure."""
        if "failed" not in self.found:
            self.found |= self._platform.ask(*words)
        return self.found

    @property
    def failed(self) -> bool:
        """Whether anything did."""
        return "failed" in self.found

    def turn(self) -> None:
        """One more turn, of as many calls as the side has found."""
        if not self.failed and "failed" not in self.ask("turn", self.found["calls"]):
            self.took.append(self.found["took"])

    @property
    def spent(self) -> float:
        """Seconds that the last turn took; next to nothing if there was none."""
        return max(self.found.get("took", 0.0) * self.found.get("calls", 0), 1e-9)

    def figures(self) -> _Answer:
        """Seconds, bytes and counts; or what failed, and its message."""
        if self.failed:
            return {key: self.found[key] for key in ("failed", "message")}
        return {
            "seconds": _brief(min(self.took)),
            "median": _brief(median(self.took)),
            "calls": self.found["calls"] * len(self.took),
            "compile": _brief(self.found["compile"]),
            "rss": self.found["rss"],
        }


def _measure(cell: Cell, halves: tuple[_Half, _Half], seconds: float, limit: float) -> None:
    least, most = _TURNS
    for half in halves:
        half.ask("begin", cell.id, limit)
    for half in halves:
        half.ask("calls", seconds / most)
    turn, turns = 0, most
    while turn < turns:
        for half in halves if turn % 2 == 0 else reversed(halves):
            half.turn()
        # A turn of a slow cell is one call, and there is time for fewer of them.
        turns = max(least, min(most, int(seconds / max(half.spent for half in halves))))
        turn += 1
    for half in halves:
        half.ask("finish", str(half.file))


def _row(cell: Cell, halves: tuple[_Half, _Half]) -> _Answer:
    xla, ours = halves
    row: _Answer = {"id": cell.id, "xla": xla.figures(), "ours": ours.figures()}
    if not xla.failed and not ours.failed:
        tolerance = tolerance_of(cell.dtype, cell.operation.tolerance)
        apart, row["wrong"] = difference(xla.file, ours.file, tolerance)
        row["apart"] = float(f"{apart:.2g}") if apart < float("inf") else None
    return row


class _Table:
    """Goes through cells, and keeps the two processes between them."""

    def __init__(self, given: _Answer, folder: str) -> None:
        self._seconds, self._limit = given["seconds"], given["limit"]
        self._folder = folder
        self._platforms = [
            _Platform(name, given["envs"][name], folder, self._limit) for name in ("xla", "ours")
        ]
        # Curves of which a size took too long: by platform.
        self._endless: set[tuple[int, str]] = set()

    def measure(self, cell: Cell) -> _Answer:
        """One cell's row."""
        start = time.perf_counter()
        first, second = (
            _Half(platform, Path(self._folder, f"{index}.npz"))
            for index, platform in enumerate(self._platforms)
        )
        for index, half in enumerate((first, second)):
            if (index, cell.curve) in self._endless:
                half.found = {"failed": "timeout", "message": "not tried: a smaller size timed out"}
        _measure(cell, (first, second), self._seconds, self._limit)
        for index, half in enumerate((first, second)):
            if half.found.get("failed") == "timeout":
                self._endless.add((index, cell.curve))
        row = _row(cell, (first, second))
        return row | {"took": round(time.perf_counter() - start, 2)}

    def end(self) -> None:
        """Ends both processes."""
        for platform in self._platforms:
            platform.end()


def main() -> None:
    """Prints a row for each cell that is asked for."""
    # Either way to end it ends both sides.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    given = json.load(sys.stdin)
    with tempfile.TemporaryDirectory(prefix="iree-pjrt-growth-") as folder:
        table = _Table(given, folder)
        try:
            for name in given["cells"]:
                print(json.dumps(table.measure(CELLS[name]), ensure_ascii=False), flush=True)
        except KeyboardInterrupt:
            sys.exit(130)
        finally:
            table.end()


if __name__ == "__main__":
    main()
