"""Programs of `python3`, and what each of them has to itself: streams, arguments, folder, environment."""
