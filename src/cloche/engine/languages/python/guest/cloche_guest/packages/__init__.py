"""Installed packages: importing them, adding them, and what to do when they change."""
