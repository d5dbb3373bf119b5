"""How an agent is run: its states, its limits, its history, and the loop that asks it for steps."""
