"""State graphs: every position of a deck and every turn between them."""
