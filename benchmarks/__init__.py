"""Measures Cloche, and its peers beside it, on the machine at hand."""
