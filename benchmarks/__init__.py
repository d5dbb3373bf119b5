"""Measures Cloche against ipykernel and stock Pyodide on the machine at hand."""
