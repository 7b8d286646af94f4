# SPDX-License-Identifier: Apache-2.0
"""Finding the libraries, checking versions, and what the user is told when that fails."""

import importlib.metadata
import os
import subprocess
import sys

import pytest
from conftest import SOURCES

VARIABLE = "PJRT_NAMES_AND_LIBRARY_PATHS"


@pytest.mark.parametrize("version", ["0.1.0", "99.0", "not installed"])
def test_where_nothing_was_measured_the_range_is_what_to_type(version, plugin, monkeypatch):
    monkeypatch.setattr(plugin.build_info, "MEASURED", ())
    with pytest.raises(plugin.errors.PluginSetupError) as caught:
        plugin.versions.check_jaxlib("" if version == "not installed" else version)
    message = str(caught.value)
    supported = plugin.build_info.SUPPORTED_JAXLIB
    assert version in message
    assert f'pip install "jax{supported}" "jaxlib{supported}"' in message


def test_this_jaxlib_is_supported(plugin):
    plugin.versions.check_jaxlib(importlib.metadata.version("jaxlib"))


def test_missing_compiler_says_what_to_type(plugin, monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(plugin.versions.metadata, "version", missing)
    monkeypatch.delenv(plugin.compiler.ENVIRONMENT_VARIABLE, raising=False)
    with pytest.raises(plugin.errors.PluginSetupError, match=r"pip install .*iree-base-compiler"):
        plugin.compiler.library_path()


def test_compiler_is_found_without_importing_it(plugin):
    assert plugin.compiler.library_path().name == "libIREECompiler.so"
    assert "iree.compiler" not in sys.modules


def test_compiler_override(plugin, monkeypatch, tmp_path):
    library = tmp_path / "libIREECompiler.so"
    monkeypatch.setenv(plugin.compiler.ENVIRONMENT_VARIABLE, str(library))
    with pytest.raises(plugin.errors.PluginSetupError, match="is not a file"):
        plugin.compiler.library_path()
    library.touch()
    assert plugin.compiler.library_path() == library


@pytest.mark.parametrize(
    ("before", "during"),
    [
        ("{name}:/a.so", None),
        ("other:/o.so,{name}:/a.so", "other:/o.so"),
        ("{name}:/a.so,{name}x:/b.so", "{name}x:/b.so"),
    ],
)
def test_the_entry_is_hidden_and_comes_back(before, during, plugin, monkeypatch):
    name = plugin.build_info.PLATFORM
    before = before.format(name=name)
    monkeypatch.setenv(VARIABLE, before)
    library = plugin.library.find()
    assert str(library.path) == "/a.so"
    assert os.environ.get(VARIABLE) == (during and during.format(name=name))
    library.restore()
    assert os.environ[VARIABLE] == before


def test_other_entries_are_left_alone(plugin, monkeypatch):
    monkeypatch.setenv(VARIABLE, "other:/o.so")
    library = plugin.library.find()
    assert library.path.name == plugin.build_info.LIBRARY_FILE
    assert os.environ[VARIABLE] == "other:/o.so"


def test_json_entry(plugin, monkeypatch, tmp_path):
    shared_object = tmp_path / "a.so"
    config = tmp_path / "a.json"
    config.write_text(f'{{"library_path": "{shared_object}", "create_options": {{"k": 1}}}}')
    monkeypatch.setenv(VARIABLE, f"{plugin.build_info.PLATFORM}:{config}")
    library = plugin.library.find()
    with pytest.raises(plugin.errors.PluginSetupError, match=r"a\.so, which is not a file"):
        library.read()
    shared_object.touch()
    assert library.read() == (shared_object, {"k": 1})
    config.write_text("{}")
    with pytest.raises(plugin.errors.PluginSetupError, match="library_path"):
        library.read()
    library.restore()


DEVICES = "import jax; print('default', jax.default_backend())"


def run_jax(code, **environment):
    environment = {
        **os.environ,
        "PYTHONPATH": str(SOURCES),
        "IREE_PJRT_COMPILER_LIB_PATH": "/no/such/libIREECompiler.so",
        **environment,
    }
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_named_platform_raises_our_message(plugin):
    ran = run_jax(DEVICES, JAX_PLATFORMS=plugin.build_info.PLATFORM)
    assert ran.returncode != 0
    last = ran.stderr.strip().splitlines()[-1]
    assert "IREE_PJRT_COMPILER_LIB_PATH names /no/such/libIREECompiler.so" in last


def test_unnamed_platform_falls_back_with_one_warning(plugin):
    ran = run_jax(DEVICES, JAX_PLATFORMS="")
    assert (ran.returncode, ran.stdout.strip()) == (0, "default cpu")
    assert ran.stderr.count("JAX goes on without") == 1


ABSENT = """
import jax
from jax._src import xla_bridge
def factory():
    raise RuntimeError("FAILED_PRECONDITION: looked for a device")
xla_bridge.register_backend_factory("absent", factory, priority=900, fail_quietly=False)
from jax_plugins.PACKAGE.setup import _absence
_absence.allow("absent")
print("default", jax.default_backend())
"""


def test_a_device_that_is_not_there_is_gone_without(plugin):
    code = ABSENT.replace("PACKAGE", plugin.build_info.PLATFORM)
    ran = run_jax(code, JAX_PLATFORMS="")
    assert (ran.returncode, ran.stdout.strip()) == (0, "default cpu"), ran.stderr
    assert ran.stderr.count("JAX goes on without absent: FAILED_PRECONDITION: looked for a") == 1
    named = run_jax(code, JAX_PLATFORMS="absent")
    assert named.returncode != 0
    assert "looked for a device" in named.stderr.strip().splitlines()[-1]


def test_another_platform_hears_nothing(plugin):
    ran = run_jax(DEVICES, JAX_PLATFORMS="cpu", PJRT_NAMES_AND_LIBRARY_PATHS="")
    assert (ran.returncode, ran.stdout.strip()) == (0, "default cpu")
    assert "without" not in ran.stderr


def test_a_bad_entry_does_not_break_other_platforms(plugin):
    entry = f"{plugin.build_info.PLATFORM}:/no/such.so"
    ran = run_jax(DEVICES, JAX_PLATFORMS="cpu", PJRT_NAMES_AND_LIBRARY_PATHS=entry)
    assert (ran.returncode, ran.stdout.strip()) == (0, "default cpu"), ran.stderr
