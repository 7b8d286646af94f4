# SPDX-License-Identifier: Apache-2.0
"""Interleaved timing of the same work on two platforms of one process."""

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax


@dataclass(frozen=True)
class Case:
    """One row: what is measured, its target as ours over XLA:CPU, and how to build it."""

    name: str
    target: float | None
    # Given a device, the function to time, compiled and warm. What it returns is waited for once, at
    # the end of a turn, so that a queue of launches cannot hide their cost.
    build: Callable[[Any], Callable[[], Any]]


@dataclass(frozen=True)
class Pair:
    """Microseconds a call of both platforms, and the median of the ratios of neighbouring rounds."""

    xla: float
    ours: float
    median_ratio: float

    @property
    def ratio(self) -> float:
        """The ratio of the minima, which other work on the machine disturbs the least."""
        return self.ours / self.xla


def seconds_of(call: Callable[[], Any], count: int) -> float:
    """How long ``count`` calls take until all their results are there."""
    start = time.perf_counter()
    for _ in range(count):
        result = call()
    jax.block_until_ready(result)
    return time.perf_counter() - start


def calls_for(call: Callable[[], Any], seconds: float) -> int:
    """How many calls take about ``seconds``; at least one."""
    count = 1
    while (took := seconds_of(call, count)) < seconds and count < 1 << 20:
        count = max(count * 2, int(count * seconds / max(took, 1e-9)))
    return count


def measure(xla: Callable[[], Any], ours: Callable[[], Any], rounds: int, seconds: float) -> Pair:
    """Times both, turn and turn about; each turn takes about ``seconds``."""
    counts = [calls_for(call, seconds) for call in (xla, ours)]
    turns: list[tuple[float, float]] = []
    gc.disable()
    try:
        for index in range(rounds):
            took = {}
            for which in (0, 1) if index % 2 == 0 else (1, 0):
                took[which] = seconds_of((xla, ours)[which], counts[which]) / counts[which]
            turns.append((took[0], took[1]))
    finally:
        gc.enable()
    return Pair(
        xla=min(turn[0] for turn in turns) * 1e6,
        ours=min(turn[1] for turn in turns) * 1e6,
        median_ratio=statistics.median(turn[1] / turn[0] for turn in turns),
    )
