# SPDX-License-Identifier: Apache-2.0
"""What is compiled: the smallest program that there is, and those of ../programs."""

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent.parent / "programs"))

from catalog import PROGRAMS as LARGE
from program import Program

_TRIVIAL = Program(
    "trivial jit", lambda: (np.ones(8, np.float32), 1.0), lambda x, y: (x + y, x.sum())
)
PROGRAMS = {program.name: program for program in (_TRIVIAL, *LARGE.values())}
