"""The algorithms, one file each, and the table of their names."""
