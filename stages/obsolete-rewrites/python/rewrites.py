# SPDX-License-Identifier: Apache-2.0
"""pytest plugin: which of the plugin's passes change the programs of which test.

``--rewrites-record FOLDER``: a file of JSON lines for each process, with the test and the passes
that changed a program that it compiled. ``--rewrites-only FILE``: only the tests that this JSON
list names.
"""

import json
import os
import shutil
from collections.abc import Generator
from pathlib import Path

import pytest

BEFORE = ".before.mlir"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the two options."""
    group = parser.getgroup("rewrites")
    group.addoption("--rewrites-record", type=Path)
    group.addoption("--rewrites-only", type=Path)


def pytest_configure(config: pytest.Config) -> None:
    """Has each worker's programs saved in a folder of its own."""
    folder = config.getoption("--rewrites-record")
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if folder is not None and worker is not None:
        # The platform reads them when it is first used, and so do processes that tests start.
        os.environ["IREE_PJRT_SAVE_PASSES"] = "changing"
        os.environ["IREE_PJRT_SAVE_ARTIFACTS"] = str(folder / f"{worker}-{os.getpid()}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keeps the tests that were asked for."""
    file = config.getoption("--rewrites-only")
    if file is not None:
        wanted = set(json.loads(file.read_text()))
        items[:] = [item for item in items if item.nodeid in wanted]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Notes which passes changed the programs of a test that has passed."""
    report = yield
    saved = os.environ.get("IREE_PJRT_SAVE_ARTIFACTS")
    if call.when == "call" and saved and item.config.getoption("--rewrites-record"):
        folder = Path(saved)
        changed = sorted(changes(folder))
        shutil.rmtree(folder, ignore_errors=True)
        # A test that fails anyway says nothing of a pass.
        if report.passed and changed:
            with folder.with_suffix(".jsonl").open("a") as file:
                file.write(json.dumps({"test": item.nodeid, "passes": changed}) + "\n")
    return report


def changes(folder: Path) -> set[str]:
    """The passes that changed the module, or failed; files are named ``NUMBER-PASS.SUFFIX``."""
    names = (path.name.removesuffix(BEFORE) for path in folder.rglob(f"*{BEFORE}"))
    return {name.split("-", 1)[1] for name in names}
