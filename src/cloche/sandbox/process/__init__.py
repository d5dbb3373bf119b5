"""One engine process: its start, its messages, its limits, and its end."""
