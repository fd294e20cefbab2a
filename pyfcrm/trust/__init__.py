"""What can be filed: plans that were reviewed, releases made again, the installed package's own examination."""
