"""Attacks on releases, their statistics, and the dependence of released records on their originals."""
