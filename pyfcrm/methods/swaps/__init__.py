"""Exchanges of values within columns, until cross sums, bounds and derived margins are as wanted; no column's values change."""
