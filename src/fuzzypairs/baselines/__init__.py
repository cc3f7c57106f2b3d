"""The methods the paper compares with; each file holds one, with its solver."""
