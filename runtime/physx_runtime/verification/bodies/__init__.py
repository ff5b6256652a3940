"""Bodies and links by themselves: what their mass properties, dampings, greatest and first speeds come to."""
