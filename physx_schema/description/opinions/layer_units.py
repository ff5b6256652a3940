"""Layers whose numbers are in other units than the stage's, or whose up axis is another: USD converts nothing.

PhysX reads metersPerUnit, kilogramsPerUnit and upAxis of the stage's root layer alone. A scale on the prim that brings
a layer in mends its lengths, and a turn its up axis; what has lengths in its unit otherwise, and masses, stay wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pxr import Pcp, UsdGeom

from physx_schema.definitions import definitions
from physx_schema.description.opinions.inactive import is_bound
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext
from physx_schema.description.opinions.schemas import owners

CODE = "stage/units-differ"
_METERS, _KILOGRAMS, _UP = "metersPerUnit", "kilogramsPerUnit", "upAxis"
_ARCS = {Pcp.ArcTypeReference: "references", Pcp.ArcTypePayload: "payload"}
_ROUNDING = 1e-6                # relative, of units written as single floats
_NEAR = 0.01                    # relative, of a scale to what it should be
_UPRIGHT = 0.9                  # cosine from which an axis points along another
_AXES = {"Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
_SHOWN = 3                      # properties that a message names

# Of UsdPhysics, whose units stand in no definition of ours: what holds lengths that no scale of the prims changes.
_LENGTHS = frozenset({"diagonalInertia", "density", "velocity", "maxForce", "breakForce", "breakTorque"})
_OF_DRIVES = {"angular": ("stiffness", "damping"), "linear": ("targetPosition", "targetVelocity")}
_WITHOUT_LENGTH = frozenset({"force / distance", "force * time / distance"})    # mass / time^2, mass / time


@dataclass
class _Layer:
    """Prims with physics that a layer of other units has opinions on."""

    name: str
    value: Any                                      # of the unit, in the layer
    arc: str                                        # the metadata that brings it in
    roots: dict[str, None] = field(default_factory=dict)        # the prims that do
    prims: list[PrimOpinions] = field(default_factory=list)
    layers: set[Any] = field(default_factory=set)   # those with opinions on them


def report_units(context: ReadContext) -> None:
    """Record the layers whose units or up axis are others than those that PhysX reads them in."""
    units: tuple[tuple[str, Any, Callable[[ReadContext, _Layer, Any], None]], ...] = (
        (_METERS, context.meters_per_unit, _report_lengths), (_KILOGRAMS, context.kilograms_per_unit, _report_masses),
        (_UP, _stage_up(context.stage), _report_up))
    for name, value, report in units:
        if any(_differs(_authored(layer, name), value) for layer in context.stage.GetUsedLayers()):
            for layer in _foreign(context, name, value).values():
                report(context, layer, value)


def _stage_up(stage: Any) -> str:
    """The axis along which gravity without a direction points down."""
    return "Y" if stage.GetPseudoRoot().GetMetadata(_UP) == "Y" and stage.HasAuthoredMetadata(_UP) else "Z"


def _authored(layer: Any, name: str) -> Any:
    """A unit as a layer gives it, None where it does not."""
    root = layer.pseudoRoot
    value = root.GetInfo(name) if root.HasInfo(name) else None
    return value if isinstance(value, int | float | str) else None


def _differs(value: Any, expected: Any) -> bool:
    """Whether a layer gives another value, more than rounding apart."""
    if isinstance(value, int | float) and isinstance(expected, int | float):
        return 0.0 < value < math.inf and not math.isclose(value, expected, rel_tol=_ROUNDING)
    return value is not None and value != expected


def _foreign(context: ReadContext, name: str, expected: Any) -> dict[str, _Layer]:
    """By name, the layers with another value that have opinions on something of a length, a mass or a place."""
    foreign: dict[str, _Layer] = {}
    for opinions in context.prims.values():
        if not _is_placed(opinions):
            continue
        for node in _nodes(opinions.prim.GetPrimIndex().rootNode):
            layers = [layer for layer in node.layerStack.layers if layer.GetPrimAtPath(node.path)]
            top = _authored(node.layerStack.identifier.rootLayer, name) if not _is_root(node) else None
            for layer in layers:
                value = _authored(layer, name) if _authored(layer, name) is not None else top
                if not _differs(value, expected) or layer == context.stage.GetRootLayer():
                    continue
                source = node.layerStack.identifier.rootLayer if _authored(layer, name) is None else layer
                item = foreign.setdefault(source.identifier, _Layer(
                    str(source.realPath or source.GetDisplayName()), value, _arc(node)))
                item.roots[_introduced_at(opinions.prim, node)] = None
                item.prims.append(opinions)
                item.layers.add(layer)
    return foreign


def _is_placed(opinions: PrimOpinions) -> bool:
    """Whether a prim has lengths or masses: a body, a collider, a joint, or a scene with a gravity."""
    return (opinions.has("PhysicsRigidBodyAPI") or opinions.has("PhysicsCollisionAPI")
            or opinions.joint_kind is not None or opinions.authors("physics:gravityMagnitude"))


def _nodes(node: Any) -> Iterator[Any]:
    if node.hasSpecs:
        yield node
    for child in node.children:
        yield from _nodes(child)


def _is_root(node: Any) -> bool:
    """Whether a node's layers are the stage's root layer and its sublayers."""
    return bool(node.layerStack.identifier == node.GetRootNode().layerStack.identifier)


def _arc(node: Any) -> str:
    while node is not None and node.arcType not in _ARCS:
        node = node.parent
    return _ARCS[node.arcType] if node is not None else "subLayers"


def _introduced_at(prim: Any, node: Any) -> str:
    """The prim of the stage that brings in a node's layers: its arc's, or the whole stage for sublayers."""
    while not _is_root(node) and node.parent is not None and not _is_root(node.parent):
        node = node.parent
    if _is_root(node):
        return "/"
    for _ in range(node.GetDepthBelowIntroduction()):
        prim = prim.GetParent()
    return str(prim.GetPath())


def _report_lengths(context: ReadContext, layer: _Layer, expected: float) -> None:
    factor = layer.value / expected
    wrong = [path for path in layer.roots if not math.isclose(_scale(context, path, layer), factor, rel_tol=_NEAR)]
    square = factor * factor
    if wrong:
        _report(context, layer, wrong, _METERS, expected,
                f"PhysX reads the layer's lengths in units of the stage; the layer's lengths change by a factor of "
                f"{1 / factor:g}, and gravity is {factor:g} times larger for the objects of the layer",
                f"if nothing else on the stage uses {expected:g}, set metersPerUnit of the stage to {layer.value:g}; "
                f"otherwise convert the layer: multiply lengths, velocities and forces by {factor:g}, "
                f"moments of inertia, torques and angular gains by {square:g}, densities by {factor**-3:g}")
    elif names := _unscaled(layer):
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        shown = f"{', '.join(names[:_SHOWN])}{more}"
        _report(context, layer, list(layer.roots), _METERS, expected,
                f"a scale of {factor:g} converts positions and shapes, but not {shown}, which PhysX reads in units of "
                "the stage",
                f"author these values in stage units: multiply forces and velocities by {factor:g}, moments of "
                f"inertia, torques and angular gains by {square:g}, densities by {factor**-3:g}", "warning")


def _scale(context: ReadContext, path: str, layer: _Layer) -> float:
    """By how much the stage scales what a prim brings in, as a mean of the axes."""
    matrix = _placed_by_stage(context, path, layer)
    return float(abs(matrix.GetDeterminant3()) ** (1.0 / 3.0))


def _placed_by_stage(context: ReadContext, path: str, layer: _Layer) -> Any:
    """The transform of a prim that brings a layer in, without operations that are the layer's own."""
    prim = context.stage.GetPrimAtPath(path)
    if not prim.IsPseudoRoot():
        order = prim.GetAttribute("xformOpOrder").GetPropertyStack()
        if not order or order[0].layer in layer.layers:
            prim = prim.GetParent()
    return UsdGeom.XformCache().GetLocalToWorldTransform(prim)


def _unscaled(layer: _Layer) -> list[str]:
    """Properties that the layer gives numbers with lengths in their unit which no scale of a prim changes."""
    names: dict[str, None] = {}
    for opinions in layer.prims:
        for name in opinions.properties:
            stack = opinions.prim.GetProperty(name).GetPropertyStack() if opinions.authors(name) else ()
            if stack and stack[0].layer in layer.layers and _is_amount(opinions.peek(name)) and has_length(name):
                names[name] = None
    return list(names)


def _is_amount(value: Any) -> bool:
    """Whether a value is a number other than 0 and no limit, or has one."""
    if isinstance(value, int | float):
        return value != 0 and is_bound(value)
    return hasattr(value, "__len__") and not isinstance(value, str | tuple) and any(
        isinstance(number, int | float) and number != 0 and is_bound(number) for number in value)


def has_length(name: str) -> bool:
    """Whether a property's unit has lengths that a scale of its prim does not change."""
    for owner in owners(name):
        if owner.schema in definitions():
            attributes = {key.rpartition(":")[2]: item for key, item in definitions()[owner.schema].attributes.items()}
            unit = attributes[owner.base].unit if owner.base in attributes else ""
            return _unit_has_length(unit, "linear" if owner.instance in ("linear", "transX", "transY", "transZ")
                                    else "angular")
        kind = "linear" if owner.instance in ("linear", "transX", "transY", "transZ") else "angular"
        drives = owner.schema == "PhysicsDriveAPI" and owner.base in _OF_DRIVES[kind]
        if drives or owner.base in _LENGTHS:
            return True
    return False


def _unit_has_length(unit: str, kind: str) -> bool:
    """Whether a unit, of the two that angular and linear axes have, is made of lengths."""
    parts = [part.strip() for part in unit.split(",")]
    selected = next((part for part in parts if f"({kind})" in part), parts[0]).partition(" (")[0]
    return selected not in _WITHOUT_LENGTH and any(word in selected for word in ("distance", "force", "torque"))


def _report_masses(context: ReadContext, layer: _Layer, expected: float) -> None:
    factor = layer.value / expected
    _report(context, layer, list(layer.roots), _KILOGRAMS, expected,
            "PhysX reads the layer's masses, forces and gains in units of the stage; masses change by a factor of "
            f"{1 / factor:g}; the layer alone moves as before, but not together with other objects on the stage",
            f"if nothing else on the stage uses {expected:g}, set kilogramsPerUnit of the stage to {layer.value:g}; "
            f"otherwise convert the layer: multiply masses, moments of inertia, forces, torques and gains by "
            f"{factor:g}", "warning")


def _report_up(context: ReadContext, layer: _Layer, expected: str) -> None:
    up = _AXES.get(layer.value)
    if up is None:
        return
    fallen = [path for path in layer.roots if _along(_placed_by_stage(context, path, layer), up) > _UPRIGHT]
    if fallen:
        angle = "90 degrees" if layer.value == "Y" else "-90 degrees"
        _report(context, layer, fallen, _UP, expected,
                f"USD does not rotate the layer: the layer's {layer.value} axis is horizontal on the stage, and "
                f"gravity points along -{expected}",
                f"rotate the prim that references the layer by {angle} about X", "warning")


def _along(matrix: Any, axis: tuple[float, float, float]) -> float:
    """How much of an axis is left along itself: its cosine with where the transform takes it."""
    return float(matrix.TransformDir(axis).GetNormalized() * type(matrix.GetRow3(0))(*axis))


def _report(context: ReadContext, layer: _Layer, paths: list[str], name: str, expected: Any, why: str, fix: str,
            severity: str = "error") -> None:
    authored = context.stage.HasAuthoredMetadata(name)
    stage = f"{name} {_shown(expected)}" if authored else f"no {name}, which means {_shown(expected)}"
    more = f" (and {len(paths) - 1} more prims that reference the layer)" if len(paths) > 1 else ""
    context.problem(CODE, paths[0], layer.arc if paths[0] != "/" else "subLayers",
                    f"{layer.name} has {name} {_shown(layer.value)}, the stage has {stage}{more}", why, fix, severity)


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)
