"""What the remedies of the rules do in real PhysX, by family; `table.py` has them all."""
