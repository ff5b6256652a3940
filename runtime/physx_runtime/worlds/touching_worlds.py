"""Worlds with contacts, however they are stepped."""

from physx_runtime.worlds.contact import ContactWorlds
from physx_runtime.worlds.grounded import GroundedWorlds

TouchingWorlds = ContactWorlds | GroundedWorlds


def go_on(own: object, before: object) -> bool:
    """Have worlds remember what touched in others; return False where these have other pairs or keep them otherwise."""
    if isinstance(own, ContactWorlds) and isinstance(before, ContactWorlds):
        own.go_on(before)
        return True
    if isinstance(own, GroundedWorlds) and isinstance(before, GroundedWorlds) and own.has_pairs_of(before):
        own.go_on(before)
        return True
    return False
