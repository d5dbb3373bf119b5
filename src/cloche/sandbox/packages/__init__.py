"""Packages for a sandbox: resolved, downloaded, checked and packed on the host."""
