# SPDX-License-Identifier: Apache-2.0
"""What a program is, to the one that times it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Program:
    """One row: what people train or run, a step at a time."""

    name: str
    # The state before the first step and what each step is given besides, as NumPy arrays.
    start: Callable[[], tuple[Any, Any]]
    # From (state, batch) to (the next state, a scalar: the loss); jitted, its state donated.
    step: Callable[[Any, Any], tuple[Any, Any]]
