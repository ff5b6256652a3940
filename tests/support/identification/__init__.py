"""Logs of robots that real PhysX moves, with the parameters that moved them."""
