"""Two slides on one link that a tendon couples, by the names of SAPIEN."""

from __future__ import annotations

import math
from typing import Any

UP = [math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0]


def siblings(scene: Any, sapien: Any, above: bool) -> Any:
    """The articulation, the second slide away from the first; above: whether their link slides itself."""
    builder = scene.create_articulation_builder()
    names, parents = (["base", "top", "a", "b"], [0, 0, 1, 1]) if above else (["base", "a", "b"], [0, 0, 0])
    links: list[Any] = []
    for number, (name, parent) in enumerate(zip(names, parents, strict=True)):
        links.append(builder.create_link_builder(links[parent] if links else None))
        links[-1].set_name(name)
        links[-1].add_box_collision(half_size=[0.05] * 3)
        if number:
            frame = sapien.Pose([0, 0, 0.5], UP) if name == "top" else sapien.Pose([0.3, 0.3 * number, 0])
            links[-1].set_joint_properties("prismatic", [[-1, 1]], frame, sapien.Pose(q=frame.q))
            links[-1].set_joint_name(f"j{name}")
    made = builder.build(fix_root_link=True)
    for link in made.links:
        link.disable_gravity = True
    for joint in made.active_joints:
        joint.set_friction(0.0)
    chain = made.links[-3:]
    made.create_fixed_tendon(chain, [0.0, -1.0, 1.0], [0.0, -1.0, 1.0], stiffness=400.0, damping=1.0)
    made.qpos = [0.0] * (made.dof - 1) + [0.2]
    return made
