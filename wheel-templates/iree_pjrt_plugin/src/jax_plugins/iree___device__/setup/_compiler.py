# SPDX-License-Identifier: Apache-2.0
"""Finding the IREE compiler's shared library, which the native plugin loads."""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path

from .._errors import PluginSetupError
from . import _versions

ENVIRONMENT_VARIABLE = "IREE_PJRT_COMPILER_LIB_PATH"
_LIBRARY = "iree/compiler/_mlir_libs/libIREECompiler.so"


def library_path() -> Path:
    """Returns the path of ``libIREECompiler.so``, without loading or importing anything of it.

    ``IREE_PJRT_COMPILER_LIB_PATH`` comes first and is taken as it is, whatever its version; else
    it is the library of the installed iree-base-compiler.

    Raises:
      PluginSetupError: there is no such file, or its version is not supported.
    """
    if override := os.environ.get(ENVIRONMENT_VARIABLE):
        path = Path(override)
        if not path.is_file():
            raise PluginSetupError(f"{ENVIRONMENT_VARIABLE} names {path}, which is not a file")
        return path
    _versions.check_compiler()
    # The metadata knows where the files lie; importing iree.compiler would load them all.
    distribution = metadata.distribution(_versions.COMPILER_DISTRIBUTION)
    path = Path(str(distribution.locate_file(_LIBRARY)))
    if not path.is_file():
        raise PluginSetupError(
            f"{_versions.COMPILER_DISTRIBUTION} {distribution.version} is installed, but {path} "
            "is missing. Install it again with:  pip install --force-reinstall --no-deps "
            f"{_versions.COMPILER_DISTRIBUTION}=={distribution.version}, or name a library of "
            f"your own in {ENVIRONMENT_VARIABLE}"
        )
    return path
