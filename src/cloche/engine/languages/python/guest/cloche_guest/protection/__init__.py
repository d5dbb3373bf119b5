"""What keeps the interpreter closed and in order, whatever a cell does to it."""
