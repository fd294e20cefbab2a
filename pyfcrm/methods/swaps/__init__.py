"""Swaps of values within columns until cross sums, bounds and derived margins reach their targets; margins stay."""
