"""Every rule, in no particular order: findings are sorted, and none depends on another."""

from __future__ import annotations

from physx_schema.checking import (
    articulation,
    joint,
    mass,
    mimic,
    problems,
    retired,
    rotations,
    schemas,
    tendon,
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
    *mass.RULES,
    *rotations.RULES,
    *articulation.RULES,
    *schemas.RULES,
    *mimic.RULES,
    *tendon.RULES,
    *retired.RULES,
    *unused.RULES,
)
