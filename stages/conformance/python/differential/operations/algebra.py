# SPDX-License-Identifier: Apache-2.0
"""Linear algebra of well-conditioned matrices, and Fourier transforms."""

from ..making import COMPLEX, Maker, operation

_MOST = 17


def _definite(m: Maker) -> tuple[str, tuple[int, int]] | None:
    """A positive definite matrix, and the shape of what it is made of."""
    made = m.matrix(_MOST)
    if made is None or made[1][1] > 200:
        return None
    x, shape = made
    n = shape[0]
    return f"(lambda q: q @ q.T + {n} * jnp.eye({n}, dtype={m.float}))(jnp.tanh({x}))", shape


_OF_DEFINITE = [
    "jnp.linalg.cholesky({a})",
    "jnp.linalg.inv({a})",
    "jnp.linalg.slogdet({a})[1]",
    "jnp.linalg.eigvalsh({a})",
    "jnp.linalg.svd({a}, compute_uv=False)",
    "abs(jnp.linalg.qr({a})[1])",
    "jax.scipy.linalg.expm({a} * 0.02)",
    "jnp.linalg.matrix_power({a} * 0.02, 3)",
]


@operation("sums")
def _factored(m: Maker) -> str | None:
    made = _definite(m)
    return made and m.of(_OF_DEFINITE).format(a=made[0])


@operation("sums")
def _solved(m: Maker) -> str | None:
    made = _definite(m)
    if made is None:
        return None
    a, (n, _) = made
    w = m.value(lambda u: u.ndim in (1, 2) and u.shape[0] == n and u.size <= 3000)
    right = m.full(w) if w else f"jnp.arange({n}).astype({m.float})"
    return m.of(
        [
            f"jnp.linalg.solve({a}, {right})",
            f"jax.scipy.linalg.cho_solve((jnp.linalg.cholesky({a}), True), {right})",
            f"jax.scipy.linalg.solve_triangular({a}, {right}, lower=True)",
            f"jax.scipy.linalg.solve_triangular({a}.T, {right}, trans=1)",
        ]
    )


@operation("sums")
def _fourier(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim > 0 and 0 < w.size <= 20_000)
    if v is None:
        return None
    whole = f"{v.name}.astype({m.complex})"
    texts = [f"jnp.fft.fft({whole})", f"jnp.fft.ifft({whole})", f"jnp.fft.fft({whole}, axis=0)"]
    if v.dtype not in COMPLEX:
        texts = [f"jnp.fft.rfft({m.full(v)})", *texts]
    if v.ndim > 1:
        texts.append(f"jnp.fft.fft2({whole})")
    if v.shape[-1] > 1:
        texts.append(f"jnp.fft.irfft({whole})")
    return m.of(texts)
