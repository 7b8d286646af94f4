# SPDX-License-Identifier: Apache-2.0
"""Custom calls: how ``jax.ffi.register_ffi_target(..., platform=<ours>)`` reaches the plugin.

jaxlib hands what is registered for a platform to a function that the platform gives it; here it
goes on to ``XLA_FFI_GetApi()`` of the native library. Handlers run on the host, on the thread that
runs the program.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jax._src.lib import xla_client

from .. import _build_info
from . import _ffi_abi as abi

_TYPED = 1  # jaxlib's number for the typed FFI
_STAGES = frozenset(name for name, _ in abi.Stages._fields_)


class FfiError(RuntimeError):
    """The native plugin refused a handler or a type."""


class Registrar:
    """Registers handlers and types with one native library, which is never closed."""

    def __init__(self, library: Path) -> None:
        get_api = ctypes.CDLL(str(library)).XLA_FFI_GetApi
        get_api.restype = ctypes.POINTER(abi.Api)
        self._api: abi.Api = get_api().contents

    def handler(self, name: str | bytes, stages: Mapping[str, int]) -> None:
        """Registers addresses of ``XLA_FFI_Handler`` by stage.

        Raises:
          FfiError: the plugin refuses it: its version, or another one under this name.
        """
        encoded = _encode(name)
        platform = _build_info.PLATFORM.encode()
        args = abi.HandlerRegister(
            ctypes.sizeof(abi.HandlerRegister),
            None,
            abi.ByteSpan.of(encoded),
            abi.ByteSpan.of(platform),
            abi.Stages(**stages),
        )
        self._check(self._api.handler_register(ctypes.addressof(args)))

    def type(self, name: str | bytes, type_id: int, type_info: int | None) -> None:
        """Registers a type; ``type_id`` and ``type_info`` are addresses of the FFI's structs."""
        encoded = _encode(name)
        args = abi.TypeRegister(
            ctypes.sizeof(abi.TypeRegister), None, abi.ByteSpan.of(encoded), type_id, type_info
        )
        self._check(self._api.type_register(ctypes.addressof(args)))

    def _check(self, error: int | None) -> None:
        if error is None:
            return
        get = abi.ErrorGetMessage(ctypes.sizeof(abi.ErrorGetMessage), None, error, None)
        self._api.error_get_message(ctypes.addressof(get))
        message = (get.message or b"").decode("utf-8", "replace")
        destroy = abi.ErrorDestroy(ctypes.sizeof(abi.ErrorDestroy), None, error)
        self._api.error_destroy(ctypes.addressof(destroy))
        raise FfiError(message)


def connect(registrar: Registrar) -> None:
    """Takes over what is registered with JAX for this platform, now and later."""

    # jaxlib calls these by position.
    def on_target(name: str, fn: Any, _platform: str, api_version: int, _traits: Any = 0) -> None:
        if api_version != _TYPED:
            raise NotImplementedError(
                f"the custom call {name!r} is for XLA's untyped API (api_version={api_version}); "
                f"platform {_build_info.PLATFORM} takes handlers of the typed FFI, api_version=1"
            )
        registrar.handler(name, stages_of(fn))

    def on_type(name: str, registration: Any) -> None:
        if isinstance(registration, Mapping):
            info = registration.get("type_info")
            registrar.type(name, pointer(registration["type_id"]), info and pointer(info))
        else:  # a capsule with the id, as JAX gave it before type_info
            registrar.type(name, pointer(registration), None)

    xla_client.register_custom_call_handler(_build_info.PLATFORM, on_target)
    for hook in ("register_custom_type_handler", "register_custom_type_id_handler"):
        register: Callable[..., None] | None = getattr(xla_client, hook, None)
        if register is not None:
            register(_build_info.PLATFORM, on_type)
            break


def stages_of(fn: Any) -> dict[str, int]:
    """Returns the addresses in a capsule, which is for ``execute``, or in a dict of capsules."""
    if not isinstance(fn, Mapping):
        return {"execute": pointer(fn)}
    unknown = sorted(set(fn) - _STAGES - {"record"})
    if unknown:
        raise ValueError(f"unknown stages of an FFI handler: {', '.join(unknown)}")
    # The stage ``record`` is left out: it is for the command buffers of GPUs.
    return {stage: pointer(capsule) for stage, capsule in fn.items() if stage in _STAGES}


def pointer(capsule: Any) -> int:
    """Returns the address that a ``PyCapsule`` of whatever name holds."""
    get_name, get_pointer = _capsule_functions()
    address: int | None = get_pointer(capsule, get_name(capsule))
    assert address is not None  # the function raises instead
    return address


@functools.cache
def _capsule_functions() -> tuple[Callable[..., Any], Callable[..., Any]]:
    # Prototypes of our own: those of ctypes.pythonapi are the whole process's.
    name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)
    address = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    return (
        name(("PyCapsule_GetName", ctypes.pythonapi)),
        address(("PyCapsule_GetPointer", ctypes.pythonapi)),
    )


def _encode(name: str | bytes) -> bytes:
    return name if isinstance(name, bytes) else name.encode()
