"""File formats for state graphs, each a function that yields the lines of a file."""
