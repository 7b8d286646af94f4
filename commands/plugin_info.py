# SPDX-License-Identifier: Apache-2.0
"""Prints, as JSON, what a PJRT plugin says of itself: a wheel of this project, or a library.

What is said of the API is read from the binary: it is loaded, in a process of its own, and asked
through the C API. Only the standard library is used; exports and needed libraries are added where
pyelftools is installed.
"""

import argparse
import ctypes
import email.parser
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

LOAD_TIMEOUT_S = 60
# PJRT_NamedValue_Type
STRING, INT64, INT64_LIST, FLOAT, BOOL = range(5)
# PJRT_Extension_Type, in the header's order.
EXTENSIONS = [
    "gpu custom call",
    "profiler",
    "custom partitioner",
    "stream",
    "layouts",
    "ffi",
    "memory descriptions",
    "triton",
    "raw buffer",
    "phase compile",
    "example",
    "unknown",
    "cross-host transfers",
    "executable metadata",
    "callback",
    "host allocator",
    "tpu topology",
    "tpu executable",
    "megascale",
]


class Refused(Exception):
    """The file is not what it should be; the text says why."""


class Base(ctypes.Structure):
    """PJRT_Extension_Base."""


Base._fields_ = [
    ("struct_size", ctypes.c_size_t),
    ("type", ctypes.c_int),
    ("next", ctypes.POINTER(Base)),
]


class Api(ctypes.Structure):
    """Head of PJRT_Api, as far as PJRT_Plugin_Attributes."""

    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.POINTER(Base)),
        ("version_struct_size", ctypes.c_size_t),
        ("version_extension_start", ctypes.c_void_p),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
        ("error_destroy", ctypes.c_void_p),
        ("error_message", ctypes.c_void_p),
        ("error_get_code", ctypes.c_void_p),
        ("plugin_initialize", ctypes.c_void_p),
        ("plugin_attributes", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)),
    )


class Value(ctypes.Union):
    """The value of a PJRT_NamedValue."""

    _fields_ = (
        ("string", ctypes.c_void_p),
        ("int64", ctypes.c_int64),
        ("int64_list", ctypes.POINTER(ctypes.c_int64)),
        ("float", ctypes.c_float),
        ("bool", ctypes.c_bool),
    )


class NamedValue(ctypes.Structure):
    """PJRT_NamedValue."""

    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("name", ctypes.c_void_p),
        ("name_size", ctypes.c_size_t),
        ("type", ctypes.c_int),
        ("value", Value),
        ("value_size", ctypes.c_size_t),
    )


class AttributesArgs(ctypes.Structure):
    """PJRT_Plugin_Attributes_Args."""

    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(NamedValue)),
        ("num_attributes", ctypes.c_size_t),
    )


def value_of(named: NamedValue) -> Any:
    """Returns the value as Python has it."""
    value, size = named.value, named.value_size
    match named.type:
        case 0:
            return ctypes.string_at(value.string, size).decode()
        case 1:
            return value.int64
        case 2:
            return value.int64_list[:size]
        case 3:
            return value.float
        case 4:
            return value.bool
    return None


def attributes_of(api: Api) -> dict[str, Any]:
    """Asks PJRT_Plugin_Attributes."""
    args = AttributesArgs(struct_size=ctypes.sizeof(AttributesArgs))
    if api.plugin_attributes(ctypes.byref(args)):
        raise Refused("PJRT_Plugin_Attributes failed")
    listed = args.attributes[: args.num_attributes]
    return {ctypes.string_at(a.name, a.name_size).decode(): value_of(a) for a in listed}


def extensions_of(api: Api) -> list[str]:
    """Names of the extensions in the chain."""
    names: list[str] = []
    extension = api.extension_start
    while extension:
        kind = extension.contents.type
        names.append(EXTENSIONS[kind] if kind < len(EXTENSIONS) else f"type {kind}")
        extension = extension.contents.next
    return names


def load(path: str) -> dict[str, Any]:
    """Loads the library into this process and asks it."""
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise Refused(f"it cannot be loaded: {error}") from error
    try:
        get_api = library.GetPjrtApi
    except AttributeError:
        raise Refused("it is a library, but no PJRT plugin: GetPjrtApi is missing") from None
    get_api.restype = ctypes.POINTER(Api)
    api = get_api().contents
    attributes = attributes_of(api)
    # A line for each function: NAME: REASON
    listed = attributes.pop("unimplemented", None)
    lines = listed.splitlines() if listed is not None else []
    # A line for each pass: PHASE, NAME, WHY, RELEASES and TARGETS with tabs between them; older
    # plugins do not say the last two.
    passes = attributes.pop("passes", None)
    return {
        "pjrt_api": f"{api.major}.{api.minor}",
        "extensions": extensions_of(api),
        "attributes": attributes,
        "unimplemented": None
        if listed is None
        else [
            dict(zip(("function", "reason"), line.split(": ", 1), strict=True)) for line in lines
        ],
        "passes": None
        if passes is None
        else [
            dict(zip(("phase", "name", "why", "releases", "targets"), line.split("\t"), strict=False))
            for line in passes.splitlines()
        ],
    }


def loaded(path: Path) -> dict[str, Any]:
    """As ``load``, in a process of its own: what crashes there is an error here."""
    command = [sys.executable, __file__, "--load", str(path)]
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=LOAD_TIMEOUT_S, check=False
    )
    if ran.returncode != 0:
        last = ran.stderr.strip().splitlines()[-1:] or [f"exit code {ran.returncode}"]
        raise Refused(last[0].removeprefix("Refused: "))
    return dict(json.loads(ran.stdout))


def linkage(path: Path) -> dict[str, Any]:
    """Exports and needed libraries; empty without pyelftools."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "stages" / "build-native"))
    try:
        import inspect_elf
        from elftools.elf.elffile import ELFFile
    except ImportError:
        return {}
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        return {
            "exports": inspect_elf.exported(elf),
            "needed": inspect_elf.needed(elf),
            "glibc": inspect_elf.glibc(elf),
        }


def library_info(path: Path) -> dict[str, Any]:
    """All facts of a library."""
    return {"library_size": path.stat().st_size, **linkage(path), **loaded(path)}


def wheel_info(path: Path) -> dict[str, Any]:
    """All facts of a wheel: its metadata, and its one plugin library."""
    with zipfile.ZipFile(path) as wheel, tempfile.TemporaryDirectory() as folder:
        names = wheel.namelist()
        metadata = [name for name in names if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)]
        libraries = [name for name in names if name.endswith(".so")]
        if len(metadata) != 1:
            raise Refused("it is a zip archive, but no wheel: .dist-info/METADATA is missing")
        if len(libraries) != 1:
            raise Refused(f"it holds {len(libraries)} libraries; a plugin's wheel holds one")
        fields = email.parser.Parser().parsestr(wheel.read(metadata[0]).decode())
        tags = wheel.read(metadata[0].replace("METADATA", "WHEEL")).decode()
        library = Path(wheel.extract(libraries[0], folder))
        return {
            "name": fields["Name"],
            "version": fields["Version"],
            "tags": re.findall(r"^Tag: (.+)$", tags, re.MULTILINE),
            "requires": fields.get_all("Requires-Dist", []),
            "size": path.stat().st_size,
            "library": libraries[0],
            **library_info(library),
        }


def info(path: Path) -> dict[str, Any]:
    """All facts of a file."""
    try:
        with path.open("rb") as stream:
            magic = stream.read(4)
        if magic == b"\x7fELF":
            return library_info(path.resolve())
        if zipfile.is_zipfile(path):
            return wheel_info(path)
    except OSError as error:
        raise Refused(error.strerror or str(error)) from error
    raise Refused("it is neither a wheel nor an ELF library")


def main() -> None:
    """Reads the files that the command line names."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--load", metavar="LIBRARY")
    parser.add_argument("files", nargs="*", type=Path)
    args = parser.parse_args()
    if args.load:
        try:
            json.dump(load(args.load), sys.stdout)
        except Refused as error:
            sys.exit(f"Refused: {error}")
        return
    results = []
    for path in args.files:
        try:
            results.append({"file": str(path), **info(path)})
        except (Refused, subprocess.TimeoutExpired) as error:
            results.append({"file": str(path), "error": str(error)})
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
