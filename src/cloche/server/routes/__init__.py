"""The routes below /api: a file for each family, which has a `router`. The server finds the files."""
