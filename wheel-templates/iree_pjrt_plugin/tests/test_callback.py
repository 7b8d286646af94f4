# SPDX-License-Identifier: Apache-2.0
"""The C callback, called through its address as the native plugin calls it."""

import ctypes
import shutil
import threading
from pathlib import Path

import jaxlib.version
import numpy as np

from artifacts import portable_text, text_of

PROGRAM = """
  module {
    sdy.mesh @mesh = <["x"=1]>
    func.func public @main(%arg: tensor<4xf32>) -> tensor<4xf32> {
      %0 = sdy.sharding_constraint %arg <@mesh, [{"x"}]> : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
  }"""
REPLY = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int32, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t
)
PARTITION = ctypes.CFUNCTYPE(
    None,
    ctypes.c_char_p,
    ctypes.c_size_t,
    ctypes.c_int64,
    ctypes.c_int64,
    REPLY,
    ctypes.c_void_p,
)


def call(plugin, artifact, replicas=1, partitions=1):
    replies = []

    @REPLY
    def reply(context, ok, data, size):
        replies.append((context, ok, data[:size]))

    function = PARTITION(plugin.framework_passes.callback_address())
    function(artifact, len(artifact), replicas, partitions, reply, 1234)
    assert len(replies) == 1
    context, ok, data = replies[0]
    assert context == 1234
    return ok, data


def test_a_program_comes_back_plain(plugin):
    ok, data = call(plugin, portable_text(PROGRAM))
    assert ok == 1
    assert "sdy" not in text_of(data)


def test_errors_come_back_as_text(plugin):
    ok, data = call(plugin, b"nonsense\0more")
    assert ok == 0
    assert "could not read the program" in data.decode()
    ok, data = call(plugin, b"")
    assert ok == 0
    ok, data = call(plugin, portable_text(PROGRAM), replicas=3, partitions=2)
    assert ok == 0
    assert "3 replicas" in data.decode()


def test_the_address_stays_and_fits_an_int64(plugin):
    address = plugin.framework_passes.callback_address()
    assert address == plugin.framework_passes.callback_address()
    assert 0 < np.int64(address) < 2**63


def test_many_threads_at_once(plugin):
    artifact = portable_text(PROGRAM)
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(call(plugin, artifact))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8
    assert {ok for ok, _ in answers} == {1}
    assert len({data for _, data in answers}) == 1


def test_the_identity_changes_with_the_sources_and_with_jaxlib(plugin, monkeypatch, tmp_path):
    first = plugin.framework_passes.identity()
    assert first == plugin.framework_passes.identity()
    with monkeypatch.context() as patch:
        patch.setattr(jaxlib.version, "__version__", "9.9.9")
        assert plugin.framework_passes.identity() != first
    copy = shutil.copytree(Path(plugin.framework_passes.__file__).parents[1], tmp_path / "package")
    monkeypatch.setattr(
        plugin.framework_passes, "__file__", str(copy / "passes" / "_framework_passes.py")
    )
    assert plugin.framework_passes.identity() == first
    (copy / "several_devices" / "_fold.py").write_text("# edited")
    assert plugin.framework_passes.identity() != first
