# SPDX-License-Identifier: Apache-2.0
"""Several devices: one program for all of them gives each what XLA gives it."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from artifacts import portable, portable_text, text_of

if jax.__version_info__ < (0, 7):
    pytest.skip("programs of this JAX come in GSPMD's form", allow_module_level=True)
from jax import shard_map

UNCHECKED = {"check_vma": False}
COUNT = 8
DEVICES = np.array(jax.devices()[:COUNT])
LINE = Mesh(DEVICES, ("i",))
GRID = Mesh(DEVICES.reshape(2, 4), ("x", "y"))
BACKWARDS = Mesh(DEVICES[::-1].reshape(4, 2), ("a", "b"))
X = np.linspace(-1, 2, 64, dtype=np.float32).reshape(8, 8)
KEY = np.array([1, 2], np.uint32)


def on(*spec, mesh=GRID):
    return NamedSharding(mesh, P(*spec))


def mapped(body, in_spec, out_spec, mesh=GRID, **options):
    return jax.jit(
        shard_map(body, mesh=mesh, in_specs=in_spec, out_specs=out_spec, **{**UNCHECKED, **options})
    )


XY = P("x", "y")


def scanned(v):
    def step(carry, row):
        return carry + lax.psum(row, "x"), lax.all_gather(row, "x", tiled=True) * carry.sum()

    return lax.scan(step, jnp.zeros(v.shape[1]), v)


def loops_of_their_own(v):
    """Devices along x go round a different number of times, with a collective along y inside."""

    def goes_on(carry):
        return carry[0].sum() < lax.axis_index("x") * 40 + 10

    def step(carry):
        return carry[0] + 1 + lax.psum(abs(carry[0]), "y") * 0.1, carry[1] + 1

    return lax.while_loop(goes_on, step, (v, jnp.int32(0)))[0]


def conditions_in_a_loop(v):
    def step(carry, i):
        swapped = lax.ppermute(carry, "x", [(0, 1), (1, 0)])
        chosen = lax.cond(i % 2 == 0, lambda: lax.psum(carry, "x") * 0.1, lambda: swapped)
        return chosen, None

    return lax.scan(step, v, jnp.arange(5))[0]


def nested(v):
    inner = shard_map(
        lambda w: lax.psum(w, "y") + lax.axis_index("y"),
        in_specs=P("y"),
        out_specs=P("y"),
        axis_names={"y"},
        **UNCHECKED,
    )
    return inner(v) * lax.axis_index("x")


def in_a_scan(x):
    body = mapped(lambda v: lax.psum(v, "x") * 0.3 + v, XY, XY)
    return lax.scan(lambda carry, _: (body(carry), carry.sum()), x, None, length=3)


def train(w, x):
    """A step of data parallel training: gradients of a part of the batch, then their mean."""
    gradient = jax.grad(lambda w, x: jnp.mean((jnp.tanh(x @ w) - 1) ** 2))(w, x)
    return w - 0.1 * lax.pmean(gradient, "i")


# name → (jitted function, arguments)
MAPPED = {
    "psum and axis_index": (
        mapped(lambda x: lax.psum(x, "i") + lax.axis_index("i"), P("i"), P("i"), LINE),
        [np.arange(8.0)],
    ),
    "pmax pmin pmean": (
        mapped(lambda x: lax.pmax(x, ("x", "y")) + lax.pmin(x, "x") + lax.pmean(x, "y"), XY, XY),
        [X],
    ),
    "all_gather": (mapped(lambda x: lax.all_gather(x, "x", tiled=True), XY, XY), [X]),
    "all_gather of both": (mapped(lambda x: lax.all_gather(x, ("y", "x")), XY, P()), [X]),
    "all_to_all": (mapped(lambda x: lax.all_to_all(x, "x", 1, 0, tiled=True), XY, XY), [X]),
    "psum_scatter": (
        mapped(lambda x: lax.psum_scatter(x, "y", tiled=True), P("x", None), XY),
        [X],
    ),
    "ppermute": (mapped(lambda x: lax.ppermute(x, "y", [(0, 1), (1, 2)]), XY, XY), [X]),
    "groups": (
        mapped(
            lambda x: lax.psum(x, "i", axis_index_groups=[[0, 2, 4, 6], [1, 3, 5, 7]]),
            P("i"),
            P("i"),
            LINE,
        ),
        [X],
    ),
    "bool": (mapped(lambda x: lax.all_gather(x > 0, "x", tiled=True).sum(), XY, P()), [X]),
    "complex": (mapped(lambda x: lax.psum(x * 1j, "x").real, XY, P(None, "y")), [X]),
    "scan": (mapped(scanned, XY, (P("y"), XY)), [X]),
    "while, of their own": (mapped(loops_of_their_own, XY, XY), [X]),
    "cond": (
        mapped(
            lambda x: lax.cond(
                lax.psum(x.sum(), ("x", "y")) > 0, lambda: lax.psum(x, "x"), lambda: x
            ),
            XY,
            XY,
        ),
        [X],
    ),
    "cond, of their own": (
        mapped(
            lambda x: lax.cond(lax.axis_index("x") > 0, lambda: lax.psum(x, "y"), lambda: x), XY, XY
        ),
        [X],
    ),
    "switch, of their own": (
        mapped(
            lambda x: lax.switch(
                lax.axis_index("x"), [lambda: lax.psum(x, "y"), lambda: x, lambda: x * 3]
            ),
            XY,
            XY,
        ),
        [X],
    ),
    "cond in scan": (mapped(conditions_in_a_loop, XY, XY), [X]),
    "loop without collectives": (
        mapped(lambda x: lax.fori_loop(0, lax.axis_index("x") + 2, lambda i, c: c + i, x), XY, XY),
        [X],
    ),
    "one axis of two": (
        mapped(
            lambda x: lax.psum(x * (lax.axis_index("x") + 1), "x"), P("x"), P(), axis_names={"x"}
        ),
        [X],
    ),
    "nested": (mapped(nested, P("x"), P("x"), axis_names={"x"}), [X]),
    "jit inside": (
        mapped(
            lambda x: jax.jit(lambda y: lax.psum(jnp.cumsum(y, 0), "x"))(x) + jnp.sin(x), XY, XY
        ),
        [X],
    ),
    "in a scan": (jax.jit(in_a_scan, in_shardings=on("x", "y")), [X]),
    "gradient": (
        jax.jit(
            jax.grad(lambda x: mapped(lambda v: jnp.tanh(v) * lax.psum(v, "x"), XY, XY)(x).sum()),
            in_shardings=on("x", "y"),
            out_shardings=on("x", "y"),
        ),
        [X],
    ),
    "training": (mapped(train, (P(), P("i")), P(), LINE), [X, X]),
    "no arguments": (mapped(lambda: lax.axis_index("x")[None] * 1.0, (), P("x")), []),
    # Each device has its own, though the array says that all have the same.
    "unchecked replicas": (mapped(lambda x: x, XY, P()), [X]),
    "pmap": (jax.pmap(lambda x: x / lax.psum(x, "i"), axis_name="i"), [np.arange(1.0, 9.0)]),
    "pmap, grad": (
        jax.pmap(jax.grad(lambda x: (lax.psum(jnp.sin(x), "i") * x).sum()), axis_name="i"),
        [X],
    ),
}
SHARDED = {
    "matmul": (
        jax.jit(lambda x: x @ x.T, in_shardings=on("x", "y"), out_shardings=on("y")),
        [X],
    ),
    "open shardings": (
        jax.jit(lambda x, y: (x @ y, x.sum(0), x * 2, y), in_shardings=(on("x", "y"), None)),
        [X, X],
    ),
    "constraints": (
        jax.jit(
            lambda x: lax.with_sharding_constraint(jnp.cumsum(x, 0), on("y", "x")) * 2,
            in_shardings=on("x"),
        ),
        [X],
    ),
    "uneven inside": (
        jax.jit(
            lambda x: lax.with_sharding_constraint(x[:5] * 2, on("x"))[:3].sum(0),
            in_shardings=on("x", "y"),
        ),
        [X],
    ),
    "both axes on one dimension": (
        jax.jit(
            lambda x: x[::-1] * 2, in_shardings=on(("y", "x")), out_shardings=on(None, ("x", "y"))
        ),
        [X],
    ),
    "partly replicated": (
        jax.jit(lambda x: x + 1, in_shardings=on(None, "y"), out_shardings=on("x")),
        [X],
    ),
    "backwards": (
        jax.jit(
            lambda x: x.T * 2,
            in_shardings=on("a", "b", mesh=BACKWARDS),
            out_shardings=on("b", mesh=BACKWARDS),
        ),
        [X],
    ),
    "handed through": (
        jax.jit(
            lambda x, y: (x, y.sum(), y),
            in_shardings=on("x", "y"),
            out_shardings=(on("y"), on(), on("x", "y")),
        ),
        [X, X],
    ),
    "sort and gather": (
        jax.jit(
            lambda x: jnp.sort(x, 0)[::-1][:5] + x[jnp.array([1, 2, 3, 4, 0])],
            in_shardings=on("x", "y"),
        ),
        [X],
    ),
    "random": (
        jax.jit(
            lambda k: jax.random.normal(jax.random.wrap_key_data(k), (8, 8)),
            out_shardings=on("x", "y"),
        ),
        [KEY],
    ),
}
PROGRAMS = MAPPED | SHARDED


def terms():
    """Programs whose devices hold terms of sums."""
    if jax.__version_info__ < (0, 10):
        return {}
    from jax.sharding import AxisType, reshard

    left = P("x", None, unreduced={"y"})
    explicit = Mesh(DEVICES.reshape(2, 4), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    product = shard_map(
        lambda a, b: a @ b,
        mesh=explicit,
        in_specs=(XY, P("y", None)),
        out_specs=left,
        **UNCHECKED,
    )
    given = [
        jax.device_put(array, NamedSharding(explicit, spec))
        for array, spec in ((X, XY), (X + 1, P("y", None)))
    ]

    def added(a, b):
        return reshard(product(a, b), NamedSharding(explicit, P("x", None)))

    def gradient(a, b):
        return jax.grad(lambda a: (added(a, b) ** 2).sum())(a)

    return {
        name: (jax.jit(function), given)
        for name, function in (
            ("terms, returned", product),
            ("terms, added", added),
            ("terms, gradient", gradient),
        )
    }


PROGRAMS |= terms()


@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name, plugin, run_on_xla):
    function, arguments = PROGRAMS[name]
    lowered = function.lower(*arguments)
    wanted = jax.tree.leaves(function(*arguments))
    plain = lower(plugin, portable(lowered))
    text = text_of(plain)
    assert not re.search(r"sdy\.|all_(reduce|gather|to_all)|collective|partition_id", text), text
    places = {
        key: [int(n) for n in re.search(rf'iree_pjrt.{key} = "([^"]*)"', text)[1].split()]
        for key in ("arguments", "results")
    }
    got = run_on_xla(plain, inputs_of(lowered.compile(), arguments, places["arguments"]))
    for index, array in enumerate(wanted):
        shards = {shard.device: np.asarray(shard.data) for shard in array.addressable_shards}
        for number, device in enumerate(array.sharding._device_assignment):
            place = places["results"][number * len(wanted) + index]
            np.testing.assert_allclose(got[place], shards[device], rtol=1e-5, atol=1e-6)


def inputs_of(compiled, arguments, places):
    """What the inputs of the one program are, from arrays that are sharded as XLA has them."""
    shardings = compiled._executable._in_shardings
    inputs = {}
    for index, (argument, sharding) in enumerate(zip(arguments, shardings, strict=True)):
        shards = {s.device: s.data for s in jax.device_put(argument, sharding).addressable_shards}
        for number, device in enumerate(sharding._device_assignment):
            inputs.setdefault(places[number * len(arguments) + index], np.asarray(shards[device]))
    return [inputs[place] for place in range(len(inputs))]


def lower(plugin, artifact, partitions=COUNT, replicas=1, **options):
    return plugin.artifact.lower(
        artifact,
        num_replicas=replicas,
        num_partitions=partitions,
        stablehlo_version="1.13.0",
        **options,
    )


def test_what_is_the_same_everywhere_is_computed_once(plugin):
    function, arguments = MAPPED["training"]
    text = text_of(lower(plugin, portable(function.lower(*arguments))))
    assert text.count("stablehlo.dot_general") == 2 * COUNT
    # The new weights: one subtraction, one output for all devices.
    assert 'iree_pjrt.results = "0 0 0 0 0 0 0 0"' in text


def test_the_shown_program_says_how_arrays_are_sharded(plugin):
    shown = []
    function, arguments = SHARDED["matmul"]
    lower(plugin, portable(function.lower(*arguments)), show=shown.append)
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir

    with mlir.make_ir_context():
        text = str(ir.Module.parse(shown[0]))
    assert (
        'mhlo.spmd_output_sharding = "{devices=[4,1,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"'
        in text
    )
    assert 'mhlo.spmd_parameters_shardings = ["{devices=[2,4]0,1,2,3,4,5,6,7}"]' in text


def test_replicas(plugin, run_on_xla):
    artifact = portable_text("""
      module attributes {mhlo.num_replicas = 3 : i32} {
        func.func public @main(%arg: tensor<2xf32>) -> (tensor<2xf32>, tensor<ui32>) {
          %0 = "stablehlo.all_reduce"(%arg) <{
              replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>}> ({
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            %s = stablehlo.add %a, %b : tensor<f32>
            stablehlo.return %s : tensor<f32>
          }) : (tensor<2xf32>) -> tensor<2xf32>
          %1 = stablehlo.replica_id : tensor<ui32>
          return %0, %1 : tensor<2xf32>, tensor<ui32>
        }
      }""")
    plain = lower(plugin, artifact, replicas=3, partitions=1)
    text = text_of(plain)
    assert 'iree_pjrt.arguments = "0 1 2"' in text
    assert 'iree_pjrt.results = "0 2 1 3 0 4"' in text
    rows = [np.array([i, 10 * i], np.float32) for i in (1, 2, 3)]
    got = run_on_xla(plain, rows)
    np.testing.assert_array_equal(got[0], [4, 40])
    np.testing.assert_array_equal(got[1], [2, 20])
    assert [int(value) for value in got[2:]] == [0, 1, 2]


def test_collective_broadcast(plugin, run_on_xla):
    artifact = portable_text("""
      module attributes {mhlo.num_replicas = 4 : i32} {
        func.func public @main(%arg: tensor<f32>) -> tensor<f32> {
          %0 = "stablehlo.collective_broadcast"(%arg) <{
              replica_groups = dense<[[2, 1, 0]]> : tensor<1x3xi64>}> : (tensor<f32>) -> tensor<f32>
          return %0 : tensor<f32>
        }
      }""")
    plain = lower(plugin, artifact, replicas=4, partitions=1)
    assert 'iree_pjrt.results = "0 0 0 1"' in text_of(plain)
    got = run_on_xla(plain, [np.float32(n) for n in (1, 2, 3, 4)])
    assert [float(value) for value in got] == [3, 0]  # no device sends to the last one


def test_replicas_of_partitions_are_refused(plugin):
    function, arguments = MAPPED["psum and axis_index"]
    with pytest.raises(Exception, match="8 replicas x 8 partitions"):
        lower(plugin, portable(function.lower(*arguments)), replicas=8)


def test_a_mesh_of_another_size_is_refused(plugin):
    function, arguments = MAPPED["psum and axis_index"]
    with pytest.raises(Exception, match="a mesh of 8 devices in a program for 4"):
        lower(plugin, portable(function.lower(*arguments)), partitions=4)


def test_gspmd_is_refused(plugin):
    artifact = portable_text("""
      module {
        func.func public @main(%arg: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"})
            -> tensor<4xf32> {
          return %arg : tensor<4xf32>
        }
      }""")
    with pytest.raises(Exception, match="GSPMD"):
        lower(plugin, artifact, partitions=2)
