# SPDX-License-Identifier: Apache-2.0
"""Ahead of time: lower, compile, serialize, load, export."""

import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export
from jax.experimental import serialize_executable

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)


def program(x, scale):
    return {"y": jnp.tanh(x) * scale, "n": (x > 0).sum()}


WANTED = {"y": np.tanh(X) * np.float32(2), "n": (X > 0).sum()}


def check_result(got):
    np.testing.assert_allclose(got["y"], WANTED["y"], rtol=1e-5)
    assert int(got["n"]) == WANTED["n"]


@pytest.fixture(scope="module")
def compiled():
    return jax.jit(program).lower(X, 2.0).compile()


def test_lower_and_compile(compiled, device):
    got = compiled(X, 2.0)
    check_result(got)
    assert got["y"].devices() == {device}


def test_lowered_from_shapes_alone():
    spec = jax.ShapeDtypeStruct((3, 4), jnp.float32)
    check_result(jax.jit(program).lower(spec, 2.0).compile()(X, 2.0))


def test_what_was_compiled_can_be_looked_at(compiled):
    assert compiled.as_text()
    assert jax.tree.structure(compiled.out_tree.unflatten([0, 0])) == jax.tree.structure(WANTED)
    assert [aval.shape for aval in jax.tree.leaves(compiled.in_avals)] == [(3, 4), ()]


def test_a_call_with_other_shapes_is_refused(compiled):
    with pytest.raises(TypeError, match=r"shape|type"):
        compiled(X.T, 2.0)
    check_result(compiled(X, 2.0))


def test_static_arguments_and_kept_constants():
    constant = np.arange(4, dtype=np.float32)
    function = jax.jit(lambda x, n: (x + constant) * n, static_argnums=1)
    np.testing.assert_allclose(function.lower(X, 3).compile()(X), (X + constant) * 3, rtol=1e-6)


def test_serialized_and_loaded_in_this_process(compiled):
    payload, in_tree, out_tree = serialize_executable.serialize(compiled)
    assert isinstance(payload, bytes)
    check_result(serialize_executable.deserialize_and_load(payload, in_tree, out_tree)(X, 2.0))


LOAD = """
import pickle, sys
import jax
import numpy as np
from jax.experimental import serialize_executable

jax.devices()
def refuse(*args, **kwargs):
    raise AssertionError("something was compiled")
with open(sys.argv[1], "rb") as file:
    parts = pickle.load(file)
loaded = serialize_executable.deserialize_and_load(*parts)
from jax._src import compiler
compiler.backend_compile_and_load = refuse
x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
got = loaded(x, np.float32(2))
np.testing.assert_allclose(got["y"], np.tanh(x) * 2, rtol=1e-5)
assert got["y"].devices() == {jax.devices()[0]}
print("loaded")
"""


def test_loaded_in_another_process(compiled, run_script, tmp_path):
    file = tmp_path / "executable.pickle"
    file.write_bytes(pickle.dumps(serialize_executable.serialize(compiled)))
    assert run_script(LOAD, file).stdout.split() == ["loaded"]


@pytest.mark.parametrize("part", [0.3, 0.5, 0.8])
def test_a_damaged_executable_is_refused_and_the_next_call_works(compiled, part):
    payload, in_tree, out_tree = serialize_executable.serialize(compiled)
    # The damage is inside what the plugin wrote; both ends are JAX's own wrapping.
    at = int(len(payload) * part)
    damaged = (
        payload[:at] + bytes(byte ^ 0x55 for byte in payload[at : at + 64]) + payload[at + 64 :]
    )
    with pytest.raises((RuntimeError, ValueError), match=r"\w"):
        serialize_executable.deserialize_and_load(damaged, in_tree, out_tree)
    check_result(compiled(X, 2.0))


def test_export_round_trip(platform, device):
    exported = export.export(jax.jit(program))(X, 2.0)
    assert exported.platforms == (platform,)
    again = export.deserialize(exported.serialize())
    assert [(a.shape, a.dtype) for a in again.in_avals] == [((3, 4), np.float32), ((), np.float32)]
    got = again.call(X, 2.0)
    check_result(got)
    assert got["y"].devices() == {device}


def test_export_for_several_platforms(platform, device, cpu):
    exported = export.export(jax.jit(program), platforms=[platform, "cpu"])(X, 2.0)
    again = export.deserialize(exported.serialize())
    for place in (device, cpu):
        got = again.call(jax.device_put(X, place), 2.0)
        check_result(got)
        assert got["y"].devices() == {place}


def test_export_with_a_symbolic_shape():
    rows = export.symbolic_shape("n, 4")
    exported = export.export(jax.jit(lambda x: x.sum(0) * x.shape[0]))(
        jax.ShapeDtypeStruct(rows, jnp.float32)
    )
    again = export.deserialize(exported.serialize())
    for count in (1, 3):
        np.testing.assert_allclose(again.call(X[:count]), X[:count].sum(0) * count, rtol=1e-6)


def test_export_of_a_gradient():
    exported = export.export(jax.jit(lambda x: jnp.sum(jnp.sin(x))))(X)
    again = export.deserialize(exported.serialize(vjp_order=1))
    np.testing.assert_allclose(
        jax.grad(lambda x: again.call(x))(X), np.cos(X), rtol=1e-5, atol=1e-6
    )


def test_compiler_options_reach_the_compiler():
    lowered = jax.jit(lambda x: x + 1).lower(X)
    with pytest.raises(Exception, match="no_such_option"):
        lowered.compile(compiler_options={"no_such_option": "1"})
    np.testing.assert_allclose(lowered.compile()(X), X + 1)
