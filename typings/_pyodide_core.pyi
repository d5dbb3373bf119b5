"""The part of Pyodide that is written in C."""

jsproxy_typedict: dict[int, type]
