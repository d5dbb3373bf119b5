"""Pools, which keep sandboxes ready."""
