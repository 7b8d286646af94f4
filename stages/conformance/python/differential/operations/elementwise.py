# SPDX-License-Identifier: Apache-2.0
"""Element by element: functions of one value and of two, choices, types."""

from ..making import COMPLEX, INTEGERS, Maker, broadcasts, operation

# Of x; none of them leaves numbers of moderate size.
_SMOOTH = [
    "jnp.tanh({x})",
    "jnp.cos(jnp.clip({x}, -9, 9))",
    "jnp.sin({x})",
    "jnp.exp(jnp.clip({x}, -5, 5))",
    "jnp.expm1(jnp.clip({x}, -5, 5))",
    "jnp.log1p(abs({x}))",
    "jnp.log(jnp.square({x}) + 0.01)",
    "jnp.sqrt(abs({x}) + 0.1)",
    "lax.rsqrt(jnp.square({x}) + 1)",
    "1 / (1 + abs({x}))",
    "jnp.arctan({x})",
    "jnp.arcsinh({x})",
    "jnp.arccos(jnp.clip({x}, -0.9, 0.9))",
    "jnp.cbrt({x})",
    "jnp.sinh(jnp.clip({x}, -3, 3))",
    "lax.erf({x})",
    "jax.nn.sigmoid({x})",
    "jax.nn.gelu({x})",
    "jax.nn.softplus({x})",
    "jax.nn.silu({x})",
    "jnp.square(jnp.clip({x}, -50, 50))",
    "lax.lgamma(abs({x}) + 0.5)",
    "lax.digamma(abs({x}) + 0.5)",
    "lax.erf_inv(jnp.clip({x}, -0.9, 0.9))",
    "jnp.clip({x}, -2, 2) ** 3",
]
_KINKED = [
    "jax.nn.relu({x})",
    "abs({x})",
    "-{x}",
    "jnp.sign({x})",
    "jnp.floor({x})",
    "jnp.ceil({x})",
    "jnp.round({x})",
    "jnp.trunc({x})",
    "jnp.clip({x}, -1, 1)",
    "lax.optimization_barrier({x})",
]
_PAIRS = [
    "{x} + {y}",
    "{x} - {y}",
    "{x} * jnp.clip({y}, -9, 9)",
    "{x} / (1 + abs({y}))",
    "jnp.arctan2({x}, {y} + 0.3)",
    "jnp.hypot({x}, {y} + 0.3)",
    "(abs({x}) + 0.1) ** jnp.clip({y}, -2, 2)",
    "{x} % (1 + abs({y}))",
    "jnp.logaddexp({x}, {y})",
    "{x} * jnp.tanh({y}) + 1",
]
_CHOSEN = ["jnp.maximum({x}, {y})", "jnp.minimum({x}, {y})", "jnp.copysign({x}, {y})"]
_WHOLE = [
    "{x} + {y}",
    "{x} - {y}",
    "{x} * {y}",
    "{x} // (abs({y}) + 1)",
    "{x} % (abs({y}) + 1)",
    "{x} & {y}",
    "{x} | {y}",
    "{x} ^ {y}",
    "~{x}",
    "{x} << (abs({y}) % 7)",
    "{x} >> (abs({y}) % 7)",
    "lax.population_count({x})",
    "lax.clz({x})",
    "jnp.maximum({x}, {y})",
]
_COMPARED = ["{x} > {y}", "{x} >= {y}", "{x} == {y}", "{x} != {y}", "{x} < {y} + 0.3"]
_COMPLEX = [
    "{z} * jnp.conj({z})",
    "abs({z} + 0.1)",
    "jnp.conj({z})",
    "{z}.imag",
    "{z}.real",
    "jnp.exp(jnp.clip({z}.real, -2, 2) + 1j * {z}.imag)",
    "{z} * (1 + 2j)",
    "{z} / (2 + abs({z}))",
    "jnp.tanh({z} / (1 + abs({z})))",
]
_CASTS = {
    "bf16": "{x}.astype(bf16)",
    "f16": "jnp.clip({x}, -100, 100).astype(f16)",
    "f32": "{x}.astype(f32)",
    "boolean": "{x} > 0.5",
    "i32": "jnp.clip({x}, -1000, 1000).astype(i32)",
    "i8": "jnp.clip({x}, -100, 100).astype(i8)",
    "u8": "jnp.clip({x}, 0, 100).astype(u8)",
}


@operation("rounded")
def _smooth(m: Maker) -> str | None:
    v = m.value()
    return v and m.of(_SMOOTH).format(x=m.real(v))


@operation("exact")
def _kinked(m: Maker) -> str | None:
    v = m.value()
    return v and m.of(_KINKED).format(x=m.real(v))


@operation("rounded")
def _pair(m: Maker) -> str | None:
    v = m.value()
    return v and m.of(_PAIRS).format(x=m.real(v), y=m.real(m.beside(v)))


@operation("exact")
def _chosen(m: Maker) -> str | None:
    v = m.value()
    return v and m.of(_CHOSEN).format(x=m.real(v), y=m.real(m.beside(v)))


@operation("exact")
def _whole_pair(m: Maker) -> str | None:
    v = m.value()
    if v is None:
        return None
    w, text = m.beside(v), m.of(_WHOLE)
    same = v.dtype == w.dtype and v.dtype in INTEGERS
    x, y = (v.name, w.name) if same else (m.whole(v), m.whole(w))
    return text.format(x=x if x.isidentifier() else f"({x})", y=y)


@operation("exact")
def _compared(m: Maker) -> str | None:
    v = m.value()
    return v and m.of(_COMPARED).format(x=m.real(v), y=m.real(m.beside(v)))


@operation("exact")
def _logical(m: Maker) -> str | None:
    v = m.value(lambda w: w.dtype == "bool")
    if v is None:
        return None
    w = m.beside(v)
    y = w.name if w.dtype == "bool" else f"({m.real(w)} > 0.1)"
    return m.of(["{x} & {y}", "{x} | {y}", "{x} ^ {y}", "~{x}"]).format(x=v.name, y=y)


@operation("exact")
def _where(m: Maker) -> str | None:
    v = m.value()
    if v is None:
        return None
    u, w = m.beside(v), m.beside(v)
    condition = u.name if u.dtype == "bool" else f"{m.real(u)} > {m.of([0.5, 0.0, 1.0])}"
    both = f"{v.name}, {w.name}" if w.dtype == v.dtype else f"{m.full(v)}, {m.full(w)}"
    if not broadcasts(u.shape, v.shape, w.shape):
        return None
    return f"jnp.where({condition}, {both})"


@operation("rounded")
def _complex_made(m: Maker) -> str | None:
    v = m.value()
    return v and f"lax.complex(*jnp.broadcast_arrays({m.full(v)}, {m.full(m.beside(v))}))"


@operation("rounded")
def _complex_of(m: Maker) -> str | None:
    v = m.value(lambda w: w.dtype in COMPLEX)
    return v and m.of(_COMPLEX).format(z=v.name)


@operation("rounded")
def _cast(m: Maker) -> str | None:
    v = m.value()
    if v is None:
        return None
    return _CASTS[m.of(list(_CASTS))].format(x=m.real(v))


@operation("rounded")
def _outer(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim == 1 and 0 < w.size <= 300)
    if v is None:
        return None
    w = m.value(lambda w: w.ndim == 1 and 0 < w.size <= 300) or v
    pair = m.of([*_PAIRS, *_CHOSEN]).format(x=f"{m.real(v)}[:, None]", y=m.real(w))
    return m.of([pair, f"({pair}).sum(1)", f"({pair}).max(0)"])
