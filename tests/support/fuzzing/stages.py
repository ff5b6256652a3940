"""Robots as text: joints, drives, tendons, mimics, materials, units and references, with values nobody would author.

Properties and their types are what USD's registry of schemas says; a value is sound, extreme, or of another type.
"""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from physx_runtime import Session
from pxr import Usd

from physx_schema.checking import Report, check
from physx_schema.checking.engine.outcome import sort_key
from physx_schema.errors import PhysxSchemaError, UnreadableError
from support.fuzzing.spoiling import require_ours

BODIES = ("PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI", "PhysicsCollisionAPI", "PhysxCollisionAPI",
          "PhysicsArticulationRootAPI", "PhysxArticulationAPI", "PhysicsFilteredPairsAPI", "MaterialBindingAPI",
          "PhysicsMeshCollisionAPI", "PhysxTendonAttachmentRootAPI:t", "PhysxTendonAttachmentLeafAPI:u",
          "PhysxTendonAttachmentAPI:t", "PhysxTendonAttachmentAPI:u", "PhysxContactReportAPI", "PhysxForceAPI")
JOINTS = ("PhysxTendonAxisRootAPI:t", "PhysxTendonAxisAPI:t", "PhysxMimicJointAPI:rotX", "PhysxMimicJointAPI:rotZ",
          "PhysicsDriveAPI:angular", "PhysicsDriveAPI:rotX", "PhysicsLimitAPI:transX", "PhysicsLimitAPI:rotY",
          "PhysicsJointStateAPI:angular", "PhysxJointAPI", "PhysxJointAxisAPI:angular", "PhysxLimitAPI:angular",
          "PhysxDrivePerformanceEnvelopeAPI:angular", "NewtonMimicAPI", "PhysicsArticulationRootAPI")
JOINT_TYPES = ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsSphericalJoint", "PhysicsFixedJoint",
               "PhysicsDistanceJoint", "PhysicsJoint", "PhysxPhysicsGearJoint")
SHAPES = ("Xform", "Cube", "Sphere", "Capsule", "Cylinder", "Cone", "Plane", "Mesh", "Scope", "PointInstancer", "")
PATHS = ("</Robot>", "</Robot/l0>", "</Robot/l1>", "</Robot/l2>", "</Robot/j0>", "</Robot/j1>", "</absent>", "</>",
         "</Robot/l0.physics:mass>", "</scene>", "</material>", "</Robot/l1/shape>")
NUMBERS = ("0", "1", "0.5", "-1", "90", "nan", "inf", "-inf", "1e38", "-1e38", "1e300", "1e-30", "1e-200")
WHOLE = ("0", "1", "-1", "2147483647", "-2147483648")
TEXTS = ('""', '"X"', '"Z"', '"angular"', '"acceleration"', '"none"', '"no such token"', '"\\n"', '"ü"')
SIZES = {"2": 2, "3": 3, "4": 4}
HEADS = ("metersPerUnit = 1", "metersPerUnit = 0.01", "metersPerUnit = 1e300", "metersPerUnit = 0",
         "metersPerUnit = nan", "kilogramsPerUnit = 1e-200", "kilogramsPerUnit = -1", 'upAxis = "Z"',
         'upAxis = "Q"', 'upAxis = ""', 'defaultPrim = "absent"', "timeCodesPerSecond = 0", "startTimeCode = nan",
         "subLayers = [@./absent.usda@]")
METADATA = ("active = false", "instanceable = true", "references = </Robot/l0>", "references = </absent>",
            "references = @./absent.usda@", "inherits = </Robot/l1>", "specializes = </scene>", "kind = 5",
            'variants = { string v = "x" }', "hidden = true", "payload = @anon:x@", "references = </Robot>",
            'customData = { dictionary physxSchema = { string waive = "x" } }')
OPERATIONS = ("xformOp:translate", "xformOp:orient", "xformOp:scale", "!resetXformStack!", "!invert!xformOp:translate",
              "xformOp:nope", "xformOp:rotateXYZ", "xformOp:transform", "")
POSE = {"double3 xformOp:translate": "(1, 2, 3)", "quatf xformOp:orient": "(1, 0, 0, 0)",
        "float3 xformOp:scale": "(1, 1, 1)",
        "uniform token[] xformOpOrder": '["xformOp:translate", "xformOp:orient", "xformOp:scale"]'}
PIECES = (*BODIES, *JOINTS, *JOINT_TYPES, *PATHS, *NUMBERS, *TEXTS, *HEADS, *METADATA, *OPERATIONS)


@cache
def value_of(type_name: str) -> SearchStrategy[str]:
    """The text of a value of a type."""
    if type_name.endswith("[]"):
        return st.lists(value_of(type_name[:-2]), max_size=3).map(lambda items: f"[{', '.join(items)}]")
    if type_name in ("token", "string"):
        return st.sampled_from(TEXTS)
    if type_name == "asset":
        return st.sampled_from(("@@", "@./absent.usda@"))
    if type_name.startswith("matrix"):
        return st.just("((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))")
    number = st.sampled_from(WHOLE if type_name.startswith(("int", "uint", "bool", "uchar")) else NUMBERS)
    count = 4 if type_name.startswith("quat") else SIZES.get(type_name.rstrip("fdhi")[-1:], 1)
    return number if count == 1 else st.lists(number, min_size=count, max_size=count).map(
        lambda parts: f"({', '.join(parts)})")


@cache
def properties(schema: str) -> tuple[tuple[str, str], ...]:
    """(declaration, type) of the properties that a schema gives a prim, "rel" for a relationship."""
    name, _, instance = schema.partition(":")
    registry = Usd.SchemaRegistry()
    definition = registry.FindAppliedAPIPrimDefinition(name) or registry.FindConcretePrimDefinition(name)
    found = []
    for template in definition.GetPropertyNames() if definition else ():
        attribute = definition.GetAttributeDefinition(template)
        kind = attribute.GetTypeName().aliasesAsStrings[0] if attribute else "rel"
        found.append((f"{kind} {template.replace('__INSTANCE_NAME__', instance)}", kind))
    return tuple(found)


def valued(owners: Sequence[str]) -> SearchStrategy[dict[str, str]]:
    """Values of some properties of these schemas."""
    choices = [item for owner in owners for item in properties(owner)]
    if not choices:
        return st.just({})

    def given(item: tuple[str, str]) -> SearchStrategy[tuple[str, str]]:
        declaration, kind = item
        if kind == "rel":
            return st.tuples(st.just(declaration), st.lists(st.sampled_from(PATHS), max_size=2).map(
                lambda targets: f"[{', '.join(targets)}]"))
        own = st.tuples(st.just(declaration), value_of(kind))
        sampled = value_of(kind).map(lambda text: (f"{declaration}.timeSamples", f"{{ 0: {text}, 1: {text} }}"))
        other = st.just((f"custom string {declaration.rpartition(' ')[2]}", '"x"'))
        return st.one_of(own, own, own, own, own, sampled, other)
    return st.lists(st.sampled_from(choices).flatmap(given), max_size=3).map(dict)


def prim_text(kind: str, name: str, schemas: Sequence[str], values: dict[str, str], more: Sequence[str] = (),
              children: str = "") -> str:
    """A prim; of a property that is given in two ways, the last one."""
    listed = ", ".join(f'"{schema}"' for schema in dict.fromkeys(schemas))
    metadata = "\n".join([f"prepend apiSchemas = [{listed}]" if listed else "", *dict.fromkeys(more)])
    last = {declaration.rpartition(" ")[2]: f"{declaration} = {value}\n" for declaration, value in values.items()}
    return f'def {kind} "{name}" (\n{metadata}\n)\n{{\n{"".join(last.values())}{children}}}\n'


@st.composite
def drawn_prim(draw: Any, name: str, kinds: Sequence[str], schemas: Sequence[str], usual: Sequence[str],
               values: dict[str, str], children: str = "") -> str:
    """A prim of one of the kinds, with its usual schemas and values and some others."""
    kind = draw(st.sampled_from(kinds))
    applied = [*usual, *draw(st.lists(st.sampled_from(schemas), max_size=2))]
    spoiled = draw(valued([*applied, *([kind] if kind else [])]))
    metadata = draw(st.lists(st.sampled_from(METADATA), max_size=1)) if draw(st.integers(0, 9)) == 0 else []
    if draw(st.integers(0, 9)) == 0:
        order_of = draw(st.lists(st.sampled_from(OPERATIONS), max_size=4))
        spoiled["uniform token[] xformOpOrder"] = "[" + ", ".join(f'"{item}"' for item in order_of) + "]"
    return prim_text(kind, name, applied, {**values, **spoiled}, metadata, children)


@st.composite
def robots(draw: Any) -> str:
    """The text of a stage with a robot of up to three links."""
    count = draw(st.integers(1, 3))
    parts = []
    for number in range(count):
        shape = draw(drawn_prim("shape", SHAPES, BODIES, ("PhysicsCollisionAPI",), {})) if draw(st.booleans()) else ""
        parts.append(draw(drawn_prim(f"l{number}", ("Xform", "Xform", "Cube", "Scope"), BODIES,
                                     ("PhysicsRigidBodyAPI", "PhysicsMassAPI"), POSE, shape)))
    for number in range(draw(st.integers(0, count))):
        ends = {"rel physics:body0": f"</Robot/l{number - 1}>" if number else "[]",
                "rel physics:body1": f"</Robot/l{number}>"}
        parts.append(draw(drawn_prim(f"j{number}", JOINT_TYPES, JOINTS, (), ends)))
    roots = draw(st.sampled_from((("PhysicsArticulationRootAPI",), ("PhysicsArticulationRootAPI",), ())))
    body = draw(drawn_prim("Robot", ("Xform", "Xform", "Scope"), BODIES, roots, {}, "".join(parts)))
    scene = draw(drawn_prim("scene", ("PhysicsScene",), ("PhysxSceneAPI", "NewtonSceneAPI"), (), {}))
    material = draw(drawn_prim("material", ("Material",), ("PhysicsMaterialAPI", "PhysxMaterialAPI"), (), {}))
    heads = draw(st.lists(st.sampled_from(HEADS), max_size=2, unique_by=lambda head: head.partition(" ")[0]))
    return "#usda 1.0\n(\n" + "\n".join(heads) + "\n)\n" + body + scene + material


CASES = robots().map(str.encode)


def hold(case: bytes) -> None:
    """A stage is checked, the same twice, and steps in a session, or is refused in one line."""
    with tempfile.TemporaryDirectory() as folder:
        # USD keeps layers by name while anything holds them
        path = Path(folder) / f"stage_{zlib.crc32(case):x}.usda"
        path.write_bytes(case)
        try:
            require_steady_report(path)
        except UnreadableError as error:
            require_ours(error)
            return
        require_step(Usd.Stage.Open(str(path)))


def require_steady_report(path: Path) -> Report:
    """Fail unless a file is checked by every rule, in order, the same twice; the report. Raises UnreadableError."""
    report = check(path)
    failed = [finding for finding in report.findings if finding.code.startswith("rule-failed")]
    assert not failed, failed
    assert list(report.findings) == sorted(report.findings, key=sort_key)
    again = check(path)
    assert (again.findings, again.unused, again.not_evaluated) == (
        report.findings, report.unused, report.not_evaluated)
    return report


def require_step(stage: Any) -> None:
    """Fail unless a session takes two steps, or refuses the stage in one line."""
    try:
        with Session(stage) as session:
            session.step()
            session.step()
    except PhysxSchemaError as error:
        require_ours(error)
