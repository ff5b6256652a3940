"""The command `mcp`: the engine's answers for language models, over the Model Context Protocol on stdin and stdout."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from physx_schema.errors import PhysxSchemaError

INSTRUCTIONS = ("Tools that read PhysX physics in USD stages, and in URDF and MJCF files; none of them writes. Paths "
                "are of this machine. What an answer calls not evaluated is not clean.")


def _answered(tool: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """A tool whose faults and warnings are part of its answer: {"error": line}, {"warnings": [line]}."""
    @wraps(tool)
    def answer(*arguments: Any, **keywords: Any) -> dict[str, Any]:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                found = tool(*arguments, **keywords)
            except (PhysxSchemaError, ValueError) as error:
                found = {"error": str(error)}
        return {**found, "warnings": [str(item.message) for item in said]} if said else found
    return answer


def check_stage(path: str, profile: str = "physx+simready") -> dict[str, Any]:
    """Find mistakes in the physics of a stage: code, severity, prim, property, why and fix of each."""
    from physx_schema.checking.settings import Settings
    from physx_schema.checking.stages import check_all
    from physx_schema.cli.json_output import run_json

    return _object(run_json(check_all([path], Settings(profile=profile))))


def describe_stage(path: str) -> dict[str, Any]:
    """What PhysX reads on a stage, as an outline: scene, articulations, joints, drives, tendons, bodies, colliders."""
    from physx_schema.cli.outline import outline
    from physx_schema.description import describe

    return {"outline": "\n".join(outline(path, describe(path)))}


def explain_code(code: str) -> dict[str, Any]:
    """What a code of a finding means, with an example and its remedy."""
    from physx_schema.checking.pages import explained

    text = "\n".join(explained(code))
    return {"explanation": text} if text else {"error": f"there is no code {code}"}


def verify_stage(path: str) -> dict[str, Any]:
    """What the numbers on a stage come to in PhysX's step, and what to author for the intended effect."""
    from physx_runtime.verification import verify
    from physx_runtime.verification.text import verification_json

    return _object(verification_json(verify(path)))


def simulate_stage(path: str, steps: int = 240) -> dict[str, Any]:
    """Step a stage: the positions of its joint axes at the end, in radians or length units, and what was left out."""
    from physx_runtime.simulation.one_call import simulate

    recording = simulate(path, steps=steps, every=steps)
    names, last = recording.joint_names, recording.joint_position[-1, 0].tolist()
    return {"joint_position": dict(zip(names, last, strict=True)),
            "not_simulated": list(map(str, recording.not_simulated)), "diverged": list(map(str, recording.diverged))}


def _object(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    return found


TOOLS = (check_stage, describe_stage, explain_code, simulate_stage, verify_stage)


@click.command("mcp")
def mcp_command() -> None:
    """Serve check, describe, explain, simulate and verify to a language model, by MCP on stdin and stdout."""
    from mcp.server import MCPServer

    server = MCPServer("physx-schema", instructions=INSTRUCTIONS)
    for tool in TOOLS:
        server.add_tool(_answered(tool))
    server.run("stdio")
