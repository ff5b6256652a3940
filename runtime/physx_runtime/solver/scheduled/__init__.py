"""A step as a schedule of fragments over joints."""
