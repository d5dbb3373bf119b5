"""The operating system's layer, and how it is tested."""
