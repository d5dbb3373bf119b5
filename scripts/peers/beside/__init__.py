"""Runs a suite in sandboxes and beside the real tools of this machine, and counts what both do alike."""
