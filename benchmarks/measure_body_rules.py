"""Measure in real PhysX what doubtful rigid bodies, colliders and scenes do.

Needs the same environment as `measure_tendon_enabled.py`. Bodies of mass 1 fall from rest for 60 steps of 1/60 s under
gravity 10 (a free body falls by 5.15), or come to rest on the ground z = 0; the position of each is printed.
"""

from __future__ import annotations

from measure_tendon_enabled import load_oracle

HEAD = '#usda 1.0\n(\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = "Z"\n)\n'
SCENE = """
def PhysicsScene "scene" (prepend apiSchemas = ["PhysxSceneAPI"%s])
{
    vector3f physics:gravityDirection = (0, 0, -1)
    float physics:gravityMagnitude = 10
    bool physxScene:enableGPUDynamics = 0
    uniform token physxScene:broadphaseType = "MBP"
}
"""
BODY = '(prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])'
MASS = """
    float physics:mass = 1
    float3 physics:diagonalInertia = (1, 1, 1)
"""
GROUND = """
def Cube "ground" (prepend apiSchemas = ["PhysicsCollisionAPI"])
{
    double size = 2
    double3 xformOp:translate = (0, 0, -1)
    float3 xformOp:scale = (50, 50, 1)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
}
"""


def placed(z: float, scale: str = "(1, 1, 1)", reset: bool = False) -> str:
    """Transform operations, with or without those of the prims above."""
    start = '"!resetXformStack!", ' if reset else ""
    return f"""
    double3 xformOp:translate = (0, 0, {z})
    float3 xformOp:scale = {scale}
    uniform token[] xformOpOrder = [{start}"xformOp:translate", "xformOp:scale"]
"""


def nested(reset: bool, joint: str = "", enabled: int = 1) -> str:
    """A body inside another."""
    flag = f"bool physics:rigidBodyEnabled = {enabled}\n"
    inner = f'def Xform "inner" {BODY}\n{{{MASS}{placed(2.0, reset=reset)}{flag}}}\n'
    return f'def Xform "outer" {BODY}\n{{{MASS}{placed(10.0)}{inner}}}\n{joint}'


def resting(kind: str, scale: str, **values: float) -> str:
    """A collider let go a little above the ground."""
    sizes = "".join(f"    double {name} = {value}\n" for name, value in values.items())
    applied = '(prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsCollisionAPI"])'
    return f'{GROUND}def {kind} "shape" {applied}\n{{{MASS}{placed(2.5, scale)}{sizes}}}\n'


WELD = 'def PhysicsFixedJoint "weld"\n{\n    rel physics:body0 = </outer>\n    rel physics:body1 = </outer/inner>\n' \
       '    point3f physics:localPos0 = (0, 0, 2)\n}\n'

CASES = {
    "nested body": nested(False),
    "nested body, !resetXformStack!": nested(True),
    "nested body, joined to the outer one": nested(False, WELD),
    "nested body, disabled": nested(False, enabled=0),
    "body on a Scope": f'def Scope "thing" {BODY}\n{{{MASS}}}\n',
    "body on an untyped prim": f'def "thing" {BODY}\n{{{MASS}}}\n',
    "sphere of radius 0.5": resting("Sphere", "(1, 1, 1)", radius=0.5),
    "sphere of radius 0.5, scaled by (1, 1, 2)": resting("Sphere", "(1, 1, 2)", radius=0.5),
    "sphere of radius 0.5, scaled by (2, 1, 1)": resting("Sphere", "(2, 1, 1)", radius=0.5),
    "capsule 0.5, 1, scaled by (2, 1, 1)": resting("Capsule", "(2, 1, 1)", radius=0.5, height=1.0),
    "cube of size 1, scaled by (1, 1, 2)": resting("Cube", "(1, 1, 2)", size=1.0),
    "collider on an Xform": f'def Xform "shape" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n'
                            f'{{{placed(2.5)}}}\n{GROUND}',
}
BARE_SCENES = {
    "scene with NewtonSceneAPI, not PhysxSceneAPI": "NewtonSceneAPI",
    "scene with NewtonKaminoSceneAPI, not PhysxSceneAPI": "NewtonKaminoSceneAPI",
    "scene with a schema no one knows": "FooSceneAPI",
}


def stages() -> dict[str, str]:
    """Every stage by description."""
    found = {label: HEAD + SCENE % "" + body for label, body in CASES.items()}
    thing = f'def Xform "thing" {BODY}\n{{{MASS}{placed(10.0)}}}\n'
    for label, schema in BARE_SCENES.items():
        scene = (SCENE % "").replace('["PhysxSceneAPI"]', f'["{schema}"]').replace("= 10\n", "= 1\n")
        found[f"{label}, gravity 1"] = HEAD + scene + thing
    found["gravityDirection (0, 0, 0), gravity 10"] = HEAD + (SCENE % "").replace("(0, 0, -1)", "(0, 0, 0)") + thing
    found["gravityDirection (0, 0, -2), gravity 10"] = HEAD + (SCENE % "").replace("(0, 0, -1)", "(0, 0, -2)") + thing
    return found


def main() -> None:
    """Run every stage in one engine process; print where the bodies are and what the engine said."""
    oracle = load_oracle()
    jobs = [oracle.engine.sim_job(text, 1 / 60, 60) for text in stages().values()]
    results = oracle.engine.run_jobs(jobs)
    for label, result in zip(stages(), results, strict=True):
        moved = {str(path): [round(float(x), 3) for x in result["rigid_pose"][-1][i][:3]]
                 for i, path in enumerate(result["rigid_paths"])}
        print(f"{label:60} {moved or 'no body'}")
    print("\n".join(dict.fromkeys(line for line in results[0]["log"].splitlines() if "warmup" not in line)))


if __name__ == "__main__":
    main()
