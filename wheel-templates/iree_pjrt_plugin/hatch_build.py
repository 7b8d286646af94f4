# SPDX-License-Identifier: Apache-2.0
"""Build hook: a wheel for one platform that works with every Python 3.

The native library has no Python ABI, so the tag is ``py3-none-<platform>``, which hatchling does
not choose by itself. The tag and the paths of the native files come from ``pyproject.toml``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformWheelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Tags the wheel and makes sure that it is not packed without its native files."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it packs; fills ``build_data``.

        Raises:
          FileNotFoundError: the pipeline has not put a native file in its place.
        """
        for name in self.config["native"]:
            file = Path(self.root, name)
            if not file.is_file():
                raise FileNotFoundError(f"the native file {file} has not been built")
            # The mode goes into the wheel, and must not depend on how the file was copied here.
            file.chmod(0o755)
        build_data["tag"] = self.config["tag"]
        build_data["pure_python"] = False
