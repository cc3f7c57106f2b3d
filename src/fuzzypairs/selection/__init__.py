"""Settings chosen by held-out judgements, and methods compared on the same data."""
