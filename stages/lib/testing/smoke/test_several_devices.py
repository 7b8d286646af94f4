# SPDX-License-Identifier: Apache-2.0
"""Programs over several devices of one client."""

import jax
import pytest
from child import output_of, run_python

# The integration guide's check.
PMAP = """
import jax, jax.numpy as jnp
print(jax.device_count(), jax.default_backend())
print(jax.pmap(lambda x: jax.lax.psum(x, "i"), axis_name="i")(jnp.arange(4)))
print(jax.pmap(lambda x: x + jax.lax.psum(x, "i"), axis_name="i")(jnp.arange(4)))
"""
SHARDED = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y"))
values = np.arange(16, dtype=np.float32).reshape(4, 4)
x = jax.device_put(values, NamedSharding(mesh, P("x", "y")))
out = NamedSharding(mesh, P("y"))
product = jax.jit(lambda x: x @ x.T, out_shardings=out)(x)
assert product.sharding == out, product.sharding
np.testing.assert_allclose(product, values @ values.T)
np.testing.assert_allclose(product.addressable_shards[1].data, (values @ values.T)[2:])
np.testing.assert_array_equal(jax.device_put(x, jax.devices()[3]), values)
def body(v):
    def step(carry, row):
        return carry + jax.lax.psum(row, "x"), jax.lax.all_gather(row, "y", tiled=True)
    total, rows = jax.lax.scan(step, jnp.zeros(2), v)
    return jax.lax.ppermute(total, "y", [(0, 1), (1, 0)]) + jax.lax.axis_index("y"), rows
mapped = jax.shard_map(
    body, mesh=mesh, in_specs=P("x", "y"), out_specs=(P("y"), P("x")), check_vma=False
)
total, rows = jax.jit(mapped)(x)
half = values.sum(0)
np.testing.assert_allclose(total, np.concatenate([half[2:], half[:2] + 1]))
np.testing.assert_allclose(rows, values)
moved = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
assert x.is_deleted()
np.testing.assert_allclose(moved, values + 1)
"""
METRICS = """
import jax, numpy as np
names = [f"metric {i}" for i in range(40)]
local = {name: np.arange(4, dtype=np.float32) + i for i, name in enumerate(names)}
mean = jax.pmap(lambda m: jax.lax.pmean(jax.tree.map(lambda x: x * 2, m), "i"), axis_name="i")
for i, name in enumerate(names):
    np.testing.assert_array_equal(mean(local)[name], np.full(4, 3 + 2 * i))
"""
FAILED = """
import jax, jax.numpy as jnp
def host(x):
    raise ValueError("planted")
program = jax.pmap(lambda x: jax.pure_callback(host, x, x), axis_name="i")
try:
    program(jnp.arange(4.0)).block_until_ready()
except Exception as error:
    print("planted" in str(error))
print(jax.pmap(lambda x: x + 1)(jnp.arange(4)))
"""


@pytest.fixture(autouse=True)
def shares_memory(platform):
    if platform != "iree_cpu":
        pytest.skip("a client of this platform has one device")


def test_pmap_over_four_devices(platform):
    lines, _ = output_of(PMAP, platform, IREE_PJRT_NUM_DEVICES="4")
    assert lines == [f"4 {platform}", "[6 6 6 6]", "[6 7 8 9]"]


def test_many_numbers_of_four_devices(platform):
    output_of(METRICS, platform, IREE_PJRT_NUM_DEVICES="4")


def test_shardings_over_four_devices(platform):
    if jax.__version_info__ < (0, 7):
        pytest.skip("programs of this JAX come in GSPMD's form, which is refused")
    output_of(SHARDED, platform, IREE_PJRT_NUM_DEVICES="4")


def test_an_error_on_devices_is_told_and_the_next_program_runs(platform):
    lines, _ = output_of(FAILED, f"{platform},cpu", IREE_PJRT_NUM_DEVICES="4")
    assert lines == ["True", "[1 2 3 4]"]


@pytest.mark.parametrize("count", ["0", "65", "many"])
def test_an_impossible_number_of_devices_is_refused(count, platform):
    ran = run_python("import jax; jax.devices()", platform, IREE_PJRT_NUM_DEVICES=count)
    assert ran.returncode != 0
    assert "IREE_PJRT_NUM_DEVICES" in ran.stderr
