"""Every deal of a deck, or a sample of them."""
