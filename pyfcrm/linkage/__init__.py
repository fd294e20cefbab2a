"""Linking protected records to originals: distances, agreement patterns, and who is linked to whom."""
