# SPDX-License-Identifier: Apache-2.0
"""Programs in a Python of their own."""

import os
import subprocess
import sys


def run_python(
    code: str, jax_platforms: str | None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs ``code`` to its end; ``JAX_PLATFORMS`` is as given, or unset."""
    environment = {key: value for key, value in os.environ.items() if key != "JAX_PLATFORMS"}
    environment.update(variables)
    if jax_platforms is not None:
        environment["JAX_PLATFORMS"] = jax_platforms
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def output_of(code: str, jax_platforms: str | None, **variables: str) -> tuple[list[str], str]:
    """Lines of standard output, and standard error, of a program that ends well."""
    ran = run_python(code, jax_platforms, **variables)
    assert ran.returncode == 0, f"exit {ran.returncode}\n{ran.stdout}{ran.stderr[-4000:]}"
    return ran.stdout.strip().splitlines(), ran.stderr
