# SPDX-License-Identifier: Apache-2.0
"""Unit tests of the package's Python, run on its rendered sources, without the native plugin.

They need jax, iree-base-compiler and pytest. Programs that the package rewrites are compiled and
run by XLA:CPU, so that their values are checked and not only their text.
"""

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

os.environ["JAX_PLATFORMS"] = "cpu"
# Programs for several devices are compared with what XLA:CPU makes of them.
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

SOURCES = Path(__file__).resolve().parents[1] / "src"
sys.path.insert(0, str(SOURCES))
_FOUND = sorted(path.name for path in (SOURCES / "jax_plugins").glob("iree_*"))
if _FOUND == ["iree___device__"]:
    pytest.exit("these are the templates; run the tests in a rendered copy", returncode=2)
PACKAGE = f"jax_plugins.{_FOUND[0]}"


@pytest.fixture(scope="session")
def plugin() -> SimpleNamespace:
    """The package's modules by their names without room and underscore."""
    names = ["_build_info", "_errors", "passes._artifact", "passes._framework_passes"]
    names += ["tools._asan", "setup._measured", "setup._versions", "setup._compiler"]
    names += ["setup._cross_compile", "setup._donation", "setup._library", "host_calls._own_cpu"]
    names += ["host_calls._linalg"]
    modules = {name.rpartition(".")[2].removeprefix("_"): _module(name) for name in names}
    return SimpleNamespace(**modules, package=PACKAGE)


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{PACKAGE}.{name}")


@pytest.fixture
def run_on_xla() -> Any:
    """A function (artifact, arguments) → list of numpy arrays, by XLA:CPU on one device."""
    import jax
    import numpy as np
    from jax._src.lib import xla_client

    def run(artifact: bytes, arguments: list[Any]) -> list[Any]:
        device = jax.devices("cpu")[0]
        executable = device.client.compile_and_load(
            artifact, xla_client.DeviceList((device,)), xla_client.CompileOptions()
        )
        results = executable.execute_sharded([jax.device_put(value) for value in arguments])
        arrays = results.disassemble_into_single_device_arrays()
        return [np.asarray(shards[0]) for shards in arrays]

    return run
