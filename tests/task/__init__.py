"""Tasks that pose several demands at once."""
