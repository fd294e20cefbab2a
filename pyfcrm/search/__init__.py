"""Looking for the method that loses least within a risk limit: sweep() and recommend()."""
