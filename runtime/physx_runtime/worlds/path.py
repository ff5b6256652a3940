"""The paths that worlds are stepped along: code compiled for a topology, or fragments by joint that serve them all."""

# BY_JOINT is called by what it is to callers: the path that takes any topology.
AUTO, BY_JOINT, SPECIALISED, HANDOVER = "auto", "generic", "specialised", "handover"
PATHS = (AUTO, BY_JOINT, SPECIALISED, HANDOVER)
