"""What can be filed: reviewed plans, reproduced releases, and the examination of the installed package."""
