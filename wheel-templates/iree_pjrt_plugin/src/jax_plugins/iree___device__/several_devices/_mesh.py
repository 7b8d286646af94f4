# SPDX-License-Identifier: Apache-2.0
"""Shardings of Shardy, read: which device holds which tile of an array."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Collection, Sequence
from typing import Any

import jax
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import sdy, stablehlo

from ._shardings import UnsupportedProgramError


@dataclasses.dataclass(frozen=True)
class Mesh:
    """Devices in a grid with named axes, the last of which runs fastest."""

    axes: tuple[tuple[str, int], ...]
    # The device at each position of the grid, by its number within the program.
    devices: tuple[int, ...]

    @functools.cached_property
    def sizes(self) -> dict[str, int]:
        """Returns the size of each axis."""
        return dict(self.axes)

    @functools.cached_property
    def coordinates(self) -> dict[int, dict[str, int]]:
        """Returns for each device its place on each axis."""
        places = itertools.product(*(range(size) for _, size in self.axes))
        names = [name for name, _ in self.axes]
        return {
            device: dict(zip(names, place, strict=True))
            for device, place in zip(self.devices, places, strict=True)
        }


@dataclasses.dataclass(frozen=True)
class Axis:
    """An axis of a mesh, or the part of one that Shardy writes ``"x":(pre)size``."""

    name: str
    size: int
    # Product of the parts of the whole axis that run faster than this one.
    post: int = 1

    def place(self, coordinates: dict[str, int]) -> int:
        """Returns a device's place on this axis."""
        return coordinates[self.name] // self.post % self.size


@dataclasses.dataclass(frozen=True)
class Sharding:
    """How an array is cut: for each dimension the axes over which it is spread, major first."""

    mesh: Mesh
    dims: tuple[tuple[Axis, ...], ...]
    # Axes along which each device holds a term of a sum that is still to be made.
    unreduced: tuple[Axis, ...] = ()

    @staticmethod
    def replicated(rank: int) -> Sharding:
        """Returns the sharding of an array that every device holds whole."""
        return Sharding(Mesh((), ()), ((),) * rank)

    @property
    def parts(self) -> tuple[int, ...]:
        """Returns into how many tiles each dimension is cut."""
        return tuple(math.prod(axis.size for axis in axes) for axes in self.dims)

    def over(self, names: Collection[str]) -> Sharding:
        """Returns this sharding with only the axes of these names."""
        dims = (tuple(axis for axis in axes if axis.name in names) for axes in self.dims)
        unreduced = tuple(axis for axis in self.unreduced if axis.name in names)
        return Sharding(self.mesh, tuple(dims), unreduced)

    def dividing(self, shape: Sequence[int]) -> Sharding:
        """Returns this sharding without the dimensions that it cuts unevenly."""
        dims = zip(self.dims, self.parts, shape, strict=True)
        cut = tuple(axes if n % parts == 0 else () for axes, parts, n in dims)
        return Sharding(self.mesh, cut, self.unreduced)

    def tile(self, device: int) -> tuple[int, ...]:
        """Returns which tile a device holds: its index in each dimension."""
        if not any(self.dims):
            return (0,) * len(self.dims)
        coordinates = self.mesh.coordinates.get(device)
        if coordinates is None:
            raise UnsupportedProgramError(f"device {device} is not in the mesh {self.mesh.axes}")
        index = []
        for axes in self.dims:
            place = 0
            for axis in axes:
                place = place * axis.size + axis.place(coordinates)
            index.append(place)
        return tuple(index)

    def term(self, device: int) -> tuple[int, ...]:
        """Returns which term of a sum a device holds."""
        if not self.unreduced:
            return ()
        return tuple(axis.place(self.mesh.coordinates[device]) for axis in self.unreduced)

    def to_hlo(self) -> str:
        """Returns the sharding as XLA writes it, with every device named."""
        parts = self.parts
        terms = math.prod(axis.size for axis in self.unreduced)
        if math.prod(parts) * terms == 1:
            return "{replicated}"
        copies = len(self.mesh.devices) // (math.prod(parts) * terms)
        order: dict[tuple[Any, ...], int] = {}
        for device in self.mesh.devices:
            tile, term = self.tile(device), self.term(device)
            copy = next(n for n in range(copies) if (tile, n, term) not in order)
            order[tile, copy, term] = device
        shape = list(parts)
        kinds = []
        for count, kind in ((copies, "replicated"), (terms, "unreduced")):
            if count > 1:
                shape.append(count)
                kinds.append(kind)
        rest = " last_tile_dims={" + ", ".join(kinds) + "}" if kinds else ""
        if kinds == ["replicated"]:
            rest = " last_tile_dim_replicate"
        devices = ",".join(str(order[key]) for key in sorted(order))
        return "{devices=[" + ",".join(map(str, shape)) + "]" + devices + rest + "}"


class Meshes:
    """The meshes of a module by their names, for a program over ``count`` devices."""

    def __init__(self, module: ir.Module, count: int) -> None:
        self._count = count
        self._by_name: dict[str, Mesh] = {}
        for op in module.body.operations:
            if op.operation.name == "sdy.mesh":
                name = ir.StringAttr(op.operation.attributes["sym_name"]).value
                self._by_name[name] = self._read(op.operation.attributes["mesh"])

    def of(self, attribute: Any) -> Mesh:
        """Returns the mesh of a ``#sdy.sharding``."""
        reference = sdy.TensorShardingAttr(attribute).mesh_or_ref
        named = str(reference).startswith("@")
        return self._by_name[str(reference)[1:].strip('"')] if named else self._read(reference)

    def sharding(self, attribute: Any, rank: int) -> Sharding:
        """Reads a ``#sdy.sharding``; one over no axes is replicated."""
        read = sdy.TensorShardingAttr(attribute)
        mesh = self.of(attribute)
        dims = tuple(
            tuple(
                _axis(sdy.AxisRefAttr(axis), mesh)
                for axis in sdy.DimensionShardingAttr(dimension).axes
            )
            for dimension in read.dimension_shardings
        )
        unreduced = getattr(read, "unreduced_axes", ())  # unknown to older versions
        kind = getattr(getattr(read, "reduction_op", None), "name", "SUM")
        if len(unreduced) and kind != "SUM":
            raise UnsupportedProgramError(f"arrays whose {kind} is still to be made: {attribute}")
        if len(unreduced) and jax.__version_info__ < (0, 10):  # older: another meaning
            raise UnsupportedProgramError(f"unreduced arrays need JAX 0.10 or newer: {attribute}")
        terms = tuple(_axis(sdy.AxisRefAttr(axis), mesh) for axis in unreduced)
        return Sharding(mesh, dims or ((),) * rank, terms)

    def replica_group(self, attribute: Any) -> tuple[Mesh, list[Axis]]:
        """Reads a ``#stablehlo.replica_group_mesh_axes``: a mesh, and axes that a group spans."""
        read = stablehlo.ReplicaGroupMeshAxesAttr(attribute)
        mesh = self._by_name[ir.FlatSymbolRefAttr(read.mesh).value]
        return mesh, [_axis(stablehlo.AxisRefAttr(axis), mesh) for axis in read.axes]

    def _read(self, attribute: Any) -> Mesh:
        mesh = sdy.MeshAttr(attribute)
        axes = [sdy.MeshAxisAttr(axis) for axis in mesh.axes]
        if not axes:  # everything on one device, or nowhere in particular
            return Mesh((), ())
        count = math.prod(axis.size for axis in axes)
        if count != self._count:
            raise UnsupportedProgramError(
                f"a mesh of {count} devices in a program for {self._count}: {attribute}"
            )
        devices = tuple(mesh.device_ids) or tuple(range(count))
        return Mesh(tuple((axis.name, axis.size) for axis in axes), devices)


def _axis(axis: Any, mesh: Mesh) -> Axis:
    whole = mesh.sizes[axis.name]
    part = axis.sub_axis_info
    if part is None:
        return Axis(axis.name, whole)
    kind = sdy if isinstance(axis, sdy.AxisRefAttr) else stablehlo
    info = kind.SubAxisInfoAttr(part)
    return Axis(axis.name, info.size, whole // (info.pre_size * info.size))
