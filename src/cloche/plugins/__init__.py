"""What is set up in a runtime before the first action."""
