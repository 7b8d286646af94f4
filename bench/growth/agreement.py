# SPDX-License-Identifier: Apache-2.0
"""Whether two platforms had the same results."""

from pathlib import Path

import numpy as np

# The largest difference, as a part of the largest number of a result. Whole numbers are equal.
_TOLERANCES = {"f64": 1e-10, "c128": 1e-10, "f32": 2e-5, "c64": 2e-5, "f16": 4e-3, "bf16": 3e-2}


def tolerance_of(dtype: str, times: float) -> float:
    """The largest relative difference that a cell's results may have."""
    # Results in numbers of whole inputs are single precision.
    return _TOLERANCES.get(dtype, _TOLERANCES["f32"]) * times


def difference(xla: Path, ours: Path, tolerance: float) -> tuple[float, str]:
    """The largest difference in two .npz files, as a part of the result's scale, and what is wrong.

    The text is empty where they agree within ``tolerance``; whole numbers and booleans, and where
    results are not numbers or infinite, have to be equal.
    """
    with np.load(xla) as theirs, np.load(ours) as mine:
        if theirs.files != mine.files:
            return float("inf"), f"{len(mine.files)} results, not {len(theirs.files)}"
        found = [_of_one(theirs[name], mine[name], tolerance) for name in theirs.files]
    return max(found, default=(0.0, ""), key=lambda each: (each[1] != "", each[0]))


def _of_one(theirs: np.ndarray, mine: np.ndarray, tolerance: float) -> tuple[float, str]:
    if theirs.shape != mine.shape or theirs.dtype != mine.dtype:
        said = [f"{array.dtype}{list(array.shape)}" for array in (mine, theirs)]
        return float("inf"), f"the result is {said[0]}, not {said[1]}"
    if not np.issubdtype(theirs.dtype, np.inexact):
        apart = int(np.count_nonzero(theirs != mine))
        return float(apart > 0), f"{apart:,} of {theirs.size:,} numbers differ" if apart else ""
    return _of_inexact(theirs, mine, tolerance)


def _of_inexact(theirs: np.ndarray, mine: np.ndarray, tolerance: float) -> tuple[float, str]:
    finite = np.isfinite(theirs)
    if not np.array_equal(finite, np.isfinite(mine)):
        return float("inf"), "other numbers are infinite or none"
    if not np.array_equal(theirs[~finite], mine[~finite], equal_nan=True):
        return float("inf"), "other numbers are infinite or none"
    wide = np.complex128 if np.iscomplexobj(theirs) else np.float64
    wanted, got = theirs[finite].astype(wide), mine[finite].astype(wide)
    scale = float(np.abs(wanted).max(initial=0.0)) or 1.0
    apart = float(np.abs(wanted - got).max(initial=0.0)) / scale
    return apart, f"{apart:.1e} apart, {tolerance:.1e} allowed" if apart > tolerance else ""
