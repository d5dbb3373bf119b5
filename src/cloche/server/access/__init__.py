"""Who may use the server: users, their tokens, where requests may come from, how many there may be."""
