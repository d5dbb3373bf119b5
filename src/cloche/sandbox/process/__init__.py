"""One engine process: launched, spoken to, watched, interrupted and ended."""
