"""Deals that never end, or end very late, for decks far beyond enumeration."""
