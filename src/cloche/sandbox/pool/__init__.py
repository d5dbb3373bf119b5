"""Sandboxes that are ready before they are needed."""
