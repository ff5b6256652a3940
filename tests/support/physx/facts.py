"""What PhysX makes of a stage: its articulations, bodies and joints, read before any step, and velocities after one.

A stage that PhysX refuses gives {"refused": why}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from support.physx.engine import answers, serve

Facts = dict[str, Any]

STEP = 0.01     # s
BODY = ("position", "orientation", "mass", "linearVelocity")
JOINT = (
    "jointPosition", "jointVelocity", "jointLimit", "jointStiffness", "jointDamping", "jointMaxForce", "jointArmature",
    "jointMaxVelocity", "jointStaticFriction", "jointDynamicFriction", "jointViscousFriction", "jointPositionTarget",
    "jointVelocityTarget", "jointMaxActuatorVelocity", "jointSpeedEffortGradient", "jointVelocityDependentResistance",
)
ARTICULATION = ("isFixedBase", "linkCount", "dofCount")
DIGITS = 7      # more than float32 holds


def measured_facts(stages: Mapping[str, str], timeout: float = 600.0) -> dict[str, Facts]:
    """Facts of stages given as USDA text, by name, all from one engine process."""
    return dict(zip(stages, answers(__name__, list(stages.values()), timeout), strict=True))


def rows(physx: Any, stage: Any, kind: Any, columns: tuple[str, ...]) -> list[Facts]:
    """One dict for each object, in the engine's order; paths may repeat."""
    import ovstage
    from ovphysx.types import ObjectScope

    found: list[Facts] = []
    for column in columns:
        with physx.read_sync(kind, [column], scope=ObjectScope.ALL) as result:
            with ovstage.PathDictionary(stage) as book:
                position = 0
                for group in result.groups:
                    names = [str(name) for name in book.get_path_strings(group.prim_list)]
                    names = names[group.prim_offset:group.prim_offset + group.prim_count] or names
                    tables = [tensor.numpy() for tensor in group.tensors]
                    values = tables if len(tables) == len(names) > 1 else tables[0].reshape(len(names), -1)
                    for name, value in zip(names, values, strict=True):
                        if position == len(found):
                            found.append({"path": name})
                        found[position][column] = [float(f"{float(item):.{DIGITS}g}") for item in value.ravel()]
                        position += 1
            result.groups.clear()
    return found


def facts_at_start(physx: Any, stage: Any) -> Facts:
    """All but the velocities after a step, in the engine's process."""
    from ovphysx.types import SimObjectType as Kind

    links = rows(physx, stage, Kind.ARTICULATION_LINK, BODY[:2])
    articulations = rows(physx, stage, Kind.ARTICULATION, ARTICULATION)
    place = 0
    for row in articulations:
        count = int(row["linkCount"][0])
        row["links"] = [link["path"] for link in links[place:place + count]]
        place += count
    bodies = [row for row in rows(physx, stage, Kind.RIGID_BODY, BODY[:3]) if "mass" in row]     # no instancers
    return {
        "articulations": articulations, "links": links, "bodies": bodies,
        "joints": rows(physx, stage, Kind.ARTICULATION_JOINT, JOINT),
        "free joints": sorted(row["path"] for row in rows(physx, stage, Kind.JOINT, ("physxPointer",))),
    }


def _facts(physx: Any, stage: Any) -> Facts:
    from ovphysx.types import SimObjectType as Kind

    found = facts_at_start(physx, stage)
    physx.step_sync(STEP)
    moved = (rows(physx, stage, kind, ("position", "linearVelocity")) for kind in (Kind.RIGID_BODY,
                                                                                   Kind.ARTICULATION_LINK))
    found["velocities"] = {row["path"]: row["linearVelocity"] for table in moved for row in table
                           if len(row.get("linearVelocity", ())) == 3}
    return found


if __name__ == "__main__":
    serve(_facts)
