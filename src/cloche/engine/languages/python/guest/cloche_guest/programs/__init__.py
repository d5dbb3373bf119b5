"""Programs run by `python3`, each with its own streams, arguments, folder and environment."""
