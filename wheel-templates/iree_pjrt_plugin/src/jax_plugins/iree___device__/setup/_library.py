# SPDX-License-Identifier: Apache-2.0
"""Finding the native plugin: in this wheel, or one that a developer has just built."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .. import _build_info
from .._errors import PluginSetupError

# JAX's own variable: name1:path1,name2:path2. A path that ends in .json is a file with the
# fields library_path and create_options.
JAX_VARIABLE = "PJRT_NAMES_AND_LIBRARY_PATHS"

OptionValue = str | int | float | bool | list[int]


def _nothing() -> None:
    pass


@dataclass(frozen=True)
class Library:
    """A native plugin to register.

    Attributes:
      path: the shared object, or a developer's JSON file that names it.
      origin: what named it, for messages.
      restore: puts the environment back as it was; to be called once JAX has read it.
    """

    path: Path
    origin: str
    restore: Callable[[], None] = _nothing

    def read(self) -> tuple[Path, dict[str, OptionValue]]:
        """Returns the shared object's path, and client options that were given along with it.

        Raises:
          PluginSetupError: a file is missing or cannot be read.
        """
        path, options = self.path, dict[str, OptionValue]()
        try:
            if path.suffix == ".json":
                config = json.loads(path.read_text(encoding="utf-8"))
                path = Path(config["library_path"])
                options.update(config.get("create_options") or {})
        except (OSError, ValueError, LookupError, AttributeError, TypeError) as error:
            raise PluginSetupError(f"{self.origin} names {self.path}: {error!r}") from error
        if path.is_file():
            return path, options
        if self.origin != _build_info.DISTRIBUTION:
            raise PluginSetupError(f"{self.origin} names the plugin {path}, which is not a file")
        raise PluginSetupError(
            f"{path} is missing. Install the package again with:  "
            f"pip install --force-reinstall --no-deps {self.origin}=={_build_info.VERSION}"
        )


def find() -> Library:
    """Returns the library to register, which may not exist.

    That is the one that ``PJRT_NAMES_AND_LIBRARY_PATHS`` names for this platform, else the one in
    this wheel.
    """
    return _from_jax_variable() or Library(_packaged(), _build_info.DISTRIBUTION)


def _packaged() -> Path:
    # Both folders come from one wheel, so the way from this file to the library is fixed.
    root = Path(__file__).resolve().parents[3]
    return root / "iree" / "_pjrt_libs" / _build_info.DEVICE / _build_info.LIBRARY_FILE


def _from_jax_variable() -> Library | None:
    """Takes this platform's entry out of JAX's variable.

    JAX reads that variable right after the plugins' ``initialize()`` and would register the same
    name once more, without our options, which ends in an error. So the entry is hidden from it
    and comes back afterwards: child processes need it.
    """
    value = os.environ.get(JAX_VARIABLE, "")
    entries = value.split(",") if value else []
    prefix = _build_info.PLATFORM + os.pathsep
    ours = [entry for entry in entries if entry.startswith(prefix)]
    if not ours:
        return None
    rest = ",".join(entry for entry in entries if not entry.startswith(prefix))

    def restore() -> None:
        os.environ[JAX_VARIABLE] = value

    if rest:
        os.environ[JAX_VARIABLE] = rest
    else:
        del os.environ[JAX_VARIABLE]
    return Library(Path(ours[-1].removeprefix(prefix)), JAX_VARIABLE, restore)
