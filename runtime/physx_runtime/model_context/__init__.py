"""The command `mcp`: the engine's answers for language models, over the Model Context Protocol on stdin and stdout."""

from physx_runtime.model_context.mcp_command import mcp_command
from physx_runtime.model_context.tools import (
    TOOLS,
    check_stage,
    describe_stage,
    explain_code,
    simulate_stage,
    verify_stage,
)

__all__ = ["TOOLS", "check_stage", "describe_stage", "explain_code", "mcp_command", "simulate_stage", "verify_stage"]
