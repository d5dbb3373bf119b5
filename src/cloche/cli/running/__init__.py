"""Runs code or actions from the command line."""
