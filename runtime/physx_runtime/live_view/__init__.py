"""A robot that moves in a browser while its values are edited."""
