# SPDX-License-Identifier: Apache-2.0
"""Loops, choices of what runs, functions that are called."""

from ..making import Maker, Value, operation


def _condition(m: Maker) -> str:
    w = m.value()
    assert w is not None
    return f"({m.full(w)}.sum() > 0.1)"


def _small(m: Maker) -> Value | None:
    return m.value(lambda w: w.size <= 3000)


_STEPS = ["c * 0.9 + 0.1", "jnp.tanh(c) + i * 0.5", "c - c.mean()", "jnp.cos(c)", "c[::-1] * 0.7"]


@operation("sums")
def _fori(m: Maker) -> str | None:
    v = _small(m)
    if v is None:
        return None
    step = m.of(_STEPS[: None if v.ndim else -1])
    if v.size == 0:
        step = _STEPS[0]
    turns = m.of(["3", f"jnp.where({_condition(m)}, {m.number(0, 3)}, 1)", "5", "0"])
    return f"lax.fori_loop(0, {turns}, lambda i, c: {step}, {m.full(v)})"


@operation("exact")
def _turned(m: Maker) -> str | None:
    """The rows in turn set to the last one, as often as a value decides: maybe never."""
    v = m.rows()
    if v is None or v.size > 3000:
        return None
    k, n = m.number(0, 3), v.shape[0]
    turns = f"jnp.where({_condition(m)}, {k}, 0)"
    return f"lax.fori_loop(0, {turns}, lambda i, c: c.at[(i + {k}) % {n}].set(c[-1]), {v.name})"


@operation("sums")
def _scan(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim > 0 and 0 < w.shape[0] <= 40 and w.size <= 3000)
    if v is None:
        return None
    if v.dtype == "bool":
        step, start = "(c ^ y, c & y)", f"{v.name}[0]"
        return f"lax.scan(lambda c, y: {step}, {start}, {v.name})[{m.number(0, 1)}]"
    x = m.full(v)
    step = m.of(["(c + y, c * jnp.tanh(y))", "(jnp.tanh(c * 0.5 + y), c)", "(c * 0.5 + y, y - c)"])
    reverse = m.of([False, True])
    which = m.number(0, 1)
    return f"lax.scan(lambda c, y: {step}, {x}[0], {x}, reverse={reverse})[{which}]"


@operation("sums")
def _while(m: Maker) -> str | None:
    v = _small(m)
    if v is None:
        return None
    x = m.full(v)
    return (
        f"lax.while_loop(lambda s: (s[0] < 5) & (abs(s[1]).sum() < {m.of([30, 3])}), "
        f"lambda s: (s[0] + 1, s[1] * 1.5 + 0.1), (0, {x}))[1]"
    )


@operation("exact")
def _cond(m: Maker) -> str | None:
    v = _small(m)
    if v is None:
        return None
    double = "~q" if v.dtype == "bool" else "q + q"
    if v.ndim and v.shape[0] > 0:
        double = m.of([double, "q.at[0].set(q[-1])", "q[::-1]"])
    return f"lax.cond({_condition(m)}, lambda q: q, lambda q: {double}, {v.name})"


@operation("rounded")
def _switch(m: Maker) -> str | None:
    v = _small(m)
    if v is None:
        return None
    w = m.value(lambda u: u.size > 0) or v
    index = f"{m.whole(w)}.reshape(-1)[0] % 4" if w.size else "1"
    return f"lax.switch({index}, [jnp.tanh, jnp.cos, lambda q: q * 2], {m.full(v)})"


@operation("rounded")
def _called(m: Maker) -> str | None:
    v = m.value()
    if v is None:
        return None
    call = m.of(["jax.jit", "jax.checkpoint", "jax.vmap"])
    if call == "jax.vmap" and (v.ndim == 0 or v.shape[0] == 0):
        call = "jax.jit"
    return f"{call}(lambda q: jnp.tanh(q) * 2 + q.sum() * 0.1)({m.full(v)})"


@operation("sums")
def _mapped(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim > 0 and 0 < w.shape[0] <= 20 and w.size <= 3000)
    return v and f"lax.map(lambda q: q * jnp.sum(q) * 0.1, {m.full(v)})"
