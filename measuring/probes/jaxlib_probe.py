# SPDX-License-Identifier: Apache-2.0
"""Prints what this jaxlib says about itself, then lets it load a stub plugin.

Its log then holds the PJRT API versions of both.
"""

import json
import sys

from jaxlib import version
from jaxlib.mlir.dialects import stablehlo

try:
    from jaxlib import _jax as extension
except ImportError:  # before 0.6.1
    from jaxlib import xla_extension as extension

print(
    json.dumps(
        {
            "version": version.__version__,
            "jaxCommit": getattr(version, "_git_hash", None),
            "stablehlo": stablehlo.get_current_version(),
            "stablehloMinimum": stablehlo.get_minimum_version(),
        }
    ),
    flush=True,
)
extension.load_pjrt_plugin("stub", sys.argv[1], None)
extension.initialize_pjrt_plugin("stub")
