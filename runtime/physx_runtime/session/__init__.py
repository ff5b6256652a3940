"""Physics of a live stage: step it, see the results on it, edit it meanwhile."""

from physx_runtime.session.messages import MassProperties, Message, ObjectCounts
from physx_runtime.session.session import Session

__all__ = ["MassProperties", "Message", "ObjectCounts", "Session"]
