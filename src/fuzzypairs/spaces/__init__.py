"""Spaces of samples: distances to prototypes, and the best prototypes."""
