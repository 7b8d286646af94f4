# SPDX-License-Identifier: Apache-2.0
"""What the other files rely on: both platforms in one process, scripts in one of their own."""

import jax
import jax.numpy as jnp
import pytest


def test_the_platform_under_test_is_the_default(device, cpu, platform):
    assert jax.default_backend() == platform
    assert jnp.arange(3).devices() == {device}
    assert cpu.platform == "cpu"
    assert device.platform == platform


def test_a_value_on_the_wrong_platform_is_noticed(check, cpu):
    with pytest.raises(AssertionError, match="the result is on"):
        check("on cpu", lambda: jax.device_put(jnp.float32(1), cpu), jitted=False)


def test_a_script_sees_the_platform_and_its_environment(run_script, platform):
    ran = run_script(
        """
        import os, sys, jax
        print(jax.default_backend(), os.environ.get("SOME"), os.environ.get("HOME"), sys.argv[1])
        """,
        7,
        env={"SOME": "thing", "HOME": None},
    )
    assert ran.stdout.split() == [platform, "thing", "None", "7"]


def test_a_script_that_fails_fails_the_test(run_script):
    with pytest.raises(pytest.fail.Exception, match="exit code 3"):
        run_script("import sys; print('said', file=sys.stderr); sys.exit(3)")
    assert run_script("import sys; sys.exit(3)", check=False).returncode == 3
