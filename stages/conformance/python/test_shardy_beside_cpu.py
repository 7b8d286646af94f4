# SPDX-License-Identifier: Apache-2.0
"""Shardings on one device, XLA:CPU beside ours in one process, Shardy on for both."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import shard_map
from jax.sharding import Mesh, NamedSharding, PartitionSpec

VALUES = np.arange(24, dtype=np.float32).reshape(6, 4)


def mesh_of(device):
    return Mesh(np.array([[device]]), ("x", "y"))


@pytest.fixture(params=["ours", "cpu", "ours again"])
def place(request, device, cpu):
    """Either platform; ours also after the other one has compiled."""
    return cpu if request.param == "cpu" else device


def test_shardy_is_on(device):
    # The rest of this file needs Shardy: without it modules hold no `sdy`.
    if not hasattr(jax.config, "jax_use_shardy_partitioner"):
        pytest.skip("this JAX knows no other partitioner")
    if jax.__version_info__ < (0, 7):
        pytest.skip("this JAX starts with the other partitioner")
    assert jax.config.jax_use_shardy_partitioner
    rows = NamedSharding(mesh_of(device), PartitionSpec("x"))
    assert "sdy.mesh" in jax.jit(lambda x: x, in_shardings=rows).lower(VALUES).as_text()


def test_named_sharding(place):
    sharding = NamedSharding(mesh_of(place), PartitionSpec("x", "y"))
    x = jax.device_put(VALUES, sharding)
    assert x.sharding == sharding
    y = jax.jit(lambda a: jnp.sin(a) @ a.T)(x)
    assert y.devices() == {place}
    np.testing.assert_allclose(y, np.sin(VALUES) @ VALUES.T, rtol=1e-5, atol=1e-5)


def test_in_and_out_shardings(place):
    mesh = mesh_of(place)
    rows, columns = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in (("x",), (None, "y")))
    function = jax.jit(
        lambda a: (a + 1, a.sum(0)), in_shardings=rows, out_shardings=(columns, None)
    )
    plus, total = function(VALUES)
    assert plus.sharding == columns
    np.testing.assert_array_equal(plus, VALUES + 1)
    np.testing.assert_array_equal(total, VALUES.sum(0))


def test_with_sharding_constraint(place):
    sharding = NamedSharding(mesh_of(place), PartitionSpec("x"))

    @jax.jit
    def function(a):
        b = jax.lax.with_sharding_constraint(a * 2, sharding)
        return jax.lax.cond(b.sum() > 0, lambda v: v + 1, lambda v: v - 1, b)

    np.testing.assert_array_equal(function(jax.device_put(VALUES, place)), VALUES * 2 + 1)


def test_constraint_inside_a_scan_and_its_gradient(place):
    sharding = NamedSharding(mesh_of(place), PartitionSpec("x"))

    def loss(a):
        def step(carry, row):
            carry = jax.lax.with_sharding_constraint(carry * row, sharding)
            return carry, carry.sum()

        return jax.lax.scan(step, jnp.ones(4, a.dtype), a)[1].sum()

    small = jax.device_put(np.linspace(0.5, 1.5, 12, dtype=np.float32).reshape(3, 4), place)
    a = np.asarray(small, np.float64)
    # The gradient of a0 + a0 a1 + a0 a1 a2, column by column.
    wanted = np.stack([1 + a[1] + a[1] * a[2], a[0] + a[0] * a[2], a[0] * a[1]])
    np.testing.assert_allclose(jax.jit(jax.grad(loss))(small), wanted, rtol=1e-5)


def test_shard_map(place):
    mesh = mesh_of(place)

    def body(block):
        total = jax.lax.psum(block.sum(), ("x", "y"))
        gathered = jax.lax.all_gather(block, "x", axis=0, tiled=True)
        return gathered + total + jax.lax.axis_index("y")

    spec = PartitionSpec("x", "y")
    function = jax.jit(shard_map(body, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False))
    np.testing.assert_allclose(function(VALUES), VALUES + VALUES.sum(), rtol=1e-6)


def test_random_bits_are_those_of_cpu(device, cpu):
    def draw(key):
        first, second = jax.random.split(key)
        return (
            jax.random.bits(first, (7,)),
            jax.random.randint(second, (5,), 0, 1000),
            jax.random.permutation(first, 11),
            jax.random.uniform(second, (3, 3)),
        )

    def on(where):
        with jax.default_device(where):
            return [np.asarray(value) for value in jax.jit(draw)(jax.random.key(3))]

    for got, wanted in zip(on(device), on(cpu), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_partitionable_keys_in_a_mesh(place):
    sharding = NamedSharding(mesh_of(place), PartitionSpec("x"))
    draw = jax.jit(lambda key: jax.random.normal(key, (8, 2)), out_shardings=sharding)
    with jax.default_device(place):
        value = draw(jax.random.key(0))
    assert value.devices() == {place}
    assert np.isfinite(np.asarray(value)).all()


SETTINGS = """
import json, sys
import jax

def settings():
    return {name: repr(value) for name, value in sorted(jax.config.values.items())
            if name != "jax_platforms"}

before = settings()
jax.config.update("jax_platforms", sys.argv[1])
print(json.dumps([jax.default_backend(), before, settings()]))
"""


def test_the_plugin_changes_no_setting(run_script, platform):
    ran = run_script(SETTINGS, f"{platform},cpu", env={"JAX_PLATFORMS": None})
    backend, before, after = json.loads(ran.stdout)
    assert backend == platform
    assert len(before) > 50
    assert after == before


HLO = """
import sys
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

cpu = jax.devices("cpu")[0]
sharding = NamedSharding(Mesh(np.array([cpu]), "x"), PartitionSpec("x"))
function = jax.jit(lambda x: jnp.linalg.cholesky(x @ x.T + 8 * jnp.eye(4)) + jax.random.normal(
    jax.random.key(1), (4, 4)), in_shardings=sharding)
lowered = function.lower(jax.ShapeDtypeStruct((4, 4), jnp.float32))
print(lowered.as_text(), lowered.compile().as_text())
"""


def test_programs_of_cpu_are_what_they_are_without_us(run_script, platform):
    alone = run_script(HLO, env={"JAX_PLATFORMS": "cpu"}).stdout
    beside = run_script(HLO, env={"JAX_PLATFORMS": f"{platform},cpu"}).stdout
    assert "HloModule" in alone
    assert beside == alone
