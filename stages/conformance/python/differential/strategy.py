# SPDX-License-Identifier: Apache-2.0
"""Programs as hypothesis draws and shrinks them.

A step is an operation's name and numbers that say what it uses, counted from the last value on: a
step fewer leaves the others as they were.
"""

import jax
from hypothesis import strategies as st

from .making import Maker, Value
from .operations import OPERATIONS
from .program import DTYPES, PREAMBLE, Argument, Line, Program

_LARGEST = 200_000
_DIMENSIONS = [3, 4, 1, 2, 5, 7, 8, 13, 16, 17, 31, 33, 0, 64, 101, 128, 257, 1009]
_VECTORS = [10_007, 65_536, 100_003]
_KINDS = ["spread", "ties", "sparse", "mixed"]
_NARROW = ["float32", "float32", "float32", "int32", "bool", "bfloat16", "float16", "complex64"]
_WIDE = ["float64", "float64", "float64", "int32", "bool", "float32", "complex128"]
# The last is applied last. What has no gradient is only compiled.
_TRANSFORMS = [(), (), ("gradient",), ("vmap",), ("tangent",), ("gradient", "vmap")]
_NUMBERS = st.lists(st.integers(0, 59), min_size=8, max_size=8)
# The simplest step is none.
_NOTHING = ""
_STEPS = st.tuples(st.sampled_from([_NOTHING, *sorted(OPERATIONS)]), _NUMBERS)
_FEWEST, _MOST = 5, 14


@st.composite
def _arguments(draw: st.DrawFn, wide: bool) -> tuple[Argument, ...]:
    n, m = (draw(st.sampled_from(_DIMENSIONS)) for _ in range(2))
    small = min(n, m, 5)
    shapes = [(n,), (n, m), (), (m,), (m, n), (small, n, m), (n, n), (1, m), (n, 1), (2, small, m)]
    shapes = [shape for shape in shapes if Value("", shape, "").size <= _LARGEST]
    if draw(st.integers(0, 11)) == 11:
        shapes = [(draw(st.sampled_from(_VECTORS)),), (), (m,)]
    array = st.builds(
        Argument,
        st.sampled_from(shapes),
        st.sampled_from([*_WIDE, "int8", "uint8"] if wide else [*_NARROW, "int8", "uint8"]),
        st.sampled_from(_KINDS),
        st.integers(0, 99),
    )
    return tuple(draw(st.lists(array, min_size=1, max_size=3)))


def _line(name: str, operation: str, text: str, values: list[Value]) -> tuple[Line, Value]:
    """The line, and what it makes, found by tracing it."""
    space: dict[str, object] = {}
    exec(PREAMBLE, space)
    given = {v.name: jax.ShapeDtypeStruct(v.shape, jax.numpy.dtype(v.dtype)) for v in values}
    names = ", ".join(given)
    function = eval(f"lambda {names}: {text}", space)
    try:
        result = jax.eval_shape(function, *given.values())
    except Exception as error:
        error.add_note(f"{text} of {values}")
        raise
    value = Value(name, tuple(result.shape), str(result.dtype))
    return Line(name, operation, text, value.dtype, OPERATIONS[operation].errors), value


def _traces(program: Program) -> bool:
    """Whether the transforms can be applied; some loops have no gradient."""
    try:
        arrays = [jax.numpy.asarray(x) for x in program.arrays()]
        jax.eval_shape(program.function(), *arrays)
    except (TypeError, ValueError, NotImplementedError):
        return False
    return True


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Programs of a few operations."""
    wide = draw(st.booleans())
    arguments = draw(_arguments(wide))
    steps = draw(st.lists(_STEPS, min_size=_FEWEST, max_size=_MOST))
    transforms = draw(st.sampled_from(_TRANSFORMS))
    count = draw(st.integers(1, 4))
    pool = [Value(f"a{index}", a.shape, a.dtype) for index, a in enumerate(arguments)]
    lines = []
    with jax.enable_x64(wide):
        for operation, numbers in steps:
            made = operation != _NOTHING and OPERATIONS[operation]
            text = made and made.make(Maker(pool, numbers, wide))
            if not text:
                continue
            line, value = _line(f"v{len(lines)}", operation, text, pool)
            if value.size <= _LARGEST and value.dtype in DTYPES:
                pool.append(value)
                lines.append(line)
        used = {name for line in lines for name in line.uses()}
        ends = [line.name for line in lines if line.name not in used]
        results = tuple(ends[-count:]) or ("a0",)
        program = Program(arguments, tuple(lines), results, (), wide).live()
        return _transformed(program, transforms)


def _transformed(program: Program, transforms: tuple[str, ...]) -> Program:
    arguments, batch = program.arguments, 0
    if "vmap" in transforms:
        # All but the first of several.
        batch = 3
        first = len(arguments) > 1 and "gradient" not in transforms
        arguments = tuple(
            Argument(a.shape, a.dtype, a.kind, a.seed, batched=not (first and index == 0))
            for index, a in enumerate(arguments)
        )
    found = Program(arguments, program.lines, program.results, transforms, program.wide, batch)
    return found if not transforms or _traces(found) else program
