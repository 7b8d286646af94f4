# SPDX-License-Identifier: Apache-2.0
"""Which set of versions the message of a mismatch names."""

import importlib.metadata
import json
from pathlib import Path

import pytest

TABLE = json.loads(Path(__file__).with_name("nearest.json").read_text())
ROWS = tuple(
    (row["jaxlib"], row["jax"], row["compiler"], tuple(row["pythons"]), row["result"])
    for row in TABLE["rows"]
)


@pytest.fixture
def rows(plugin, monkeypatch):
    monkeypatch.setattr(plugin.build_info, "MEASURED", ROWS)


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["why"])
def test_nearest(case, plugin, rows):
    found = plugin.measured.nearest(case.get("jaxlib"), case.get("compiler"), case["python"])
    assert found == (case["nearest"] and tuple(case["nearest"]))


@pytest.fixture
def on_python_311(plugin, monkeypatch):
    monkeypatch.setattr(plugin.measured.platform, "python_version_tuple", lambda: ("3", "11", "7+"))


def test_the_message_names_the_nearest_set(plugin, rows, on_python_311, monkeypatch):
    monkeypatch.setattr(plugin.versions.metadata, "version", {"iree-base-compiler": "3.11.0"}.get)
    with pytest.raises(plugin.errors.PluginSetupError) as caught:
        plugin.versions.check_jaxlib("0.5.3")
    supported = plugin.build_info.SUPPORTED_JAXLIB
    assert f"works with jaxlib{supported}, but jaxlib 0.5.3 is installed." in str(caught.value)
    wanted = 'pip install "jax==0.6.2" "jaxlib==0.6.2" "iree-base-compiler==3.11.0"'
    assert str(caught.value).endswith(wanted)


def test_a_compiler_of_another_release(plugin, rows, on_python_311, monkeypatch):
    versions = {"iree-base-compiler": "99.0.0", "jaxlib": "0.9.2"}
    monkeypatch.setattr(plugin.versions.metadata, "version", versions.__getitem__)
    with pytest.raises(plugin.errors.PluginSetupError, match=r"99\.0\.0 is installed") as caught:
        plugin.versions.check_compiler()
    wanted = 'pip install "jax==0.9.2" "jaxlib==0.9.2" "iree-base-compiler==3.11.0"'
    assert str(caught.value).endswith(wanted)


def test_nothing_installed(plugin, rows, on_python_311, monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(plugin.versions.metadata, "version", missing)
    with pytest.raises(plugin.errors.PluginSetupError, match="is not installed") as caught:
        plugin.versions.check_compiler()
    assert "jaxlib==0.10.2" in str(caught.value)
