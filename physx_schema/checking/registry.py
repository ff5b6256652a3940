"""Every rule, in no particular order: findings are sorted, and none depends on another."""

from __future__ import annotations

from physx_schema.checking import (
    articulation,
    driven,
    iterations,
    joint,
    mass,
    mimic,
    other_engines,
    problems,
    retired,
    rotations,
    schemas,
    tendon,
    tendon_solver,
    unit_mistakes,
    unused,
    value_types,
    values,
)
from physx_schema.checking.rule import Rule

RULES: tuple[Rule, ...] = (
    *problems.RULES,
    *values.RULES,
    *value_types.RULES,
    *joint.RULES,
    *driven.RULES,
    *mass.RULES,
    *rotations.RULES,
    *articulation.RULES,
    *iterations.RULES,
    *schemas.RULES,
    *mimic.RULES,
    *tendon.RULES,
    *tendon_solver.RULES,
    *unit_mistakes.RULES,
    *other_engines.RULES,
    *retired.RULES,
    *unused.RULES,
)
