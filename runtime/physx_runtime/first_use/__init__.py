"""What a first use would compile, compiled before it: the command `warm`, and bundles for wheels."""
