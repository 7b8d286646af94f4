# SPDX-License-Identifier: Apache-2.0
"""``jax.debug.print``, ``pure_callback`` and ``io_callback``: programs that call Python.

JAX writes such a call for a list of platforms inside one function. For programs of ours, another
one takes its place: a custom call that carries the name of a Python function of this process. One
handler of the FFI answers them all, on the thread that runs the program.

The function lives as long as JAX keeps the executable, which is told of it as of a host callback;
JAX's persistent cache leaves out programs that have some. The names are of one process, so that a
program that comes from another one finds nothing instead of a wrong function.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import secrets
import traceback
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax._src import callback as jax_callback
from jax._src import core, debugging, dtypes
from jax._src.interpreters import mlir

from .. import _build_info
from ..lowerings import _rules
from . import _ffi_abi as abi
from . import _own_cpu
from ._ffi import Registrar

# The native plugin knows this name, and keeps programs that hold it out of its own cache.
TARGET = "iree_pjrt_python_callback"
_NAME = "callback"
# Primitives that JAX lowers, for platforms of a list, through the function that is replaced here.
_PRIMITIVES = ("debug_callback", "debug_print")

_process = secrets.token_hex(8)
_numbers = itertools.count()
_functions: weakref.WeakValueDictionary[str, HostFunction] = weakref.WeakValueDictionary()


class HostFunction:
    """A Python function of arrays, with the types that a program calls it with."""

    def __init__(
        self,
        function: Callable[..., Sequence[Any]],
        operands: Sequence[Any],
        results: Sequence[Any],
    ) -> None:
        self.name = f"{_process}.{next(_numbers)}"
        self._function = function
        self._operands = [core.physical_aval(aval) for aval in operands]
        self._results = [core.physical_aval(aval) for aval in results]
        _functions[self.name] = self

    def __call__(self, *arguments: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
        """Calls the function.

        Raises:
          RuntimeError: it returned something else than the program was compiled for.
        """
        values = [np.asarray(value) for value in self._function(*arguments)]
        if len(values) != len(self._results):
            raise RuntimeError(
                "Mismatched number of outputs from callback. "
                f"Expected: {len(self._results)}, Actual: {len(values)}"
            )
        # 64 bits become 32 unless they are enabled, as everywhere in JAX.
        values = [np.asarray(v, dtypes.canonicalize_dtype(v.dtype)) for v in values]
        for i, (value, wanted) in enumerate(zip(values, self._results, strict=True)):
            for what in ("shape", "dtype"):
                if getattr(value, what) != getattr(wanted, what):
                    raise RuntimeError(
                        f"Incorrect output {what} for return value #{i}: Expected: "
                        f"{getattr(wanted, what)}, Actual: {getattr(value, what)}"
                    )
        return values

    def answer(self, frame: abi.CallFrame) -> None:
        """Calls the function with a call frame's operands, and fills in its results."""
        arguments = [
            _array(frame.args.values[i].contents, aval.shape, aval.dtype).copy()
            for i, aval in enumerate(self._operands)
        ]
        for i, value in enumerate(self(*arguments)):
            _array(frame.rets.values[i].contents, value.shape, value.dtype)[...] = value


def _array(buffer: abi.Buffer, shape: Sequence[int], dtype: Any) -> np.ndarray[Any, Any]:
    """A view of a tensor, to be used during the call only."""
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    if size == 0:
        return np.empty(shape, dtype)
    memory = (ctypes.c_char * size).from_address(buffer.data)
    return np.frombuffer(memory, np.dtype(dtype)).reshape(shape)


def _find(frame: abi.CallFrame) -> HostFunction:
    name = ctypes.cast(frame.attrs.values[0], ctypes.POINTER(abi.ByteSpan)).contents.read()
    found = _functions.get(name.decode())
    if found is None:
        raise RuntimeError(
            "the Python function of this callback is gone: a program with callbacks runs in the "
            "process that compiled it, while JAX keeps it"
        )
    return found


@functools.cache
def _handler() -> ctypes._FuncPointer:
    """The handler of ``TARGET``. Kept for the life of the process."""

    def handle(frame: ctypes._Pointer[abi.CallFrame]) -> int | None:
        if abi.answer_metadata(frame.contents):
            return None
        try:
            _find(frame.contents).answer(frame.contents)
        except BaseException as error:  # nothing may unwind into the C++ frames above
            message = "".join(traceback.format_exception(error))
            return abi.new_error(frame.contents.api.contents, abi.INTERNAL, message)
        return None

    handler = abi.Handler(handle)
    # Programs may still run while a process that ends takes its modules apart.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(handler))
    return handler


def register_handlers(registrar: Registrar) -> None:
    """Registers the one handler."""
    address = ctypes.cast(_handler(), ctypes.c_void_p).value
    assert address is not None
    registrar.handler(TARGET, {"execute": address})


def register_lowerings() -> None:
    """Has JAX lower callbacks for our platform; for others nothing changes."""
    original = jax_callback.emit_python_callback

    @functools.wraps(original)
    def emit_python_callback(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        if tuple(ctx.module_context.platforms) == (_build_info.PLATFORM,):
            return _emit(ctx, *args, **kwargs)
        return original(ctx, *args, **kwargs)

    jax_callback.emit_python_callback = emit_python_callback
    _own_cpu.use_in_callbacks()
    _rules.copy_rules(debugging, _PRIMITIVES)


def _emit(
    ctx: mlir.LoweringRuleContext,
    callback: Callable[..., Sequence[Any]],
    token: Any | None,
    operands: Sequence[Any],
    operand_avals: Sequence[Any],
    result_avals: Sequence[Any],
    *,
    has_side_effect: bool,
    **_placement: Any,  # one device has one place
) -> tuple[Sequence[Any], Any, Any]:
    """What ``emit_python_callback`` does, for our platform.

    Calls stay in the program's order whether they have a token or not, so it is passed on as is.
    """
    function = HostFunction(callback, operand_avals, result_avals)
    ctx.module_context.add_host_callback(function)
    rule = jax.ffi.ffi_lowering(TARGET, has_side_effect=has_side_effect)
    results = rule(ctx, *operands, **{_NAME: function.name})
    return results, token, function
