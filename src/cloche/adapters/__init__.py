"""Cloche as the sandbox of agent frameworks: one module for each, which imports its framework."""
