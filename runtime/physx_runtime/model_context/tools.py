"""Read-only tools for language models: one function for each tool."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

from physx_runtime.model_context.bounds import MAX_ANSWER, MAX_CHARACTERS, MAX_ITEMS, bounded, short
from physx_schema.errors import PhysxSchemaError

MAX_STEPS = 20_000
MAX_SECONDS = 120          # of a call
Tool = Callable[..., dict[str, Any]]
BOUNDS = (f"Limits: {MAX_SECONDS} s per call, {MAX_ITEMS} items per list, {MAX_CHARACTERS} characters per text and "
          f"{MAX_ANSWER} per answer. left_off counts omitted items; call again with first = next_first to get them.")


def with_faults(tool: Tool) -> Tool:
    """A tool whose faults and warnings are part of its answer: {"error": line}, {"warnings": [line]}."""
    @wraps(tool)
    def answer(*arguments: Any, **keywords: Any) -> dict[str, Any]:
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            try:
                result = tool(*arguments, **keywords)
            except (PhysxSchemaError, ValueError) as error:
                result = {"error": short(str(error))}
        lines = [short(str(item.message)) for item in raised]
        if len(lines) > MAX_ITEMS:
            lines[MAX_ITEMS:] = [f"... ({len(lines) - MAX_ITEMS} more warnings)"]
        return {**result, "warnings": lines} if lines else result
    return answer


def check_stage(path: str, profile: str = "physx+simready", first: int = 0) -> dict[str, Any]:
    """Find mistakes in the physics of a stage: code, severity, prim, property, reason and fix of each."""
    from physx_schema.checking.settings import Settings
    from physx_schema.checking.stages import check_all
    from physx_schema.reports.json_output import run_json

    return bounded(_object(run_json(check_all([path], Settings(profile=profile)))), first)


def describe_stage(path: str, first: int = 0) -> dict[str, Any]:
    """Outline what PhysX reads on a stage: scene, articulations, joints, drives, tendons, bodies, colliders."""
    from physx_schema.description import describe
    from physx_schema.reports.outline import outline

    return bounded({"outline": "\n".join(outline(path, describe(path)))}, first)


def explain_code(code: str) -> dict[str, Any]:
    """Explain the code of a finding, with an example and a remedy."""
    from physx_schema.checking.catalogue import explain_lines

    text = "\n".join(explain_lines(code))
    return {"explanation": text} if text else {"error": f"no finding has the code {short(code)}"}


def verify_stage(path: str, isaac_lab: str = "", first: int = 0) -> dict[str, Any]:
    """Measure the effective values of a stage in PhysX's step, and suggest values with the intended effect.

    isaac_lab: path of an Isaac Lab configuration (.py or params/env.yaml, with ":NAME" for one of several robots), read
    as data. The stage is measured with its values, and the answer lists what it overrides.
    """
    from physx_runtime.verification import verify
    from physx_runtime.verification.text import verification_json

    return bounded(_object(verification_json(verify(path, isaac_lab=isaac_lab or None))), first)


def simulate_stage(path: str, steps: int = 240, first: int = 0) -> dict[str, Any]:
    """Simulate a stage: return the final joint positions, in radians or length units, and list what is left out."""
    from physx_runtime.simulation.simulate import simulate

    if not 0 < steps <= MAX_STEPS:
        raise ValueError(f"steps is {steps}; give 1 to {MAX_STEPS}; for more steps, run physx-schema simulate")
    recording = simulate(path, steps=steps, every=steps)
    names, last = recording.joint_names, recording.joint_position[-1, 0].tolist()
    return bounded({"joint_position": dict(zip(names, last, strict=True)),
                    "not_simulated": list(map(str, recording.not_simulated)),
                    "diverged": list(map(str, recording.diverged))}, first)


def _object(text: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(text)
    return result


TOOLS: tuple[Tool, ...] = (check_stage, describe_stage, explain_code, simulate_stage, verify_stage)
