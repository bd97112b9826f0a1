"""Model files of released versions, which every later version loads."""
