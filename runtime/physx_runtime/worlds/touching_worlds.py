"""Worlds with contacts, however they are stepped."""

from physx_runtime.worlds.contact import ContactWorlds
from physx_runtime.worlds.grounded import GroundedWorlds

TouchingWorlds = ContactWorlds | GroundedWorlds
