"""The demonstration: a tendon-driven hand, authored, checked, simulated and verified."""
