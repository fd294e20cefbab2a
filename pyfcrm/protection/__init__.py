"""Protecting a file: protect() and protect_file(), of frames, of files, by strata, by blocks."""
