# SPDX-License-Identifier: Apache-2.0
"""Devices without common memory: Shardy's passes run; what they do not survive is refused."""

import subprocess
import sys

import pytest
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import sdy  # noqa: F401  registers the dialect's passes

from artifacts import portable_text, text_of

MANUAL = """
  module attributes {mhlo.num_partitions = 2 : i32} {
    sdy.mesh @mesh = <["i"=2]>
    func.func public @main(%arg: tensor<4xf32>) -> tensor<4xf32> {
      %0 = sdy.manual_computation(%arg) in_shardings=[<@mesh, [{"i"}]>]
          out_shardings=[<@mesh, [{"i"}]>] manual_axes={"i"} (%v: tensor<2xf32>) {
        %1 = "stablehlo.all_reduce"(%v) <{
            channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
            replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %s = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %s : tensor<f32>
        }) : (tensor<2xf32>) -> tensor<2xf32>
        sdy.return %1 : tensor<2xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
  }"""
CUMSUM = """
  module {
    sdy.mesh @mesh = <["i"=2]>
    func.func public @main(%arg: tensor<4xf32>) -> tensor<4xf32> {
      %x = sdy.sharding_constraint %arg <@mesh, [{"i"}]> : tensor<4xf32>
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = "stablehlo.reduce_window"(%x, %z) <{padding = dense<[[3, 0]]> : tensor<1x2xi64>,
          window_dimensions = array<i64: 4>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
  }"""
COMPILE = """
import sys
import iree.compiler
flags = ["--iree-cuda-target=sm_80", "--compile-to=hal"]
program = sys.stdin.buffer.read()
code = iree.compiler.compile_str(program, target_backends=["cuda"], extra_args=flags)
sys.stdout.buffer.write(code)
"""
UNEVEN = """
  module {
    sdy.mesh @mesh = <["i"=2]>
    func.func public @main(%arg: tensor<5xf32>) -> tensor<5xf32> {
      %x = sdy.sharding_constraint %arg <@mesh, [{"i"}]> : tensor<5xf32>
      return %x : tensor<5xf32>
    }
  }"""


def lower(plugin, text, partitions=2, replicas=1):
    return plugin.artifact.lower(
        portable_text(text),
        num_replicas=replicas,
        num_partitions=partitions,
        stablehlo_version="1.13.0",
        shared_memory=False,
    )


def has_partitioner():
    import jax._src.interpreters.mlir as mlir

    with mlir.make_ir_context():
        try:
            passmanager.PassManager.parse("builtin.module(sdy-convert-global-to-local)")
        except (ValueError, ir.MLIRError):
            return False
    return True


def test_manual_computation_becomes_the_program(plugin):
    if not has_partitioner():
        pytest.skip("this jaxlib has no sdy-convert-global-to-local")
    text = text_of(lower(plugin, MANUAL))
    assert "sdy" not in text
    assert "@main(%arg0: tensor<2xf32>) -> tensor<2xf32>" in text
    assert "dense<[[0, 1]]>" in text


def test_collectives_become_channels_of_gpus(plugin):
    """What a device runs is code for IREE's channels (NCCL): compiled here, not run."""
    if not has_partitioner():
        pytest.skip("this jaxlib has no sdy-convert-global-to-local")
    # The test has a process of its own: other tests ask whether the compiler was imported.
    ran = subprocess.run(
        [sys.executable, "-c", COMPILE],
        input=lower(plugin, MANUAL),
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    assert b"hal.channel.create" in ran.stdout
    assert b"hal.command_buffer.collective" in ran.stdout


def test_old_jaxlib_says_so(plugin):
    if has_partitioner():
        pytest.skip("this jaxlib can partition")
    with pytest.raises(Exception, match="no partitioner for 2 devices"):
        lower(plugin, MANUAL)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (CUMSUM, "stablehlo.reduce_window is not partitioned yet"),
        (UNEVEN, "size 5 in tensor<5xf32> is sharded over 2 devices"),
    ],
)
def test_what_would_end_the_process_is_refused(text, reason, plugin):
    with pytest.raises(Exception, match=reason):
        lower(plugin, text)


def test_replicas_are_refused(plugin):
    with pytest.raises(Exception, match="2 replicas x 2 partitions"):
        lower(plugin, MANUAL, replicas=2)
