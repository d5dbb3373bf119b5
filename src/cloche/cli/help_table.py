"""What `cloche --help` lists, read without importing a command; `make fmt` writes it, see scripts/help_table.py."""

GROUPS = {
    "Run code": {
        "run": "Run Python, or another language, in a sandbox.",
        "bash": "Run a bash command in a sandbox, or open a shell in one.",
        "repl": "Open a prompt for Python, bash or another language.",
        "diff": "Show what changed in a folder, as a patch.",
        "languages": "List the languages.",
    },
    "Serve agents, keep sessions": {
        "agent": "Let an agent work on a task.",
        "serve": "Serve sessions to a browser, programs and agents.",
        "token": "Create, list and revoke tokens of a server's users.",
        "mcp": "Serve the sandbox to agents and editors by MCP.",
        "exec": "Execute actions, JSON in and JSON out.",
        "sessions": "List, name and remove the sessions that are kept.",
        "replay": "Print a session again, or execute its actions again.",
        "config": "Print the configuration and where each value came from.",
        "policy": "Say what the security rules decide about a command.",
        "site": "Write Play as a folder of files for any web host.",
    },
    "This machine": {
        "fetch": "Fetch what sandboxes need, so that they start without a network.",
        "cache": "Show, prune and verify what is stored on this machine.",
        "doctor": "Check this machine: engine, cache, isolation.",
        "bench": "Measure sandboxes on this machine.",
        "completion": "Print the completion script for a shell.",
    },
}
