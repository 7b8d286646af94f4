# SPDX-License-Identifier: Apache-2.0
"""The C callback through which the native plugin runs the framework's own passes.

The native side calls it from ``PJRT_Client_Compile``, on whatever thread that runs, when an
artifact holds the ``sdy`` dialect. Shardy lives in jaxlib, which is Python's to call; the
compiler's library cannot even read the dialect. The contract, in C::

    typedef void (*iree_pjrt_reply_fn)(void* reply_ctx, int32_t ok, const char* data, size_t size);
    typedef void (*iree_pjrt_framework_passes_fn)(const char* artifact, size_t size,
                                           int64_t num_replicas, int64_t num_partitions,
                                           iree_pjrt_reply_fn reply, void* reply_ctx);

``reply`` is called exactly once, before the callback returns: with ``ok`` = 1 and a plain
portable artifact, or with ``ok`` = 0 and a message in UTF-8. For several devices it may be called
once more before, with ``ok`` = 2 and an artifact for the framework to look at. ``data`` is valid
during that call only. ctypes takes the GIL on entry.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from pathlib import Path

import jaxlib.version

from .. import _build_info

_ReplyFn = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_char_p, ctypes.c_size_t)
# The artifact is a c_void_p: as c_char_p, ctypes would cut it at its first NUL byte.
_FrameworkPassesFn = ctypes.CFUNCTYPE(
    None,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int64,
    ctypes.c_int64,
    _ReplyFn,
    ctypes.c_void_p,
)


_SHOWN = 2


def _answer(
    artifact: bytes, num_replicas: int, num_partitions: int, show: Callable[[bytes], None]
) -> tuple[int, bytes]:
    """Does the work; returns the reply's ``ok`` and ``data``. Never raises."""
    try:
        # Imported at the first compile, not at start-up: it pulls in jaxlib's MLIR.
        from . import _artifact

        return 1, _artifact.lower(
            artifact,
            num_replicas=num_replicas,
            num_partitions=num_partitions,
            stablehlo_version=_build_info.STABLEHLO_VERSION,
            shared_memory=_build_info.DEVICE == "cpu",
            show=show,
        )
    except BaseException as error:  # nothing may unwind through the C++ frames above
        reason = str(error) or repr(error)
        return 0, f"{type(error).__name__}: {reason}".encode("utf-8", "backslashreplace")


def _framework_passes(
    artifact: int | None,
    size: int,
    num_replicas: int,
    num_partitions: int,
    reply: ctypes._FuncPointer,
    reply_ctx: int | None,
) -> None:
    data = ctypes.string_at(artifact, size) if artifact and size else b""
    ok, answer = _answer(
        data,
        num_replicas,
        num_partitions,
        lambda shown: reply(reply_ctx, _SHOWN, shown, len(shown)),
    )
    reply(reply_ctx, ok, answer, len(answer))


@functools.cache
def _callback() -> ctypes._FuncPointer:
    # The cache keeps the thunk alive for the life of the process: native code holds its address
    # and may still compile while the interpreter shuts down.
    return _FrameworkPassesFn(_framework_passes)


def callback_address() -> int:
    """Returns the callback's address, an integer that fits an ``int64`` client option.

    The same address every time; it stays valid until the process ends.
    """
    address = ctypes.cast(_callback(), ctypes.c_void_p).value
    assert address is not None
    return address


def identity() -> str:
    """Returns a text that changes when what the callback makes of a program may.

    The plugin keeps compiled programs under the bytes that the framework sends, so that a program
    it knows needs no Python: this is a part of the key. It names jaxlib, whose passes are run, and
    the sources of this package, which may be edited in place.
    """
    parts = [_build_info.VERSION, jaxlib.version.__version__]
    package = Path(__file__).parents[1]
    for path in sorted(package.rglob("*.py")):
        about = path.stat()
        parts.append(f"{path.relative_to(package)}:{about.st_size}.{about.st_mtime_ns}")
    return " ".join(parts)
