# SPDX-License-Identifier: Apache-2.0
"""Writes portable artifacts of single operations, one wherever a newer StableHLO encodes it anew.

usage: stablehlo_probe.py FOLDER
prints `{"current": "1.x.y", "files": [{"op", "minor", "file"}, ...]}`
"""

import json
import pathlib
import re
import sys

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import stablehlo

OLDEST_MINOR = 8
OPERATIONS = pathlib.Path(__file__).with_name("operations.mlir")
FUNCTIONS = """
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
{operation}
  return %0 : tensor<4xf32>
}
func.func private @same(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
"""


def make_context() -> ir.Context:
    """A context with the dialects that jax itself loads."""
    context = ir.Context()
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    stablehlo.register_dialect(context)
    return context


def operations() -> list[tuple[str, str]]:
    """Name and text of each section of the file."""
    parts = re.split(r"^// ----- (\w+)\n", OPERATIONS.read_text(), flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def encodings(module: ir.Module, newest: int) -> list[tuple[int, bytes]]:
    """The artifact at each minor version at which it differs from the one before."""
    found: list[tuple[int, bytes]] = []
    last = b""
    for minor in range(OLDEST_MINOR, newest + 1):
        artifact = stablehlo.serialize_portable_artifact(module, f"1.{minor}.0")
        content = re.sub(rb"StableHLO_v[0-9.]+", b"", artifact)
        if content != last:
            found.append((minor, artifact))
        last = content
    return found


def write(folder: pathlib.Path) -> dict[str, object]:
    """Writes the artifacts of all operations."""
    current = stablehlo.get_current_version()
    files = []
    with make_context():
        for name, operation in operations():
            module = ir.Module.parse(FUNCTIONS.replace("{operation}", operation))
            for minor, artifact in encodings(module, int(current.split(".")[1])):
                file = folder / f"{name}.1.{minor}.mlirbc"
                file.write_bytes(artifact)
                files.append({"op": name, "minor": minor, "file": str(file)})
    return {"current": current, "files": files}


print(json.dumps(write(pathlib.Path(sys.argv[1]))))
