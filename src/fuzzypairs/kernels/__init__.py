"""Compiled inner loops: arrays in, arrays out; they import only numpy and numba."""
