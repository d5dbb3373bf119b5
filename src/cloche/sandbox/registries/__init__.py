"""Packages for languages other than Python: found in their registries, downloaded, checked and packed."""
