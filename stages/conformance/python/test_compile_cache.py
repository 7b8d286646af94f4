# SPDX-License-Identifier: Apache-2.0
"""Compiled programs are kept: by the plugin, and by JAX's persistent compilation cache."""

import concurrent.futures
import pathlib
import shutil

import pytest

# The log says how many programs were compiled and how many came from the plugin's cache.
PROGRAM = """
import jax, jax.numpy as jnp
print(jax.jit(lambda x: jnp.maximum(x, 1) * 3)(2.0))
"""


@pytest.fixture
def log_of(run_script, tmp_path):
    """A function that runs a program and returns what the plugin logged."""

    def run(source=PROGRAM, **env):
        wanted = {"IREE_PJRT_LOG_LEVEL": "info", "IREE_PJRT_CACHE_DIR": str(tmp_path / "cache")}
        ran = run_script(source, env={**wanted, **env})
        assert ran.stdout == "6.0\n"
        return [line for line in ran.stderr.splitlines() if line.startswith("iree-pjrt ")]

    return run


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A folder that the first test to ask for a cache has filled."""
    return tmp_path_factory.mktemp("filled") / "cache"


@pytest.fixture
def cached(filled, log_of, tmp_path):
    """A cache that knows the program."""
    if not filled.exists():
        log_of(IREE_PJRT_CACHE_DIR=str(filled))
    shutil.copytree(filled, tmp_path / "cache")


def count(log, text):
    return sum(text in line for line in log)


def entries(tmp_path):
    return sorted((tmp_path / "cache").glob("*.program"))


def test_a_second_process_compiles_nothing(log_of, tmp_path):
    first = log_of()
    assert count(first, "compiled jit_") > 0
    assert count(first, "cache hit") == 0
    second = log_of()
    assert count(second, "compiled") == 0
    assert count(second, "cache hit") == count(first, "compiled jit_")
    kept = {entry.name for entry in (tmp_path / "cache").iterdir()} - {".claims"}
    assert {pathlib.PurePath(name).suffix for name in kept} == {".program"}


def test_processes_that_start_together_compile_a_program_once(log_of):
    with concurrent.futures.ThreadPoolExecutor() as threads:
        logs = list(threads.map(lambda _: log_of(), range(4)))
    programs = {count(log, "compiled jit_") + count(log, "cache hit for jit_") for log in logs}
    assert programs == {sum(count(log, "compiled jit_") for log in logs)} != {0}


@pytest.mark.usefixtures("cached")
def test_a_program_that_moved_in_its_file_is_found(log_of):
    moved = log_of("#\n" * 100 + PROGRAM)
    assert count(moved, "compiled") == 0
    # From now on the program is found without the compiler.
    again = log_of("#\n" * 100 + PROGRAM)
    assert count(again, "cache hit") == count(again, "ms (read ") > 0


@pytest.mark.parametrize(
    "env",
    [
        {"IREE_PJRT_IREE_COMPILER_OPTIONS": "--iree-opt-level=O1"},
        {"IREE_PJRT_CACHE_SIZE": "0"},
    ],
    ids=["other flags", "turned off"],
)
@pytest.mark.usefixtures("cached")
def test_what_makes_a_miss(env, log_of):
    assert count(log_of(**env), "compiled jit_") > 0


@pytest.mark.usefixtures("cached")
def test_damage_is_a_miss(log_of, tmp_path):
    for entry in entries(tmp_path):
        entry.write_bytes(entry.read_bytes()[:-1])
    log = log_of()
    assert count(log, "is damaged") > 0
    assert count(log, "compiled jit_") > 0


def test_a_folder_that_cannot_be_written_is_no_error(log_of, tmp_path):
    (tmp_path / "file").touch()
    log = log_of(IREE_PJRT_CACHE_DIR=str(tmp_path / "file" / "below"))
    assert count(log, "compiled jit_") > 0
    assert count(log, "cannot store") == 1


def test_the_default_folder_is_the_users_cache(log_of, tmp_path):
    log_of(IREE_PJRT_CACHE_DIR=None, XDG_CACHE_HOME=str(tmp_path / "xdg"))
    assert list((tmp_path / "xdg" / "iree-pjrt").glob("*.program"))


def test_jaxs_own_cache_keeps_programs(log_of, tmp_path):
    folder = tmp_path / "jax"
    jaxs = {
        "IREE_PJRT_CACHE_SIZE": "0",
        "JAX_COMPILATION_CACHE_DIR": str(folder),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }
    assert count(log_of(**jaxs), "compiled jit_") > 0
    assert any(path.stat().st_size > 0 for path in folder.iterdir())
    assert count(log_of(**jaxs), "compiled") == 0
    # Other flags make other programs.
    other = {**jaxs, "IREE_PJRT_IREE_COMPILER_OPTIONS": "--iree-opt-level=O1"}
    assert count(log_of(**other), "compiled jit_") > 0


def test_jaxs_cache_stays_as_it_is_for_other_platforms(run_script):
    ran = run_script(
        """
        import jax
        from types import SimpleNamespace
        from jax._src import compilation_cache
        jax.devices()
        for platform in ("iree_cpu", "some_other", "cpu"):
            compilation_cache.reset_cache()
            print(compilation_cache.is_cache_used(SimpleNamespace(platform=platform)))
        compilation_cache.reset_cache()
        jax.config.update("jax_enable_compilation_cache", False)
        print(compilation_cache.is_cache_used(SimpleNamespace(platform="iree_cpu")))
        """,
    )
    assert ran.stdout.split() == ["True", "False", "True", "False"]
