"""CRAN: packages for R."""
