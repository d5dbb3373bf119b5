"""Programs that run commands in ways of their own."""
