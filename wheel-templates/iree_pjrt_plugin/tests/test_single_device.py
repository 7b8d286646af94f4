# SPDX-License-Identifier: Apache-2.0
"""One device: nothing of Shardy's dialect is left, and the values stay the same."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from artifacts import portable, portable_text, text_of

try:
    from jax import shard_map
except ImportError:  # jax 0.5
    from jax.experimental.shard_map import shard_map

P = PartitionSpec
XY, ROWS, I = P("x", "y"), P("x"), P("i")
MESH1 = Mesh(np.array(jax.devices()[:1]), ("i",))
MESH2 = Mesh(np.array(jax.devices()[:1]).reshape(1, 1), ("x", "y"))
X = np.linspace(-1.0, 2.0, 16, dtype=np.float32).reshape(4, 4)
V = np.linspace(-1.0, 2.0, 8, dtype=np.float32)
KEY = np.array([1, 2], np.uint32)


def sharded(spec=XY):
    return NamedSharding(MESH2, spec)


def constrain(value, spec=ROWS):
    return lax.with_sharding_constraint(value, sharded(spec))


def mapped(body, in_spec=I, out_spec=I, mesh=MESH1, check=False):
    return shard_map(body, mesh=mesh, in_specs=in_spec, out_specs=out_spec, check_vma=check)


def collectives(x):
    total = lax.psum(x.sum(), ("x", "y"))
    gathered = lax.all_gather(x, "y", tiled=True)
    swapped = lax.all_to_all(x, "x", 1, 0, tiled=True)
    scattered = lax.psum_scatter(x, "y", scatter_dimension=1, tiled=True)
    moved = lax.ppermute(x, "x", [(0, 0)])
    nobody = lax.ppermute(x, "x", [])
    place = lax.axis_index("x") + lax.axis_index("y")
    return gathered + swapped + scattered + moved * total + place, nobody


def loops(x):
    def step(carry, row):
        return carry + lax.psum(row, "x"), lax.cond(row[0] > 0, lambda: row, lambda: -row)

    carry, rows = lax.scan(step, jnp.zeros(4), x)
    carry = lax.while_loop(lambda c: c.sum() < 100, lambda c: c * 2 + lax.pmax(c, "y") + 1, carry)
    return rows + carry


@jax.custom_vjp
def clipped(x):
    return jnp.clip(x, 0, 1)


clipped.defvjp(lambda x: (clipped(x), x), lambda x, g: (constrain(g * jnp.sign(x)),))


@jax.custom_jvp
def cubed(x):
    return constrain(x) ** 3


cubed.defjvp(lambda primals, tangents: (cubed(*primals), 3 * primals[0] ** 2 * tangents[0]))

# name → (function, arguments, shardings of the arguments or None)
PROGRAMS = {
    "random.normal": (lambda k: jax.random.normal(jax.random.wrap_key_data(k), (8,)), [KEY], None),
    "random.uniform": (
        lambda k: jax.random.uniform(jax.random.wrap_key_data(k), (3, 5)),
        [KEY],
        None,
    ),
    "random.permutation": (
        lambda k: jax.random.permutation(jax.random.wrap_key_data(k), 16),
        [KEY],
        None,
    ),
    "random.split": (
        lambda k: jax.random.key_data(jax.random.split(jax.random.wrap_key_data(k), 3)),
        [KEY],
        None,
    ),
    "named sharding": (lambda x: jnp.sin(x) @ x, [X], sharded()),
    "constraint": (lambda x: constrain(x * 2, P("y", "x")) + 1, [X], sharded()),
    "cumsum": (lambda x: jnp.cumsum(constrain(x), 0), [X], sharded()),
    "cumprod reverse": (lambda x: lax.cumprod(x, 1, reverse=True), [X], sharded()),
    "reduce_window": (
        lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID"),
        [X],
        sharded(),
    ),
    "select_and_scatter": (
        jax.grad(lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID").sum()),
        [X],
        sharded(),
    ),
    "sort": (lambda x: jnp.sort(constrain(x), 0)[::-1], [X], sharded()),
    "gather": (lambda x: x[jnp.array([2, 0])] + x[:, x[0].astype(int) % 2][:2], [X], sharded()),
    "scatter": (lambda x: x.at[jnp.array([1, 3])].add(constrain(x)[:2]), [X], sharded()),
    "batched scatter": (
        jax.grad(lambda x: jnp.take_along_axis(x * x, jnp.array([[1], [0], [3], [2]]), 1).sum()),
        [X],
        None,
    ),
    "argmax": (lambda x: jnp.argmax(x, 0), [X], sharded()),
    "custom_vjp": (jax.grad(lambda x: clipped(x).sum()), [X], sharded()),
    "custom_jvp": (lambda x: jax.jvp(cubed, (x,), (x,))[1], [X], sharded()),
    "shard_map collectives": (
        mapped(collectives, P("x", "y"), (P("x", "y"), P("x", "y")), MESH2),
        [X],
        None,
    ),
    "shard_map loops": (mapped(loops, P("x", "y"), P("x", "y"), MESH2), [X], None),
    "shard_map checked": (
        mapped(lambda x: lax.psum(x, "i"), out_spec=P(), check=True),
        [V],
        None,
    ),
    "shard_map grad": (
        jax.grad(lambda x: mapped(lambda v: jnp.tanh(v) * lax.psum(v, "i"))(x).sum()),
        [V],
        None,
    ),
    "shard_map jit inside": (
        mapped(jax.jit(lambda x: lax.psum(jnp.cumsum(x), "i"))),
        [V],
        None,
    ),
    "shard_map partly manual": (
        lambda x: shard_map(
            lambda v: lax.psum(v, "x"),
            mesh=MESH2,
            in_specs=P("x"),
            out_specs=P("x"),
            axis_names={"x"},
            check_vma=False,
        )(constrain(x)),
        [X],
        sharded(),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name, plugin, run_on_xla):
    function, arguments, sharding = PROGRAMS[name]
    options = {} if sharding is None else {"in_shardings": sharding}
    jitted = jax.jit(function, **options)
    wanted = jax.tree.leaves(jitted(*arguments))
    check(plugin, run_on_xla, portable(jitted.lower(*arguments)), arguments, wanted)


PMAPS = {
    "psum": lambda x: x + lax.psum(x, "i"),
    "all_gather": lambda x: lax.all_gather(x, "i"),
    "ppermute": lambda x: lax.ppermute(x, "i", [(0, 0)]),
    "ppermute nobody": lambda x: lax.ppermute(x, "i", []),
    "axis_index": lambda x: x + lax.axis_index("i"),
    "grad": jax.grad(lambda x: (lax.psum(jnp.sin(x), "i") * x).sum()),
    "random": lambda x: x + jax.random.normal(jax.random.key(0), (8,)),
}


@pytest.mark.parametrize("name", PMAPS)
def test_pmap(name, plugin, run_on_xla):
    mapped_function = jax.pmap(PMAPS[name], axis_name="i")
    arguments = [V[None]]
    wanted = jax.tree.leaves(mapped_function(*arguments))
    check(plugin, run_on_xla, portable(mapped_function.lower(*arguments)), arguments, wanted)


def test_exported(plugin, run_on_xla):
    export = pytest.importorskip("jax.export", exc_type=ImportError)  # wants absl in jax 0.6
    exported = export.export(jax.jit(lambda x: constrain(jnp.cumsum(x))))(V)
    # A module inside another program, as jax.export gives it back.
    jitted = jax.jit(lambda x: exported.call(x) + 1)
    check(plugin, run_on_xla, portable(jitted.lower(V)), [V], [np.cumsum(V) + 1])


def check(plugin, run_on_xla, artifact, arguments, wanted):
    plain = plugin.artifact.lower(
        artifact, num_replicas=1, num_partitions=1, stablehlo_version="1.13.0"
    )
    text = text_of(plain)
    assert not re.search(r"(?<!xla\.)sdy\.", text), text
    got = run_on_xla(plain, arguments)
    assert len(got) == len(wanted)
    for got_value, wanted_value in zip(got, wanted, strict=True):
        np.testing.assert_allclose(got_value, np.asarray(wanted_value), rtol=1e-5, atol=1e-6)


def test_every_op_of_shardy(plugin, run_on_xla):
    """What JAX does not emit by itself: regions in regions, constants, groups, barriers."""
    artifact = portable_text("""
      module {
        sdy.mesh @mesh = <["x"=1, "y"=1]>
        func.func public @main(%arg: tensor<4xf32>) -> tensor<4xf32> {
          %a = sdy.propagation_barrier %arg allowed_direction=NONE : tensor<4xf32>
          sdy.sharding_group %a group_id=0 : tensor<4xf32>
          %b = sdy.reshard %a <@mesh, [{"x"}]> : tensor<4xf32>
          %n = sdy.named_computation<"f">(%b) (%v: tensor<4xf32>) {
            %m = sdy.manual_computation(%v) in_shardings=[<@mesh, [{"x"}]>]
                out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%w: tensor<4xf32>) {
              %k = sdy.manual_computation(%w) in_shardings=[<@mesh, [{"y"}]>]
                  out_shardings=[<@mesh, [{"y"}]>] manual_axes={"y"} (%u: tensor<4xf32>) {
                %sum = stablehlo.add %u, %u : tensor<4xf32>
                sdy.return %sum : tensor<4xf32>
              } : (tensor<4xf32>) -> tensor<4xf32>
              sdy.return %k : tensor<4xf32>
            } : (tensor<4xf32>) -> tensor<4xf32>
            sdy.return %m : tensor<4xf32>
          } : (tensor<4xf32>) -> tensor<4xf32>
          %c = sdy.constant dense<1.0> : tensor<4xf32>
          %r = stablehlo.add %n, %c : tensor<4xf32>
          return %r : tensor<4xf32>
        }
      }""")
    check(plugin, run_on_xla, artifact, [V[:4]], [V[:4] * 2 + 1])


def test_a_program_for_more_devices_is_refused(plugin):
    artifact = portable_text("""
      module {
        sdy.mesh @mesh = <["x"=2]>
        func.func public @main(%arg: tensor<4xf32>) -> tensor<4xf32> {
          %0 = sdy.manual_computation(%arg) in_shardings=[<@mesh, [{"x"}]>]
              out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%v: tensor<2xf32>) {
            %1 = stablehlo.add %v, %v : tensor<2xf32>
            sdy.return %1 : tensor<2xf32>
          } : (tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }
      }""")
    with pytest.raises(Exception, match="lowered for more devices"):
        plugin.artifact.lower(
            artifact, num_replicas=1, num_partitions=1, stablehlo_version="1.13.0"
        )


def test_garbage_is_an_error_with_a_reason(plugin, capfd):
    with pytest.raises(RuntimeError, match="could not read the program"):
        plugin.artifact.lower(
            b"ML\xefRnonsense", num_replicas=1, num_partitions=1, stablehlo_version="1.13.0"
        )
    assert capfd.readouterr().err == ""
