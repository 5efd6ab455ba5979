"""The datasets of `data/`: how they are made, described and checked."""
