# SPDX-License-Identifier: Apache-2.0
"""The package's rooms look downwards only."""

import ast
from pathlib import Path

import pytest

# Each may import from those that come after it.
ROOMS = ["setup", "host_calls", "lowerings", "passes", "several_devices", "tools"]


def offences(room: str, text: str) -> list[str]:
    """Returns the rooms that a module of ``room`` imports from and may not."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level == 2 and node.module:
            other = node.module.split(".")[0]
            below = ROOMS[ROOMS.index(room) + 1 :]
            if other not in [*below, "_errors"]:
                found.append(other)
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_look_downwards(room, plugin):
    folder = Path(plugin.errors.__file__).parent / room
    files = sorted(folder.glob("*.py"))
    assert len(files) > 1
    assert {path.name: offences(room, path.read_text()) for path in files} == {
        path.name: [] for path in files
    }


def test_every_room_is_in_the_order(plugin):
    package = Path(plugin.errors.__file__).parent
    rooms = {path.parent.name for path in package.rglob("*/*.py")} - {"__pycache__"}
    assert rooms == set(ROOMS)
    assert {path.name for path in package.glob("*.py")} == {
        "__init__.py",
        "_build_info.py",
        "_errors.py",
    }


@pytest.mark.parametrize(
    ("room", "line", "found"),
    [
        ("passes", "from ..setup import _versions", ["setup"]),
        ("passes", "from ..several_devices import _boundary", []),
        ("passes", "from ..attic import old", ["attic"]),
        ("passes", "def late():\n    from ..host_calls import _ffi", ["host_calls"]),
    ],
)
def test_the_check_sees_it(room, line, found):
    assert offences(room, line) == found
