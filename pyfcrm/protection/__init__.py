"""Protecting a frame or a file: protect() and protect_file(), numbers for numbers or more, by strata, in memory or by blocks."""
