"""Compiled inner loops: arrays in, arrays out, no checks and no strings.

Every module here imports numba; import them inside the functions that need them.
"""
