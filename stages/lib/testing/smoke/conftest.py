# SPDX-License-Identifier: Apache-2.0
"""The smoke test's set-up: where the results go. Platform and reference are in ``platforms``.

Run in an environment in which the wheel and pytest are installed::

    python -m pytest FOLDER --results results.jsonl --junitxml results.xml
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from results import ResultsFile, missing_device, versions

pytest_plugins = ["platforms"]

_RESULTS = pytest.StashKey[ResultsFile]()
_MISSING = pytest.StashKey[str]()
# What runs without a GPU, and only for a platform of GPUs.
_GPU_TESTS = "test_gpu.py"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the suite's own options."""
    group = parser.getgroup("smoke test")
    group.addoption("--results", metavar="FILE", help="write one JSON line per event to FILE")
    group.addoption(
        "--distribution", default="iree-pjrt-plugin-cpu", help="name of the installed wheel"
    )
    group.addoption(
        "--build-tree",
        action="store_true",
        help="the plugin runs from a build tree: do not ask for an installed wheel",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Opens the results file."""
    path = config.getoption("--results")
    config.stash[_RESULTS] = ResultsFile(Path(path) if path else None)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Writes the versions."""
    config = session.config
    if config.getoption("--collect-only"):
        return
    found = versions(config.getoption("--platform"), config.getoption("--distribution"))
    config.stash[_MISSING] = missing_device(found)
    if config.stash[_MISSING]:
        os.environ["JAX_PLATFORMS"] = "cpu"  # nothing that runs here may open the platform
    config.stash[_RESULTS].write("versions", **found, device_missing=config.stash[_MISSING])
    print("\n".join(f"{key}: {value}" for key, value in found.items()), file=sys.stderr)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves the tests for GPUs to their platform."""
    if collection_path.name == _GPU_TESTS and config.getoption("--platform") != "iree_cuda":
        return True
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Runs nothing that needs a device which is not there, and says so of each test."""
    missing = config.stash.get(_MISSING, "")
    for item in items:
        if missing and item.path.name != _GPU_TESTS:
            item.add_marker(pytest.mark.skip(reason=f"not run: {missing}"))


@pytest.fixture
def missing(pytestconfig: pytest.Config) -> str:
    """What the platform says of its missing device; empty if it is there."""
    return pytestconfig.stash[_MISSING]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Notes that a test starts."""
    item.config.stash[_RESULTS].write("started", test=item.nodeid)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Notes how a test ended."""
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    # A test that passes is noted after its call; a set-up or tear-down only where it goes wrong.
    if report.when != "call" and report.passed:
        return
    fields: dict[str, Any] = {"duration_s": round(report.duration, 4), **dict(item.user_properties)}
    if report.skipped:
        fields["message"] = str(report.longrepr[2]) if report.longrepr else ""
    elif report.failed:
        crash = getattr(report.longrepr, "reprcrash", None)
        fields["message"] = crash.message if crash else str(report.longrepr)
    item.config.stash[_RESULTS].write(report.outcome, test=item.nodeid, **fields)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Writes the totals."""
    if _RESULTS in config.stash:
        config.stash[_RESULTS].close()
