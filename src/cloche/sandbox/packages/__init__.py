"""Packages for a sandbox: resolved, fetched, checked and packed on the host."""
