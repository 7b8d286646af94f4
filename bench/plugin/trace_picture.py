# SPDX-License-Identifier: Apache-2.0
"""Draws docs/tracing.svg: a training step of a small MLP, as ``jax.profiler.trace`` records them.

``python trace_picture.py FILE`` in the environment of ``npx pipeline env cpu``.
"""

import os
import sys
import tempfile
from dataclasses import dataclass
from html import escape
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "iree_cpu"

import jax
import jax.numpy as jnp
import numpy as np

COLOURS = {
    "dispatch": "#4e79a7",
    "execute": "#76b7b2",
    "kernel": "#f28e2b",
    "transfer": "#59a14f",
    "callback": "#b07aa1",
    "compile": "#e15759",
}
WIDTH, MARGIN, ROW, GAP = 1180, 130, 20, 14
STEPS = 30


@dataclass(frozen=True)
class Span:
    """An event of the plugin; times in microseconds."""

    line: str
    name: str
    kind: str
    begin: float
    end: float


def record(folder: str) -> list[Span]:
    """Traces steps of a program that is compiled and warm."""

    def loss(weights: list[jax.Array], x: jax.Array, y: jax.Array) -> jax.Array:
        for w in weights[:-1]:
            x = jnp.tanh(x @ w)
        return jnp.mean((x @ weights[-1] - y) ** 2)

    @jax.jit
    def train_step(
        weights: list[jax.Array], x: jax.Array, y: jax.Array
    ) -> tuple[list[jax.Array], jax.Array]:
        value, gradient = jax.value_and_grad(loss)(weights, x, y)
        return [w - 0.1 * g for w, g in zip(weights, gradient, strict=True)], value

    rng = np.random.default_rng(0)
    sizes = [(256, 512), (512, 512), (512, 10)]
    weights = [jnp.asarray(rng.normal(0, 0.05, size).astype(np.float32)) for size in sizes]
    batch = [rng.normal(size=(64, size)).astype(np.float32) for size in (256, 10)]
    for _ in range(20):
        weights, value = train_step(weights, *batch)
    value.block_until_ready()
    with jax.profiler.trace(folder):
        for _ in range(STEPS):
            x, y = (jax.device_put(array) for array in batch)
            weights, value = train_step(weights, x, y)
            np.asarray(value)
    (file,) = Path(folder).rglob("*.xplane.pb")
    planes = jax.profiler.ProfileData.from_file(str(file)).planes
    (plane,) = (plane for plane in planes if plane.name.startswith("/device:CUSTOM:iree"))
    return [
        Span(
            line.name.rpartition("/")[0],
            event.name,
            dict(event.stats)["kind"],
            event.start_ns / 1e3,
            (event.start_ns + event.duration_ns) / 1e3,
        )
        for line in plane.lines
        for event in line.events
    ]


def fastest(spans: list[Span]) -> list[Span]:
    """The spans of the fastest step, which nothing else on the machine held up."""
    starts = sorted(span.begin for span in spans if "HostToDevice" in span.name)[::2]
    steps = [
        [span for span in spans if begin <= span.begin < end]
        for begin, end in zip(starts, [*starts[1:], float("inf")], strict=True)
    ]
    return min(steps, key=lambda step: max(s.end for s in step) - min(s.begin for s in step))


def rows_of(spans: list[Span]) -> list[tuple[Span, int]]:
    """Each span, with the number of spans of its thread around it."""
    placed: list[tuple[Span, int]] = []
    around: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.begin, -span.end)):
        while around and around[-1].end <= span.begin:
            around.pop()
        placed.append((span, len(around)))
        around.append(span)
    return placed


def draw(spans: list[Span]) -> str:
    """The picture: a band for each thread, time to the right."""
    first, last = min(span.begin for span in spans), max(span.end for span in spans)
    scale = (WIDTH - MARGIN - 10) / (last - first)
    shapes = []
    top = 44
    for line in sorted({span.line for span in spans}, key=lambda line: ("iree" in line, line)):
        placed = rows_of([span for span in spans if span.line == line])
        shapes.append(f'<text x="8" y="{top + 14}" font-weight="bold">{escape(line)}</text>')
        for span, depth in placed:
            x, width = MARGIN + (span.begin - first) * scale, (span.end - span.begin) * scale
            y = top + depth * ROW
            shapes.append(
                f'<rect x="{x:.1f}" y="{y}" width="{max(width, 0.8):.1f}" height="{ROW - 2}" '
                f'fill="{COLOURS[span.kind]}"><title>{escape(span.name)}, '
                f"{span.end - span.begin:.1f} µs</title></rect>"
            )
            if (letters := int(width / 6.2)) > 4:
                text = span.name if len(span.name) <= letters else span.name[: letters - 1] + "…"
                shapes.append(
                    f'<text x="{x + 3:.1f}" y="{y + 13}" fill="white">{escape(text)}</text>'
                )
        top += (1 + max(depth for _, depth in placed)) * ROW + GAP
    x = MARGIN
    for kind in dict.fromkeys(span.kind for span in sorted(spans, key=lambda span: span.kind)):
        shapes.append(f'<rect x="{x}" y="12" width="12" height="12" fill="{COLOURS[kind]}"/>')
        shapes.append(f'<text x="{x + 17}" y="22">{kind}</text>')
        x += 90
    shapes.append(f'<text x="{WIDTH - 90}" y="22">{(last - first) / 1e3:.2f} ms</text>')
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" '
            'font-family="sans-serif" font-size="11">',
            f'<rect width="{WIDTH}" height="{top}" fill="white"/>',
            *shapes,
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as trace_folder:
        Path(sys.argv[1]).write_text(draw(fastest(record(trace_folder))), encoding="utf-8")
