# SPDX-License-Identifier: Apache-2.0
"""Environment variables and compiler options; what a compile error says."""

import jax
import numpy as np
import pytest

PROGRAM = """
import jax
print(jax.jit(lambda x: x * 3)(2.0))
"""
# A custom call of the old kind: the plugin leaves it to the compiler, which refuses it.
BROKEN = """
import jax, jax.numpy as jnp
def refused(x):
    result = jax.ShapeDtypeStruct((4,), "float32")
    return jax.ffi.ffi_call("nobody_knows_me", result, custom_call_api_version=2)(x)
try:
    jax.jit(refused)(jnp.ones(4))
except Exception as error:
    print(type(error).__name__, error)
print(jax.jit(lambda x: x * 3)(2.0))
"""
NO_CACHE = {"IREE_PJRT_CACHE_SIZE": "0"}


def test_flags_from_the_environment(run_script):
    flags = "--iree-opt-level=O1 '--iree-opt-const-eval=false'"
    good = {**NO_CACHE, "IREE_PJRT_IREE_COMPILER_OPTIONS": flags}
    assert run_script(PROGRAM, env=good).stdout == "6.0\n"
    bad = {**NO_CACHE, "IREE_PJRT_IREE_COMPILER_OPTIONS": "--no-such-flag"}
    ran = run_script(PROGRAM, env=bad, check=False)
    assert ran.returncode == 1
    assert "no-such-flag" in ran.stderr


def test_flags_for_one_program():
    lowered = jax.jit(lambda x: x + 1).lower(np.float32(1))
    with pytest.raises(Exception, match="no-such-flag"):
        lowered.compile(compiler_options={"iree_compiler_options": "--no-such-flag"})
    good = lowered.compile(compiler_options={"iree_compiler_options": "--iree-opt-level=O1"})
    assert good(np.float32(1)) == 2
    with pytest.raises(Exception, match="No such compile option: 'x'; there are 'iree_compiler_"):
        lowered.compile(compiler_options={"x": "y"})
    assert lowered.compile(compiler_options={"xla_dump_to": "/nowhere"})(np.float32(1)) == 2
    assert lowered.compile()(np.float32(1)) == 2


def test_a_compiler_that_is_not_there(run_script):
    # The package finds the compiler itself, and says so where the variable names another.
    env = {**NO_CACHE, "IREE_PJRT_COMPILER_LIB_PATH": "/no/such/libIREECompiler.so"}
    ran = run_script(PROGRAM, env=env, check=False)
    assert ran.returncode == 1
    assert "/no/such/libIREECompiler.so" in ran.stderr


def test_artifacts_are_saved(run_script, tmp_path):
    run_script(PROGRAM, env={"IREE_PJRT_SAVE_ARTIFACTS": str(tmp_path / "saved")})
    saved = [path for path in (tmp_path / "saved").rglob("*") if path.is_file()]
    for name in ("received.mlir", "rewritten.mlir", "module.vmfb"):
        found = [path for path in saved if path.name.endswith(name)]
        assert found, name
        assert all(path.stat().st_size > 0 for path in found)
    rewritten = [path.read_text() for path in saved if path.name.endswith("rewritten.mlir")]
    assert any("multiply" in text for text in rewritten)


@pytest.mark.parametrize(("level", "wanted"), [("off", 0), ("info", 2)])
def test_log_level(level, wanted, run_script):
    ran = run_script(PROGRAM, env={**NO_CACHE, "IREE_PJRT_LOG_LEVEL": level})
    lines = [line for line in ran.stderr.splitlines() if line.startswith("iree-pjrt ")]
    assert len(lines) >= wanted
    assert bool(lines) == bool(wanted)


def test_a_log_level_that_there_is_not(run_script):
    ran = run_script(PROGRAM, env={"IREE_PJRT_LOG_LEVEL": "loud"}, check=False)
    assert ran.returncode == 1
    assert "IREE_PJRT_LOG_LEVEL is 'loud'" in ran.stderr


def test_a_compile_error_names_the_operation_and_the_users_line(run_script, tmp_path):
    script = tmp_path / "users.py"
    script.write_text(BROKEN)
    ran = run_script("import runpy, sys; runpy.run_path(sys.argv[1])", script, env=NO_CACHE)
    assert "users.py:5" in ran.stdout
    assert "nobody_knows_me" in ran.stdout
    assert ran.stdout.endswith("6.0\n")
