# SPDX-License-Identifier: Apache-2.0
"""The operations of the growth table, a file per family."""

from operations import (
    convolution,
    cumulative,
    elementwise,
    fourier,
    image,
    indexing,
    linalg,
    loops,
    matrix,
    neural,
    random,
    reduction,
    scipy,
    shapes,
    sorting,
    training,
)
from operations.operation import Operation

_FAMILIES = (
    elementwise,
    reduction,
    cumulative,
    sorting,
    indexing,
    matrix,
    neural,
    convolution,
    image,
    fourier,
    linalg,
    random,
    scipy,
    shapes,
    training,
    loops,
)

OPERATIONS: tuple[Operation, ...] = sum((family.OPERATIONS for family in _FAMILIES), ())
