"""A person at a terminal: the prompt, its history, and how output, images and progress are shown."""
