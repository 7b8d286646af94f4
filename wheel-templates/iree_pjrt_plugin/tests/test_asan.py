# SPDX-License-Identifier: Apache-2.0
"""The launcher of the asan flavour, and what is said without it."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

RUNTIME = "libasan-of-nobody.so.99"


@pytest.fixture
def asan(plugin: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> object:
    """The module, for a runtime that no machine has."""
    monkeypatch.setattr(plugin.build_info, "SANITIZER_RUNTIME", RUNTIME)
    return plugin.asan


def test_runtime_comes_before_what_is_preloaded(asan):
    preload = asan.environment(RUNTIME, {"LD_PRELOAD": "mine.so"})["LD_PRELOAD"].split(":")
    assert preload[0] == RUNTIME
    assert preload[-1] == "mine.so"


@pytest.mark.parametrize("name", ["ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"])
def test_options_of_the_user_come_last_and_win(asan, name):
    ours = asan.environment(RUNTIME, {})[name]
    assert asan.environment(RUNTIME, {name: "verbosity=1"})[name] == f"{ours}:verbosity=1"


def test_leaks_are_looked_for_with_rules_that_exist(asan):
    values = asan.environment(RUNTIME, {})
    assert "detect_leaks=1" in values["ASAN_OPTIONS"].split(":")
    rules = Path(values["LSAN_OPTIONS"].split("'")[1]).read_text(encoding="utf-8").splitlines()
    assert all(rule.startswith(("leak:", "#")) for rule in rules)
    # None of these programs may name the plugin, nor the runtime that is linked into it.
    plugin = "/site-packages/iree/_pjrt_libs/cpu/pjrt_plugin_iree_cpu.so"
    assert not [rule for rule in rules if rule.removeprefix("leak:") in plugin]


def test_without_the_runtime_the_message_names_it_and_the_launcher(asan, plugin):
    with pytest.raises(plugin.errors.PluginSetupError) as raised:
        asan.require_runtime()
    assert f"{RUNTIME} must be the first library of the process" in str(raised.value)
    assert "iree-pjrt-asan python script.py" in str(raised.value)


def test_runtime_that_is_not_there_is_not_found(asan):
    assert asan.find_runtime(RUNTIME) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["python"], f"iree-pjrt-asan: {RUNTIME}, AddressSanitizer's runtime"),
        (["no-such-program"], "iree-pjrt-asan: there is no program no-such-program"),
    ],
)
def test_launcher_says_what_is_missing(asan, monkeypatch, arguments, message):
    monkeypatch.setattr(sys, "argv", ["iree-pjrt-asan", *arguments])
    with pytest.raises(SystemExit) as ended:
        asan.main()
    assert str(ended.value.code).startswith(message)


def test_launcher_without_arguments_shows_how_to_use_it(asan, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["iree-pjrt-asan"])
    with pytest.raises(SystemExit) as ended:
        asan.main()
    assert ended.value.code == 2
    assert "usage: iree-pjrt-asan PROGRAM" in capsys.readouterr().err
