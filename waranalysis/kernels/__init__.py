"""Compiled kernels: arrays in, arrays out, no checks. Imported when they are first needed."""

MOST_CARDS = 64
MOST_STRENGTHS = 64
