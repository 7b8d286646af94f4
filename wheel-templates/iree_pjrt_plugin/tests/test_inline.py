# SPDX-License-Identifier: Apache-2.0
"""Calls of functions, before Shardy sees them: that of jaxlib 0.9 ends the process on them."""

import importlib

import jax._src.interpreters.mlir as mlir
import pytest
from jaxlib.mlir import ir

# One function called twice, with a region that captures, which calls another.
CALLS = """
  module {
    func.func public @main(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi8> {
      %0:2 = call @both(%a, %b) : (tensor<4xi8>, tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>)
      %1:2 = call @both(%0#1, %0#0) : (tensor<4xi8>, tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>)
      return %1#0 : tensor<4xi8>
    }
    func.func private @both(%x: tensor<4xi8>, %y: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>) {
      %p = stablehlo.constant dense<true> : tensor<i1>
      %0 = "stablehlo.if"(%p) ({
        %1 = func.call @twice(%x) : (tensor<4xi8>) -> tensor<4xi8>
        stablehlo.return %1 : tensor<4xi8>
      }, {
        stablehlo.return %y : tensor<4xi8>
      }) : (tensor<i1>) -> tensor<4xi8>
      return %0, %x : tensor<4xi8>, tensor<4xi8>
    }
    func.func private @twice(%x: tensor<4xi8>) -> tensor<4xi8> {
      %0 = stablehlo.add %x, %x : tensor<4xi8>
      return %0 : tensor<4xi8>
    }
  }"""


@pytest.fixture
def inlined(plugin):
    inline = importlib.import_module(f"{plugin.package}.several_devices._inline")

    def run(text):
        with mlir.make_ir_context(), ir.Location.unknown():
            module = ir.Module.parse(text)
            inline.inline_calls(module)
            module.operation.verify()
            return [str(op) for op in module.body.operations]

    return run


def test_each_call_has_a_body_of_its_own(inlined):
    main, both, twice = inlined(CALLS)
    assert "call" not in main
    assert main.count("stablehlo.if") == main.count("stablehlo.add") == 2
    # What is called stays as it was.
    assert "call @twice" in both
    assert "stablehlo.add" in twice


def test_results_go_where_the_calls_went(inlined):
    swap = CALLS.replace("return %0, %x :", "return %y, %x :")
    main, *_ = inlined(swap)
    # The second call has them swapped, and returns its second argument first.
    assert "return %arg1" in main


def test_a_program_without_calls_stays(inlined):
    text = "module { func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> } }"
    assert len(inlined(text)) == 1
