"""The Python half of the sandbox: an IPython kernel that lives inside Pyodide and is kept in a memory snapshot."""
