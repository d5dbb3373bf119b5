"""The groups of rows: each module measures one, with `rows(scale)`."""
