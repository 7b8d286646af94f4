# SPDX-License-Identifier: Apache-2.0
"""What scripts that compare trainings on two platforms share: the rows they print, equal losses."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

# Losses are sums in another order: after some steps they are apart by this part at most.
_TOLERANCE = 1e-3


def print_row(what: str, target: float | None, unit: str, xla: float, ours: float) -> None:
    """Prints a row of a table as ../rows.ts reads it."""
    row = {"what": what, "target": target, "unit": unit, "xla": xla, "ours": ours}
    print(json.dumps(row | {"ratio": ours / xla}, ensure_ascii=False), flush=True)


def least_seconds(answers: Sequence[Mapping[str, Any]]) -> float:
    """The seconds of the fastest turn."""
    return min(answer["seconds"] for answer in answers)


def check_losses(
    what: str, xla: Sequence[float], ours: Sequence[float], least: float = 0.0
) -> None:
    """Ends this process where the losses of a step differ; smaller ones count as ``least``."""
    for step, (theirs, mine) in enumerate(zip(xla, ours, strict=True)):
        if not abs(mine - theirs) <= _TOLERANCE * max(abs(theirs), least):
            raise SystemExit(f"{what}: the losses of step {step} are {theirs} and {mine}")
