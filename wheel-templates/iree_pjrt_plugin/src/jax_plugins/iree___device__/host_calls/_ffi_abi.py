# SPDX-License-Identifier: Apache-2.0
"""XLA's FFI as ctypes sees it: the structs of its C header that this package reads or fills in.

Only what FFI 0.1 to 0.5 have in common is declared. Pointers that are passed on are ``c_void_p``.
"""

from __future__ import annotations

import ctypes

MAJOR, MINOR = 0, 1  # what handlers of this package speak
METADATA_EXTENSION = 1
SCALAR, STRING = 3, 4  # kinds of attributes
INVALID_ARGUMENT, INTERNAL = 3, 13  # codes of errors


class ByteSpan(ctypes.Structure):
    _fields_ = [("ptr", ctypes.c_void_p), ("len", ctypes.c_size_t)]

    @classmethod
    def of(cls, data: bytes) -> ByteSpan:
        """Points into ``data``, which must stay alive."""
        return cls(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))

    def read(self) -> bytes:
        return ctypes.string_at(self.ptr, self.len) if self.ptr and self.len else b""


class ApiVersion(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
    ]


class Metadata(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("api_version", ApiVersion)]


class Extension(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("type", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("metadata", ctypes.POINTER(Metadata)),
    ]


class Buffer(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("dtype", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int64),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
    ]


class Scalar(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("value", ctypes.c_void_p)]


class Buffers(ctypes.Structure):
    """``XLA_FFI_Args`` and ``XLA_FFI_Rets``."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("types", ctypes.POINTER(ctypes.c_int)),
        ("values", ctypes.POINTER(ctypes.POINTER(Buffer))),
    ]


class Attributes(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("types", ctypes.POINTER(ctypes.c_int)),
        ("names", ctypes.POINTER(ctypes.POINTER(ByteSpan))),
        ("values", ctypes.POINTER(ctypes.c_void_p)),
    ]


class ErrorCreate(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("message", ctypes.c_char_p),
        ("code", ctypes.c_int),
    ]


class ErrorGetMessage(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("error", ctypes.c_void_p),
        ("message", ctypes.c_char_p),
    ]


class ErrorDestroy(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("error", ctypes.c_void_p),
    ]


class Stages(ctypes.Structure):
    """``XLA_FFI_Handler_Bundle``; any stage but ``execute`` may be null."""

    _fields_ = [
        ("instantiate", ctypes.c_void_p),
        ("prepare", ctypes.c_void_p),
        ("initialize", ctypes.c_void_p),
        ("execute", ctypes.c_void_p),
    ]


class HandlerRegister(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("name", ByteSpan),
        ("platform", ByteSpan),
        ("stages", Stages),
        ("traits", ctypes.c_uint32),
    ]


class TypeInfo(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class TypeRegister(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("name", ByteSpan),
        ("type_id", ctypes.c_void_p),
        ("type_info", ctypes.c_void_p),
    ]


_Function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)


class Api(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("api_version", ApiVersion),
        ("internal_api", ctypes.c_void_p),
        ("error_create", _Function),
        ("error_get_message", _Function),
        ("error_destroy", _Function),
        ("handler_register", _Function),
        ("stream_get", _Function),
        ("type_register", _Function),
    ]


class CallFrame(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.POINTER(Extension)),
        ("api", ctypes.POINTER(Api)),
        ("ctx", ctypes.c_void_p),
        ("stage", ctypes.c_int),
        ("args", Buffers),
        ("rets", Buffers),
        ("attrs", Attributes),
    ]


# XLA_FFI_Error* handler(XLA_FFI_CallFrame*). ctypes takes the GIL on entry.
Handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(CallFrame))


def new_error(api: Api, code: int, message: str) -> int | None:
    """Makes an error for a handler to return."""
    text = message.encode("utf-8", "backslashreplace").replace(b"\0", b"\\0")
    args = ErrorCreate(ctypes.sizeof(ErrorCreate), None, text, code)
    error: int | None = api.error_create(ctypes.addressof(args))
    return error


def answer_metadata(frame: CallFrame) -> bool:
    """Tells the handler's version if that is what the call is for."""
    extension = frame.extension_start
    if not extension or extension.contents.type != METADATA_EXTENSION:
        return False
    version = extension.contents.metadata.contents.api_version
    version.major, version.minor = MAJOR, MINOR
    return True
