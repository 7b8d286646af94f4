"""Code of a large program that is compiled side by side, to several objects."""

import os

import pytest

# Many dispatches, of which each has its own numbers.
PROGRAM = """
    import jax
    import jax.numpy as jnp
    import numpy as np

    def step(x):
        sums = []
        for rows in (31, 40, 64, 77, 100):
            y = jnp.sin(x[: rows * 40].reshape(rows, 40)) * rows
            z = jax.nn.softmax(y @ y.T / rows)
            sums += [z.sum(axis=0), jnp.sort(y, axis=0)[rows // 2], jnp.cumsum(z[0]) ** 3]
        return sums

    x = np.random.default_rng(0).standard_normal(4000, dtype=np.float32)
    ours = jax.jit(jax.value_and_grad(lambda x: sum(map(jnp.sum, step(x)))))(x)
    with jax.default_device(jax.devices("cpu")[0]):
        theirs = jax.jit(jax.value_and_grad(lambda x: sum(map(jnp.sum, step(x)))))(x)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-4)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-3, atol=1e-2)
"""
# Ours has them at the beginning of each object.
MAGIC = b"\x7fELF"


@pytest.mark.parametrize("options", ["", "--iree-hal-dump-executable-binaries-to="])
def test_objects_of_a_large_program(options, run_script, platform, tmp_path):
    if platform != "iree_cpu":
        pytest.skip("code of CPUs")
    saved = tmp_path / "saved"
    env = {"JAX_PLATFORMS": f"{platform},cpu", "IREE_PJRT_SAVE_ARTIFACTS": str(saved)}
    if options:
        env["IREE_PJRT_IREE_COMPILER_OPTIONS"] = f"{options}{tmp_path}"
    run_script(PROGRAM, env=env)
    largest = max(saved.rglob("*module.vmfb"), key=lambda path: path.stat().st_size)
    objects = largest.read_bytes().count(MAGIC)
    # Files that the compiler is to write would be written over each other.
    if options or len(os.sched_getaffinity(0)) == 1:
        assert objects == 1
    else:
        assert objects > 1
