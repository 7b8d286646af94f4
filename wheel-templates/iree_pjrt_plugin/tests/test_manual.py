# SPDX-License-Identifier: Apache-2.0
"""Shardy is shown manual computations without their bodies."""

import importlib

import jax._src.interpreters.mlir as mlir
import pytest
from jaxlib.mlir import ir

# A loop in the body: on it Shardy's propagation in jaxlib 0.9 ends the process.
LOOP = """
  module {
    sdy.mesh @mesh = <["i"=2, "j"=2]>
    func.func public @main(%arg: tensor<4xf32>) -> tensor<4xf32> {
      %0 = sdy.manual_computation(%arg) in_shardings=[<@mesh, [{"i"}]>]
          out_shardings=[<@mesh, [{"i"}]>] manual_axes={AXES} (%v: tensor<2xf32>) {
        %n = stablehlo.constant dense<0> : tensor<i32>
        %1:2 = stablehlo.while(%c = %v, %k = %n) : tensor<2xf32>, tensor<i32>
        cond {
          %2 = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %2 : tensor<i1>
        } do {
          stablehlo.return %c, %k : tensor<2xf32>, tensor<i32>
        }
        sdy.return %1#0 : tensor<2xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
  }"""


@pytest.fixture
def emptied(plugin):
    rooms = f"{plugin.package}.several_devices"
    manual, mesh = (importlib.import_module(f"{rooms}.{name}") for name in ("_manual", "_mesh"))

    def run(axes):
        with mlir.make_ir_context(), ir.Location.unknown():
            module = ir.Module.parse(LOOP.replace("AXES", axes))
            manual.empty_manual_bodies(module, mesh.Meshes(module, 4))
            module.operation.verify()
            return str(module)

    return run


def test_over_all_axes_the_body_is_a_call(emptied):
    text = emptied('"i", "j"')
    assert "while" not in text
    assert text.count("stablehlo.custom_call @body") == 1
    assert 'out_shardings=[<@mesh, [{"i"}]>]' in text


def test_over_some_axes_the_body_stays(emptied):
    text = emptied('"i"')
    assert "stablehlo.while" in text
    assert "@body" not in text
