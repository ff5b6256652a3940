"""What point instancers repeat is not stepped, and every run says so."""

from __future__ import annotations

import pytest
from physx_runtime import NotSimulatedWarning, simulate
from support.stages.contact_scenes.parts import ball, body, ground, world
from support.stages.robots import opened

MANY = """def PointInstancer "many"
{{
    rel prototypes = </World/many/p>
    int[] protoIndices = [0, 0]
    point3f[] positions = [(3, 0, 0), (6, 0, 0)]
    def Cube "p" (prepend apiSchemas = [{schemas}])
    {{
        double size = 1
    }}
}}
"""


@pytest.mark.parametrize(("schemas", "named"), [
    ('"PhysicsCollisionAPI"', "2 instances of prototypes with colliders"),
    ('"PhysicsCollisionAPI", "PhysicsRigidBodyAPI"', "2 instances of prototypes with rigid bodies")])
def test_instances_of_what_collides_are_named(schemas: str, named: str) -> None:
    stage = opened(world(MANY.format(schemas=schemas), body("a", ball(0.2), (3.1, 0, 1.5)), ground()))
    with pytest.warns(NotSimulatedWarning, match=f"/World/many.prototypes.*{named}"):
        simulate(stage, steps=1)
