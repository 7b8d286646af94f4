# SPDX-License-Identifier: Apache-2.0
"""Types of the one rendered module, ``_build_info.py.njk``: data, and nothing else."""

from typing import Final

VERSION: Final[str]
DISTRIBUTION: Final[str]
PLATFORM: Final[str]
DEVICE: Final[str]
FLAVOUR: Final[str]
TRACY_PROTOCOL: Final[int]
SANITIZER_RUNTIME: Final[str]
LIBRARY_FILE: Final[str]
PRIORITY: Final[int]
SUPPORTED_JAXLIB: Final[str]
SUPPORTED_IREE_COMPILER: Final[str]
IREE_RUNTIME: Final[str]
MEASURED: Final[tuple[tuple[str, str, str, tuple[str, ...], str], ...]]
STABLEHLO_VERSION: Final[str]
