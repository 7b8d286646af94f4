# SPDX-License-Identifier: Apache-2.0
"""Programs are compiled in processes of the plugin's own, which end with the user's."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

NO_CACHE = {"IREE_PJRT_CACHE_SIZE": "0"}
CHILDREN = """
import os, pathlib
def helpers(pid="self"):
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return [child for task in tasks for child in (task / "children").read_text().split()]
"""
COMPILE = """
import jax
print(jax.jit(lambda x: x * 3)(2.0), flush=True)
"""


def test_one_ends_with_its_process(platform):
    script = f"{CHILDREN}{COMPILE}\nprint(*helpers(), flush=True)\nimport time; time.sleep(60)"
    env = {**os.environ, **NO_CACHE, "JAX_PLATFORMS": platform}
    with subprocess.Popen(
        [sys.executable, "-c", script], env=env, stdout=subprocess.PIPE, text=True
    ) as ran:
        assert ran.stdout is not None
        assert ran.stdout.readline() == "6.0\n"
        (helper,) = ran.stdout.readline().split()
        assert "iree-pjrt-compi" in Path(f"/proc/{helper}/comm").read_text()
        ran.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while Path(f"/proc/{helper}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{helper}").exists()


def test_none_is_started_before_a_program_is_compiled(run_script):
    ran = run_script(f"{CHILDREN}\nimport jax; jax.devices(); print(helpers())")
    assert ran.stdout == "[]\n"


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_of_multiprocessing(method, platform, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"""
import multiprocessing, jax
def work(number):
    return float(jax.jit(lambda x: x * 3)(number))
if __name__ == "__main__":
    print(work(2.0))
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        print(pool.map(work, [1.0, 2.0]))
""")
    ran = subprocess.run(
        [sys.executable, script],
        env={**os.environ, **NO_CACHE, "JAX_PLATFORMS": platform},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert ran.stdout == "6.0\n[3.0, 6.0]\n"


def test_without_the_program_this_process_compiles(run_script, tmp_path):
    find = "from jax_plugins.iree_cpu.setup import _library; print(_library.find().path)"
    library = Path(run_script(find).stdout.strip())
    shutil.copy(library, tmp_path)
    env = {
        **NO_CACHE,
        "PJRT_NAMES_AND_LIBRARY_PATHS": f"iree_cpu:{tmp_path / library.name}",
        "IREE_PJRT_LOG_LEVEL": "info",
    }
    ran = run_script(f"{CHILDREN}{COMPILE}\nprint(helpers())", env=env)
    assert ran.stdout == "6.0\n[]\n"
    assert "programs are compiled in this process" in ran.stderr


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ({"IREE_PJRT_COMPILE_TIMEOUT": "soon"}, "IREE_PJRT_COMPILE_TIMEOUT is 'soon'"),
        ({"IREE_PJRT_COMPILE_IN_PROCESS": "yes"}, "IREE_PJRT_COMPILE_IN_PROCESS is 'yes'"),
        (
            {"IREE_PJRT_COMPILE_TIMEOUT": "9", "IREE_PJRT_COMPILE_IN_PROCESS": "1"},
            "IREE_PJRT_COMPILE_TIMEOUT needs a process that can be ended",
        ),
    ],
)
def test_settings_that_there_are_not(env, message, run_script):
    ran = run_script(COMPILE, env=env, check=False)
    assert ran.returncode == 1
    assert message in ran.stderr
