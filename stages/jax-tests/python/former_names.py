# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin for the tests of one JAX that run under another.

What a test file imports from JAX and this JAX does not have (any more) stands as None in its
place: the file can be imported, and a test that uses it fails, on XLA:CPU too, so that it is not
counted.
"""

import ast
import importlib
import importlib.util
from pathlib import Path

import pytest


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before the test files are imported, in the processes that import them."""
    if hasattr(session.config, "workerinput"):
        for file in session.config.args:
            _stand_in(Path(file))


def _stand_in(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.level:
            continue
        if (node.module or "").partition(".")[0] != "jax" or not _is_there(node.module):
            continue
        module = importlib.import_module(node.module)
        for name in (alias.name for alias in node.names):
            if not hasattr(module, name) and not _is_there(f"{node.module}.{name}"):
                setattr(module, name, None)


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of a package that is not there, or no package
        return False
