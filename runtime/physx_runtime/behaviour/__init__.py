"""Does a robot do what its stage asks? Its motion to targets and to rest, judged by joint, with tried remedies.

`rules` are the family behaviour/... of a check. The catalogue of physx_schema finds them by name, and only a run
imports the step.
"""
