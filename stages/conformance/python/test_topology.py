# SPDX-License-Identifier: Apache-2.0
"""Compiled for a topology: no device is asked, and none has to be there."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import serialize_executable, topologies
from jax.sharding import NamedSharding, PartitionSpec

X = np.linspace(-1, 1, 16, dtype=np.float32).reshape(4, 4)


@pytest.fixture(scope="module")
def topology(platform):
    return topologies.get_topology_desc(platform=platform)


def spec(topology):
    mesh = topologies.make_mesh(topology, (1, 1), ("x", "y"))
    sharding = NamedSharding(mesh, PartitionSpec("x", "y"))
    return jax.ShapeDtypeStruct(X.shape, X.dtype, sharding=sharding)


def test_what_it_says_of_the_platform(topology, device):
    (described,) = topology.devices
    assert described.platform == device.platform
    assert described.device_kind == device.device_kind
    versions = [each.client.platform_version.splitlines()[-1] for each in (described, device)]
    assert versions[0] == versions[1]


def test_compiled_for_it_and_run_here(topology, device):
    """Shardings are in the program, so Python is called back while jaxlib waits for it."""
    compiled = jax.jit(lambda x: jnp.tanh(x) @ x).lower(spec(topology)).compile()
    assert "tanh" in compiled.as_text()
    parts = serialize_executable.serialize(compiled)
    loaded = serialize_executable.deserialize_and_load(*parts, execution_devices=[device])
    np.testing.assert_allclose(loaded(jax.device_put(X, device)), np.tanh(X) @ X, rtol=1e-5)


def test_a_compile_error_is_an_error_there_too(topology):
    lowered = jax.jit(lambda x: x + 1).lower(spec(topology))
    with pytest.raises(Exception, match="no-such-flag"):
        lowered.compile(compiler_options={"iree_compiler_options": "--no-such-flag"})
    assert lowered.compile() is not None


def test_in_a_process_without_a_client(run_script):
    ran = run_script(
        """
        import jax
        from jax._src import xla_bridge
        from jax.experimental import topologies
        from jax.sharding import SingleDeviceSharding
        (device,) = topologies.get_topology_desc(platform="iree_cpu").devices
        x = jax.ShapeDtypeStruct((4,), "float32", sharding=SingleDeviceSharding(device))
        lowered = jax.jit(lambda x: x * 2).lower(x)
        assert not xla_bridge._backends
        print("multiply" in lowered.compile().as_text())
        """
    )
    assert ran.stdout.split() == ["True"]
