"""Mimic joints, of PhysX and of Newton.

Mimic joints: every declaration with PhysX's verdict on it, and the accepted ones in the units of simulation.

Mimic joints of Newton's schema, which PhysX makes as well: q = coefficient 0 + coefficient 1 * q of the leader.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from physx_schema.description.articulation.axes import first_dofs
from physx_schema.description.articulation.joints import joint_order
from physx_schema.description.model import Link, Mimic, MimicDeclaration, unlimited
from physx_schema.description.model.joint import ROTATIONS, SINGLE_AXIS_KINDS, TRANSLATIONS
from physx_schema.description.opinions.inactive import is_axis_free
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext
from physx_schema.description.opinions.view import unauthored
from physx_schema.description.units import DEGREES_PER_RADIAN, coordinate, radians

API = "NewtonMimicAPI"


def read_newton_mimics(context: ReadContext, links: Sequence[Link]) -> list[Mimic]:
    """The mimic joints that PhysX makes of Newton's declarations on the joints of an articulation."""
    if not context.has_schema(API):
        return []
    dof_index = first_dofs(links)
    mimics = []
    for link in sorted((link for link in links if link.joint is not None), key=_order):
        opinions = context.prims[link.joint.path] if link.joint is not None else None
        if opinions is not None and opinions.has(API) and opinions.view(API).flag("mimicEnabled"):
            mimics += _read(context, opinions, dof_index)
    return mimics


def _order(link: Link) -> tuple[int, tuple[str, ...]]:
    return joint_order(link.joint.kind, link.joint.path) if link.joint is not None else (0, ())


def _read(context: ReadContext, opinions: PrimOpinions, dof_index: Mapping[str, int]) -> list[Mimic]:
    view = opinions.view(API)
    leaders = view.targets("mimicJoint")
    refusal = _newton_refusal(context, opinions, leaders, dof_index)
    gearing, offset = -view.number("mimicCoef1"), -view.number("mimicCoef0")
    if refusal or gearing == 0.0:
        context.problem(
            "joint/newton-mimic", opinions.path, view.name("mimicJoint" if refusal else "mimicCoef1"),
            refusal or "mimicCoef1 is 0", "PhysX does not create the mimic joint",
            "point newton:mimicJoint at another revolute or prismatic joint of the articulation; give revolute joints "
            "finite limits; author a coefficient other than 0",
        )
        return []
    angular, leader_angular = opinions.joint_kind == "revolute", context.prims[leaders[0]].joint_kind == "revolute"
    factor = (radians(1.0) if angular else 1.0) / (radians(1.0) if leader_angular else 1.0)
    return [Mimic(
        path=opinions.path, instance="", prefix=view.prefix, follower=dof_index[opinions.path],
        reference=dof_index[leaders[0]], gearing=gearing * factor, offset=coordinate(offset, angular),
        natural_frequency=0.0, damping_ratio=0.0,
    )]


def _newton_refusal(
    context: ReadContext, opinions: PrimOpinions, leaders: Sequence[str], dof_index: Mapping[str, int],
) -> str:
    """Why PhysX makes no mimic joint of two joints, empty where it does."""
    if len(leaders) != 1:
        return f"newton:mimicJoint has {len(leaders)} targets instead of one"
    if leaders[0] == opinions.path:
        return "the joint mimics itself"
    leader = context.prims.get(leaders[0])
    if leader is None or leader.joint_kind is None:
        return f"{leaders[0]} is not a joint"
    if leaders[0] not in dof_index:
        return f"{leaders[0]} is not a joint of the same articulation"
    for joint, role in ((opinions, "the joint"), (leader, "the reference joint")):
        fault = _newton_unfit(joint)
        if fault:
            return f"{role} {fault}"
    return ""


def _newton_unfit(joint: PrimOpinions) -> str:
    """Why a joint cannot take part, empty where it can."""
    if joint.joint_kind not in SINGLE_AXIS_KINDS:
        return f"is {joint.joint_kind}, which PhysX does not support"
    view = joint.joint_view()
    finite = all(math.isfinite(bound) and not unlimited(bound)
                 for bound in (view.number("lowerLimit"), view.number("upperLimit")))
    return "" if finite or joint.joint_kind == "prismatic" else "is revolute and does not have two finite limits"


_API = "PhysxMimicJointAPI"
_READ = ("gearing", "offset", "naturalFrequency", "dampingRatio", "referenceJoint", "referenceJointAxis")

Refusal = tuple[str, str]       # the check that refuses a declaration, and why; two empty strings where none does
_ACCEPTED: Refusal = ("", "")


def read_declarations(context: ReadContext) -> dict[str, list[MimicDeclaration]]:
    """Every PhysxMimicJointAPI on the stage by prim, in traversal order."""
    declarations: dict[str, list[MimicDeclaration]] = {}
    if not context.has_schema(_API):
        return declarations
    for opinions in context.prims.values():
        accepted = 0
        names = [*opinions.instances(_API), *[""] * (_API in opinions.applied or f"{_API}:" in opinions.applied)]
        for instance in sorted(names, key=_rank):
            declaration = _declaration(context, opinions, instance, accepted)
            accepted += not declaration.refusal
            declarations.setdefault(opinions.path, []).append(declaration)
    return declarations


def _rank(instance: str) -> tuple[int, str]:
    """PhysX looks at rotX, rotY, rotZ in this order and at nothing else."""
    return (ROTATIONS.index(instance), "") if instance in ROTATIONS else (len(ROTATIONS), instance)


def _declaration(context: ReadContext, opinions: PrimOpinions, instance: str, accepted: int) -> MimicDeclaration:
    view = opinions.view(_API, instance)
    references = view.targets("referenceJoint")
    reference = context.prims.get(references[0]) if len(references) == 1 else None
    values = tuple((base, references if base == "referenceJoint" else view.raw(base)) for base in _READ)
    code, refusal = _refusal(context, opinions, instance, references, dict(values), accepted)
    return MimicDeclaration(
        path=opinions.path, instance=instance, joint_kind=opinions.joint_kind, references=references,
        reference_kind=reference.joint_kind if reference else None,
        authored=frozenset(base for base in _READ if view.authored(base)), values=values,
        limits=_limits(opinions), reference_limits=_limits(reference),
        excluded=_flag(opinions, "excludeFromArticulation"),
        reference_excluded=_flag(reference, "excludeFromArticulation"),
        refusal=refusal, refusal_code=code, newton=_newton(opinions),
    )


def _newton(opinions: PrimOpinions) -> tuple[float, float] | None:
    """The coefficients of Newton's mimic joint on the prim: q = first + second * q_reference."""
    if not opinions.has(API):
        return None
    defaults = unauthored(API)
    names = ("mimicCoef0", "mimicCoef1")
    values = (opinions.prim.GetAttribute(defaults.name(name)).Get() for name in names)
    constant, factor = (value if isinstance(value, float) else defaults.number(name)
                        for name, value in zip(names, values, strict=True))
    return constant, factor


def _limits(opinions: PrimOpinions | None) -> tuple[float, float]:
    if opinions is None or opinions.joint_kind not in SINGLE_AXIS_KINDS:
        return -math.inf, math.inf
    view = opinions.joint_view()
    return view.number("lowerLimit"), view.number("upperLimit")


def _flag(opinions: PrimOpinions | None, base: str) -> bool:
    return opinions is not None and opinions.joint_kind is not None and opinions.joint_view().flag(base)


def _refusal(
    context: ReadContext, opinions: PrimOpinions, instance: str, references: Sequence[str],
    values: Mapping[str, object], accepted: int,
) -> Refusal:
    """Why PhysX makes no mimic joint of a declaration, in the order it looks; empty where it does."""
    if opinions.joint_kind is None:
        return "host", "the prim is not a joint"
    if instance not in ROTATIONS:
        return "instance", f"the instance name {instance!r} is not one of rotX, rotY, rotZ"
    refusal = _unfit(opinions, instance, "self", "the joint")
    if refusal[0]:
        return refusal
    axis = values["referenceJointAxis"]
    if axis not in ROTATIONS:
        return "reference-axis", f"referenceJointAxis {axis!r} is not one of rotX, rotY, rotZ"
    if accepted and opinions.joint_kind != "d6":
        return "one-instance", "the joint already has a mimic joint with another instance name, which PhysX reads first"
    return _refused_reference(context, opinions, references, values)


def _refused_reference(
    context: ReadContext, opinions: PrimOpinions, references: Sequence[str], values: Mapping[str, object],
) -> Refusal:
    if len(references) != 1:
        return "reference-count", f"referenceJoint has {len(references)} targets instead of one"
    if not context.stage.GetPrimAtPath(references[0]):
        return "reference-missing", f"there is no prim at {references[0]}"
    reference = context.prims.get(references[0])
    if reference is None or reference.joint_kind is None:
        return "reference-type", f"{references[0]} is not a joint"
    refusal = _unfit(reference, str(values["referenceJointAxis"]), "ref", "the reference joint")
    if refusal[0]:
        return refusal
    if reference is opinions:
        return "self", "the joint refers to itself"
    gearing = values["gearing"]
    if not isinstance(gearing, int | float):
        return "gearing", f"gearing {gearing!r} is not a number"
    return ("gearing", "gearing is 0") if gearing == 0 else _ACCEPTED


def _unfit(opinions: PrimOpinions, axis: str, side: str, role: str) -> Refusal:
    """Why a joint cannot take part in a mimic."""
    if _flag(opinions, "excludeFromArticulation"):
        return f"excluded-{side}", f"{role} is excluded from the articulation"
    if not _flag(opinions, "jointEnabled"):
        return "disabled", f"{role} is disabled"
    if opinions.joint_kind == "revolute":
        limited = not any(map(unlimited, _limits(opinions)))
        return _ACCEPTED if limited else ("limits", f"{role} is revolute and does not have two finite limits")
    if opinions.joint_kind == "prismatic":
        return _ACCEPTED
    if opinions.joint_kind != "d6":
        return "joint-type", f"{role} is {opinions.joint_kind}, which PhysX does not support"
    if any(is_axis_free(opinions, free) for free in TRANSLATIONS):
        return "joint-type", f"{role} is a generic joint with free translations"
    return _ACCEPTED if is_axis_free(opinions, axis) else ("joint-type", f"{role} has {axis} locked")


def read_mimics(
    context: ReadContext, declarations: Mapping[str, Sequence[MimicDeclaration]], links: Sequence[Link],
) -> tuple[Mimic, ...]:
    """The accepted declarations whose two joints belong to this articulation, in PhysX's solve order."""
    if not declarations:
        return tuple(read_newton_mimics(context, links))
    index: dict[str, int] = {}
    angular: list[bool] = []
    for link in links:
        if link.joint is not None:
            index.update({dof.name: len(angular) + i for i, dof in enumerate(link.joint.dofs)})
            angular += [dof.angular for dof in link.joint.dofs]
    mimics = []
    joints = [link.joint.path for link in links if link.joint is not None]
    accepted = (item for path in joints for item in declarations.get(path, ()) if not item.refusal)
    for declaration in sorted(accepted, key=lambda item: (joint_order(item.joint_kind, item.path), item.instance)):
        axis = str(declaration.value("referenceJointAxis"))
        follower = index.get(declaration.path, index.get(f"{declaration.path}:{declaration.instance}"))
        reference = index.get(declaration.references[0], index.get(f"{declaration.references[0]}:{axis}"))
        if follower is not None and reference is not None:
            mimics.append(_mimic(context, declaration, follower, reference, angular[follower], angular[reference]))
    return (*mimics, *read_newton_mimics(context, links))


def _mimic(
    context: ReadContext, declaration: MimicDeclaration, follower: int, reference: int, angular: bool,
    reference_angular: bool,
) -> Mimic:
    view = context.prims[declaration.path].view(_API, declaration.instance)
    units = {(True, False): 1.0 / DEGREES_PER_RADIAN, (False, True): DEGREES_PER_RADIAN}
    factor = units.get((angular, reference_angular), 1.0)
    return Mimic(
        path=declaration.path, instance=declaration.instance, prefix=view.prefix, follower=follower,
        reference=reference, gearing=view.number("gearing") * factor, offset=coordinate(view.number("offset"), angular),
        natural_frequency=view.number("naturalFrequency"), damping_ratio=view.number("dampingRatio"),
    )
