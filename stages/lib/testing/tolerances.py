# SPDX-License-Identifier: Apache-2.0
"""How far a value may be from XLA:CPU's, and the comparison that says so."""

from dataclasses import asdict, dataclass
from typing import Any

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class Tolerance:
    """A value passes where ``|got - wanted| <= atol + rtol * |wanted|``."""

    rtol: float
    atol: float


EXACT = Tolerance(0.0, 0.0)
# By the type of the result: a few units in the last place, as the two compilers order and fuse
# operations differently.
BY_DTYPE = {
    "float64": Tolerance(1e-12, 1e-13),
    "float32": Tolerance(1e-5, 1e-6),
    "bfloat16": Tolerance(1.6e-2, 1e-2),
    "float16": Tolerance(2e-3, 1e-3),
}
# By the name of the program, where its own error is larger. Only for floating-point results.
BY_PROGRAM = {
    # Four matrix products and their gradients, summed over 32 rows.
    "mlp training step": Tolerance(1e-4, 1e-5),
    # 64 terms that grow with each step.
    "scan": Tolerance(5e-5, 1e-6),
    # erf_inv is a polynomial in log1p, which the two compilers approximate each in their way.
    "random.normal": Tolerance(2e-5, 2e-6),
}


@dataclass(frozen=True)
class Comparison:
    """What a comparison found, over all results of a program.

    Attributes:
      max_abs_error: largest absolute difference.
      max_rel_error: largest difference relative to the wanted value, where that is not zero.
      rtol: relative tolerance that applied to the worst result.
      atol: absolute tolerance that applied to the worst result.
    """

    max_abs_error: float
    max_rel_error: float
    rtol: float
    atol: float

    def as_dict(self) -> dict[str, float]:
        """Returns the fields for a results file."""
        return asdict(self)


def compare(program: str, got: list[Any], wanted: list[Any]) -> Comparison:
    """Compares two lists of arrays.

    Args:
      program: a name, for messages and for the table of tolerances.
      got: arrays from the platform under test.
      wanted: arrays from the reference.

    Returns:
      The largest errors.

    Raises:
      AssertionError: a value, a shape or a type is wrong; the text says which and by how much.
    """
    assert len(got) == len(wanted), f"{program}: {len(got)} results where {len(wanted)} are wanted"
    worst = Comparison(0.0, 0.0, 0.0, 0.0)
    for index, (got_value, wanted_value) in enumerate(zip(got, wanted, strict=True)):
        result = f"{program}, result {index}"
        actual, expected = np.asarray(got_value), np.asarray(wanted_value)
        assert actual.dtype == expected.dtype, f"{result}: {actual.dtype}, not {expected.dtype}"
        assert actual.shape == expected.shape, f"{result}: {actual.shape}, not {expected.shape}"
        found = _compare_one(result, _tolerance(program, expected.dtype), actual, expected)
        if found.max_abs_error >= worst.max_abs_error:
            worst = found
    return worst


def _tolerance(program: str, dtype: Any) -> Tolerance:
    by_dtype = BY_DTYPE.get(str(dtype), EXACT)
    return EXACT if by_dtype is EXACT else BY_PROGRAM.get(program, by_dtype)


def _compare_one(result: str, allowed: Tolerance, actual: Any, expected: Any) -> Comparison:
    wide: Any = np.complex128 if np.iscomplexobj(expected) else np.float64
    if expected.dtype.kind in "biu" and expected.dtype != ml_dtypes.bfloat16:
        wide = np.int64 if expected.dtype != np.uint64 else np.uint64
    got, wanted = actual.astype(wide), expected.astype(wide)
    # Not-a-number and infinities must be in the same places; where they are, the error is zero.
    same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        absolute = np.where(same, 0.0, np.abs(got - wanted).astype(np.float64))
        absolute = np.where(np.isnan(absolute), np.inf, absolute)
        size = np.abs(wanted).astype(np.float64)
        relative = np.where(absolute == 0, 0.0, absolute / np.where(size == 0, np.inf, size))
        # An infinite wanted value allows no finite one.
        allowance = allowed.atol + allowed.rtol * np.where(np.isfinite(size), size, 0.0)
    found = Comparison(
        float(absolute.max(initial=0.0)),
        float(relative.max(initial=0.0)),
        allowed.rtol,
        allowed.atol,
    )
    bad = absolute > allowance
    if bad.any():
        raise AssertionError(_describe(result, found, bad, absolute, actual, expected))
    return found


def _describe(
    result: str, found: Comparison, bad: Any, absolute: Any, actual: Any, expected: Any
) -> str:
    places = np.argwhere(bad)
    order = np.argsort(-absolute[bad])[:5]
    lines = [
        f"{result}: {len(places)} of {bad.size} values are wrong "
        f"(max abs error {found.max_abs_error:.3g}, max rel error {found.max_rel_error:.3g}, "
        f"allowed rtol {found.rtol:.3g}, atol {found.atol:.3g}); the worst:"
    ]
    for place in places[order]:
        at = tuple(int(i) for i in place)
        lines.append(f"  [{', '.join(map(str, at))}]  got {actual[at]!r}, wanted {expected[at]!r}")
    return "\n".join(lines)
