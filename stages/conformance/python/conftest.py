# SPDX-License-Identifier: Apache-2.0
"""What the conformance tests share; platform and reference are in ``platforms``.

Run in an environment in which the wheel, pytest and its tools of ``pipeline.yaml`` are installed::

    python -m pytest -n auto --timeout 180 FOLDER
"""

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

pytest_plugins = ["platforms", "combinations"]

# Of the reference only the numbers count: quick code, and no constants folded at compile time, are
# a fifth of a run's time. Read when JAX is imported.
XLA_FLAGS = "--xla_backend_optimization_level=0 --xla_disable_hlo_passes=constant_folding"
os.environ["XLA_FLAGS"] = f"{XLA_FLAGS} {os.environ.get('XLA_FLAGS', '')}".strip()


def results_on(where: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> list[Any]:
    """The results of the jitted function on that device; its arguments stay as they are."""
    import jax

    # On the device, so that a program that writes into them is seen: NumPy's arrays may be copied.
    placed = [jax.device_put(x, where) if isinstance(x, np.ndarray) else x for x in arguments]
    with jax.default_device(where):
        results = jax.tree.leaves(jax.jit(function)(*placed))
    for before, after in zip(arguments, placed, strict=True):
        if isinstance(before, np.ndarray):
            assert np.asarray(after).tobytes() == before.tobytes(), "an argument was written into"
    return results


@pytest.fixture
def here(device: Any) -> Callable[..., list[Any]]:
    """A function (function, *arguments): the jitted function's results, to compare with NumPy's."""
    return lambda function, *arguments: results_on(device, function, arguments)


@pytest.fixture
def on_both(device: Any, cpu: Any) -> Callable[..., list[tuple[Any, Any]]]:
    """A function (function, *arguments): the jitted function's results, each of here and of cpu."""

    def run(function: Callable[..., Any], *arguments: Any) -> list[tuple[Any, Any]]:
        found = [results_on(where, function, arguments) for where in (device, cpu)]
        return list(zip(*found, strict=True))

    return run


@pytest.fixture
def same(on_both: Callable[..., list[tuple[Any, Any]]]) -> Callable[..., None]:
    """A function (function, *arguments) that compares its results with XLA:CPU's, bit by bit."""

    def run(function: Callable[..., Any], *arguments: Any) -> None:
        for got, want in on_both(function, *arguments):
            np.testing.assert_array_equal(got, want)

    return run


@pytest.fixture
def run_script(platform: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    """A function (source, *arguments, env, timeout, check) that runs Python in a process.

    ``JAX_PLATFORMS`` is the platform under test alone unless ``env`` says otherwise; None removes
    a variable. With ``check`` an exit code other than 0 fails the test with what was printed.
    """

    def run(
        source: str,
        *arguments: object,
        env: Mapping[str, str | None] | None = None,
        timeout: float = 150,
        check: bool = True,
    ) -> subprocess.CompletedProcess[str]:
        wanted = {**os.environ, "JAX_PLATFORMS": platform, **(env or {})}
        ran = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(source), *map(str, arguments)],
            env={name: value for name, value in wanted.items() if value is not None},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        if check and ran.returncode != 0:
            pytest.fail(
                f"exit code {ran.returncode}\n{ran.stdout[-2000:]}\n{ran.stderr[-4000:]}",
                pytrace=False,
            )
        return ran

    return run
