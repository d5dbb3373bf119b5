"""What programs ask of the system that Pyodide leaves out: users, limits, databases, alarms, other programs."""
