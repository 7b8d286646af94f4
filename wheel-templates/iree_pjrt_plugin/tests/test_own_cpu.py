# SPDX-License-Identifier: Apache-2.0
"""The device that callbacks get where JAX has no platform ``cpu``."""

from types import SimpleNamespace

import pytest
from jax._src import xla_bridge


def source(plugin, monkeypatch, platform, devices):
    """A view of a module whose ``local_devices`` is given, in a process that computes on one."""
    own_cpu = plugin.own_cpu
    bridge = SimpleNamespace(
        get_backend=lambda: SimpleNamespace(platform=platform),
        make_cpu_client=xla_bridge.make_cpu_client,
    )
    monkeypatch.setattr(own_cpu, "xla_bridge", bridge)
    return own_cpu._Source(SimpleNamespace(local_devices=devices, other=7))


def none(*_, **__):
    raise RuntimeError("Unknown backend cpu")


def test_what_jax_has_is_taken(plugin, monkeypatch):
    found = source(plugin, monkeypatch, plugin.build_info.PLATFORM, lambda *_, **__: ["theirs"])
    assert found.local_devices(backend="cpu") == ["theirs"]
    assert found.other == 7


def test_a_device_of_its_own_computes(plugin, monkeypatch):
    import jax
    import numpy as np

    found = source(plugin, monkeypatch, plugin.build_info.PLATFORM, none)
    (device,) = found.local_devices(backend="cpu")[:1]
    assert device.platform == "cpu"
    assert device not in jax.devices("cpu")
    with jax.default_device(device):
        x = jax.numpy.arange(3.0) + 1
    assert x.device == device
    np.testing.assert_array_equal(np.asarray(x), [1, 2, 3])
    assert found.local_devices(backend="cpu") == [device]


def test_other_questions_and_other_platforms_get_jaxs_answer(plugin, monkeypatch):
    ours = source(plugin, monkeypatch, plugin.build_info.PLATFORM, none)
    with pytest.raises(RuntimeError, match="Unknown backend"):
        ours.local_devices(backend="tpu")
    theirs = source(plugin, monkeypatch, "cuda", none)
    with pytest.raises(RuntimeError, match="Unknown backend"):
        theirs.local_devices(backend="cpu")


def test_the_modules_that_run_callbacks_ask_once(plugin):
    from jax._src import callback, debugging

    before = {module: dict(vars(module)) for module in (callback, debugging)}
    try:
        plugin.own_cpu.use_in_callbacks()
        once = {module: dict(vars(module)) for module in (callback, debugging)}
        plugin.own_cpu.use_in_callbacks()
        for module, names in once.items():
            assert any(isinstance(v, plugin.own_cpu._Source) for v in names.values())
            assert all(vars(module)[name] is value for name, value in names.items())
    finally:
        for module, names in before.items():
            vars(module).update(names)
