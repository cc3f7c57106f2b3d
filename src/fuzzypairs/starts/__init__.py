"""Where a fit begins: seeds, random labels, the pair graph, or given arrays."""
