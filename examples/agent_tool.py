"""A tool for an agent in fifteen lines: the model writes Python, and gets back what a person would see."""

import json

import cloche

TOOL = {
    "name": "python",
    "description": "Runs a cell of Python. Variables stay between calls. There is no network.",
    "parameters": {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]},
}


def call_tool(box: cloche.SyncSandbox, arguments: str) -> str:
    """What the model gets back for the cell it wrote."""
    result = box.run(json.loads(arguments)["code"], timeout=10)
    parts = [result.stdout, result.value or "", result.error.traceback if result.error else ""]
    return "\n".join(part for part in parts if part)[-4000:] or "(no output)"


# What a model would send; the second call has a mistake, the third mends it.
CALLS = ["primes = [n for n in range(2, 60) if all(n % d for d in range(2, n))]", "sum(prime)", "sum(primes)"]

with cloche.SyncSandbox() as box:
    for code in CALLS:
        print(f"> {code}\n{call_tool(box, json.dumps({'code': code}))}")
print(TOOL["name"], "answered", len(CALLS), "calls")
