# SPDX-License-Identifier: Apache-2.0
"""From a program for several devices to one whose inputs and outputs are what all of them hold.

The result has one input for each different tile of an argument, and one output for each different
tile of a result. Attributes of the module say which device's what each of them is::

    iree_pjrt.arguments = "0 1 0 2"   the input that each argument feeds, device by device
    iree_pjrt.results = "0 0"         the output that each result is, device by device
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from jaxlib.mlir import ir, passmanager

from ._collectives import Devices
from ._copies import Copies, classes, cut, forward_slices, on, put_together, spread
from ._inline import inline_calls
from ._manual import empty_manual_bodies
from ._mesh import Meshes, Sharding
from ._shardings import UnsupportedProgramError, entries_of, without_shardings
from ._unroll import Unroller, rank
from ._walk import operations_named

_SHARDING = "sdy.sharding"
_DONATIONS = ("jax.buffer_donor", "tf.aliasing_output")


def unroll(
    module: ir.Module,
    num_replicas: int,
    num_partitions: int,
    show: Callable[[ir.Module], None],
) -> None:
    """Rewrites ``module`` in place into one program for all devices.

    Args:
      module: a StableHLO module, with or without ops of the ``sdy`` dialect.
      num_replicas: replicas that it is compiled for.
      num_partitions: partitions that it is compiled for; one of the two numbers is 1.
      show: called before arrays are cut into tiles: with a program on whole arrays, as if for one
        device, whose attributes say in XLA's words how its inputs and outputs are sharded.

    Raises:
      UnsupportedProgramError: the program holds something that cannot be rewritten.
    """
    main = _main(module)
    _give_attributes(main)
    _refuse_other_forms(module)
    devices = Devices(module, num_replicas, num_partitions)
    chosen = {} if devices.replicated else _propagated(module, devices.meshes)
    inputs, outputs = (
        _ports(types, main, key, devices, chosen.get(key)) for key, types in _sides(main)
    )
    function = ir.Operation.create(
        "func.func",
        attributes={
            "sym_name": main.attributes["sym_name"],
            "sym_visibility": ir.StringAttr.get("public"),
            "function_type": main.attributes["function_type"],
        },
        regions=1,
        loc=main.location,
        ip=ir.InsertionPoint(module.body),
    )
    types = [port.type for port in inputs for _ in range(max(port.whole) + 1)]
    block = function.regions[0].blocks.append(*types, arg_locs=[main.location] * len(types))
    values = spread(list(block.arguments), [port.whole for port in inputs])
    unroller = Unroller(module, devices)
    with ir.InsertionPoint(block):
        source = main.regions[0].blocks[0]
        results = unroller.run(source, values, [frozenset(p.sharding.unreduced) for p in inputs])
        results = [
            unroller.summed(copies, unroller.terms(value), port.sharding)
            for copies, value, port in zip(
                results, list(source.operations)[-1].operands, outputs, strict=True
            )
        ]
    main.erase()
    if not devices.replicated:
        show(_shown(module, function, results, inputs, outputs))
    results = _put_inputs_together(block, inputs, results)
    with ir.InsertionPoint(block):
        _finish(module, function, results, inputs, outputs)
    forward_slices(block)
    passmanager.PassManager.parse("builtin.module(symbol-dce)").run(module.operation)


@dataclasses.dataclass
class _Port:
    """An argument or a result of the program."""

    type: Any
    # The attributes without the sharding.
    attributes: Any
    sharding: Sharding
    # For each device, the number of the whole array of which it has a part. Only replicas, and
    # terms of sums, are parts of different arrays.
    whole: list[int]
    # For each device, the number of the tile that it has, counted over all these arrays.
    own: list[int]

    def tiles(self, whole: int) -> dict[tuple[int, ...], int]:
        """Returns the number of each tile of an array, by the tile's index."""
        return {
            self.sharding.tile(device): own
            for device, (number, own) in enumerate(zip(self.whole, self.own, strict=True))
            if number == whole
        }


def _ports(types: list[Any], main: Any, key: str, devices: Devices, chosen: Any) -> list[_Port]:
    entries = [ir.DictAttr(entry) for entry in main.attributes[key]]
    everyone = range(devices.count)
    ports = []
    for index, (type_, entry) in enumerate(zip(types, entries, strict=True)):
        sharding = Sharding.replicated(rank(type_))
        source = ir.DictAttr(chosen[index]) if chosen else entry
        # A token is nowhere in particular.
        if _SHARDING in source and isinstance(type_, ir.RankedTensorType):
            sharding = devices.meshes.sharding(source[_SHARDING], rank(type_))
            sharding = sharding.dividing(ir.RankedTensorType(type_).shape)
        whole = [device if devices.replicated else sharding.term(device) for device in everyone]
        own = [(whole[device], sharding.tile(device)) for device in everyone]
        ports.append(_Port(type_, _plain(entry), sharding, classes(whole), classes(own)))
    return ports


def _plain(entry: Any) -> Any:
    """Attributes without shardings; an argument donated to one result becomes a donor to any."""
    kept = without_shardings(entry)
    attributes = {name: kept[name] for name in entries_of(kept) if name not in _DONATIONS}
    if len(attributes) < len(kept):
        attributes["jax.buffer_donor"] = ir.BoolAttr.get(True)
    return ir.DictAttr.get(attributes)


def _propagated(module: ir.Module, meshes: Meshes) -> dict[str, Any]:
    """The attributes of main's arguments and results once Shardy has chosen what was left open.

    Nothing if nothing was open, or if its propagation does not take the program.
    """
    main = _main(module)
    if all(_settled(ir.DictAttr(e)) for key, _ in _sides(main) for e in main.attributes[key]):
        return {}
    copy = _clone(module)
    empty_manual_bodies(copy, meshes)
    inline_calls(copy)
    try:
        passes = "builtin.module(symbol-dce,sdy-propagation-pipeline)"
        passmanager.PassManager.parse(passes).run(copy.operation)
        return {key: list(_main(copy).attributes[key]) for key, _ in _sides(main)}
    except (ir.MLIRError, ValueError):
        return {}


def _give_attributes(main: Any) -> None:
    """Gives the arguments and results of ``main`` attributes, if they have none at all."""
    for key, types in _sides(main):
        if key not in main.attributes:
            main.attributes[key] = ir.ArrayAttr.get([ir.DictAttr.get({})] * len(types))


def _refuse_other_forms(module: ir.Module) -> None:
    """Refuses shardings for GSPMD, which have no meaning here and would make wrong programs."""
    main = _main(module)
    calls = operations_named(module.operation, "stablehlo.custom_call")
    if any("mhlo.sharding" in str(main.attributes[key]) for key, _ in _sides(main)) or any(
        "SPMD" in str(call.attributes["call_target_name"]) for call in calls
    ):
        raise UnsupportedProgramError(
            "a program for several devices with shardings in GSPMD's form; needed are JAX 0.7 or "
            "newer, and jax.config.update('jax_use_shardy_partitioner', True)"
        )


def _sides(main: Any) -> list[tuple[str, list[Any]]]:
    signature = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)
    return [("arg_attrs", signature.inputs), ("res_attrs", signature.results)]


def _settled(entry: Any) -> bool:
    return _SHARDING in entry and "?" not in str(entry[_SHARDING])


def _main(module: Any) -> Any:
    for op in module.operation.regions[0].blocks[0].operations:
        if (
            op.operation.name == "func.func"
            and ir.StringAttr(op.operation.attributes["sym_name"]).value == "main"
        ):
            return op.operation
    raise ValueError("the program has no function 'main'")


def _clone(module: ir.Module) -> ir.Module:
    copy = ir.Module.create()
    for name, attribute in entries_of(module.operation.attributes).items():
        copy.operation.attributes[name] = attribute
    for op in module.body.operations:
        op.operation.clone(ip=ir.InsertionPoint(copy.body))
    return copy


def _put_inputs_together(block: Any, inputs: list[_Port], results: list[Copies]) -> list[Copies]:
    """Replaces the block's arguments, whole arrays, by arrays put together from tiles.

    Returns the results, some of which may have been arguments.
    """
    wholes = iter(list(block.arguments))
    count = len(block.arguments)
    made = {}
    with ir.InsertionPoint.at_block_begin(block), ir.Location.unknown():
        for port in inputs:
            type_ = _tile_type(port)
            tiles = [
                block.add_argument(type_, ir.Location.unknown()) for _ in range(max(port.own) + 1)
            ]
            for number in range(max(port.whole) + 1):
                own = {index: tiles[tile] for index, tile in port.tiles(number).items()}
                whole = next(wholes)
                made[whole] = put_together(port.sharding.parts, own.__getitem__)
                whole.replace_all_uses_with(made[whole])
    results = [[made.get(value, value) for value in copies] for copies in results]
    for _ in range(count):
        block.erase_argument(0)
    return results


def _tile_type(port: _Port) -> Any:
    parts = port.sharding.parts
    if math.prod(parts) == 1:
        return port.type
    tensor = ir.RankedTensorType(port.type)
    shape = [size // count for size, count in zip(tensor.shape, parts, strict=True)]
    return ir.RankedTensorType.get(shape, tensor.element_type)


def _finish(
    module: ir.Module,
    function: Any,
    results: list[Copies],
    inputs: list[_Port],
    outputs: list[_Port],
) -> None:
    """Ends the function with what each device gets, and says so in attributes."""
    values: list[Any] = []
    entries: list[Any] = []
    places: list[list[int]] = []
    for copies, port in zip(results, outputs, strict=True):
        # The results of devices may differ even where an array says that they are the same.
        tiles = [port.sharding.tile(device) for device in range(len(port.own))]
        port.own = classes([(tile, on(copies, device)) for device, tile in enumerate(tiles)])
        own = [
            cut(on(copies, device), port.sharding.parts, tiles[device])
            for device in (port.own.index(number) for number in range(max(port.own) + 1))
        ]
        places.append([len(values) + number for number in port.own])
        values.extend(own)
        entries.extend([port.attributes] * len(own))
    ir.Operation.create("func.return", operands=values)
    block = function.regions[0].blocks[0]
    signature = ir.FunctionType.get(
        [argument.type for argument in block.arguments], [value.type for value in values]
    )
    function.attributes["function_type"] = ir.TypeAttr.get(signature)
    function.attributes["res_attrs"] = ir.ArrayAttr.get(entries)
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(
        [port.attributes for port in inputs for _ in range(max(port.own) + 1)]
    )
    fed: list[list[int]] = []
    count = 0
    for port in inputs:
        fed.append([count + number for number in port.own])
        count += max(port.own) + 1
    attributes = module.operation.attributes
    attributes["iree_pjrt.arguments"] = _by_device(fed)
    attributes["iree_pjrt.results"] = _by_device(places)


def _by_device(places: list[list[int]]) -> Any:
    devices = zip(*places, strict=True)
    return ir.StringAttr.get(" ".join(str(place) for device in devices for place in device))


def _shown(
    module: ir.Module,
    function: Any,
    results: list[Copies],
    inputs: list[_Port],
    outputs: list[_Port],
) -> ir.Module:
    """The program on whole arrays, with its shardings in XLA's words."""
    with ir.InsertionPoint(function.regions[0].blocks[0]):
        end = ir.Operation.create("func.return", operands=[copies[0] for copies in results])
    shown = _clone(module)
    end.erase()
    main = _main(shown)
    block = main.regions[0].blocks[0]
    _keep_first(block, inputs)
    main.attributes["arg_attrs"] = ir.ArrayAttr.get([port.attributes for port in inputs])
    main.attributes["res_attrs"] = ir.ArrayAttr.get([port.attributes for port in outputs])
    texts = [[port.sharding.to_hlo() for port in ports] for ports in (inputs, outputs)]
    attributes = shown.operation.attributes
    attributes["mhlo.spmd_parameters_shardings"] = ir.ArrayAttr.get(
        [ir.StringAttr.get(text) for text in texts[0]]
    )
    if texts[1]:
        only = len(texts[1]) == 1
        text = texts[1][0] if only else "{" + ", ".join(texts[1]) + "}"
        attributes["mhlo.spmd_output_sharding"] = ir.StringAttr.get(text)
    return shown


def _keep_first(block: Any, inputs: list[_Port]) -> None:
    """Leaves one argument for each input that several devices hold terms of."""
    for index, port in enumerate(inputs):
        for _ in range(max(port.whole)):
            block.arguments[index + 1].replace_all_uses_with(block.arguments[index])
            block.erase_argument(index + 1)
