# SPDX-License-Identifier: Apache-2.0
"""A program: lines of Python that name values, and what makes a function of them."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

_NAME = re.compile(r"\b[av]\d+\b")
_NARROW = re.compile(r"\b(?:bf16|f16)\b")
PREAMBLE = Path(__file__).with_name("preamble.py").read_text()
# Dtypes by their names in programs.
DTYPES = {
    "float32": "f32",
    "float64": "f64",
    "float16": "f16",
    "bfloat16": "bf16",
    "complex64": "c64",
    "complex128": "c128",
    "int32": "i32",
    "int8": "i8",
    "uint8": "u8",
    "bool": "boolean",
}


@dataclass(frozen=True)
class Argument:
    """An array of numbers of a kind; ``batched``, where vmap maps over its first axis."""

    shape: tuple[int, ...]
    dtype: str
    kind: str
    seed: int
    batched: bool = False

    def text(self, batch: int) -> str:
        """The call that makes it."""
        shape = (batch, *self.shape) if batch and self.batched else self.shape
        return f"array({shape}, {self.dtype!r}, {self.kind!r}, {self.seed})"


@dataclass(frozen=True)
class Line:
    """``name = text``. What it computes is ``exact``, ``rounded``, or ``sums`` of many numbers."""

    name: str
    operation: str
    text: str
    dtype: str
    errors: str

    def uses(self) -> set[str]:
        """Names of values in it."""
        return set(_NAME.findall(self.text))


@dataclass(frozen=True)
class Program:
    """Lines over arguments; ``transforms`` are applied to it in turn, the last one outermost."""

    arguments: tuple[Argument, ...]
    lines: tuple[Line, ...]
    results: tuple[str, ...]
    transforms: tuple[str, ...] = ()
    wide: bool = False
    batch: int = 0

    def live(self) -> "Program":
        """Without lines that no result needs."""
        wanted, kept = set(self.results), []
        for line in reversed(self.lines):
            if line.name in wanted:
                kept.append(line)
                wanted |= line.uses()
        return replace(self, lines=tuple(reversed(kept)))

    def operations(self) -> list[str]:
        """Names of what is in it, transforms and the width included."""
        found = [line.operation for line in self.lines] + list(self.transforms)
        return found + ["x64"] * self.wide

    def is_narrow(self) -> bool:
        """Whether something in it has a type of 16 bits."""
        if any(_NARROW.search(line.text) for line in self.lines):
            return True
        return any(each.dtype in ("bfloat16", "float16") for each in [*self.arguments, *self.lines])

    def _parameters(self) -> str:
        return ", ".join(f"a{index}" for index in range(len(self.arguments)))

    def _function(self, lines: Sequence[str]) -> str:
        results = "".join(f"{name}, " for name in self.results).rstrip()
        body = "".join(f"    {line}\n" for line in [*lines, f"return ({results})"])
        return f"def program({self._parameters()}):\n{body}"

    def _transformed(self) -> str:
        text = "program"
        for transform in self.transforms:
            if transform == "vmap":
                axes = tuple(0 if each.batched else None for each in self.arguments)
                text = f"jax.vmap({text}, in_axes={axes})"
            else:
                text = f"{transform}({text})"
        return text

    def _arguments(self) -> str:
        return "[" + ", ".join(each.text(self.batch) for each in self.arguments) + "]"

    def source(self) -> str:
        """Python that prints what both platforms compute."""
        lines = [f"{line.name} = {line.text}" for line in self.lines]
        return (
            f"{PREAMBLE}\n\n{self._function(lines)}\n\n"
            f'jax.config.update("jax_enable_x64", {self.wide})\n'
            f"function = jax.jit({self._transformed()})\n"
            'for platform in ("iree_cpu", "cpu"):\n'
            "    with jax.default_device(jax.devices(platform)[0]):\n"
            f"        print(platform, function(*{self._arguments()}))\n"
        )

    def function(self) -> Callable[..., Any]:
        """The transformed function."""
        lines = [f"{line.name} = {line.text}" for line in self.lines]
        return self._executed(lines, {})

    def noisy(self, names: Mapping[str, Any]) -> Callable[..., Any]:
        """The same with a call of ``noisy(value, dtype, errors, number)`` around each value.

        Sums get noise in what is added, too: their error is large beside what is left of them.
        """
        lines = []
        for number, given in enumerate(self.arguments):
            noisy = f'noisy(jnp.asarray(a{number}), "{given.dtype}", "exact", -{number + 1})'
            lines.append(f"a{number} = {noisy}")
        for number, line in enumerate(self.lines):
            text = line.text
            if line.errors == "sums":
                uses = sorted(line.uses())
                given = ", ".join(f'noisy({u}, "{line.dtype}", "sums", {number}.5)' for u in uses)
                text = f"(lambda {', '.join(uses)}: {text})({given})"
            text = f'noisy({text}, "{line.dtype}", "{line.errors}", {number})'
            lines.append(f"{line.name} = {text}")
        return self._executed(lines, names)

    def _executed(self, lines: Sequence[str], names: Mapping[str, Any]) -> Callable[..., Any]:
        space: dict[str, Any] = {}
        exec(PREAMBLE, space)
        space.update(names)
        exec(f"{self._function(lines)}\nfunction = {self._transformed()}", space)
        return space["function"]

    def arrays(self) -> list[Any]:
        """The arguments."""
        space: dict[str, Any] = {}
        exec(PREAMBLE, space)
        return eval(self._arguments(), space)

    def to_json(self) -> str:
        """In one line."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "Program":
        """What ``to_json`` wrote."""
        given = json.loads(text)
        arguments = (Argument(**{**a, "shape": tuple(a["shape"])}) for a in given["arguments"])
        return Program(
            **{
                **given,
                "arguments": tuple(arguments),
                "lines": tuple(Line(**line) for line in given["lines"]),
                "results": tuple(given["results"]),
                "transforms": tuple(given["transforms"]),
            }
        )
