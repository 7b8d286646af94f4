# SPDX-License-Identifier: Apache-2.0
"""Along dimensions: reductions, what is cumulative, and what is made of both."""

from ..making import COMPLEX, Maker, Value, operation

_SUMS = [
    "jnp.sum({x}, {a})",
    "jnp.mean({x}, {a})",
    "jnp.var({x}, {a})",
    "jnp.std({x} + jnp.arange({n}).reshape({along}).astype({x}.dtype), {a})",
    "jax.nn.logsumexp({x}, {a})",
    "jnp.sqrt(jnp.sum(jnp.square({x}), {a}) + 1)",
    "jnp.prod(jnp.tanh({x}) + 1, {a})",
]
_KEPT = [
    "jax.nn.softmax({x}, {a})",
    "jax.nn.log_softmax({x}, {a})",
    "{x} - {x}.mean({a}, keepdims=True)",
    "({x} - {x}.mean({a}, keepdims=True)) * lax.rsqrt({x}.var({a}, keepdims=True) + 0.1)",
    "{x} / (1 + abs({x}).sum({a}, keepdims=True))",
]
_CUMULATIVE = [
    "jnp.cumsum({x}, {a})",
    "lax.cumsum({x}, {a}, reverse=True)",
    "jnp.cumprod(jnp.tanh({x}) + 1, {a})",
    "lax.cumlogsumexp({x}, {a})",
    "lax.associative_scan(lambda p, q: p * 0.5 + q, {x}, axis={a})",
]
# The least of nothing is an error.
_PICKED = [
    "jnp.max({x}, {a})",
    "jnp.min({x}, {a})",
    "jnp.argmax({x}, {a})",
    "jnp.argmin({x}, {a})",
    "jnp.ptp({x}, {a})",
    "jnp.max({x}, {a}, keepdims=True) - {x}",
]
_ROWS = ["jnp.sum({x}, 1)", "jnp.prod(jnp.tanh({x}) + 1, 1)", "jnp.max({x}, 1)"]
_EACH = ["jnp.add", "jnp.multiply", "jnp.minimum", "jnp.arctan2", "jnp.subtract"]


def _filled(m: Maker, v: Value, text: str) -> str:
    a = m.axis(v)
    along = tuple(-1 if each == a else 1 for each in range(v.ndim))
    return text.format(x=m.real(v), a=a, n=v.shape[a], along=along)


@operation("sums")
def _sum(m: Maker) -> str | None:
    v = m.rows(0)
    return v and _filled(m, v, m.of(_SUMS))


@operation("sums")
def _sum_of_all(m: Maker) -> str | None:
    v = m.value()
    if v is None:
        return None
    return m.of(
        ["jnp.sum({x})", "jnp.mean({x} + 1)", "jnp.linalg.norm({x}.reshape(-1) + 1)"]
    ).format(x=m.real(v))


@operation("sums")
def _complex_sum(m: Maker) -> str | None:
    v = m.value(lambda w: w.dtype in COMPLEX and w.ndim > 0)
    if v is None:
        return None
    text = m.of(["jnp.sum({x}, {a})", "jnp.cumsum({x}, {a})"])
    return text.format(x=v.name, a=m.axis(v))


@operation("exact")
def _whole_sum(m: Maker) -> str | None:
    v = m.rows(0)
    if v is None:
        return None
    texts = ["jnp.sum({x}, {a})", "jnp.cumsum({x}, {a})", "jnp.prod({x} % 3, {a})"]
    return m.of(texts).format(x=f"({m.whole(v)})", a=m.axis(v))


@operation("exact")
def _any_all(m: Maker) -> str | None:
    v = m.rows(0)
    if v is None:
        return None
    x = v.name if v.dtype == "bool" else f"({m.real(v)} > 0.5)"
    return m.of(["jnp.any({x}, {a})", "jnp.all({x}, {a})", "jnp.count_nonzero({x}, {a})"]).format(
        x=x, a=m.axis(v)
    )


@operation("exact")
def _picked(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim > 0 and min(w.shape) > 0)
    return v and _filled(m, v, m.of(_PICKED))


@operation("sums")
def _kept(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim > 0 and min(w.shape) > 0)
    return v and _filled(m, v, m.of(_KEPT))


@operation("sums")
def _cumulative(m: Maker) -> str | None:
    v = m.rows(0)
    return v and _filled(m, v, m.of(_CUMULATIVE))


@operation("exact")
def _cumulative_extreme(m: Maker) -> str | None:
    v = m.rows(0)
    if v is None:
        return None
    reverse = m.of([False, True])
    return f"lax.{m.of(['cummax', 'cummin'])}({m.real(v)}, {m.axis(v)}, reverse={reverse})"


@operation("sums")
def _paired(m: Maker) -> str | None:
    """Sums, products or the largest of rows, each with each."""
    v = m.value(lambda w: w.ndim > 0 and 0 < w.shape[0] <= 300 and w.size > 0)
    if v is None:
        return None
    x = f"{m.full(v)}.reshape({v.shape[0]}, -1)"
    return f"(lambda each: {m.of(_EACH)}(each[:, None], each))({m.of(_ROWS).format(x=x)})"


@operation("rounded")
def _crossed(m: Maker) -> str | None:
    """A matrix with its transpose or its diagonal."""
    v = m.value(lambda w: w.ndim == 2 and w.shape[0] == w.shape[1])
    if v is None:
        return None
    x = m.real(v)
    return m.of([f"{x} + {x}.T", f"{x} + jnp.diag({x})", f"{x} + jnp.diag({x})[:, None]"])
