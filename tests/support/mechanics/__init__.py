"""Mechanics worked out independently of the runtime."""
