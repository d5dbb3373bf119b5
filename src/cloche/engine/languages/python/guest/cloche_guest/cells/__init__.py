"""Cells: how they run, what they show, how they fail."""
