# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds: small programs of every kind, as JAX sends them to the plugin.

::

    python native/fuzz/make_seeds.py native/fuzz/seeds     # on the plugin as it was last built
"""

import os
import sys
import tempfile
from pathlib import Path

os.environ["IREE_PJRT_SAVE_ARTIFACTS"] = tempfile.mkdtemp()

import jax
import jax.numpy as jnp
from jax import lax

SAVED = Path(os.environ["IREE_PJRT_SAVE_ARTIFACTS"])
# With Shardy on, random bits come with its dialect, which is only read with the package.
jax.config.update("jax_use_shardy_partitioner", False)

x = jnp.arange(6.0).reshape(2, 3)
image = jnp.ones((1, 4, 4, 2))
kernel = jnp.ones((3, 3, 2, 2))
index = jnp.array([1, 0])

PROGRAMS = {
    "add": (lambda a: a + 1, x),
    "mlp_grad": (jax.grad(lambda w, a: jnp.tanh(a @ w).sum()), x.T, x),
    "convolution": (
        lambda a, k: lax.conv_general_dilated(
            a, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        ),
        image,
        kernel,
    ),
    "gather_scatter": (lambda a, i: a.at[i, i].add(a[i, i]), x, index),
    "sort_top_k": (lambda a: (jnp.sort(a), lax.top_k(a, 2)), x),
    "while": (lambda a: lax.while_loop(lambda s: s.sum() < 99, lambda s: s * 2 + 1, a), x),
    "cond_scan": (
        lambda a: lax.scan(lambda c, r: (lax.cond(c[0] > 2, jnp.sin, jnp.cos, c + r), r), a[0], a),
        x,
    ),
    "random": (lambda k: jax.random.normal(k, (3,)), jax.random.key(0)),
    "reduce_window": (lambda a: (jnp.cumsum(a, 1), a.max(0), jnp.argmax(a, 1)), x),
    "types": (
        lambda a: (
            a.astype(jnp.bfloat16),
            a.astype(jnp.int4),
            lax.bitcast_convert_type(a, jnp.uint32),
            a + 1j,
            a > 1,
        ),
        x,
    ),
    "slices": (
        lambda a, i: lax.dynamic_update_slice(a, lax.dynamic_slice(a, i, (1, 2)) * 2, i),
        x,
        index,
    ),
    "constants": (lambda a: a * jnp.array([[1.5, 2, 3], [4, 5, 6]]) + jnp.eye(2, 3), x),
    "fft": (lambda a: jnp.fft.rfft(a), jnp.ones((2, 8))),
    "erf_composite": (lambda a: jax.scipy.special.erf(a) + lax.erf_inv(a / 9), x),
}


def main(folder: str) -> None:
    """Compiles each program and keeps what the plugin received."""
    for name, (function, *arguments) in PROGRAMS.items():
        function.__name__ = name
        lowered = jax.jit(function).lower(*arguments)
        before = set(SAVED.rglob("*received.mlir"))
        lowered.compile()
        (received,) = set(SAVED.rglob("*received.mlir")) - before
        Path(folder, f"{name}.mlirbc").write_bytes(received.read_bytes())
    for name in ("add", "while"):
        function, *arguments = PROGRAMS[name]
        text = jax.jit(function).lower(*arguments).as_text()
        Path(folder, f"{name}.mlir").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1])
