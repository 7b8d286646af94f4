# SPDX-License-Identifier: Apache-2.0
"""Small programs of many fields, as people write them, beside XLA:CPU."""

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
import pytest
from jax import lax, random

IMAGES = ("NHWC", "HWIO", "NHWC")


def normal(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def integers(end, *shape):
    return np.random.default_rng(0).integers(end, size=shape, dtype=np.int32)


def clusters(x):
    centres = x[:10]
    for _ in range(3):
        distances = (x**2).sum(1)[:, None] + (centres**2).sum(1) - 2 * x @ centres.T
        nearest = distances.argmin(1)
        counts = jax.ops.segment_sum(jnp.ones(len(x)), nearest, 10)
        centres = jax.ops.segment_sum(x, nearest, 10) / jnp.maximum(counts, 1)[:, None]
    return centres, nearest


def mixture(x):
    def turn(carry, _):
        means, variances, shares = carry
        parts = -0.5 * ((x[:, None] - means) ** 2 / variances + jnp.log(variances)).sum(-1)
        parts += jnp.log(shares)
        whole = jsp.special.logsumexp(parts, axis=1, keepdims=True)
        weights = jnp.exp(parts - whole)
        counts = weights.sum(0)
        means = weights.T @ x / counts[:, None]
        squares = (x[:, None] - means) ** 2
        variances = jnp.einsum("nk,nkd->kd", weights, squares) / counts[:, None] + 1e-3
        return (means, variances, counts / len(x)), whole.sum()

    return lax.scan(turn, (x[:3], jnp.ones((3, 2)), jnp.ones(3) / 3), None, length=10)


def bodies(x):
    def turn(state, _):
        x, v = state
        apart = x[:, None] - x
        squares = (apart**2).sum(-1) + 0.01
        v = v - 0.001 * (apart / squares[..., None] ** 1.5).sum(1)
        return (x + 0.001 * v, v), (x**2).sum()

    return lax.scan(turn, (x, jnp.zeros_like(x)), None, length=5)


def game_of_life(cells):
    def turn(cells, _):
        moves = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
        neighbours = sum(jnp.roll(cells, move, (0, 1)) for move in moves)
        alive = (neighbours == 3) | ((cells == 1) & (neighbours == 2))
        return alive.astype(jnp.int32), cells.sum()

    return lax.scan(turn, cells, None, length=20)


def kalman(seen, motion):
    def turn(carry, y):
        mean, spread = motion @ carry[0], motion @ carry[1] @ motion.T + 0.1 * jnp.eye(4)
        gain = jnp.linalg.solve(spread + 0.5 * jnp.eye(4), spread).T
        mean, spread = mean + gain @ (y - mean), spread - gain @ spread
        return (mean, spread), mean

    return lax.scan(turn, (jnp.zeros(4), jnp.eye(4)), seen)


def likeliest_path(scores, steps):
    def forth(best, row):
        each = best[:, None] + steps
        return each.max(0) + row, each.argmax(0)

    def back(state, arrows):
        return arrows[state], state

    last, arrows = lax.scan(forth, scores[0], scores[1:])
    return lax.scan(back, last.argmax(), arrows, reverse=True)


def alignment(a, b):
    def cell(left, above):
        up, corner, same = above
        best = jnp.maximum(jnp.maximum(up - 1, left - 1), corner + jnp.where(same, 2, -1))
        return best, best

    def row(above, letter):
        first = above[0] - 1
        _, rest = lax.scan(cell, first, (above[1:], above[:-1], letter == b))
        row = jnp.concatenate([first[None], rest])
        return row, row

    return lax.scan(row, -jnp.arange(len(b) + 1), a)


def hamiltonian(key):
    def energy(q):
        return 0.5 * (q**2).sum() + 0.1 * (q[:-1] * q[1:]).sum()

    def turn(q, key):
        start, p = q, random.normal(key, q.shape)
        before = energy(q) + 0.5 * (p**2).sum()
        for _ in range(4):
            p = p - 0.05 * jax.grad(energy)(q)
            q = q + 0.1 * p
            p = p - 0.05 * jax.grad(energy)(q)
        after = energy(q) + 0.5 * (p**2).sum()
        q = jnp.where(jnp.log(random.uniform(key)) < before - after, q, start)
        return q, q

    return lax.scan(turn, jnp.zeros(10), random.split(key, 30))


def autoencoder(x, down, up):
    def loss(down, up):
        inner = jax.nn.relu(lax.conv_general_dilated(x, down, (2, 2), "SAME", None, None, IMAGES))
        outer = lax.conv_transpose(inner, up, (2, 2), "SAME", dimension_numbers=IMAGES)
        return ((outer - x) ** 2).mean()

    return jax.value_and_grad(loss, (0, 1))(down, up)


def group_norm(x):
    def normed(x):
        groups = x.reshape(*x.shape[:-1], 4, -1)
        mean = groups.mean((1, 2, 4), keepdims=True)
        variance = groups.var((1, 2, 4), keepdims=True)
        return ((groups - mean) / jnp.sqrt(variance + 1e-5)).reshape(x.shape)

    return normed(x), jax.grad(lambda x: (normed(x) ** 3).sum())(x)


def attention(x, weights):
    def attend(x, weights):
        query, key, value = jnp.split((x @ weights).reshape(8, 20, 4, 24), 3, axis=-1)
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) * 8**-0.5
        scores = jnp.where(jnp.tril(jnp.ones((20, 20), bool)), scores, -1e9)
        return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), value)

    return attend(x, weights), jax.grad(lambda *a: (attend(*a) ** 2).sum(), (0, 1))(x, weights)


def contrastive(a, b):
    def loss(a, b):
        a = a / jnp.linalg.norm(a, axis=1, keepdims=True)
        b = b / jnp.linalg.norm(b, axis=1, keepdims=True)
        scores = 10 * a @ b.T
        both = jax.nn.log_softmax(scores, 1) + jax.nn.log_softmax(scores, 0)
        return -jnp.diag(both).mean()

    return jax.value_and_grad(loss, (0, 1))(a, b)


def neighbours(x):
    distances = (x**2).sum(1)[:, None] - 2 * x @ x.T + (x**2).sum(1)
    near, which = lax.top_k(-distances, 5)
    return near, jnp.take_along_axis(distances, which, 1), x[which].mean(1)


def graph_attention(x, senders, receivers):
    def attend(x):
        scores = jax.nn.leaky_relu((x[senders] * x[receivers]).sum(1))
        weights = jnp.exp(scores - jax.ops.segment_max(scores, receivers, len(x))[receivers])
        weights = weights / jax.ops.segment_sum(weights, receivers, len(x))[receivers]
        return jax.ops.segment_sum(weights[:, None] * x[senders], receivers, len(x))

    return attend(x), jax.grad(lambda x: (attend(x) ** 2).sum())(x)


def transport(costs):
    kernel = jnp.exp(-jnp.abs(costs))

    def turn(carry, _):
        columns = 1 / (kernel.T @ carry[0])
        return (1 / (kernel @ columns), columns), None

    ones = jnp.ones(len(costs))
    (rows, columns), _ = lax.scan(turn, (ones, ones), None, length=20)
    return rows[:, None] * kernel * columns


def groups(x, which):
    count = jax.ops.segment_sum(jnp.ones_like(x), which, 37)
    mean = jax.ops.segment_sum(x, which, 37) / count
    variance = jax.ops.segment_sum((x - mean[which]) ** 2, which, 37) / count
    return mean, variance, jnp.bincount(which, length=37), jnp.cumsum(count)[which]


PROGRAMS = {
    clusters: (normal(1000, 8),),
    mixture: (normal(400, 2),),
    bodies: (normal(200, 3),),
    game_of_life: (integers(2, 64, 64),),
    kalman: (normal(30, 4), 0.3 * normal(4, 4)),
    likeliest_path: (normal(20, 6), normal(6, 6)),
    alignment: (integers(4, 20), integers(4, 30)),
    hamiltonian: (np.array([0, 4], np.uint32),),
    autoencoder: (normal(4, 16, 16, 8), 0.1 * normal(3, 3, 8, 16), 0.1 * normal(3, 3, 16, 8)),
    group_norm: (normal(4, 16, 16, 8),),
    attention: (normal(8, 20, 32), 0.2 * normal(32, 96)),
    contrastive: (normal(128, 32), normal(128, 32) + 1),
    neighbours: (normal(300, 10),),
    graph_attention: (normal(100, 16), integers(100, 400), integers(100, 400)[::-1]),
    transport: (normal(200, 200),),
    groups: (normal(2000), integers(37, 2000)),
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_results_are_those_of_xla(program, on_both):
    for ours, theirs in on_both(program, *PROGRAMS[program]):
        largest = float(jnp.abs(theirs).max())
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4 * max(largest, 1))
