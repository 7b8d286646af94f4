# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin for suites that compare a platform with JAX's own ``cpu`` in one process."""

import os
from collections.abc import Callable
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option that says what is tested."""
    parser.addoption("--platform", default="iree_cpu", help="JAX platform to test")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Chooses the platforms before anything imports jax; the reference is JAX's own ``cpu``."""
    os.environ["JAX_PLATFORMS"] = f"{config.getoption('--platform')},cpu"


@pytest.fixture(scope="session")
def platform(pytestconfig: pytest.Config) -> str:
    """Name of the platform under test."""
    return str(pytestconfig.getoption("--platform"))


@pytest.fixture(scope="session")
def device(platform: str) -> Any:
    """First device of the platform under test."""
    import jax

    return jax.devices(platform)[0]


@pytest.fixture(scope="session")
def cpu() -> Any:
    """The device of JAX's own ``cpu``, for values to compare with."""
    import jax

    return jax.devices("cpu")[0]


@pytest.fixture
def check(
    device: Any, cpu: Any, record_property: Callable[[str, object], None]
) -> Callable[..., None]:
    """A function (name, function, *arguments) that runs on both platforms and compares.

    The function is jitted unless it says ``jitted=False``. The results' platform is checked, so
    that nothing passes by running on the reference by accident.
    """
    import jax
    import numpy as np

    from tolerances import compare

    def run(where: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> list[Any]:
        with jax.default_device(where):
            results = jax.tree.leaves(function(*arguments))
        for result in results:
            assert result.devices() == {where}, f"the result is on {result.devices()}, not {where}"
        return [np.asarray(result) for result in results]

    def check_program(
        name: str, function: Callable[..., Any], *arguments: Any, jitted: bool = True
    ) -> None:
        function = jax.jit(function) if jitted else function
        got = run(device, function, arguments)
        found = compare(name, got, run(cpu, function, arguments))
        for key, value in found.as_dict().items():
            record_property(key, value)

    return check_program
