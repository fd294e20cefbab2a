"""Search for the method that loses least among releases that pass the verdict: sweep() and recommend()."""
