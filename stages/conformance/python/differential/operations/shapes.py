# SPDX-License-Identifier: Apache-2.0
"""The same elements in other places."""

from ..making import Maker, operation


@operation("exact")
def _reshape(m: Maker) -> str | None:
    v = m.value()
    if v is None:
        return None
    n = v.size
    split = [(d, n // d) for d in (2, 3, 4, 5, 7) if n and n % d == 0]
    return f"{v.name}.reshape{m.of([(n,), *split, (1, n), (n, 1)])}"


@operation("exact")
def _transpose(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim > 1)
    if v is None:
        return None
    texts = [f"{v.name}.T", f"jnp.moveaxis({v.name}, 0, -1)", f"jnp.swapaxes({v.name}, 0, 1)"]
    return m.of(texts)


@operation("exact")
def _broadcast(m: Maker) -> str | None:
    v = m.value(lambda w: w.size <= 20_000)
    if v is None:
        return None
    k = m.of([2, 3, 1, 0, 5])
    return m.of(
        [
            f"jnp.broadcast_to({v.name}, ({k}, *{v.shape}))",
            f"jnp.expand_dims({v.name}, {m.of([0, -1])})",
            f"jnp.tile({v.name}, {k})",
            f"jnp.full({v.shape}, 2).astype({v.name}.dtype)",
        ]
        + [f"jnp.repeat({v.name}, {k}, axis=0)"] * (v.ndim > 0)
    )


@operation("exact")
def _flip(m: Maker) -> str | None:
    v = m.rows(0)
    if v is None:
        return None
    a = m.axis(v)
    return m.of([f"jnp.flip({v.name}, {a})", f"jnp.roll({v.name}, {m.number(1, 3)}, {a})"])


@operation("exact")
def _concatenate(m: Maker) -> str | None:
    v = m.rows()
    if v is None:
        return None
    like = m.value(lambda w: w.ndim == v.ndim and w.shape[1:] == v.shape[1:] and w.dtype == v.dtype)
    other = like.name if like else v.name
    return m.of(
        [
            f"jnp.concatenate([{v.name}, {v.name}[:1]])",
            f"jnp.concatenate([{other}, {v.name}])",
            f"jnp.concatenate([{v.name}[1:], {other}, {v.name}[:1]])",
            f"jnp.stack([{v.name}, {v.name}[::-1]], {m.of([0, -1])})",
        ]
    )


@operation("exact")
def _pad(m: Maker) -> str | None:
    v = m.rows()
    if v is None:
        return None
    rest = "".join(", (0, 0)" for _ in range(v.ndim - 1))
    mode = m.of(["constant", "edge", "wrap", "symmetric"])
    low, high = m.number(0, 2), m.number(0, 2)
    inner = "".join(", (0, 0, 0)" for _ in range(v.ndim - 1))
    zero = f"jnp.zeros((), {v.name}.dtype)"
    return m.of(
        [
            f'jnp.pad({v.name}, (({low}, {high}){rest},), "{mode}")',
            f"lax.pad({v.name}, {zero}, (({low}, {high}, {m.number(0, 2)}){inner},))",
            f"lax.pad({v.name}, {zero}, ((-1, {high}, {m.number(0, 1)}){inner},))",
        ]
    )


@operation("exact")
def _triangle(m: Maker) -> str | None:
    v = m.value(lambda w: w.ndim == 2)
    if v is None:
        return None
    k = m.number(-1, 1)
    return m.of([f"jnp.tril({v.name}, {k})", f"jnp.triu({v.name}, {k})", f"jnp.diag({v.name})"])
