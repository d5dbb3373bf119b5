"""Saves a sandbox to a file, and starts another from it."""
