# SPDX-License-Identifier: Apache-2.0
"""Devices, and programs over a mesh of one device."""

import re
from importlib import metadata
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec


def test_devices(device, platform):
    assert jax.devices() == jax.devices(platform)
    assert device.platform == platform
    assert jax.default_backend() == platform
    assert device.device_kind
    assert device.client.platform_version
    # What a user sees: a name and an id, neither empty nor an address.
    for text in (repr(device), str(device)):
        assert re.search(r"\w+.*\b0\b", text), repr(text)
        assert " at 0x" not in text
    assert device.id == 0
    assert device.process_index == 0


def test_memories(device):
    kinds = {memory.kind for memory in device.addressable_memories()}
    assert device.default_memory().kind in kinds


def test_round_trip_through_the_device(device):
    values = np.arange(1000, dtype=np.float32).reshape(10, 100)
    # Not one value repeated, and before any program: a known way to crash a plugin.
    array = jax.device_put(values, device)
    assert array.devices() == {device}
    np.testing.assert_array_equal(np.asarray(array), values)
    empty = jax.device_put(np.zeros((0, 3), np.float32), device)
    assert np.asarray(empty).shape == (0, 3)


def test_pmap_psum_prints_0(device):
    """The integration guide's check, on one device."""
    array = np.arange(1)
    result = jax.pmap(lambda x: x + jax.lax.psum(x, "i"), axis_name="i", devices=[device])(array)
    assert result.devices() == {device}
    assert str(result) == "[0]"
    psum = jax.pmap(lambda x: jax.lax.psum(x, "i"), axis_name="i", devices=[device])
    assert str(psum(array)) == "[0]"
    np.testing.assert_array_equal(np.asarray(psum(np.full((1, 3), 2.5, np.float32))), [[2.5] * 3])


def test_jit_over_a_mesh_of_one_device(device):
    mesh = Mesh(np.array([device]), ("x",))
    sharding = NamedSharding(mesh, PartitionSpec("x"))
    values = np.linspace(0, 1, 32, dtype=np.float32).reshape(8, 4)

    def program(x):
        inner = jax.lax.with_sharding_constraint(x * 2, sharding)
        return jnp.cumsum(inner, axis=0) + 1

    result = jax.jit(program, in_shardings=sharding, out_shardings=sharding)(values)
    assert result.devices() == {device}
    assert result.sharding.is_equivalent_to(sharding, result.ndim)
    np.testing.assert_allclose(np.asarray(result), np.cumsum(values * 2, 0) + 1, rtol=1e-6)


def test_installed_from_site_packages(pytestconfig, platform):
    """The wheel is tested, and not the tree that it was made from."""
    import importlib
    import sysconfig

    if pytestconfig.getoption("--build-tree"):
        pytest.skip("--build-tree was given")
    site = {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}
    module = importlib.import_module(f"jax_plugins.{platform}")
    assert Path(module.__file__).resolve().parents[2] in site, module.__file__
    distribution = metadata.distribution(pytestconfig.getoption("--distribution"))
    assert module.__version__ == distribution.version
    libraries = [file for file in distribution.files or [] if file.suffix == ".so"]
    assert len(libraries) == 1
    assert Path(libraries[0].locate()).is_file()
    with Path("/proc/self/maps").open() as maps:
        loaded = {line.split(maxsplit=5)[5].strip() for line in maps if libraries[0].name in line}
    assert {str(Path(path).resolve()) for path in loaded} == {
        str(Path(libraries[0].locate()).resolve())
    }
