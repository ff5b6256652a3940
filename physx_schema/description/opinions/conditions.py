"""What a stage leaves out of a reading: what does not compose, prims that are skipped, variants, layers and samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from pxr import Sdf, Usd, UsdGeom

from physx_schema.description.composition import UNRESOLVED, unresolved
from physx_schema.description.frames import operation_order
from physx_schema.description.opinions.layer_units import report_units
from physx_schema.description.opinions.overs import Overs
from physx_schema.description.opinions.prim import PrimOpinions, is_physics_schema, read_property
from physx_schema.description.opinions.reading import ReadContext
from physx_schema.description.opinions.schemas import split_name
from physx_schema.description.opinions.variants import report_variants
from physx_schema.description.stages import animated_prim

_SHAPE = ("size", "radius", "height", "axis", "points", "faceVertexCounts", "faceVertexIndices")    # of a collider
_SKIPPED = {    # state to what makes it one, and what to do
    "inactive": ("the prim and all prims below it are inactive", "set active = true to read the prim"),
    "unloaded": ("the prim's payload is not loaded", "load the payload to read the prim"),
    "undefined": ("an over without a def, and no arc defines the prim",
                  "reference this over from a prim that has a def, or define the prim"),
    "unresolved": ("an over without a def, because its layer cannot be opened",
                   "repair the layer that should define the prim; see stage/composition"),
    "abstract": ("a class that no prim inherits", "let prims inherit the class, or remove the class"),
}


def report_conditions(context: ReadContext) -> None:
    """Record everything about the stage that keeps opinions from being read."""
    context.problems.extend(unresolved(context.stage))
    _report_layers(context)
    report_units(context)
    _report_skipped(context)
    for prim in context.varied:
        report_variants(context, prim)
    _report_instance_names(context)
    _report_connected(context)
    if _has_samples(context.stage):
        _report_moving(context)


def _report_layers(context: ReadContext) -> None:
    """Layers that change what is read: muted ones, session layers, and such from elsewhere on the disk."""
    stage = context.stage
    root, session = stage.GetRootLayer(), stage.GetSessionLayer()
    if session is not None and (session.rootPrims or session.subLayerPaths):
        context.problem("stage/session-layer", "/", "", "the stage has opinions in its session layer",
                        "this check reads these opinions, but the file does not contain them",
                        "clear the session layer to read only the file",
                        "info")
    muted = sorted(stage.GetMutedLayers())
    if muted:
        context.problem("stage/muted-layer", "/", "subLayers", f"muted layers: {', '.join(muted)}",
                        "opinions of a muted layer are not read", "unmute the layer to read its opinions", "info")
    if any(not offset.IsIdentity() for offset in root.subLayerOffsets):
        context.problem("stage/layer-offset", "/", "subLayers", "a sublayer is offset or scaled in time",
                        "only time samples are shifted; physics is read at the default time", "nothing", "info")
    folder = Path(root.realPath).parent if root.realPath else None
    foreign = sorted({str(layer.realPath) for layer in stage.GetUsedLayers()
                      if folder and layer.realPath and not Path(layer.realPath).is_relative_to(folder)})
    if foreign:
        context.problem("stage/outside-layer", "/", "",
                        f"{len(foreign)} layers are outside {folder}, such as {foreign[0]}",
                        "the stage changes if these files change",
                        "copy the layers into the folder of the stage and use relative paths", "info")


def _report_skipped(context: ReadContext) -> None:
    """Prims that USD's traversal passes over."""
    skipped: dict[str, list[str]] = {}
    overs = Overs(context.stage)
    unresolved_at = [problem.path for problem in context.problems if problem.code == UNRESOLVED]
    prims = iter(Usd.PrimRange.Stage(context.stage, Usd.PrimAllPrimsPredicate))
    read = Usd.PrimDefaultPredicate
    for prim in prims:
        if not read(prim):
            prims.PruneChildren()
            if prim.HasVariantSets():
                report_variants(context, prim)
            state = _state(prim)
            if state in ("inactive", "unloaded") or overs.holds_unread_physics(prim):
                path = str(prim.GetPath())
                if state == "undefined" and any(_holds(site, path) for site in unresolved_at):
                    state = "unresolved"
                elif state == "undefined" and (meant := overs.meant(prim)):
                    _report_misspelt(context, path, meant)
                    continue
                skipped.setdefault(state, []).append(path)
    for state, paths in skipped.items():
        more = f" (and {len(paths) - 1} more)" if len(paths) > 1 else ""
        state_text, fix = _SKIPPED[state]
        code = "stage/undefined" if state == "unresolved" else f"stage/{state}"
        context.problem(code, paths[0], "", state_text + more, "the physics of this prim is not read", fix, "info")


def _holds(site: str, path: str) -> bool:
    """Whether a prim is at or below another."""
    return site == "/" or f"{path}/".startswith(f"{site}/")


def _report_misspelt(context: ReadContext, path: str, meant: str) -> None:
    context.problem(
        "stage/over-misspelt", path, "", f"an over of {path.rpartition('/')[2]!r}, which no layer defines",
        "the physics of this over is not read", f"did you mean {meant}? Rename the over, or define the prim", "warning")


def _state(prim: Any) -> str:
    if not prim.IsActive():
        return "inactive"
    if not prim.IsLoaded():
        return "unloaded"
    return "abstract" if prim.IsAbstract() else "undefined"


def _report_instance_names(context: ReadContext) -> None:
    """Instance names that cannot be part of a property name."""
    for opinions in context.prims.values():
        for schema, instance in _unreadable(opinions.applied):
            context.problem(
                "schema/instance-name", opinions.path, "apiSchemas",
                f"{schema} has the instance name {instance!r}, which is not valid",
                "PhysX reads no property with this instance name; PhysX ignores the schema or uses default values",
                "use letters, digits and underscores, and begin with a letter",
            )


@lru_cache(4096)
def _unreadable(applied: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Those of a prim's schemas, with their instance names, whose instance name PhysX cannot read."""
    return tuple((schema, instance) for schema, instance in map(split_name, applied)
                 if instance and not Sdf.Path.IsValidIdentifier(instance) and is_physics_schema(schema))


def _has_samples(stage: Any) -> bool:
    """Whether any layer of the stage has time samples."""
    return any(layer.ListAllTimeSamples() for layer in stage.GetUsedLayers())


def _report_moving(context: ReadContext) -> None:
    """Values that change over time where PhysX reads one: physics properties and transforms of prims with physics."""
    for opinions in context.prims.values():
        for name in _sampled(opinions, opinions.properties):
            if opinions.authors(name):
                context.problem(
                    "value/time-samples", opinions.path, name, "the property has time samples and a default value",
                    "PhysX reads only the default value, and only at the start", "remove the time samples", "warning",
                )
        if _is_moving_body(opinions) and (mover := animated_prim(opinions.prim)):
            _report_animated(context, opinions, mover)
        elif opinions.prim.IsA(UsdGeom.Xformable):
            names = (name.removeprefix("!invert!") for name in operation_order(opinions.prim))
            for name in _sampled(opinions, filter(None, names)):
                context.problem(
                    "value/time-samples", opinions.path, name, "the transform has time samples",
                    "PhysX uses the pose at the default time",
                    "author a default value, and remove the time samples", "warning",
                )
        if opinions.has("PhysicsCollisionAPI"):
            for prim in (opinions.prim, *opinions.prim.GetChildren()):
                _report_changing_shape(context, prim)


def _is_moving_body(opinions: PrimOpinions) -> bool:
    """Whether a prim is an enabled rigid body."""
    return opinions.has("PhysicsRigidBodyAPI") and opinions.view("PhysicsRigidBodyAPI").flag("rigidBodyEnabled")


def _report_animated(context: ReadContext, opinions: PrimOpinions, mover: str) -> None:
    """A body whose own transform, or that of a prim above it, changes over time."""
    reason = "has a transform with time samples" if mover == opinions.path else (
        f"is below {mover}, which time samples move")
    if opinions.view("PhysicsRigidBodyAPI").flag("kinematicEnabled"):
        context.problem(
            "body/animated", opinions.path, "xformOpOrder", f"this kinematic body {reason}",
            "ovphysx leaves the body at its default pose; Omniverse and this library move the body along the samples",
            "remove the time samples if the body should not move", "info",
        )
        return
    context.problem(
        "body/animated", opinions.path, "xformOpOrder", f"this dynamic body {reason}",
        "ovphysx and this library simulate the body from its default pose; Omniverse makes the body kinematic and "
        "moves it along the samples",
        "remove the time samples, or set physics:kinematicEnabled to true",
        "warning",
    )


def _report_changing_shape(context: ReadContext, prim: Any) -> None:
    for name in _SHAPE:
        attribute = prim.GetAttribute(name)
        if attribute and attribute.GetNumTimeSamples():
            has_default = read_property(prim, name).authored
            context.problem(
                "value/time-samples" if has_default else "value/only-samples", str(prim.GetPath()), name,
                f"the property has time samples and {'a' if has_default else 'no'} default value",
                "PhysX makes the collider once, at the start, from "
                f"{'the default value' if has_default else 'the fallback value of USD'}",
                "remove the time samples" if has_default else "author a default value", "warning",
            )


def _report_connected(context: ReadContext) -> None:
    """Numbers of mimic joints that come from a connection, which PhysX does not follow."""
    if not context.has_schema("PhysxMimicJointAPI"):
        return
    for opinions in context.prims.values():
        if opinions.instances("PhysxMimicJointAPI"):
            for name in opinions.properties:
                report_connection(context, opinions, name)


def report_connection(context: ReadContext, opinions: PrimOpinions, name: str) -> None:
    """Record that an attribute is connected to others, where it is."""
    attribute = opinions.prim.GetAttribute(name)
    if attribute and attribute.HasAuthoredConnections():
        context.problem(
            "value/connected", opinions.path, name,
            f"the attribute is connected to {', '.join(map(str, attribute.GetConnections()))}",
            "PhysX reads the attribute's own value" if opinions.authors(name) else
            "PhysX ignores the connection and uses its own default for the attribute",
            "author the value, or remove the connection",
            "warning",
        )


def _sampled(opinions: PrimOpinions, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        attribute = opinions.prim.GetAttribute(name)
        if attribute and attribute.GetNumTimeSamples():
            yield name
