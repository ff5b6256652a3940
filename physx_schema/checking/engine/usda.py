"""Prims in USDA for the examples of the catalogue, below /Robot with the links base, a and b.

An example without a joint j1 gets one: revolute, from base to a, with limits of 45 degrees.
"""

from __future__ import annotations

from collections.abc import Mapping

LIMITS = {"float physics:lowerLimit": "-45", "float physics:upperLimit": "45"}
_MIMIC = "physxMimicJoint:rotX:"
_VALID = {
    **LIMITS, f"rel {_MIMIC}referenceJoint": "</Robot/j1>", f"float {_MIMIC}gearing": "-1",
    f"float {_MIMIC}naturalFrequency": "20", f"float {_MIMIC}dampingRatio": "1",
}


def prim(
    kind: str, name: str, attributes: Mapping[str, str], *schemas: str, children: str = "", metadata: str = "",
) -> str:
    """A prim with attributes given as USDA: {"float physics:mass": "1"}."""
    applied = ", ".join(f'"{schema}"' for schema in schemas)
    head = f'def {kind} "{name}"' if kind else f'def "{name}"'
    lines = [*([f"prepend apiSchemas = [{applied}]"] if applied else []), *metadata.splitlines()]
    metadata_block = " (\n" + "".join(f"    {line}\n" for line in lines) + ")" if lines else ""
    children_block = "".join(f"    {line}\n" for line in children.splitlines())
    return f"{head}{metadata_block}\n{{\n" + "".join(f"    {key} = {value}\n" for key, value in attributes.items()) \
        + children_block + "}\n"


def body(
    changes: Mapping[str, str | None] | None = None, *schemas: str, name: str = "thing", children: str = "",
) -> str:
    """A rigid body of mass 1 with moments of inertia 1, changed; None removes."""
    values: dict[str, str | None] = {
        "float physics:mass": "1", "float3 physics:diagonalInertia": "(1, 1, 1)", **(changes or {})}
    attributes = {key: value for key, value in values.items() if value is not None}
    return prim("Xform", name, attributes, "PhysicsRigidBodyAPI", "PhysicsMassAPI", *schemas, children=children)


def transform(**operations: str) -> dict[str, str]:
    """Transform operations by name: translate, rotateXYZ, scale."""
    kinds = {"translate": "double3", "rotateXYZ": "float3", "scale": "float3"}
    order = ", ".join(f'"xformOp:{name}"' for name in operations)
    return {**{f"{kinds[name]} xformOp:{name}": value for name, value in operations.items()},
            "uniform token[] xformOpOrder": f"[{order}]"}


def cube(changes: Mapping[str, str] | None = None, *schemas: str, name: str = "shape") -> str:
    """A collider of size 1."""
    return prim("Cube", name, {"double size": "1", **(changes or {})}, "PhysicsCollisionAPI", *schemas)


def instance(children: str, instanceable: bool = True) -> str:
    """A class, and one prim that inherits it as an instance."""
    flag = "true" if instanceable else "false"
    return prim("Xform", "kind", {}, children=children).replace("def Xform", "class Xform", 1) + (
        f'def Xform "copy" (\n    instanceable = {flag}\n    prepend inherits = </Robot/kind>\n)\n{{\n}}\n')


def overridden_instance(instanceable: bool = True) -> str:
    """A class with a collider, and a prim that inherits it and disables the collider."""
    off = '{\n    over "shape"\n    {\n        bool physics:collisionEnabled = false\n    }\n}\n'
    return instance(cube(), instanceable).removesuffix("{\n}\n") + off



def joint(
    name: str, attributes: Mapping[str, str] | None = None, *schemas: str, kind: str = "Revolute", parent: str = "base",
    child: str = "", metadata: str = "",
) -> str:
    """A joint between two links: j1 to a, any other to b. An empty parent is the world."""
    bodies = {"rel physics:body0": f"</Robot/{parent}>"} if parent else {}
    bodies["rel physics:body1"] = f"</Robot/{child or ('a' if name == 'j1' else 'b')}>"
    return prim(f"Physics{kind}Joint", name, {**bodies, **(attributes or {})}, *schemas, metadata=metadata)


def follower(
    changes: Mapping[str, str | None] | None = None, *schemas: str, kind: str = "Revolute", api: str = "rotX",
    name: str = "j2", **options: str,
) -> str:
    """A joint with a valid mimic joint, changed: None removes.

    Keys are base names of the mimic joint, such as "gearing", or whole properties with their type.
    """
    values: dict[str, str | None] = dict(_VALID)
    for key, value in (changes or {}).items():
        full = key if " " in key else next((attribute for attribute in _VALID if attribute.endswith(_MIMIC + key)),
                                           f"float {_MIMIC}{key}")
        values[full] = value
    attributes = {key.replace(":rotX:", f":{api}:"): value for key, value in values.items() if value is not None}
    return joint(name, attributes, f"PhysxMimicJointAPI:{api}", *schemas, kind=kind, **options)


def tendon(changes: Mapping[str, str | None] | None = None, name: str = "j2", root: bool = True) -> str:
    """A slider with an axis of the fixed tendon t: gearing and force coefficient 1, and a stiffness at the root."""
    arrays: dict[str, str | None] = {
        "float[] physxTendon:t:gearing": "[1]", "float[] physxTendon:t:forceCoefficient": "[1]",
        **({"float physxTendon:t:stiffness": "10"} if root else {}), **(changes or {}),
    }
    attributes = {key: value for key, value in arrays.items() if value is not None}
    return joint(name, attributes, f"PhysxTendonAxis{'Root' if root else ''}API:t", kind="Prismatic")


def sliding_link(name: str, attributes: Mapping[str, str] | None = None, *schemas: str, children: str = "") -> str:
    """A link with a prismatic joint to the base."""
    return body(attributes, *schemas, name=name, children=children) + joint(
        f"slide_{name}", kind="Prismatic", child=name)


def attachment(
    link: str, kind: str, name: str, parent: tuple[str, str] | None = None,
    changes: Mapping[str, str | None] | None = None, *schemas: str,
) -> str:
    """A link with an attachment of a spatial tendon: kind "Root", "Leaf" or "", and a parent as link and attachment."""
    start = f"physxTendon:{name}:"
    values: dict[str, str | None] = {f"float {start}stiffness": "10"} if kind == "Root" else {}
    if parent:
        values = {f"rel {start}parentLink": f"</Robot/{parent[0]}>", f"token {start}parentAttachment": f'"{parent[1]}"'}
    values |= {f"point3f {start}localPos": "(0, 0, 1)" if kind == "Leaf" else "(0, 0, 0)", **(changes or {})}
    attributes = {key: value for key, value in values.items() if value is not None}
    return sliding_link(link, attributes, f"PhysxTendonAttachment{kind}API:{name}", *schemas)


def driven_joint(
    changes: Mapping[str, str | None] | None = None, *schemas: str, kind: str = "Revolute", name: str = "j2",
) -> str:
    """A driven joint, changed."""
    axis = "angular" if kind == "Revolute" else "linear"
    values: dict[str, str | None] = {
        **LIMITS, f"float drive:{axis}:physics:stiffness": "10", f"float drive:{axis}:physics:damping": "1",
        f"float drive:{axis}:physics:maxForce": "50", f"float state:{axis}:physics:position": "0",
        f"float physxJointAxis:{axis}:maxJointVelocity": "90", **(changes or {}),
    }
    attributes = {key: value for key, value in values.items() if value is not None}
    names = dict.fromkeys((f"PhysicsDriveAPI:{axis}", f"PhysicsJointStateAPI:{axis}", f"PhysxJointAxisAPI:{axis}"))
    applied = [name for name in names if any(_prefix(name) in key for key in attributes)]
    return joint(name, attributes, *applied, *schemas, kind=kind)


def _prefix(schema: str) -> str:
    """The beginning of the properties of an applied schema."""
    name, _, axis = schema.partition(":")
    return {"PhysicsDriveAPI": "drive", "PhysicsJointStateAPI": "state", "PhysxJointAxisAPI": "physxJointAxis"}[
        name] + f":{axis}:"
