"""`cloche bench`: what it measures and how figures are shown; benchmarks/ uses them too."""
