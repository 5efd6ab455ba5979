"""Compiled kernels: arrays in, arrays out, no checks. Imported when they are first needed."""
