"""Fixed tendons: axes on joints of one articulation, collected from the root axis down the tree."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from difflib import get_close_matches

from physx_schema.definitions import float_fields
from physx_schema.description.articulation.axes import first_dofs
from physx_schema.description.articulation.joints import JointOrder, joint_order
from physx_schema.description.model import Dof, FixedTendon, Link, TendonAxis
from physx_schema.description.model.joint import ROTATIONS, SINGLE_AXIS_KINDS, TRANSLATIONS
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext
from physx_schema.description.opinions.view import SchemaView, unauthored
from physx_schema.description.units import gain

_ROOT = "PhysxTendonAxisRootAPI"
_AXIS = "PhysxTendonAxisAPI"

_Key = tuple[str, str]                   # link path, instance name
Root = tuple[int, PrimOpinions, str]    # index of the joint's child link, joint prim, instance name

# The tendon's numbers but for its limits, of which one bounds the other.
_NUMBERS = {fact: base for fact, base in float_fields(_ROOT).items() if not fact.endswith("_limit")}


def read_fixed_tendons(context: ReadContext, links: Sequence[Link]) -> tuple[FixedTendon, ...]:
    """The fixed tendons of an articulation, in the order in which PhysX makes and solves them.

    An axis goes to the first tendon that reaches it; every root axis makes a tendon, also where another has its joint.
    """
    if not context.has_schema(_ROOT) and not context.has_schema(_AXIS):
        return ()
    dof_index = first_dofs(links)
    children: dict[int, list[int]] = {}
    for position, link in enumerate(links):
        children.setdefault(link.parent, []).append(position)
    roots = _roots(context, links)
    members: list[list[int]] = []
    used_axes: set[_Key] = set()
    for position, _, name in roots:
        members.append(_members(context, links, children, position, name, used_axes))
        used_axes.update((links[member].path, name) for member in members[-1])
    _report_second_roots(context, links, roots, members)
    _report_unused_axes(context, links, used_axes)
    return tuple(
        _tendon(context, opinions, name, [links[member] for member in indices], dof_index)
        for (_, opinions, name), indices in zip(roots, members, strict=True)
    )


def _roots(context: ReadContext, links: Sequence[Link]) -> list[Root]:
    """Every root axis, by joint and then by name."""
    roots: list[tuple[JointOrder, str, int, PrimOpinions]] = []
    for position, link in enumerate(links):
        opinions = _axis_prim(context, link)
        if opinions is not None and link.joint is not None:
            order = joint_order(link.joint.kind, link.joint.path)
            roots += [(order, name, position, opinions) for name in opinions.instances(_ROOT)]
    return [(position, opinions, name) for _, name, position, opinions in sorted(roots, key=lambda item: item[:2])]


def _axis_prim(context: ReadContext, link: Link) -> PrimOpinions | None:
    """The joint prim above a link, where PhysX looks for tendon axes on it."""
    joint = link.joint
    return context.prims[joint.path] if joint is not None and joint.kind in SINGLE_AXIS_KINDS else None


def _has_axis(context: ReadContext, link: Link, name: str) -> bool:
    opinions = _axis_prim(context, link)
    return opinions is not None and (opinions.has(_AXIS, name) or opinions.has(_ROOT, name))


def _members(
    context: ReadContext, links: Sequence[Link], children: Mapping[int, Sequence[int]], root: int, name: str,
    used_axes: Container[_Key],
) -> list[int]:
    """Links whose joints carry a free axis of this name, unbroken from the root axis down, parents first."""
    members = []
    stack = [root]
    while stack:
        position = stack.pop()
        members.append(position)
        following = [child for child in children.get(position, ())
                     if (links[child].path, name) not in used_axes and _has_axis(context, links[child], name)]
        stack.extend(reversed(following))
    return members


def _tendon(
    context: ReadContext, opinions: PrimOpinions, name: str, members: Sequence[Link], dof_index: Mapping[str, int],
) -> FixedTendon:
    view = opinions.view(_ROOT, name)
    lower = view.number("lowerLimit")
    axes = []
    for link in members:
        if link.joint is not None:
            prim = context.prims[link.joint.path]
            schema = _ROOT if prim.has(_ROOT, name) else _AXIS
            sign = -1.0 if link.joint.reversed else 1.0
            axes.append(_axis(context, prim.view(schema, name), link.joint.dofs[0], dof_index[link.joint.path], sign))
    return FixedTendon(
        path=opinions.path, name=name, prefix=view.prefix, axes=tuple(axes),
        lower_limit=lower, upper_limit=view.number("upperLimit", lower), enabled=view.flag("tendonEnabled"),
        **{name: view.clamped(base) for name, base in _NUMBERS.items()},
    )


def _axis(context: ReadContext, view: SchemaView, dof: Dof, index: int, sign: float) -> TendonAxis:
    """`sign` is -1 where body0 is the child: the length counts positions from parent to child, as the force acts."""
    allowed = ROTATIONS if dof.angular else TRANSLATIONS
    for axis in view.tokens("jointAxis"):
        if axis not in allowed:
            context.problem(
                "tendon/joint-axis", view.path, view.name("jointAxis"),
                f"jointAxis {axis!r} is not an axis of this joint",
                "PhysX ignores jointAxis and uses the joint's own axis",
                f"author one of {', '.join(allowed)}, or remove the value", "warning",
            )
    return TendonAxis(
        path=view.path, dof=index, gearing=sign * gain(_single(context, view, "gearing"), dof.angular),
        force_coefficient=sign * _single(context, view, "forceCoefficient"),
    )


def _single(context: ReadContext, view: SchemaView, base: str) -> float:
    """The element of an array of one; PhysX takes its default for a longer array, an empty one and a number alone."""
    default = unauthored(_AXIS).number(base)
    values = view.numbers(base)
    scalar = isinstance(view.raw(base), int | float) and view.authored(base)
    if len(values) == 1 and not scalar:
        return values[0]
    if view.authored(base):
        context.problem(
            "tendon/array-length", view.path, view.name(base),
            "the value is a single number, not an array" if scalar else f"the array has {len(values)} elements",
            f"a tendon axis has one value; PhysX ignores the array and uses the default {default:g}",
            "author an array with one element",
        )
    return default


def _report_second_roots(
    context: ReadContext, links: Sequence[Link], roots: Sequence[Root], members: Sequence[Sequence[int]],
) -> None:
    """Root axes inside or right below another tendon of their name."""
    for position, opinions, name in roots:
        for (other, upper, other_name), indices in zip(roots, members, strict=True):
            if other == position or other_name != name or not {position, links[position].parent} & set(indices):
                continue
            context.problem(
                "tendon/second-root", opinions.path, f"physxTendon:{name}:stiffness",
                f"a second root axis named {name!r}, below the root axis on {upper.path}",
                "PhysX makes two tendons, and both act on this joint" if position in indices
                else "PhysX makes two tendons, and the tendon nearer to the base ends above this joint",
                f"for one tendon, replace {_ROOT}:{name} by {_AXIS}:{name}; for two tendons, rename one of the two "
                "instances",
                "warning",
            )


def _report_unused_axes(context: ReadContext, links: Sequence[Link], used_axes: Container[_Key]) -> None:
    """Axes of this articulation that no tendon took in."""
    roots = {name for link in links if (prim := _axis_prim(context, link)) for name in prim.instances(_ROOT)}
    for link in links:
        opinions = _axis_prim(context, link)
        if opinions is None:
            _report_joint_type(context, link)
            continue
        for name in opinions.instances(_AXIS):
            if opinions.has(_ROOT, name):
                context.problem(
                    "tendon/shared-prefix", opinions.path, f"physxTendon:{name}:gearing",
                    f"{_ROOT}:{name} and {_AXIS}:{name} are on the same joint and share their properties",
                    "PhysX uses the root axis and ignores the other axis, without a message", f"remove {_AXIS}:{name}",
                    "warning",
                )
            elif (link.path, name) not in used_axes:
                _report_dropped(context, opinions, name, roots)


def _report_joint_type(context: ReadContext, link: Link) -> None:
    """Axes on a joint that is neither revolute nor prismatic."""
    if link.joint is None:
        return
    opinions = context.prims[link.joint.path]
    for schema in (_ROOT, _AXIS):
        why = "PhysX drops this tendon axis and all axes below this joint"
        if schema == _ROOT:
            why = "PhysX makes a tendon without effect; PhysX crashes if a sibling joint has an axis with this name"
        for name in opinions.instances(schema):
            context.problem(
                "tendon/joint-type", opinions.path, f"physxTendon:{name}:gearing",
                f"{schema}:{name} is applied to a {link.joint.kind} joint", why,
                "apply it to a revolute or prismatic joint",
            )


def _report_dropped(context: ReadContext, opinions: PrimOpinions, name: str, roots: set[str]) -> None:
    if name in roots:
        context.problem(
            "tendon/axis-dropped", opinions.path, f"physxTendon:{name}:gearing",
            f"this axis of tendon {name!r} has no unbroken chain of axes up to the root axis",
            "PhysX drops the axis; a tendon contains only joints below the root axis, with an axis on each joint in "
            "between",
            "apply the root axis to the common ancestor joint, and an axis to every joint in between",
        )
        return
    context.problem(
        "tendon/no-root", opinions.path, f"physxTendon:{name}:gearing",
        f"axis of tendon {name!r} has no root axis in this articulation", "PhysX ignores the axis",
        f"apply {_ROOT}:{name} to the first joint of the tendon{_suggestion(name, roots)}",
    )


def _suggestion(name: str, names: set[str]) -> str:
    close = get_close_matches(name, sorted(names), 1)
    return f", or rename the instance to {close[0]!r}" if close else ""
