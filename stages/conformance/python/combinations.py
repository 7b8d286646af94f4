# SPDX-License-Identifier: Apache-2.0
"""Tests with more values of their parameters than can be run each time.

``@pytest.mark.combined(shape=SHAPES, dtype=DTYPES, ...)`` is as one ``parametrize`` for each
parameter, but takes only so many combinations that every two values of two parameters meet. Of
two parameters it takes every other combination, as of one colour on a chessboard, and of one
(seeds) every other value. With ``--combinations all`` it takes all of them.
"""

import itertools
from collections.abc import Iterable, Sequence

import pytest
from allpairspy import AllPairs


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares ``--combinations``."""
    parser.addoption("--combinations", choices=("pairs", "all"), default="pairs")


def pytest_configure(config: pytest.Config) -> None:
    """Declares the mark."""
    config.addinivalue_line("markers", "combined(**values): not all combinations of these values")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Gives a test that is marked its combinations."""
    choose = itertools.product if metafunc.config.getoption("combinations") == "all" else _few
    for mark in metafunc.definition.iter_markers("combined"):
        rows = [tuple(row) for row in choose(*mark.kwargs.values())]
        ids = ["-".join(map(str, row)) for row in rows]
        metafunc.parametrize(list(mark.kwargs), rows, ids=ids)


def _few(*values: Iterable[object]) -> Iterable[Sequence[object]]:
    if len(values) > 2:
        return AllPairs([list(of_one) for of_one in values])
    numbered = itertools.product(*map(enumerate, values))
    return [[v for _, v in row] for row in numbered if sum(i for i, _ in row) % 2 == 0]
