"""Variants that are not selected, and those among them that hold physics which the stage is without."""

from __future__ import annotations

from typing import Any

from pxr import Sdf, Usd

from physx_schema.description.opinions.prim import is_physics_name, is_physics_schema
from physx_schema.description.opinions.reading import ReadContext

UNSELECTED = "stage/variant-unselected"
_MAX_VARIANTS = 16              # variants of a set that are composed to look at them
_ARCS = ("references", "payload", "inheritPaths", "specializes")


def report_variants(context: ReadContext, prim: Any) -> None:
    """Record the other variants of a prim, of which nothing is read."""
    sets = prim.GetVariantSets()
    for name in sets.GetNames():
        variants = sets.GetVariantSet(name)
        names, selected = variants.GetVariantNames(), variants.GetVariantSelection()
        others = [item for item in names if item != selected]
        if not others:
            continue
        path, missing = str(prim.GetPath()), selected not in names
        if (missing or not _physics_below(prim)) and _report_physics(context, prim, name, selected, others):
            continue
        context.problem(
            "stage/variants", path, "variants", f"the set {name!r} has {len(others)} variants other than {selected!r}",
            "USD reads only the selected variant", "select another variant and read the stage again", "info",
        )


def _report_physics(context: ReadContext, prim: Any, name: str, selected: str, others: list[str]) -> bool:
    """Record a set of which a variant that is not selected has physics; whether there is one."""
    present = _physics_below(prim)
    candidates = [item for item in others if _may_hold_physics(prim, name, item)][:_MAX_VARIANTS]
    holding = next((item for item in candidates if _physics_with(context.stage, prim, name, item) > present), "")
    if not holding:
        return False
    selection = f"{selected!r} is selected" if selected else "no variant is selected"
    missing = ""
    if selected and selected not in prim.GetVariantSet(name).GetVariantNames():
        missing = ", which is not a variant of the set"
    context.problem(
        UNSELECTED, str(prim.GetPath()), "variants",
        f"physics is in the variant {holding!r} of the set {name!r}, and {selection}{missing}",
        "USD reads only the selected variant, and this physics is not on the stage",
        f"select this variant: variants = {{ string {name} = \"{holding}\" }} on {prim.GetPath()}",
        "info" if selected and not missing else "warning",
    )
    return True


def _may_hold_physics(prim: Any, name: str, variant: str) -> bool:
    """Whether a variant has physics in a layer, or leads to prims elsewhere."""
    specs = (spec.layer.GetPrimAtPath(spec.path.AppendVariantSelection(name, variant)) for spec in prim.GetPrimStack())
    return any(_leads_to_physics(spec) for spec in specs if spec)


def _leads_to_physics(spec: Any) -> bool:
    schemas = spec.GetInfo("apiSchemas").GetAddedOrExplicitItems() if spec.HasInfo("apiSchemas") else ()
    own = any(map(is_physics_schema, (str(spec.typeName), *map(str, schemas)))) or any(
        is_physics_name(item.name) for item in spec.properties)
    return own or any(map(spec.HasInfo, _ARCS)) or bool(spec.variantSets) or any(
        map(_leads_to_physics, spec.nameChildren))


def _physics_with(stage: Any, prim: Any, name: str, variant: str) -> int:
    """How much there is about physics at and below a prim once a variant is selected."""
    path = prim.GetPath()
    session = Sdf.Layer.CreateAnonymous(".usda")
    session.TransferContent(stage.GetSessionLayer())
    Sdf.CreatePrimInLayer(session, path).variantSelections[name] = variant
    variant_stage = Usd.Stage.OpenMasked(stage.GetRootLayer(), session, stage.GetPathResolverContext(),
                                  Usd.StagePopulationMask([path]))
    return _physics_below(variant_stage.GetPrimAtPath(path))


def _physics_below(root: Any) -> int:
    """How many types, schemas and properties of a prim and those below it have to do with physics."""
    return sum(map(_physics_of, Usd.PrimRange(root, Usd.TraverseInstanceProxies()))) if root else 0


def _physics_of(prim: Any) -> int:
    schemas = (str(prim.GetTypeName()), *map(str, prim.GetPrimTypeInfo().GetAppliedAPISchemas()))
    return sum(map(is_physics_schema, schemas)) + sum(map(is_physics_name, prim.GetAuthoredPropertyNames()))
