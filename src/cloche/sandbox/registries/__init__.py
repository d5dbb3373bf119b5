"""Packages for the languages besides Python: found in their registries, fetched, checked and packed on the host."""
