"""Compiled inner loops: arrays in, arrays out, no checks and no strings.

Every module here but `encode` imports numba; import them inside the functions that need them, or
in modules that are imported so.
"""

MOST_CARDS = 64
MOST_STRENGTHS = 64
