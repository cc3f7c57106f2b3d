"""Rows of arrays, files and Dask collections as blocks, and passes over blocks."""
