# SPDX-License-Identifier: Apache-2.0
"""Linear algebra: jaxlib's LAPACK handlers and JAX's lowerings for CPUs, for our platform too."""

from __future__ import annotations

import ctypes
import functools

from jax._src.lax import linalg
from jax._src.lib import lapack

from ..lowerings import _rules
from . import _ffi_abi as abi
from ._ffi import Registrar, stages_of

# Primitives that JAX lowers to LAPACK on CPUs. A jaxlib may lack some.
_PRIMITIVES = (
    "cholesky",
    "eig",
    "eigh",
    "geqp3",
    "geqrf",
    "hessenberg",
    "householder_product",
    "lu",
    "ormqr",
    "schur",
    "svd",
    "triangular_solve",
    "tridiagonal",
    "tridiagonal_solve",
)
_TYPED = 1


def register_handlers(registrar: Registrar) -> None:
    """Registers jaxlib's handlers, which are the same that XLA:CPU calls."""
    instantiate = ctypes.cast(_find_lapack(), ctypes.c_void_p).value
    assert instantiate is not None
    for name, capsule, api_version in lapack.registrations()["cpu"]:
        if api_version == _TYPED:
            registrar.handler(name, {**stages_of(capsule), "instantiate": instantiate})


def register_lowerings() -> None:
    """Gives our platform the rules that JAX has for its own ``cpu``."""
    _rules.copy_rules(linalg, _PRIMITIVES)
    # A call of a handler, which the native plugin has; on CPUs it is a loop of JAX's.
    _rules.copy_rules(linalg, ["lu_pivots_to_permutation"], "cuda")


@functools.cache
def _find_lapack() -> ctypes._FuncPointer:
    """A handler for the stage ``instantiate``, which comes before the first call.

    It has SciPy's LAPACK looked up, which takes too long for ``initialize()``. JAX does so when it
    lowers a program; one that was read back from a file has not been lowered in this process.
    """

    def instantiate(frame: ctypes._Pointer[abi.CallFrame]) -> int | None:
        try:
            lapack._lapack.initialize()
        except Exception as error:  # nothing may unwind into the C++ frames above
            return abi.new_error(frame.contents.api.contents, abi.INTERNAL, repr(error))
        return None

    return abi.Handler(instantiate)
