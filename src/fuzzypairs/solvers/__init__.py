"""The algorithms, on checked arrays; they return frozen results."""
